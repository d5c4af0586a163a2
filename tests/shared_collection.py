"""The collection of 15 000 tests by several workers: each would rewrite the asserts of all files, for itself.

That is most of what collecting them costs, and `PYTHONDONTWRITEBYTECODE` or a fresh clone makes it the rule. So each
worker first does its share of the files and keeps it beside them, where pytest looks for it; then all collect.
"""

import gc
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

_FILES = "test_*.py", "conftest.py"
_NOTHING_RUNS = (ImportError, NameError)
"""What a file ends with, at its first import or class, where no names are built in."""


def files_of(config: pytest.Config) -> list[Path]:
    """Return the files with tests that a worker has a share of: those of the folders on the command line."""
    folders = [config.invocation_params.dir / word.partition("::")[0] for word in config.args]
    return sorted(file for folder in folders if folder.is_dir() for kind in _FILES for file in folder.rglob(kind))


def share_of(config: pytest.Config) -> list[Path]:
    """Return the files that this worker rewrites for all; none where it is alone."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    if not worker:
        return []
    return files_of(config)[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]


def rewrite(config: pytest.Config, files: list[Path]) -> None:
    """Let pytest rewrite files and keep that, whatever else may keep compiled Python."""
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        for file in files:
            hook: Any = config.pluginmanager.rewrite_hook
            spec = importlib.util.spec_from_file_location(file.stem, file, loader=hook)
            try:
                hook.exec_module(SimpleNamespace(__name__=file.stem, __spec__=spec, __builtins__={}))
            except (*_NOTHING_RUNS, SyntaxError):  # the collection says what is wrong with a file
                continue
    finally:
        sys.dont_write_bytecode = kept


def begin(config: pytest.Config) -> None:
    """Begin to collect: nearly all that is made stays, so nothing is searched for garbage."""
    rewrite(config, share_of(config))
    gc.disable()


def end() -> None:
    """End it: what is there now stays until the end, and is not searched again."""
    gc.freeze()
    gc.enable()
