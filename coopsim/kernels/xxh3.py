"""XXH3 of 128 bits in kernels: the functions of the library that the package xxhash is made of, by their addresses."""

import ctypes
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, cast

import numpy as np
import xxhash
from numba import types
from numba.extending import intrinsic

from coopsim.geometry import Ints
from coopsim.kernels.compiled import compiled
from coopsim.kernels.foreign import LLVM, call_c
from coopsim.kernels.native import is_possible

ADDRESS, ROWS, BYTES, STRIDE, IS_ORDERED = range(5)
"""Columns of a table of what is hashed: where its first row is, how many there are, how long, and how far apart."""
_STATE, _RESET, _UPDATE, _DIGEST = range(4)  # places in the array of addresses
# names of the functions in the library, which its header fixes
_BEGINNING, _UPDATING, _ENDING = (f"XXH3_128bits_{what}" for what in ("reset", "update", "digest"))
_LIBRARY = "xxhash._xxhash"  # the extension module in which the functions are
_SAMPLE = bytes(range(250)) * 3  # above 240 bytes XXH3 works in stripes, in another way than below


@cache
def hash_functions() -> Ints | None:
    """Return the addresses of what `hash_rows` calls, None where they cannot be called."""
    if not is_possible() or not hasattr(hash_rows, "py_func"):
        return None
    try:
        library = ctypes.CDLL(import_module(_LIBRARY).__file__)
        create = library.XXH3_createState
        update = getattr(library, f"{_UPDATING}_dispatch", None) or getattr(library, _UPDATING)  # for this processor
        addresses = [
            ctypes.cast(function, ctypes.c_void_p).value or 0
            for function in (library[_BEGINNING], update, library[_ENDING])
        ]
    except (AttributeError, ImportError, OSError):  # built in another way
        return None
    create.restype = ctypes.c_void_p
    functions = np.array([create(), *addresses], np.int64)
    return functions if _is_right(functions) else None


def _is_right(functions: Ints) -> bool:
    """Return whether they compute what the package does."""
    sample, out = np.frombuffer(_SAMPLE, np.uint8), np.zeros(2, np.int64)
    rows = np.array([[sample.ctypes.data, 1, sample.size, 0, 0]], np.int64)
    hash_rows(functions, rows, np.zeros(0, np.int64), out.ctypes.data)
    return out.tobytes() == xxhash.xxh3_128_digest(_SAMPLE)


@compiled
def hash_rows(functions: Ints, table: Ints, order: Ints, out: int) -> None:
    """Write the hash of rows, one after the other, as 16 bytes.

    Args:
        functions: What `hash_functions` returns.
        table: What is hashed, see `ADDRESS`, shape (n, 5).
        order: In which the rows of those follow each other that are ordered.
        out: Address of the result.
    """
    state = functions[_STATE]
    call_c(functions[_RESET], (state,))
    for k in range(table.shape[0]):
        first, size, stride = table[k, ADDRESS], table[k, BYTES], table[k, STRIDE]
        for i in range(table[k, ROWS]):
            row = order[i] if table[k, IS_ORDERED] != 0 else i
            call_c(functions[_UPDATE], (state, first + row * stride, size))
    _digest(functions[_DIGEST], state, out)


def _typed(_: Any, address: Any, state: Any, out: Any) -> Any:
    return types.void(address, state, out), _compile


def _compile(context: Any, builder: Any, _: Any, given: Any) -> Any:
    """Call what returns two words, the lower one first, and write them with their highest bytes first."""
    word = LLVM.IntType(64)
    kind = LLVM.FunctionType(LLVM.LiteralStructType([word, word]), [word])
    result = builder.call(builder.inttoptr(given[0], kind.as_pointer()), [given[1]])
    place = builder.inttoptr(given[2], word.as_pointer())
    for k, part in enumerate((1, 0)):
        at = builder.gep(place, [LLVM.Constant(word, k)])
        builder.store(builder.bswap(builder.extract_value(result, part)), at)
    return context.get_dummy_value()


_digest = cast("Callable[[int, int, int], None]", intrinsic(_typed))
