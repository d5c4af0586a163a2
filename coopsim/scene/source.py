"""Bytes of a file to lines of text; whatever is no text is a located problem, never an exception."""

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from coopsim.errors import BadFile
from coopsim.scene.problems import Problem, Problems
from coopsim.scene.spans import Span

LARGEST = 4 * 1024 * 1024
"""Larger files are refused unread [bytes]; 20 000 robots take half of it."""
LARGEST_LOOK = 16 * 1024 * 1024
"""Larger pictures and meshes are refused [bytes]."""
_OF_KERNEL, _SHARED_MEMORY = ("/proc", "/sys", "/dev"), "/dev/shm"  # noqa: S108 - nothing is written there
LARGEST_MESSAGE = 256 * 1024
"""Larger texts out of messages are refused [characters]."""


def read_file(path: Path, problems: Problems, *, as_readers_in_c: bool = False) -> list[str]:
    """Return the lines of a file; none if it cannot be read, which is then noted.

    Args:
        path: The file.
        problems: Takes every mistake.
        as_readers_in_c: Whether a byte 0 ends the text, and bytes that are not UTF-8 are Latin-1; each is warned of.
    """
    name = str(path)
    raw = _read_bytes(path, problems)
    if raw is None:
        return []
    if len(raw) > LARGEST:
        problems.add(Span(name, 1, 1), f"the file is larger than {LARGEST // 2**20} MiB")
        return []
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problems.add(Span(name, 1, 1), "the file is UTF-16; save the file as UTF-8")
        return []
    if as_readers_in_c and b"\0" in raw:
        raw = raw[: raw.index(b"\0")]
        at = Span(name, raw.count(b"\n") + 1, len(raw) - raw.rfind(b"\n"))
        problems.warn(at, "NUL byte: it ends the text, and what follows is not read")
    return _lines(name, _decoded(name, raw, problems, may_be_latin=as_readers_in_c), problems)


def read_text(name: str, text: str, problems: Problems) -> list[str]:
    """Return the lines of a text that came in a message; none if it is too long, which is then noted."""
    if len(text) > LARGEST_MESSAGE:
        problems.add(Span(name, 1, 1), f"the text is longer than {LARGEST_MESSAGE} characters")
        return []
    return _lines(name, text, problems)


def why_unreadable(path: Path) -> str | None:
    """Return why `path` cannot be read as a file, None if it can."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        return _reason(error)
    if stat.S_ISDIR(mode):
        return "is a directory, expected a file"
    if not stat.S_ISREG(mode):
        # a pipe would wait for ever and a device never end
        return "is not a regular file"
    # a regular file by its mode, yet /proc/kmsg waits and reading others may act
    if _is_of_kernel(path):
        return "is no file of a disk"
    return None if os.access(path, os.R_OK) else "cannot be read: Permission denied"


_assumed: ContextVar[bool] = ContextVar("assumed", default=False)


@contextmanager
def shown_files_assumed() -> Iterator[None]:
    """Take for granted, within, that pictures and meshes are there: texts of recordings are read without them."""
    before = _assumed.set(True)
    try:
        yield
    finally:
        _assumed.reset(before)


def why_not_shown(path: Path) -> str | None:
    """Return why a picture or a mesh cannot be shown, None if it can as far as its size tells."""
    # a recording may be read where its pictures are not
    if _assumed.get():
        return None
    reason = why_unreadable(path)
    if reason is not None:
        return reason
    try:
        size = path.stat().st_size
    except OSError as error:
        return _reason(error)
    return f"the file is larger than {LARGEST_LOOK // 2**20} MiB" if size > LARGEST_LOOK else None


def read_look(path: Path) -> bytes:
    """Return the bytes of a picture or a mesh, whose name may come from anywhere.

    Raises:
        BadFile: It cannot be read, is too large, or is no file of a disk.
    """
    reason = why_unreadable(path)
    if reason is None:
        try:
            raw = _read_at_once(path)
        except OSError as error:
            reason = _reason(error)
        else:
            if len(raw) <= LARGEST_LOOK:
                return raw
            reason = f"the file is larger than {LARGEST_LOOK // 2**20} MiB"
    problem = Problem(Span(str(path), 1, 1), reason)
    raise BadFile(str(problem), (problem,))


def _read_at_once(path: Path) -> bytes:
    """Return what a file has, as far as a look may be long; what became a pipe meanwhile is not waited for."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        # one byte more than allowed tells a larger file from one that just fits, without reading it all
        return file.read(LARGEST_LOOK + 1) or b""


def _is_of_kernel(path: Path) -> bool:
    """Return whether the system makes up a file while it is read: it may have no end, or act."""
    real = path.resolve()
    return any(real.is_relative_to(folder) for folder in _OF_KERNEL) and not real.is_relative_to(_SHARED_MEMORY)


def _read_bytes(path: Path, problems: Problems) -> bytes | None:
    name = str(path)
    reason = why_unreadable(path)
    if reason is None:
        try:
            with path.open("rb") as file:
                return file.read(LARGEST + 1)
        except OSError as error:
            reason = _reason(error)
    problems.add(Span(name, 1, 1), reason)
    return None


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"


def _decoded(name: str, raw: bytes, problems: Problems, *, may_be_latin: bool) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        bad, at = error.object[error.start], Span(name, line, column)
        if may_be_latin:
            problems.warn(at, f"byte 0x{bad:02x} is not UTF-8; the file is read as Latin-1")
            return raw.decode("latin-1")
        problems.add(at, f"byte 0x{bad:02x} is not UTF-8; save the file as UTF-8")
        # the rest of a file with one wrong letter is still worth reading
        return raw.decode("utf-8-sig", errors="replace")


def _lines(name: str, text: str, problems: Problems) -> list[str]:
    # not splitlines: it breaks at characters that editors do not count as new lines
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    nul = text.find("\0")
    if nul >= 0:
        line, column = text.count("\n", 0, nul) + 1, nul - text.rfind("\n", 0, nul)
        problems.add(Span(name, line, column), "NUL byte: this is not a text file")
        return []
    lines = text.split("\n")
    problems.learn(name, lines)
    return lines
