"""A process with a script of others begins sooner: what numba looks for on its way, and does not need, is left out.

Of 145 ms for its import numba takes 18 for SciPy, to look at its version, and for YAML, in which it would read settings
from a file of its own. Its first call reads the metadata of all packages once more, in search of extensions: 11 ms.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Final

from coopsim.plugins import entry_points

_UNNEEDED: Final = ("scipy", "yaml")
_EXTENSIONS: Final = "numba_extensions"


@contextmanager
def left_out(*names: str) -> Iterator[None]:
    """Have imports of modules fail that nobody has imported yet; afterwards they are as they were.

    Only for a process that imports in one thread: others would find them missing.
    """
    waiting = [name for name in names if name not in sys.modules]
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]  # None = cannot be imported
    modules.update(dict.fromkeys(waiting))
    try:
        yield
    finally:
        for name in waiting:
            del modules[name]


def import_kernels() -> None:
    """Import numba, if it is not there yet, without what it does not need."""
    if "numba" in sys.modules:
        return
    with left_out(*_UNNEEDED):
        import_module("coopsim.kernels")
    from numba.core import entrypoints

    if not entry_points(_EXTENSIONS):  # numba would find the same
        entrypoints._already_initialized = True  # noqa: SLF001 - it has no other way to be told
