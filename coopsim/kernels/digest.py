"""Digest of all that the machine code of a kernel is made of: it changes when any of that changes.

Numba's own stamp is the file of a function. A kernel is made of more: the functions that it calls and the constants
that both use, wherever they are defined. Comments, docstrings and line numbers are no part of it.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeAlias

import numpy as np

_LIBRARIES = frozenset({"builtins", "math", "numba", "numpy"})  # numba knows their versions
_Seen: TypeAlias = set[tuple[int, tuple[str, ...]]]
# constants whose value is all that machine code has of them
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)


def digest(kernel: Callable[..., Any]) -> bytes:
    """Return a digest of a function's code, of all it calls and of the constants they use.

    What its closure holds is left to numba, which keeps one entry for each.
    """
    found = hashlib.sha256()
    for part in _code(kernel.__code__, kernel, set()):
        found.update(part.encode())
        # a mark between parts: "ab", "c" must not be "a", "bc"
        found.update(b"\0")
    return found.digest()


def _function(function: Callable[..., Any], seen: _Seen) -> Iterator[str]:
    """Yield what a function is made of that a kernel calls."""
    yield from _code(function.__code__, function, seen)
    # numba compiles defaults in as it does constants
    yield repr(function.__defaults__)
    for cell in function.__closure__ or ():
        yield from _value(cell.cell_contents, function.__code__.co_names, seen)


def _code(code: CodeType, function: Callable[..., Any], seen: _Seen) -> Iterator[str]:
    """Yield bytecode, constants and globals of a function, or of one that is written within it."""
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant, function, seen)
        # a set has no order of its own: its text differs from process to process
        elif constant is not None and constant is not function.__doc__:
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)
    names = function.__globals__
    for name in code.co_names:
        if name in names:
            yield name
            yield from _value(names[name], code.co_names, seen)


def _value(value: Any, attributes: tuple[str, ...], seen: _Seen) -> Iterator[str]:
    """Yield what a name stands for; of a module only the attributes that may be meant."""
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, tuple):
        yield f"tuple {len(value)} {getattr(value, '_fields', '')}"  # code asks named ones by name
        for item in value:
            yield from _value(item, attributes, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype!r} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif (id(value), attributes) not in seen:
        # kernels may call each other in circles; of a module other attributes may count elsewhere
        seen.add((id(value), attributes))
        yield from _composed(value, attributes, seen)


def _composed(value: Any, attributes: tuple[str, ...], seen: _Seen) -> Iterator[str]:
    if hasattr(value, "py_func"):
        yield repr(sorted(value.targetoptions.items()))
        yield from _function(value.py_func, seen)
    elif isinstance(value, ModuleType):
        for name in attributes:
            if hasattr(value, name):
                yield f"{value.__name__}.{name}"
                yield from _value(getattr(value, name), attributes, seen)
    else:
        home = getattr(value, "__module__", None) or type(value).__module__
        yield f"{home}.{getattr(value, '__qualname__', type(value).__qualname__)}"
        if home.partition(".")[0] not in _LIBRARIES:
            yield _file(getattr(sys.modules.get(home), "__file__", None))
        # what an intrinsic was made of, such as the formula of a loop
        for cell in getattr(getattr(value, "__wrapped__", None), "__closure__", None) or ():
            if hasattr(cell.cell_contents, "__code__"):
                yield from _function(cell.cell_contents, seen)


@cache
def _file(path: str | None) -> str:
    """Return a digest of a file that defines what no other rule knows."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
