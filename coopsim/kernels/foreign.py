"""C functions of libraries, called from kernels by their addresses.

An address is an argument and no part of the machine code, so that a kernel can be kept for other processes.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.geometry import Floats
from coopsim.kernels.compiled import compiled


def _call_c(_: Any, address: Any, arguments: Any) -> Any:
    """Return how a call is typed and compiled."""
    return (types.void(address, arguments), _compile) if isinstance(arguments, types.BaseTuple) else None


def _compile(context: Any, builder: Any, _: Any, given: Any) -> Any:
    values = cgutils.unpack_tuple(builder, given[1])  # type: ignore[no-untyped-call]
    kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
    builder.call(builder.inttoptr(given[0], kind.as_pointer()), values)
    return context.get_dummy_value()


call_c = cast("Callable[[int, tuple[float, ...]], None]", intrinsic(_call_c))
"""Call the C function at an address, which returns nothing; its arguments are float64, and int64 for pointers."""


def _pointed(_: Any, address: Any) -> Any:
    """Return how an address becomes a pointer."""
    return cast("Any", types).CPointer(types.float64)(address), _point


def _point(_: Any, builder: Any, __: Any, given: Any) -> Any:
    return builder.inttoptr(given[0], ir.DoubleType().as_pointer())


_pointer, _array = cast("Callable[[int], Any]", intrinsic(_pointed)), cast("Any", carray)


@compiled
def floats_at(address: int, size: int) -> Floats:
    """Return the float64 that stand at an address, a view, shape (size,)."""
    found: Floats = _array(_pointer(address), size)
    return found
