"""Spaces of a batch: pymunk's C functions build, read and free the space of a world without Python in between.

A space that was reset in place would keep an order of its own in its trees, and with it other last digits than a fresh
one. So each reset builds a new one, from a plan that was read off the template.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.planar.bodies import BodyShapes, is_circle
from coopsim.engines.planar.space import PlanarBody, WallBody
from coopsim.errors import EngineCannot
from coopsim.features.learning import chipmunk
from coopsim.features.learning.drifting import FIRST_BODY, SPACE, DriftPlan, Outline
from coopsim.features.learning.pools import PoolSizes, fill_pools
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled_for_threads
from coopsim.kernels.foreign import ints_at

_STATIC, _BODY, _CIRCLE, _POLYGON, _PIVOT, _GEAR = range(6)  # kinds of lines of a plan
_WIDTH = 11
_FUNCTIONS = (
    *("cpSpaceNew", "cpSpaceFree", "cpSpaceSetCollisionSlop", "cpSpaceAddBody", "cpSpaceAddShape"),
    *("cpSpaceAddConstraint", "cpBodyNew", "cpBodyNewStatic", "cpBodySetCenterOfGravity", "cpBodySetAngle"),
    *("cpBodySetPosition", "cpBodyFree", "cpCircleShapeNew", "cpPolyShapeNewRaw", "cpShapeSetFriction"),
    *("cpShapeSetElasticity", "cpShapeSetFilter", "cpShapeFree", "cpPivotJointNew2", "cpGearJointNew"),
    *("cpConstraintSetMaxForce", "cpConstraintSetMaxBias", "cpConstraintFree", "cpBodySetUserData"),
)
_SPACE_NEW, _SPACE_FREE, _SET_SLOP, _ADD_BODY, _ADD_SHAPE, _ADD_CONSTRAINT, _BODY_NEW, _STATIC_NEW = range(8)
_SET_CENTRE, _SET_ANGLE, _SET_POSITION, _BODY_FREE, _CIRCLE_NEW, _POLYGON_NEW, _SET_FRICTION = range(8, 15)
_SET_ELASTICITY, _SET_FILTER, _SHAPE_FREE, _PIVOT_NEW, _GEAR_NEW, _SET_FORCE, _SET_BIAS = range(15, 22)
_CONSTRAINT_FREE, _SET_DATA = range(22, 24)


def _call_for_result(_: Any, address: Any, arguments: Any) -> Any:
    """Return how a call is typed and compiled."""
    return (types.int64(address, arguments), _compile) if isinstance(arguments, types.BaseTuple) else None


def _compile(_: Any, builder: Any, __: Any, given: Any) -> Any:
    values = cgutils.unpack_tuple(builder, given[1])  # type: ignore[no-untyped-call]
    kind = ir.FunctionType(ir.IntType(64), [value.type for value in values])
    return builder.call(builder.inttoptr(given[0], kind.as_pointer()), values)


# structures of two numbers travel in two registers, on x86-64 and AArch64 alike: vectors as two floats, filters as
# two whole numbers
call_pointer = cast("Callable[[int, tuple[float, ...]], int]", intrinsic(_call_for_result))
"""Call the C function at an address, which returns a pointer; arguments as those of `call_c`."""


class SpacePlan:
    """Contents of a space, as lines for `build_space`.

    Args:
        places: Bodies of the template, in the order in which they were added.
        slop: Overlap that resting contacts keep [m].

    Attributes:
        arguments: What `build_space` takes before the poses: functions, lines, corners, slop.
        handles: How many addresses a space has.
        drift: What of it moves without Chipmunk.
        pools: What its pools begin with.

    Raises:
        EngineCannot: A joint, or a fixed body with a pymunk body of its own, is in the scene.
    """

    def __init__(self, places: tuple[BodyShapes, ...], slop: float) -> None:
        self._handles = 1  # the first one is the space
        self._static = 0
        self._corners: list[tuple[float, float]] = []
        moving = [place for place in places if place.moves]
        rows = {place.spec.name: row for row, place in enumerate(moving)}
        standing = [place for place in places if not place.moves]
        # shapes that move are numbered first
        self._numbers = {shape: k for k, shape in enumerate(s for place in moving + standing for s in place.shapes)}
        lines = [line for place in places for line in self._lines(place, rows.get(place.spec.name, -1))]
        if self._static:
            lines.insert(0, _line(_STATIC, self._static))
        addresses = [int(ffi.cast("uintptr_t", ffi.addressof(lib, name))) for name in _FUNCTIONS]
        corners = np.array(self._corners, np.float64).reshape(-1, 2)
        self.arguments = np.array(addresses, np.int64), np.array(lines).reshape(-1, _WIDTH), corners, slop
        self.handles = self._handles
        outlines = [
            _outline(shape, rows.get(place.spec.name, -1)) for place in moving + standing for shape in place.shapes
        ]
        bodies = [_inertia(place.body) for place in moving]
        braked = np.array([bool(place.joints) for place in moving])
        self.drift = DriftPlan(np.array(bodies, np.float64), outlines, braked)
        fixed = len(outlines) - self.drift.moving
        self.pools = PoolSizes.of(fixed, self.drift.moving, self.drift.meeting, self.drift.points)

    def _lines(self, place: BodyShapes, row: int) -> Iterator[Floats]:
        if place.moves:
            body, handle = place.body, self._new()
            yield _line(_BODY, handle, row, *_inertia(body))
        elif isinstance(place.body, WallBody):
            handle = self._static_handle()
        else:
            raise EngineCannot(f"body {place.spec.name!r} holds a joint, and batches of worlds have no joints yet")
        for shape in place.shapes:
            yield self._shape(shape, handle)
        if place.joints:
            yield from self._floor_joints(place.joints, handle)

    def _shape(self, shape: Any, body: int) -> Floats:
        friction, elasticity = lib.cpShapeGetFriction(shape), lib.cpShapeGetElasticity(shape)
        surface = friction, elasticity, float(_layers(shape)), self._numbers[shape]
        corners = _corners(shape)
        if is_circle(shape):
            return _line(_CIRCLE, self._new(), body, _radius(shape), *corners[0], *surface)
        first = len(self._corners)
        self._corners += corners
        return _line(_POLYGON, self._new(), body, first, len(corners), _radius(shape), *surface)

    def _floor_joints(self, joints: tuple[Any, ...], body: int) -> Iterator[Floats]:
        slide, turn = joints
        anchors = lib.cpPivotJointGetAnchorA(slide), lib.cpPivotJointGetAnchorB(slide)
        coordinates = [number for anchor in anchors for number in (anchor.x, anchor.y)]
        gear = lib.cpGearJointGetPhase(turn), lib.cpGearJointGetRatio(turn)
        for kind, joint, numbers in ((_PIVOT, slide, coordinates), (_GEAR, turn, gear)):
            limits = lib.cpConstraintGetMaxForce(joint), lib.cpConstraintGetMaxBias(joint)
            yield _line(kind, self._new(), self._static_handle(), body, *numbers, *limits)

    def _new(self) -> int:
        self._handles += 1
        return self._handles - 1

    def _static_handle(self) -> int:
        self._static = self._static or self._new()
        return self._static


def _outline(shape: Any, row: int) -> Outline:
    return Outline(row, _radius(shape), np.array(_corners(shape), np.float64), _layers(shape))


def _inertia(body: PlanarBody) -> tuple[float, ...]:
    """Return mass [kg], moment of inertia [kg m2] and centre of mass in its frame [m]."""
    return lib.cpBodyGetMass(body.pointer), lib.cpBodyGetMoment(body.pointer), *body.centre


def _layers(shape: Any) -> int:
    return int(lib.cpShapeGetFilter(shape).categories)


def _radius(shape: Any) -> float:
    return float((lib.cpCircleShapeGetRadius if is_circle(shape) else lib.cpPolyShapeGetRadius)(shape))


def _corners(shape: Any) -> list[tuple[float, float]]:
    """Return the corners of a polygon, or the middle of a circle, in the frame of its body [m]."""
    if is_circle(shape):
        vectors = [lib.cpCircleShapeGetOffset(shape)]
    else:
        vectors = [lib.cpPolyShapeGetVert(shape, k) for k in range(lib.cpPolyShapeGetCount(shape))]
    return [(vector.x, vector.y) for vector in vectors]


def _line(kind: int, *values: float) -> Floats:
    line = np.zeros(_WIDTH)
    line[: len(values) + 1] = kind, *values
    return line


@compiled_for_threads
def build_space(
    functions: Ints,
    lines: Floats,
    corners: Floats,
    slop: float,
    pools: tuple[Ints, int],
    poses: Floats,
    handles: Ints,
) -> None:
    """Build a space, as the engine does it.

    Args:
        functions: Addresses of the C functions.
        lines: What is in the space.
        corners: Of its polygons.
        slop: Overlap that resting contacts keep [m].
        pools: What its pools begin with, and the address of memory for that.
        poses: Where the moving bodies stand, x y yaw, shape (n, 3).
        handles: Get the addresses of what was made.
    """
    space = call_pointer(functions[_SPACE_NEW], ())
    handles[0] = space
    fill_pools(space, pools[1], pools[0])
    call_c(functions[_SET_SLOP], (space, slop))
    for k in range(lines.shape[0]):
        line = lines[k]
        kind, item = int(line[0]), int(line[1])
        if kind == _STATIC:
            handles[item] = call_pointer(functions[_STATIC_NEW], ())
            call_c(functions[_ADD_BODY], (space, handles[item]))
        elif kind == _BODY:
            handles[item] = _new_body(functions, line, poses[int(line[2])])
            call_c(functions[_ADD_BODY], (space, handles[item]))
        elif kind in {_CIRCLE, _POLYGON}:
            handles[item] = _new_shape(functions, line, corners, handles[int(line[2])])
            call_c(functions[_ADD_SHAPE], (space, handles[item]))
        else:
            handles[item] = _new_joint(functions, line, handles[int(line[2])], handles[int(line[3])])
            call_c(functions[_ADD_CONSTRAINT], (space, handles[item]))


@compiled_for_threads
def _new_body(functions: Ints, line: Floats, pose: Floats) -> int:
    body = call_pointer(functions[_BODY_NEW], (line[3], line[4]))
    # contacts name bodies by this; 0 is what is fixed
    call_c(functions[_SET_DATA], (body, int(line[2]) + 1))
    call_c(functions[_SET_CENTRE], (body, line[5], line[6]))
    call_c(functions[_SET_ANGLE], (body, pose[2]))
    call_c(functions[_SET_POSITION], (body, pose[0], pose[1]))
    return body


@compiled_for_threads
def _new_shape(functions: Ints, line: Floats, corners: Floats, body: int) -> int:
    if int(line[0]) == _CIRCLE:
        shape = call_pointer(functions[_CIRCLE_NEW], (body, line[3], line[4], line[5]))
    else:
        first = corners[int(line[3]) :]
        shape = call_pointer(functions[_POLYGON_NEW], (body, int(line[4]), int(first.ctypes.data), line[5]))
    call_c(functions[_SET_FRICTION], (shape, line[6]))
    call_c(functions[_SET_ELASTICITY], (shape, line[7]))
    layers = int(line[8])
    call_c(functions[_SET_FILTER], (shape, 0, layers + (layers << 32)))
    ints_at(shape, chipmunk.SHAPE_WORDS)[chipmunk.SHAPE_DATA] = int(line[9])
    return shape


@compiled_for_threads
def _new_joint(functions: Ints, line: Floats, a: int, b: int) -> int:
    if int(line[0]) == _PIVOT:
        joint = call_pointer(functions[_PIVOT_NEW], (a, b, line[4], line[5], line[6], line[7]))
        call_c(functions[_SET_FORCE], (joint, line[8]))
        call_c(functions[_SET_BIAS], (joint, line[9]))
    else:
        joint = call_pointer(functions[_GEAR_NEW], (a, b, line[4], line[5]))
        call_c(functions[_SET_FORCE], (joint, line[6]))
        call_c(functions[_SET_BIAS], (joint, line[7]))
    return joint


@compiled_for_threads
def note_addresses(lines: Floats, handles: Ints, addresses: Ints) -> None:
    """Note where a space, its bodies, leaves of moving shapes and impulses are, as `drifting` wants it."""
    count, last = 0, addresses.size
    addresses[SPACE] = handles[0]
    for k in range(lines.shape[0]):
        if int(lines[k, 0]) == _BODY:
            addresses[FIRST_BODY + int(lines[k, 2])] = handles[int(lines[k, 1])]
            count += 1
        elif int(lines[k, 0]) in {_PIVOT, _GEAR}:
            # two numbers of a joint that brakes sliding, one of a joint that brakes turning
            is_pivot = int(lines[k, 0]) == _PIVOT
            number = chipmunk.PIVOT_IMPULSE if is_pivot else chipmunk.GEAR_IMPULSE
            for axis in range(2 if is_pivot else 1):
                last -= 1
                addresses[last] = handles[int(lines[k, 1])] + 8 * (number + axis)
    tree = ints_at(ints_at(handles[0], chipmunk.SPACE)[chipmunk.DYNAMIC_SHAPES], chipmunk.TREE)
    leaves = ints_at(tree[chipmunk.LEAVES], chipmunk.SET)
    size = (leaves[chipmunk.ENTRIES] >> 32) & chipmunk.LOW
    bins = ints_at(leaves[chipmunk.BINS], size)
    for k in range(size):
        item = bins[k]
        while item != 0:
            words = ints_at(item, chipmunk.BIN)
            shape = ints_at(words[chipmunk.ELEMENT], chipmunk.NODE)[chipmunk.SHAPE]
            number = ints_at(shape, chipmunk.SHAPE_WORDS)[chipmunk.SHAPE_DATA]
            addresses[FIRST_BODY + count + number] = words[chipmunk.ELEMENT]
            item = words[chipmunk.NEXT_BIN]


@compiled_for_threads
def free_space(functions: Ints, lines: Floats, handles: Ints) -> None:
    """Free a space and all that is in it; nothing where there is none."""
    if handles[0] == 0:
        return
    # the space first: it wakes its bodies while it goes
    call_c(functions[_SPACE_FREE], (handles[0],))
    for last in range(lines.shape[0]):
        line = lines[lines.shape[0] - 1 - last]
        kind, item = int(line[0]), handles[int(line[1])]
        if kind in {_STATIC, _BODY}:
            call_c(functions[_BODY_FREE], (item,))
        elif kind in {_CIRCLE, _POLYGON}:
            call_c(functions[_SHAPE_FREE], (item,))
        else:
            call_c(functions[_CONSTRAINT_FREE], (item,))
    handles[0] = 0
