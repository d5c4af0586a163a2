"""Hinges and slides of a MuJoCo engine by position, velocity and effort, all joints at once."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from coopsim.engines.rotations import back, turned
from coopsim.features.space.grips import SpatialJoint, ends, position_between
from coopsim.features.space.model import Model
from coopsim.features.space.solids import Solid
from coopsim.geometry import Floats, Ints

_States: TypeAlias = Mapping[str, Floats]


class SpatialAxes:
    """The motions of joints.

    Args:
        joints: In their order.
        solids: What their bodies are, by name.

    Attributes:
        limits: Lowest and highest position of each joint, shape (j, 2) [rad, m].
        inertias: How much each resists its motion at least, 0 for other kinds, shape (j,) [kg m2, kg].
    """

    def __init__(self, joints: Sequence[SpatialJoint], solids: Mapping[str, Solid]) -> None:
        self._joints = joints
        movable = [row for row, joint in enumerate(joints) if joint.spec.is_movable]
        self._rows = np.array(movable, np.int64)
        starts = np.cumsum([0, *(joint.ways for joint in joints)])
        self._ways = np.array([starts[row] for row in movable], np.int64)
        self._signs = np.array([sign(joints[row], solids) for row in movable], np.float64)
        # kept from one step to the next: sensors and motors ask for the same numbers
        self._positions: Floats | None = None
        self._velocities: Floats | None = None
        self.limits = np.array([joint.spec.limits for joint in joints], np.float64).reshape(-1, 2)
        self.inertias = np.array([_reduced_inertia(joint, solids) for joint in joints], np.float64)

    def positions(self, world: Model | None) -> Floats:
        """Return angles and ways of all joints, shape (j,), from a model or, without one, from their carriages."""
        if self._positions is None:
            carried = self._carried(0) if world is None else world.coordinates[world.ways[self._ways, 0]]
            self._positions = self._all(carried)
        return self._positions.copy()

    def velocities(self, world: Model | None) -> Floats:
        """Return how fast they change, shape (j,) [rad/s, m/s]."""
        if self._velocities is None:
            carried = self._carried(1) if world is None else world.rates[world.ways[self._ways, 1]]
            self._velocities = self._all(carried)
        return self._velocities.copy()

    def forget(self) -> None:
        """Look again the next time: joints have moved."""
        self._positions = self._velocities = None

    def exerted(self, world: Model) -> tuple[Ints, Floats, Ints]:
        """Return which joints move, whether b rides on a, 1, or a on b, -1, and where a model has their velocities."""
        return self._rows, self._signs, world.ways[self._ways, 1].copy()

    def _carried(self, which: int) -> Floats:
        return np.array([self._joints[row].carriage[which, 0] for row in self._rows], np.float64)

    def _all(self, values: Floats) -> Floats:
        forces = np.zeros(len(self._joints))
        forces[self._rows] = self._signs * values
        return forces


def sign(joint: SpatialJoint, solids: Mapping[str, Solid]) -> float:
    """Return whether b rides on a, 1, or a on b, -1."""
    return 1.0 if ends(joint.spec, solids)[0] == joint.spec.a else -1.0


def follow_all(
    joints: Sequence[SpatialJoint], solids: Mapping[str, Solid], names: Sequence[str], poses: Floats, twists: Floats
) -> None:
    """Put the carriages of joints where their bodies are now, as fast as they move against each other.

    Args:
        joints: Of others than hinges and slides the carriage stays where it is on its body, at rest.
        solids: All bodies.
        names: Of the moving ones, n.
        poses: Shape (n, 7).
        twists: Velocities of their centres of mass, shape (n, 6).
    """
    pose_of, twist_of = (dict(zip(names, array, strict=True)) for array in (poses, twists))
    for joint in joints:
        _follow(joint, solids, pose_of, twist_of)


def _follow(
    joint: SpatialJoint, solids: Mapping[str, Solid], poses: Mapping[str, Floats], twists: Mapping[str, Floats]
) -> None:
    joint.carriage[1:] = 0.0
    if not joint.spec.is_movable:
        return
    a, b = (poses.get(name, np.array(solids[name].spec.pose)) for name in (joint.spec.a, joint.spec.b))
    way = sign(joint, solids)
    # next to the old angle: a hinge that has turned three times keeps its turns
    joint.carriage[0, 0] = way * position_between(joint, a.tolist(), b.tolist(), way * joint.carriage[0, 0])
    axis = np.array(_turned(a, joint.grip.axis))
    spot = b[:3] + _turned(b, joint.grip.on_b)
    velocity_a, turning_a = _motion(joint.spec.a, solids, poses, twists, spot)
    velocity_b, turning_b = _motion(joint.spec.b, solids, poses, twists, spot)
    apart = velocity_b - velocity_a if joint.spec.kind == "slide" else turning_b - turning_a
    joint.carriage[1, 0] = way * float(axis @ apart)


def _motion(
    name: str, solids: Mapping[str, Solid], poses: _States, twists: _States, spot: Floats
) -> tuple[Floats, Floats]:
    """Return how fast a body moves at a spot and how fast it turns, world frame."""
    if name not in poses:
        return np.zeros(3), np.zeros(3)
    twist, centre = twists[name], poses[name][:3] + _turned(poses[name], solids[name].centre)
    return twist[:3] + np.cross(twist[3:], spot - centre), twist[3:]


def _turned(pose: Floats, vector: tuple[float, float, float]) -> tuple[float, float, float]:
    w, x, y, z = pose[3:].tolist()
    return turned((w, x, y, z), vector)


def _reduced_inertia(joint: SpatialJoint, solids: Mapping[str, Solid]) -> float:
    spec, grip = joint.spec, joint.grip
    if not spec.is_movable:
        return 0.0
    axes = (spec.a, np.array(grip.axis)), (spec.b, np.array(turned(back(grip.turn), grip.axis)))
    moving = [(solids[name], axis) for name, axis in axes if solids[name].moves]
    sizes = [solid.spec.mass if spec.kind == "slide" else float(axis @ solid.inertia @ axis) for solid, axis in moving]
    # of chained ones MuJoCo tells it, armature included
    return 1.0 / sum(1.0 / size for size in sizes) + (0.0 if spec.is_chained else spec.armature)
