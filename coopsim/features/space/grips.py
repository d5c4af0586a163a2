"""Grips of joints in space on their bodies, and the ways of their carriages; without MuJoCo."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coopsim.engines.contract import JointSpec
from coopsim.engines.rotations import Quaternion, back, minus, plus, times, turned, unit
from coopsim.features.space.solids import Solid
from coopsim.geometry import Floats, Vector3

WAYS = {"hinge": 1, "slide": 1, "support": 2}
"""In how many directions the carriage of a joint moves."""


class SpatialAnchors(NamedTuple):
    """Points where a joint holds its two bodies; made once and kept, however they move later.

    Attributes:
        on_a: The anchor in the frame of a [m].
        on_b: The anchor in the frame of b [m].
        axis: Unit vector in the frame of a.
        turn: Orientation of b seen from a.
    """

    on_a: Vector3
    on_b: Vector3
    axis: Vector3
    turn: Quaternion


@dataclass(frozen=True, slots=True, eq=False)
class SpatialJoint:
    """A joint and how it holds.

    Attributes:
        carriage: Position, velocity and last acceleration along the ways of its carriage, shape (3, w); w = 2 for a
            support, 1 for a hinge or slide, else 0 [m, of a hinge rad].
    """

    spec: JointSpec
    grip: SpatialAnchors
    carriage: Floats

    @property
    def ways(self) -> int:
        """Return in how many directions its carriage moves."""
        return WAYS.get(self.spec.kind, 0)

    @property
    def known_by(self) -> str:
        """Return by what name an engine tells the force in it that no constraint exerts; "" = there is none."""
        if self.spec.kind == "spring":
            return f"spring {self.spec.name}"
        return self.spec.b if self.spec.is_chained else ""


def held(spec: JointSpec, a: Sequence[float], b: Sequence[float]) -> SpatialJoint:
    """Return a joint that takes hold of two bodies at these poses: x y z of the base, quaternion."""
    at_a, of_a = split_pose(a)
    at_b, of_b = split_pose(b)
    grip = SpatialAnchors(
        turned(back(of_a), minus(spec.anchor, at_a)),
        turned(back(of_b), minus(spec.far, at_b)),
        turned(back(of_a), _direction(spec.axis)),
        times(back(of_a), of_b),
    )
    return SpatialJoint(spec.measured(), grip, np.zeros((3, WAYS.get(spec.kind, 0))))


def ends(spec: JointSpec, solids: Mapping[str, Solid]) -> tuple[str, str]:
    """Return the body that carries a hinge or slide and the one that rides on it, which must move."""
    return (spec.a, spec.b) if solids[spec.b].moves else (spec.b, spec.a)


def seen_from_rail(joint: SpatialJoint, solids: Mapping[str, Solid]) -> tuple[Vector3, Quaternion]:
    """Return centre of mass and orientation of the rider in the frame of the rail, when the joint was made."""
    spec, grip = joint.spec, joint.grip
    rail, rider = ends(spec, solids)
    if rail == spec.a:
        return plus(grip.on_a, turned(grip.turn, minus(solids[rider].centre, grip.on_b))), grip.turn
    turn = back(grip.turn)
    return plus(grip.on_b, turned(turn, minus(solids[rider].centre, grip.on_a))), turn


def axis_on_rail(joint: SpatialJoint, solids: Mapping[str, Solid]) -> tuple[Vector3, Vector3]:
    """Return the axis of a hinge or slide, and its anchor, in the frame of the body that carries it."""
    if ends(joint.spec, solids)[0] == joint.spec.a:
        return joint.grip.axis, joint.grip.on_a
    return turned(back(joint.grip.turn), joint.grip.axis), joint.grip.on_b


def position_between(joint: SpatialJoint, a: Sequence[float], b: Sequence[float], near: float = 0.0) -> float:
    """Return angle or way of a hinge or slide whose bodies are at these poses, of angles the one next to `near`."""
    at_a, of_a = split_pose(a)
    at_b, of_b = split_pose(b)
    grip = joint.grip
    if joint.spec.kind == "slide":
        anchor = plus(at_b, turned(of_b, grip.on_b))
        return _dot(minus(turned(back(of_a), minus(anchor, at_a)), grip.on_a), grip.axis)
    # how b has turned against a since the joint was made, seen from a
    w, x, y, z = times(times(back(of_a), of_b), back(grip.turn))
    # only the part about the axis: what the solver has left across it does not count
    angle = 2.0 * math.atan2(_dot((x, y, z), grip.axis), w)
    return angle + math.tau * round((near - angle) / math.tau)


def _dot(a: Vector3, b: Vector3) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def split_pose(pose: Sequence[float]) -> tuple[Vector3, Quaternion]:
    """Return place and orientation of a pose."""
    x, y, z, a, b, c, d = pose
    return (x, y, z), unit((a, b, c, d))


def _direction(vector: Vector3) -> Vector3:
    return _scaled(vector, 1.0 / math.hypot(*vector))


def _scaled(vector: Vector3, by: float) -> Vector3:
    return (vector[0] * by, vector[1] * by, vector[2] * by)
