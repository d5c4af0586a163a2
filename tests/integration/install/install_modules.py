"""`benchmarks/install.py` as a module, and the wheel that all tests share."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]


def loaded() -> ModuleType:
    """Return `benchmarks/install.py`."""
    spec = importlib.util.spec_from_file_location("coopsim_install", ROOT / "benchmarks" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


install = loaded()
PYTHONS = install.pythons()
