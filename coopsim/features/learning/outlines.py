"""Circles and faces of boxes that a few rays meet, each shape by itself, written for the processor's vectors.

Each ray gets the bits of `ray_shapes.meet_circle` and `ray_shapes.meet_box`. Lines of the table of rays are as long as
several vectors.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.geometry import Floats
from coopsim.kernels import inlined
from coopsim.kernels.foreign import LLVM
from coopsim.kernels.lanes import spread
from coopsim.kernels.native import address
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import BEST, DX, DY
from coopsim.sensing.ray_quads import QUAD

_BYTES = 8  # of a number
_WORD, _NUMBER = LLVM.IntType(64), LLVM.DoubleType()
_VECTOR = LLVM.VectorType(_NUMBER, QUAD)
_NONE = LLVM.Constant(_VECTOR, [0.0] * QUAD)
_Lines: TypeAlias = tuple[int, int, int]
"""Addresses of how far rays are free, and of their directions."""
_Face: TypeAlias = tuple[float, float, float, float, float]
"""How far its plane is along its normal, how far its middle is to the left, half its length, its normal."""
_Formula: TypeAlias = Callable[[Any, Any, list[Any], Any, Any], Any]


def _for_rays(formula: _Formula) -> Callable[[_Lines, int, tuple[float, ...]], None]:
    """Return what shortens vectors of rays by where a formula says that they meet a shape, and nowhere else."""

    def typed(_: Any, lines: Any, quads: Any, shape: Any) -> Any:
        return types.void(lines, quads, shape), compile_call

    def compile_call(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        pointers = [
            builder.inttoptr(pointer, _VECTOR.as_pointer())
            for pointer in cgutils.unpack_tuple(builder, given[0])  # type: ignore[no-untyped-call]
        ]
        numbers = [spread(builder, number, _VECTOR) for number in cgutils.unpack_tuple(builder, given[2])]  # type: ignore[no-untyped-call]
        quads = context.cast(builder, given[1], signature.args[1], types.int64)
        with cgutils.for_range(builder, quads) as loop:
            slots = [builder.gep(pointer, [loop.index]) for pointer in pointers]
            # aligned as doubles are: a line of the table begins anywhere
            best, dx, dy = (builder.load(slot, align=_BYTES) for slot in slots)
            meets, is_met = formula(builder, best, numbers, dx, dy)
            is_nearer = builder.and_(builder.fcmp_ordered(">=", meets, _NONE), builder.fcmp_ordered("<", meets, best))
            is_nearer = is_nearer if is_met is None else builder.and_(is_nearer, is_met)
            builder.store(builder.select(is_nearer, meets, best), slots[0], align=_BYTES)
        return context.get_dummy_value()

    typed.__name__ = typed.__qualname__ = formula.__name__
    return cast("Callable[[_Lines, int, tuple[float, ...]], None]", intrinsic(typed))


def _face(builder: Any, _: Any, face: list[Any], dx: Any, dy: Any) -> Any:
    """Return where rays meet the plane of a face, and which do so within its ends."""
    ahead, aside, half, c, s = face
    along = builder.fadd(builder.fmul(dx, c), builder.fmul(dy, s))
    meets = builder.fdiv(ahead, along)
    left = builder.fsub(builder.fmul(dy, c), builder.fmul(dx, s))
    off = builder.fsub(builder.fmul(meets, left), aside)
    size = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
        builder.module, LLVM.FunctionType(_VECTOR, [_VECTOR]), f"llvm.fabs.v{QUAD}f64"
    )
    return meets, builder.fcmp_ordered("<=", builder.call(size, [off]), half)


def _circle(builder: Any, _: Any, circle: list[Any], dx: Any, dy: Any) -> Any:
    """Return where rays meet a circle; no number where they miss it."""
    x, y, square = circle
    off = builder.fsub(builder.fmul(x, dy), builder.fmul(y, dx))
    along = builder.fadd(builder.fmul(x, dx), builder.fmul(y, dy))
    root = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
        builder.module, LLVM.FunctionType(_VECTOR, [_VECTOR]), f"llvm.sqrt.v{QUAD}f64"
    )
    return builder.fsub(along, builder.call(root, [builder.fsub(square, builder.fmul(off, off))])), None


_meet_face, _meet_circle = _for_rays(_face), _for_rays(_circle)


@inlined
def meet_shape(shape: Floats, px: float, py: float, z: float, far: float, rays: Floats) -> None:
    """Shorten the rays from a place that meet a shape within `far` of there; from inside one all are 0.

    Args:
        shape: A row as `ray_head` has it, where it is in the world.
        px: Where the rays begin [m].
        py: The same.
        z: How high above the floor they are.
        far: Beyond it no ray sees anything [m].
        rays: Their table, whose lines are as long as several vectors.
    """
    x, y, half, half_width = shape[X] - px, shape[Y] - py, shape[HALF], shape[HALF_WIDTH]
    # both halves together bound the half diagonal: no root for each shape
    bound = far + half + half_width
    if x * x + y * y <= bound * bound and shape[head.LOW] <= z <= shape[head.HIGH]:
        first, line, quads = address(rays), _BYTES * rays.shape[1], rays.shape[1] // QUAD
        lines = first + BEST * line, first + DX * line, first + DY * line
        if half_width != 0.0:
            _meet_box((x, y, half, half_width), (shape[COS], shape[SIN]), lines, quads, rays)
        else:
            square = _cut(shape, z)
            if x * x + y * y <= square:
                rays[BEST, :] = 0.0
            else:
                _meet_circle(lines, quads, (x, y, square))


@inlined
def _cut(shape: Floats, z: float) -> float:
    """Return the square of the radius of a cylinder or sphere at a height, as `ray_shapes.cut` has it [m2]."""
    radius = shape[HALF]
    if shape[head.ROUND] != 0.0:
        off = z - 0.5 * (shape[head.LOW] + shape[head.HIGH])
        radius = math.sqrt(max(radius * radius - off * off, 0.0))
    return float(radius * radius)


@inlined
def _meet_box(
    box: tuple[float, float, float, float], normal: tuple[float, float], lines: _Lines, quads: int, rays: Floats
) -> None:
    """Shorten the rays that meet a box; at most two of its faces can be seen."""
    (x, y, half, half_width), (c, s) = box, normal
    u, v = x * c + y * s, y * c - x * s
    if (abs(u) <= half) & (abs(v) <= half_width):
        rays[BEST, :] = 0.0
        return
    if abs(u) > half:
        _meet_face(lines, quads, (u - math.copysign(half, u), v, half_width, c, s))
    if abs(v) > half_width:
        _meet_face(lines, quads, (v - math.copysign(half_width, v), -u, half, -s, c))
