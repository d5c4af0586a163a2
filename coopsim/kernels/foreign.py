"""C functions of libraries, called from kernels by their addresses.

An address is an argument and no part of the machine code, so that a kernel can be kept for other processes.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from coopsim.geometry import Floats, Ints
from coopsim.kernels.compiled import compiled

LLVM: Any = ir
"""What machine code is written with, for other calls."""


def _call_c(_: Any, address: Any, arguments: Any) -> Any:
    """Return how a call is typed and compiled."""
    # None lets numba say that the types do not fit
    return (types.void(address, arguments), _compile) if isinstance(arguments, types.BaseTuple) else None


def _compile(context: Any, builder: Any, _: Any, given: Any) -> Any:
    values = cgutils.unpack_tuple(builder, given[1])  # type: ignore[no-untyped-call]
    kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
    builder.call(builder.inttoptr(given[0], kind.as_pointer()), values)
    return context.get_dummy_value()


call_c = cast("Callable[[int, tuple[float, ...]], None]", intrinsic(_call_c))
"""Call the C function at an address, which returns nothing; its arguments are float64, and int64 for pointers."""


def _pointed(number: Any) -> Any:
    """Return how an address becomes a pointer to numbers of a type."""

    def typed(_: Any, address: Any) -> Any:
        return cast("Any", types).CPointer(number)(address), _point

    return typed


def _point(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    return builder.inttoptr(given[0], context.get_value_type(signature.return_type))


_to_floats, _to_ints, _to_words = (
    cast("Callable[[int], Any]", intrinsic(_pointed(kind))) for kind in (types.float64, types.int64, types.uint64)
)
_array = cast("Any", carray)


@compiled
def floats_at(address: int, size: int) -> Floats:
    """Return the float64 that stand at an address, a view, shape (size,)."""
    array: Floats = _array(_to_floats(address), size)
    return array


@compiled
def ints_at(address: int, size: int) -> Ints:
    """Return the int64 that stand at an address, a view, shape (size,)."""
    array: Ints = _array(_to_ints(address), size)
    return array


@compiled
def words_at(address: int, size: int) -> NDArray[np.uintp]:
    """Return the addresses, or words without a sign, that stand at an address, a view, shape (size,)."""
    array: NDArray[np.uintp] = _array(_to_words(address), size)
    return array
