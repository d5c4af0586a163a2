"""Hinges and slides of a pymunk engine by position, velocity and effort, all joints at once."""

from collections.abc import Sequence

import numpy as np
from pymunk._chipmunk_cffi import lib

from coopsim.engines.planar.bindings import JointBinding
from coopsim.engines.planar.bodies import BodyShapes
from coopsim.geometry import Floats, Ints


class PlanarAxes:
    """Axes that measure the motions of joints, by row.

    Args:
        held: The joints, in their order.

    Attributes:
        turns: Sense of a hinge about the vertical axis, 0 for other kinds, shape (j,).
        slides: Whether a joint is a slide, 0 or 1, shape (j,).
        angles: Direction of a slide in the frame of a, shape (j,) [rad].
        centres_a: Centres of mass of a in its frame, shape (j, 2) [m].
        centres_b: Centres of mass of b in its frame, shape (j, 2) [m].
    """

    def __init__(self, held: Sequence[JointBinding]) -> None:
        self.turns = np.array([np.sign(joint.spec.axis[2]) if joint.spec.kind == "hinge" else 0.0 for joint in held])
        self.slides = np.array([float(joint.spec.kind == "slide") for joint in held])
        self._zeros = np.array([joint.zero for joint in held], np.float64)
        self.angles = np.array([joint.grip.axis for joint in held], np.float64)
        self.centres_a = _centres([joint.a for joint in held])
        self.centres_b = _centres([joint.b for joint in held])
        self._seen: Floats = np.empty(0)
        self._known: dict[str, Floats] = {}  # per state: a tick reads and commands the same joints

    def positions(self, states: Floats, ends: Ints, grips: Floats) -> Floats:
        """Return angles and ways, shape (j,) [rad, m].

        Args:
            states: x y yaw vx vy w of bodies, velocities of their centres of mass, shape (m, 6).
            ends: Rows of the two bodies of each joint, shape (j, 2).
            grips: Anchors in the frames of the two bodies, shape (j, 4) [m].
        """
        angles_now = self._axis_states(states)
        if "positions" not in angles_now:
            a, b = states[ends[:, 0]], states[ends[:, 1]]
            apart = points(b, grips[:, 2:]) - points(a, grips[:, :2])
            # both kinds at once: of each joint one of the two factors is 0
            turned = self.turns * (b[:, 2] - a[:, 2] - self._zeros)
            angles_now["positions"] = turned + self.slides * _dot(apart, self._directions(a))
        return angles_now["positions"].copy()

    def velocities(self, states: Floats, ends: Ints, grips: Floats) -> Floats:
        """Return how fast the positions change, shape (j,) [rad/s, m/s]; arguments as those of `positions`."""
        angles_now = self._axis_states(states)
        if "velocities" in angles_now:
            return angles_now["velocities"].copy()
        a, b = states[ends[:, 0]], states[ends[:, 1]]
        # both velocities at the same place: that of b where the joint holds it
        spots = points(b, grips[:, 2:])
        fast = _speeds(b, spots - points(b, self.centres_b)) - _speeds(a, spots - points(a, self.centres_a))
        turning = self.turns * (b[:, 5] - a[:, 5])
        angles_now["velocities"] = turning + self.slides * _dot(fast, self._directions(a))
        return angles_now["velocities"].copy()

    def _axis_states(self, states: Floats) -> dict[str, Floats]:
        """Return what is known of these states: motors ask for what the readings before were made from."""
        if not np.array_equal(states, self._seen):
            self._seen, self._known = states.copy(), {}
        return self._known

    def _directions(self, a: Floats) -> Floats:
        angles = a[:, 2] + self.angles
        return _pairs(np.cos(angles), np.sin(angles))


def points(states: Floats, local: Floats) -> Floats:
    """Return points given in the frames of bodies in that of the world, shape (j, 2)."""
    cos, sin = np.cos(states[:, 2]), np.sin(states[:, 2])
    x = states[:, 0] + cos * local[:, 0] - sin * local[:, 1]
    return _pairs(x, states[:, 1] + sin * local[:, 0] + cos * local[:, 1])


def reduced_inertia(held: JointBinding) -> float:
    """Return how much two bodies resist a turn [kg m2] or a slide [kg] against each other; 0 for other joints."""
    if not held.spec.is_movable:
        return 0.0
    size = lib.cpBodyGetMass if held.spec.kind == "slide" else lib.cpBodyGetMoment
    sizes = [size(place.body.pointer) for place in (held.a, held.b) if place.moves]
    # as two masses in a row: the lighter one decides
    return float(1.0 / sum([1.0 / size for size in sizes]))


def _centres(places: Sequence[BodyShapes]) -> Floats:
    vectors = [lib.cpBodyGetCenterOfGravity(place.body.pointer) for place in places]
    return np.array([(vector.x, vector.y) for vector in vectors], np.float64).reshape(-1, 2)


def _speeds(states: Floats, arms: Floats) -> Floats:
    """Return the velocities of points at `arms` from the centres of mass, shape (j, 2)."""
    return states[:, 3:5] + states[:, 5:6] * _pairs(-arms[:, 1], arms[:, 0])


def _pairs(first: Floats, second: Floats) -> Floats:
    """Return two columns as one array, shape (j, 2); `column_stack` takes ten times as long."""
    products = np.empty((first.size, 2))
    products[:, 0], products[:, 1] = first, second
    return products


def _dot(first: Floats, second: Floats) -> Floats:
    products: Floats = (first * second).sum(axis=1)
    return products
