"""Memory that a process needs no more."""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of options in glibc's malloc.h."""
_COLLECT = (20_000, 20, 20)
"""A message may bring thousands of objects: garbage is collected seldom enough to cost little."""


def collect_seldom() -> None:
    """Leave what is here now out of all later collections of garbage, and have these less often.

    A collection that looks at everything stops a process with many libraries for 40 ms and more.
    """
    gc.freeze()
    gc.set_threshold(*_COLLECT)


@contextmanager
def uncollected() -> Iterator[None]:
    """Let many objects be made that stay: collections would look at all of them again and again, half of the time."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def return_freed_memory() -> None:
    """Give what was freed back to the kernel, also what lies between memory in use; only glibc has to be asked."""
    with suppress(AttributeError, TypeError, OSError):  # another C library, or none that can be asked
        ctypes.CDLL(None).malloc_trim(0)


def keep_freed_memory(size: int) -> None:
    """Have this process keep memory that it gives back instead of asking the kernel for cleared memory again and again.

    Other C libraries than glibc decide by themselves.

    Args:
        size: That is kept at most [B].
    """
    try:
        choose = ctypes.CDLL(None).mallopt
    except (AttributeError, TypeError, OSError):  # another C library, or none that can be asked
        return
    choose(_MMAP_THRESHOLD, size)
    choose(_TRIM_THRESHOLD, size)
