"""Programs of `docs` and `benchmarks` as modules: they are beside the package, not in it."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]


@contextmanager
def module(name: str) -> Iterator[ModuleType]:
    """Import a program for a moment, with whatever it imports from its neighbours."""
    before, path = set(sys.modules), sys.path.copy()
    sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "benchmarks")]
    try:
        yield importlib.import_module(name)
    finally:
        sys.path[:] = path
        for name_ in set(sys.modules) - before:
            if str(ROOT / "docs") in str(getattr(sys.modules[name_], "__file__", "")):
                del sys.modules[name_]
