"""Circles against four rays at once, written for the processor's vectors: each ray gets the bits of the plain formula.

A loop over a dozen rays that a compiler turns into vectors by itself loads and stores the rays anew for each circle,
and looks each time whether arrays overlap, which takes three times as long as all roots.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.geometry import Floats
from coopsim.kernels import inlined
from coopsim.kernels.foreign import LLVM
from coopsim.kernels.native import address
from coopsim.sensing.ray_fan import BEST, COUNT, DX, DY, FAN

QUAD = 4  # doubles in a vector of AVX2; on machines with narrower ones LLVM makes two of it
"""Rays of a vector; tables of rays hold a multiple of them."""
_BYTES = 8  # of a double, and of a whole number
_Meeting: TypeAlias = Callable[[tuple[int, int, int], tuple[int, int], tuple[int, int], tuple[float, float]], None]
"""Takes the addresses of BEST, DX and DY, noted circles and places as `meet_noted`, and where the rays begin."""
_WORD, _NUMBER = LLVM.IntType(64), LLVM.DoubleType()  # as the kernels' arrays have them
# four doubles fill a register of AVX2
_VECTOR, _TRUTHS = LLVM.VectorType(_NUMBER, QUAD), LLVM.VectorType(LLVM.IntType(1), QUAD)
_NONE = LLVM.Constant(_VECTOR, [0.0] * QUAD)


def _meeting(quads: int) -> _Meeting:
    """Return what shortens so many vectors of rays."""

    def typed(_: Any, lines: Any, noted: Any, places: Any, origin: Any) -> Any:
        return types.void(lines, noted, places, origin), compile_call

    def compile_call(context: Any, builder: Any, _: Any, given: Any) -> Any:
        (best, dx, dy), (noted, count), (places, small), (px, py) = (
            cgutils.unpack_tuple(builder, value)  # type: ignore[no-untyped-call]
            for value in given
        )
        across, up = (_vectors(builder, component, quads) for component in (dx, dy))
        # on the stack, which LLVM keeps in registers during the loop: memory is written once, at its end
        free = [cgutils.alloca_once_value(builder, value) for value in _vectors(builder, best, quads)]  # type: ignore[no-untyped-call]
        xs, notes = (
            builder.inttoptr(pointer_value, kind.as_pointer())
            for pointer_value, kind in ((places, _NUMBER), (noted, _WORD))
        )
        ys = builder.gep(xs, [small])
        radii = builder.gep(ys, [small])
        with cgutils.for_range(builder, count) as loop:
            place = builder.load(builder.gep(notes, [loop.index]))
            x, y, radius = (builder.load(builder.gep(column, [place])) for column in (xs, ys, radii))
            circle = builder.fsub(x, px), builder.fsub(y, py), builder.fmul(radius, radius)
            _shorten(builder, circle, across, up, free)
        # aligned as doubles are, not as vectors: a line of the table begins anywhere
        for k, slot in enumerate(free):
            builder.store(builder.load(slot), _pointer(builder, best, k), align=8)
        return context.get_dummy_value()

    return cast("_Meeting", intrinsic(typed))


def _shorten(builder: Any, circle: tuple[Any, Any, Any], across: list[Any], up: list[Any], free: list[Any]) -> None:
    x, y, square = circle
    far = builder.fadd(builder.fmul(x, x), builder.fmul(y, y))
    # one comparison for all rays: they begin at the same place
    is_inside = _spread(builder, builder.fcmp_ordered("<=", far, square), _TRUTHS)
    x, y, square = (_spread(builder, component, _VECTOR) for component in circle)
    root = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
        builder.module, LLVM.FunctionType(_VECTOR, [_VECTOR]), f"llvm.sqrt.v{QUAD}f64"
    )
    for dx, dy, best in zip(across, up, free, strict=True):
        off = builder.fsub(builder.fmul(x, dy), builder.fmul(y, dx))
        along = builder.fadd(builder.fmul(x, dx), builder.fmul(y, dy))
        # a ray that misses has no root: comparisons with what is no number are false
        meets = builder.fsub(along, builder.call(root, [builder.fsub(square, builder.fmul(off, off))]))
        before = builder.load(best)
        is_nearer = builder.and_(builder.fcmp_ordered(">=", meets, _NONE), builder.fcmp_ordered("<", meets, before))
        builder.store(builder.select(is_inside, _NONE, builder.select(is_nearer, meets, before)), best)


def _vectors(builder: Any, address: Any, quads: int) -> list[Any]:
    return [builder.load(_pointer(builder, address, k), align=8) for k in range(quads)]


def _pointer(builder: Any, address: Any, k: int) -> Any:
    return builder.gep(builder.inttoptr(address, _VECTOR.as_pointer()), [LLVM.Constant(_WORD, k)])


def _spread(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of equal numbers."""
    empty, lanes = LLVM.Constant(kind, LLVM.Undefined), LLVM.VectorType(LLVM.IntType(32), QUAD)
    first = builder.insert_element(empty, value, LLVM.Constant(LLVM.IntType(32), 0))
    return builder.shuffle_vector(first, empty, LLVM.Constant(lanes, [0] * QUAD))


# three vectors are the 11 rays of the usual robot; with their directions they take 9 of the 16 registers of AVX2
_meet_three, _meet_one = _meeting(3), _meeting(1)


@inlined
def meet_noted(noted: tuple[int, int], places: tuple[int, int], px: float, py: float, rays: Floats) -> None:
    """Shorten the rays from (px, py) that meet noted circles; from inside one all are 0.

    Args:
        noted: Address of the numbers of the circles, and how many there are.
        places: Address of the x of all circles, then y and radius follow, and how many there are of each.
        px: Where the rays begin [m].
        py: The same.
        rays: Their table, whose lines are as long as several vectors.
    """
    line = _BYTES * rays.shape[1]
    best, left = address(rays) + BEST * line, (int(rays[FAN, COUNT]) + QUAD - 1) // QUAD
    while left >= 3:
        _meet_three((best, best + (DX - BEST) * line, best + (DY - BEST) * line), noted, places, (px, py))
        best, left = best + 3 * QUAD * _BYTES, left - 3
    while left > 0:
        _meet_one((best, best + (DX - BEST) * line, best + (DY - BEST) * line), noted, places, (px, py))
        best, left = best + QUAD * _BYTES, left - 1
