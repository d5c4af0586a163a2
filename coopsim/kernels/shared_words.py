"""Words of 64 bits that processes or threads look at, in the order in which they are meant, for kernels.

A compiler and a processor may put stores and loads into another order, which only others who see the memory notice.
"""

from collections.abc import Callable
from typing import Any, cast

from numba import types
from numba.extending import intrinsic

from coopsim.kernels.foreign import LLVM

_BYTES = 8  # of a word: what processors load and store at once


def _load(_: Any, address: Any) -> Any:
    def make(_: Any, builder: Any, __: Any, given: Any) -> Any:
        return builder.load_atomic(_pointer(builder, given[0]), "acquire", _BYTES)

    return types.int64(address), make


def _store(_: Any, address: Any, value: Any) -> Any:
    def make(context: Any, builder: Any, __: Any, given: Any) -> Any:
        builder.store_atomic(given[1], _pointer(builder, given[0]), "release", _BYTES)
        return context.get_dummy_value()

    return types.void(address, value), make


def _changing(operation: str) -> Any:
    """Return how an operation is typed and compiled that no other thread comes in between; it returns what was."""

    def typed(_: Any, address: Any, value: Any) -> Any:
        return types.int64(address, value), make

    def make(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        # literals come as narrower types
        value = context.cast(builder, given[1], signature.args[1], types.int64)
        # the door of `sharing` needs one order of all such operations, which less than "seq_cst" does not give
        return builder.atomic_rmw(operation, _pointer(builder, given[0]), value, "seq_cst")

    return typed


def _fence(_: Any) -> Any:
    def make(context: Any, builder: Any, __: Any, ___: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), make


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, LLVM.IntType(64).as_pointer())


load = cast("Callable[[int], int]", intrinsic(_load))
"""Return the word at an address; what is read after it is at least as new."""
store = cast("Callable[[int, int], None]", intrinsic(_store))
"""Write the word at an address; whoever sees it sees all that was written before."""
add = cast("Callable[[int, int], int]", intrinsic(_changing("add")))
"""Add to the word at an address; return what it was before. Of several threads one adds after the other."""
exchange = cast("Callable[[int, int], int]", intrinsic(_changing("xchg")))
"""Replace the word at an address; return what it was before. Of several threads one does so after the other."""
fence = cast("Callable[[], None]", intrinsic(_fence))
"""Have all that was written seen before anything after it is read or written."""
