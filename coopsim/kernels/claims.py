"""Claims to compile a kernel: one process at a time; others wait for its machine code or compile other kernels."""

import contextlib
import os
import select
import zlib
from pathlib import Path

try:
    import fcntl
except ImportError:  # another system: kernels may be compiled twice there
    fcntl = None  # type: ignore[assignment]

_FILE = ".compiling"  # hidden, so that no cleaner of machine code takes it for an index of numba's
_PLACES = 1 << 30  # a lock on a byte needs no byte there: the file stays empty, and two kernels hardly meet
_NAP = 0.02  # s, a tenth of what compiling a small kernel takes
PATIENCE = 120.0
"""Who waits longer compiles the kernel itself: the other process may have failed and go on with something else [s]."""


class CompilingClaims:
    """Locks on bytes of one file per folder of machine code; the system frees those of a process that dies."""

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        self._owner = os.getpid()

    def claim(self, folder: str, kernel: str, patience: float = PATIENCE) -> bool:
        """Claim a kernel, waiting for whoever has it; return whether somebody else had it meanwhile.

        Nested claims follow who calls whom, which has no circles, so no two processes wait for each other.
        """
        file = self._file(folder)
        if file is None:
            return False
        naps = 0
        while not self._lock(file, kernel):
            naps += 1
            if naps * _NAP > patience:
                break
            select.select([], [], [], _NAP)  # a nap
        return naps > 0

    def release(self, folder: str, kernel: str) -> None:
        """Let others have a kernel; one that was not claimed stays as it is."""
        file = self._files.get(folder) if self._owner == os.getpid() else None
        if file is not None and fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.lockf(file, fcntl.LOCK_UN, 1, _byte_offset(kernel))

    def _file(self, folder: str) -> int | None:
        """Return the open file of a folder; None where it cannot be written, so nothing is kept there either."""
        if self._owner != os.getpid():  # a fork has none of the locks, and its own end of the file closed those here
            self._files, self._owner = {}, os.getpid()
        if folder not in self._files and fcntl is not None:
            with contextlib.suppress(OSError):
                Path(folder).mkdir(parents=True, exist_ok=True)
                # closed in programs that this one starts: they would inherit no locks, but keep the file open
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                self._files[folder] = os.open(os.path.join(folder, _FILE), flags, 0o600)
        return self._files.get(folder)

    def _lock(self, file: int, kernel: str) -> bool:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte_offset(kernel))
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks
            return True
        return True


def _byte_offset(kernel: str) -> int:
    return zlib.crc32(kernel.encode()) % _PLACES


CLAIMS = CompilingClaims()  # one for a process: it holds one file open for each folder
