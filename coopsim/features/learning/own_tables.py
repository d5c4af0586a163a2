"""Tables that casts of a batch begin with, in memory of the kernel's own, copied from those that worlds share."""

from collections.abc import Callable
from typing import Any, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.geometry import Floats, Ints
from coopsim.kernels import inlined, sincos
from coopsim.kernels.foreign import LLVM, floats_at
from coopsim.kernels.sequence import KernelCall
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import FAN

MOST_BODIES = 32  # room on the stack; who has more casts as ever
LINES = FAN + 1  # of a table of rays


def on_stack(size: int) -> Callable[[], int]:
    """Return what gives the address of memory for some numbers, which lasts until the kernel returns."""

    def typed(_: Any) -> Any:
        return types.int64(), compile_call

    def compile_call(_: Any, builder: Any, __: Any, ___: Any) -> Any:
        room = cgutils.alloca_once(builder, LLVM.DoubleType(), size=size)  # type: ignore[no-untyped-call]
        return builder.ptrtoint(room, LLVM.IntType(64))

    return cast("Callable[[], int]", intrinsic(typed))


def has_one_form(call: KernelCall, most_rays: int) -> bool:
    """Return whether the bodies of a cast are few and of one form, and their rays no more than so many."""
    rows, bearings, whole = call.arguments[2], call.arguments[3], call.arguments[-1][1]
    hulls = whole[whole[head.AT_BODY] + head.BODY_FIRST + head.BODY_WIDTH * rows]
    return bool(rows.size <= MOST_BODIES and bearings.size <= most_rays and (hulls == hulls[0]).all())


@inlined
def own_rays(memory: int, table: int, columns: int) -> Floats:
    """Return a table of rays at the address `memory`, copied from that at another one."""
    size = LINES * columns
    own, shared = floats_at(memory, size), floats_at(table, size)
    for k in range(size):
        own[k] = shared[k]
    return own.reshape((LINES, columns))


@inlined
def longest_of(reach: Floats, count: int, hull: float) -> float:
    """Return how far the longest rays of so many bodies go from the middle [m]."""
    longest = 0.0
    for i in range(count):
        longest = max(longest, reach[i] + hull)
    return longest


@inlined
def own_headings(memory: int, planar: Floats, rows: Ints) -> Floats:
    """Return headings, sines and cosines of bodies at the address `memory`, shape (3, n or more)."""
    # eight angles fit into vectors
    wide = (rows.size + 7) // 8 * 8
    angles = floats_at(memory, 3 * wide).reshape((3, wide))
    for i in range(rows.size):
        angles[0, i] = planar[rows[i], 2]
    sincos(angles[0], angles[1], angles[2])
    return angles
