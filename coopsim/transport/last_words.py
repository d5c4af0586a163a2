"""The exception that ends a process, in memory that it shares with its launcher.

A pipe would not do: whatever closed the descriptors of a process closed the pipes to its launcher, too.
"""

import errno
import mmap
import os
import sys
import tempfile
import traceback
from pathlib import PurePath
from types import TracebackType

from coopsim.suggest import printable

VARIABLE = "COOPSIM_LAST_WORDS"
"""Name of the environment variable that holds the descriptor of the shared memory."""
_ROOM = 1024
"""Bytes that a process may leave: a sentence and where; the whole trace goes to stderr."""
_LINES = 3
"""Lines of a message that are kept, the first ones: those of compilers run to pages."""
_MEMORIES: list[mmap.mmap] = []
"""That of this process, if it keeps its last words."""
_CURE = "something in the process closed descriptors that are not its own: look at its plugins"


class LastWords:
    """The launcher's end: memory for the exception of one process.

    Raises:
        OSError: There is no memory, or no descriptor, for it.

    Attributes:
        descriptor: What the process inherits.
    """

    def __init__(self) -> None:
        self.descriptor = _memory_file()
        os.truncate(self.descriptor, _ROOM)
        self._text: str | None = None

    def read(self) -> str:
        """Return what the process left when it ended, "" for nothing; the memory is given back."""
        if self._text is None:
            self._text = os.pread(self.descriptor, _ROOM, 0).rstrip(b"\0").decode(errors="replace")
            os.close(self.descriptor)
        return self._text


def _memory_file() -> int:
    """Return the descriptor of a file without a name; in memory where the system has such files (Linux)."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("last-words")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def keep_last_words() -> None:
    """Keep the exception that ends this process, if any, for the launcher; whatever happens to its descriptors."""
    descriptor = os.environ.pop(VARIABLE, None)  # programs that this process starts have a launcher of their own
    if descriptor is None:
        return
    _MEMORIES.append(mmap.mmap(int(descriptor), _ROOM))
    os.close(int(descriptor))
    print_trace = sys.excepthook

    def keep(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        leave_words(problem)
        print_trace(kind, problem, trace)

    sys.excepthook = keep


def leave_words(problem: BaseException) -> None:
    """Leave an exception for the launcher, in case that no message reaches it; without a launcher do nothing."""
    text = words_of(problem).encode(errors="replace")[:_ROOM]
    for memory in _MEMORIES:
        memory[:] = text.ljust(_ROOM, b"\0")


def words_of(problem: BaseException) -> str:
    """Return an exception for people: its text, the line that raised it, and a cure where there is one."""
    try:
        lines = "".join(traceback.format_exception_only(problem)).strip().splitlines()
    except Exception as second:
        lines = [f"{type(problem).__name__}, whose text raises {type(second).__name__}"]
    frames = traceback.extract_tb(problem.__traceback__, limit=-1)
    place = f" ({PurePath(frames[0].filename).name}:{frames[0].lineno})" if frames else ""
    text = printable("\n  ".join(lines[:_LINES]))[: _ROOM // 2] + place
    is_closed = isinstance(problem, OSError) and problem.errno == errno.EBADF
    return f"{text}\n  {_CURE}" if is_closed else text
