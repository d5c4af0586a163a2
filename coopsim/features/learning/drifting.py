"""Steps of a world in which nothing touches, without Chipmunk.

Bodies that meet nobody move by four lines of arithmetic. Chipmunk's step of them also goes through its space, trees and
sets, which lie all over the memory. So the state of all bodies lies here side by side, and Chipmunk is asked only in
steps that would change anything in it: where a shape leaves the box that its leaf in the tree has, where boxes of two
shapes overlap that may touch, and while any contact is remembered. All other steps of Chipmunk change nothing but its
bodies. Each number has the bits that Chipmunk gives it.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from pymunk._chipmunk_cffi import ffi, lib

from coopsim.engines.planar import body_memory
from coopsim.engines.planar.stepping import note_velocities
from coopsim.engines.plane.kernels import scatter_wrench
from coopsim.features.learning import chipmunk
from coopsim.features.learning.pools import reuse_contacts
from coopsim.geometry import Bools, Floats, Ints
from coopsim.kernels import call_c, compiled
from coopsim.kernels.foreign import floats_at, ints_at

STEP, SPACE, KEPT, FIRST_BODY = range(4)
"""What the addresses of a world begin with; its bodies follow, then the leaves of its moving shapes, and impulses of
joints that brake bodies on the floor."""
IMPULSES = 3
"""Numbers of a body that is braked: of sliding, two, and of turning."""
MOST_PAIRS = 4  # of each moving shape; a world with more is left to Chipmunk
_X, _Y, _TURN, _SPEED_X, _SPEED_Y, _SPIN, _STATE = range(7)
# columns of the table of bodies
_PER_MASS, _PER_MOMENT, _OFFSET_X, _OFFSET_Y, _IS_PLAIN, _IS_BRAKED, _BODY = range(7)
# columns of the table of shapes; circles have a middle, polygons some corners
_OF_BODY, _RADIUS, _FIRST, _CORNERS, _SHAPE = range(5)
_LEFT, _BOTTOM, _RIGHT, _TOP, _SIDES = range(5)
_BODIES, _MOVING, _SHAPES, _COUNTS = range(4)
_TABLES = 5

Drift: TypeAlias = tuple[Ints, Floats, Floats, Ints, int]
"""Addresses of a world; states of its bodies; boxes of its moving shapes as they are, and those of their leaves; pairs
to be looked at, their number first; address of what all worlds have in common."""


class Outline(NamedTuple):
    """A shape of a space.

    Attributes:
        body: Row of its body, -1 = it stands.
        radius: Of a circle, or of the rounding of a polygon [m].
        corners: Of a polygon, or the middle of a circle, in the frame of the body, shape (k, 2) [m].
        layers: Heights that it takes up, as bits.
    """

    body: int
    radius: float
    corners: Floats
    layers: int

    @property
    def is_circle(self) -> bool:
        """Whether it has no corners."""
        return len(self.corners) == 1

    @property
    def is_centred(self) -> bool:
        """Whether turning it changes nothing."""
        return self.is_circle and not self.corners.any()


class DriftPlan:
    """Bodies and shapes that all worlds of a batch have in common.

    Args:
        bodies: Mass, moment of inertia and x, y of the centre of mass in the frame of the body, shape (n, 4).
        shapes: Those that move, then those that stand, each kind in the order in which they are added.
        braked: Which bodies the floor brakes; while they move they are left to Chipmunk, shape (n,).

    Attributes:
        moving: How many shapes move.
        braked: How many bodies the floor brakes.
        meeting: How many pairs of shapes may touch.
        points: In how many points: in one where one of them is a circle, else in two.
        address: Of the tables.
    """

    def __init__(self, bodies: Floats, shapes: list[Outline], braked: Bools) -> None:
        self.moving = moving = sum(shape.body >= 0 for shape in shapes)
        self._count, self.braked = len(bodies), int(braked.sum())
        masses = np.zeros((len(bodies), _BODY))
        masses[:, _PER_MASS], masses[:, _PER_MOMENT] = 1.0 / bodies[:, 0], 1.0 / bodies[:, 1]
        masses[:, _OFFSET_X : _OFFSET_Y + 1] = bodies[:, 2:]
        masses[:, _IS_BRAKED] = braked
        masses[:, _IS_PLAIN] = [
            not bodies[row, 2:].any() and all(shape.is_centred for shape in shapes if shape.body == row)
            for row in range(len(bodies))
        ]
        table, corners = np.zeros((moving, _SHAPE)), list[Floats]()
        for row, shape in enumerate(shapes[:moving]):
            table[row] = shape.body, shape.radius, sum(map(len, corners)), len(shape.corners)
            corners.append(shape.corners)
        meets = np.array(
            [[float(a.body != b.body and bool(a.layers & b.layers)) for b in shapes] for a in shapes[:moving]]
        )
        fixed = np.array([_box_of(shape) for shape in shapes[moving:]])
        points = np.array([[2.0 - (a.is_circle or b.is_circle) for b in shapes] for a in shapes[:moving]])
        self.meeting, self.points = (
            int(pairs[:, moving:].sum() + pairs[:, :moving].sum() / 2.0) for pairs in (meets, meets * points)
        )
        parts = [masses, table, np.concatenate(corners) if corners else np.zeros(0), meets, fixed]
        begins = np.cumsum([_COUNTS + _TABLES, *map(np.size, parts)])
        # counts and where each table begins are floats like the rest: one piece of memory, one address
        heads = np.array([len(bodies), moving, len(shapes), *begins[:_TABLES]], np.float64)
        self._memory: Floats = np.concatenate([heads, *(part.ravel() for part in parts)])
        self.address = int(self._memory.ctypes.data)

    def arrays(self) -> Drift:
        """Return what a world needs memory for."""
        addresses = np.zeros(FIRST_BODY + self._count + self.moving + IMPULSES * self.braked, np.int64)
        addresses[STEP] = int(ffi.cast("uintptr_t", ffi.addressof(lib, "cpSpaceStep")))
        boxes = np.zeros((2 * self.moving, _SIDES))
        pairs = np.full(1 + MOST_PAIRS * self.moving, -1, np.int64)
        # states, and room for where bodies come to
        return addresses, np.zeros((2 * self._count, _STATE)), boxes, pairs, self.address


def _box_of(shape: Outline) -> Floats:
    low, high = shape.corners.min(axis=0) - shape.radius, shape.corners.max(axis=0) + shape.radius
    box: Floats = np.concatenate([low, high])
    return box


@compiled
def read_world(drift: Drift, planar: Floats, dt: float) -> None:
    """Read all bodies out of Chipmunk, and what decides whether it is needed in the next step.

    Args:
        drift: The world.
        planar: Gets x y yaw vx vy w, shape (n, 6).
        dt: Length of a step [s].
    """
    addresses, states, boxes, pairs, _ = drift
    count, moving = planar.shape[0], boxes.shape[0] // 2
    for row in range(count):
        body = floats_at(addresses[FIRST_BODY + row], chipmunk.BODY)
        for axis in range(2):
            states[row, axis], states[row, _SPEED_X + axis] = (
                body[body_memory.CENTRE + axis],
                body[body_memory.VELOCITY + axis],
            )
            planar[row, axis] = body_memory.origin(body, axis)
            planar[row, 3 + axis] = states[row, _SPEED_X + axis]
        states[row, _TURN] = planar[row, 2] = body[body_memory.ANGLE]
        states[row, _SPIN] = planar[row, 5] = body[body_memory.SPIN]
    space = ints_at(addresses[SPACE], chipmunk.SPACE)
    cached = ints_at(space[chipmunk.CACHED], chipmunk.SET)
    last = floats_at(addresses[SPACE], chipmunk.SPACE)[chipmunk.LAST_STEP]
    pairs[0] = -1
    # contacts are remembered for some steps, and the first step sets what the next contact is reckoned with
    is_free = cached[chipmunk.ENTRIES] & chipmunk.LOW == 0 and last == dt
    for k in range(FIRST_BODY + count + moving, addresses.size):
        is_free = is_free and floats_at(addresses[k], 1)[0] == 0.0
    if is_free:
        for shape in range(moving):
            leaf = floats_at(addresses[FIRST_BODY + count + shape], chipmunk.NODE)
            for side in range(_SIDES):
                boxes[moving + shape, side] = leaf[chipmunk.BOX + side]
        _list_pairs(drift, count)


@compiled
def _list_pairs(drift: Drift, count: int) -> None:
    """List the pairs of shapes that may touch and whose leaves overlap; -1 if there are too many."""
    addresses, _, boxes, pairs, shared = drift
    moving, noted = boxes.shape[0] // 2, 0
    head = floats_at(shared, _COUNTS + _TABLES)
    shapes = int(head[_SHAPES])
    meets = floats_at(shared + 8 * int(head[_COUNTS + 3]), moving * shapes)
    for second in range(moving):
        leaf = addresses[FIRST_BODY + count + second]
        pair = ints_at(leaf, chipmunk.NODE)[chipmunk.PAIRS]
        while pair != 0:
            words = ints_at(pair, chipmunk.PAIR)
            if words[chipmunk.SECOND_LEAF] != leaf:
                pair = words[chipmunk.NEXT_OF_FIRST]
                continue
            shape = ints_at(words[chipmunk.FIRST_LEAF], chipmunk.NODE)[chipmunk.SHAPE]
            first = ints_at(shape, chipmunk.SHAPE_WORDS)[chipmunk.SHAPE_DATA]
            if meets[second * shapes + first] != 0.0:
                noted += 1
                if noted >= pairs.size:
                    pairs[0] = -1
                    return
                pairs[noted] = second * shapes + first
            pair = words[chipmunk.NEXT_OF_SECOND]
    pairs[0] = noted


@compiled
def step_alone(drift: Drift, forces: Floats, planar: Floats, dt: float) -> bool:
    """Make a step without Chipmunk, if it would change nothing but the bodies; return whether it was made.

    Args:
        drift: The world.
        forces: Force x, y and torque of each body, shape (n, 3) [N, N m].
        planar: Gets x y yaw vx vy w, shape (n, 6).
        dt: Length of the step [s].
    """
    states, pairs = drift[1], drift[3]
    if pairs[0] < 0:
        return False
    head = floats_at(drift[4], _COUNTS + _TABLES)
    count = planar.shape[0]
    masses = floats_at(drift[4] + 8 * int(head[_COUNTS]), count * _BODY).reshape((count, _BODY))
    for row in range(count):
        # what rests, stays, as its joints have no impulse
        if masses[row, _IS_BRAKED] != 0.0:
            for axis in range(3):
                if states[row, _SPEED_X + axis] != 0.0 or forces[row, axis] != 0.0:
                    return False
    if not _move(drift, planar, dt):
        return False
    for row in range(count):
        come = states[count + row]
        for axis in range(2):
            states[row, axis], planar[row, axis] = come[axis], come[3 + axis]
            speed = states[row, _SPEED_X + axis] + (0.0 + forces[row, axis] * masses[row, _PER_MASS]) * dt
            states[row, _SPEED_X + axis] = planar[row, 3 + axis] = speed
        states[row, _TURN] = planar[row, 2] = come[_TURN]
        spin = states[row, _SPIN] + forces[row, 2] * masses[row, _PER_MOMENT] * dt
        states[row, _SPIN] = planar[row, 5] = spin
    return True


@compiled
def _move(drift: Drift, planar: Floats, dt: float) -> bool:
    """Find where bodies come to, behind the states; return whether no shape leaves its leaf or may touch another."""
    _, states, boxes, pairs, shared = drift
    count, moving = planar.shape[0], boxes.shape[0] // 2
    head = floats_at(shared, _COUNTS + _TABLES)
    masses = floats_at(shared + 8 * int(head[_COUNTS]), count * _BODY).reshape((count, _BODY))
    table = floats_at(shared + 8 * int(head[_COUNTS + 1]), moving * _SHAPE).reshape((moving, _SHAPE))
    corners = floats_at(shared + 8 * int(head[_COUNTS + 2]), int(head[_COUNTS + 3] - head[_COUNTS + 2]))
    shape = 0
    for row in range(count):
        state, come = states[row], states[count + row]
        # what is behind the + 0.0 pushes bodies apart that overlap
        x, y = state[_X] + (state[_SPEED_X] + 0.0) * dt, state[_Y] + (state[_SPEED_Y] + 0.0) * dt
        turn = state[_TURN] + (state[_SPIN] + 0.0) * dt
        c, s = 1.0, 0.0
        # a turn matters for the sign of a zero, too
        if masses[row, _IS_PLAIN] == 0.0 or x == 0.0 or y == 0.0:
            c, s = math.cos(turn), math.sin(turn)
        u, v = masses[row, _OFFSET_X], masses[row, _OFFSET_Y]
        left, low = x - (u * c - v * s), y - (u * s + v * c)
        come[_X], come[_Y], come[_TURN] = x, y, turn
        come[3], come[4] = c * 0.0 + -s * 0.0 + left, s * 0.0 + c * 0.0 + low
        while shape < moving and table[shape, _OF_BODY] == row:
            box, leaf = boxes[shape], boxes[moving + shape]
            _surround(box, table[shape], corners, (c, s, left, low))
            is_inside = leaf[_LEFT] <= box[_LEFT] and leaf[_RIGHT] >= box[_RIGHT]
            if not (is_inside and leaf[_BOTTOM] <= box[_BOTTOM] and leaf[_TOP] >= box[_TOP]):
                return False
            shape += 1
    shapes = int(head[_SHAPES])
    fixed = floats_at(shared + 8 * int(head[_COUNTS + 4]), (shapes - moving) * _SIDES).reshape((-1, _SIDES))
    for k in range(1, 1 + pairs[0]):
        a, second = boxes[pairs[k] // shapes], pairs[k] % shapes
        b = boxes[second] if second < moving else fixed[second - moving]
        is_beside = a[_LEFT] <= b[_RIGHT] and b[_LEFT] <= a[_RIGHT]
        if is_beside and a[_BOTTOM] <= b[_TOP] and b[_BOTTOM] <= a[_TOP]:
            return False
    return True


@compiled
def _surround(box: Floats, shape: Floats, corners: Floats, place: tuple[float, float, float, float]) -> None:
    """Write the box around a shape of a body that is turned and moved."""
    c, s, x, y = place
    left, low, right, high = math.inf, math.inf, -math.inf, -math.inf
    for k in range(int(shape[_FIRST]), int(shape[_FIRST] + shape[_CORNERS])):
        u, v = corners[2 * k], corners[2 * k + 1]
        p, q = c * u + -s * v + x, s * u + c * v + y
        left, right, low, high = min(left, p), max(right, p), min(low, q), max(high, q)
    radius = shape[_RADIUS]
    box[_LEFT], box[_BOTTOM], box[_RIGHT], box[_TOP] = left - radius, low - radius, right + radius, high + radius


@compiled
def step_together(drift: Drift, forces: Floats, planar: Floats, dt: float) -> None:
    """Have Chipmunk make a step, arguments as those of `step_alone`."""
    addresses, states = drift[0], drift[1]
    for row in range(planar.shape[0]):
        body = floats_at(addresses[FIRST_BODY + row], chipmunk.BODY)
        for axis in range(2):
            body[body_memory.CENTRE + axis], body[body_memory.VELOCITY + axis] = (
                states[row, axis],
                states[row, _SPEED_X + axis],
            )
            body[body_memory.FORCE + axis] = forces[row, axis]
        body[body_memory.ANGLE], body[body_memory.SPIN] = states[row, _TURN], states[row, _SPIN]
        body[body_memory.TORQUE] = forces[row, 2]
    reuse_contacts(addresses[SPACE], addresses[KEPT])
    call_c(addresses[STEP], (addresses[SPACE], dt))
    read_world(drift, planar, dt)


@compiled
def step_world(
    drift: Drift,
    forces: Floats,
    wrench: Floats,
    order: Ints,
    motion: tuple[Floats, Floats],
    dt: float,
    parts: int,
) -> int:
    """Do what a step of the engine does, see `SpaceStepper.step_call`."""
    wrong = scatter_wrench(wrench, order, forces)
    if wrong < 0:
        note_velocities(*motion)
        for _ in range(parts):
            if not step_alone(drift, forces, motion[0], dt):
                step_together(drift, forces, motion[0], dt)
    return wrong
