"""The moment in which two moving bodies are joined by a hinge or slide: what moves across it stops, nothing is lost."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coopsim.engines.rotations import matrix
from coopsim.features.space.grips import SpatialJoint, ends
from coopsim.features.space.solids import Solid
from coopsim.features.space.state import SpatialState
from coopsim.geometry import Floats


@dataclass(eq=False)
class Mover:
    """One of the two bodies, in the frame of the world.

    Attributes:
        place: Of its centre of mass, shape (3,) [m].
        velocity: Shape (3,) [m/s].
        turning: Shape (3,) [rad/s].
        lightness: 1 / mass, 0 = fixed [1/kg].
        ease: Inverse of its tensor of inertia, 0 = fixed, shape (3, 3) [1/(kg m2)].
    """

    place: Floats
    velocity: Floats
    turning: Floats
    lightness: float
    ease: Floats


def lock(rail: Mover, rider: Mover, axis: Floats, pin: Floats | None = None) -> float:
    """Let the rider move along the rail alone, or turn about a pin in it alone, by an impulse between them.

    Args:
        rail: Its velocities are changed.
        rider: Its velocities are changed.
        axis: Unit vector along the rail or the pin, shape (3,).
        pin: Where the hinge is, shape (3,) [m]; None = it is a slide.

    Returns:
        How fast the rider moves along the rail, or turns about the pin [m/s, rad/s].
    """
    spot = rider.place if pin is None else pin
    # takes away what is along the axis
    across = np.eye(3) - np.outer(axis, axis)
    # velocity of the rider against the rail at the spot, and how it turns against it, from both velocities
    whole = np.block(
        [
            [-np.eye(3), _cross(spot - rail.place), np.eye(3), -_cross(spot - rider.place)],
            [np.zeros((3, 3)), -np.eye(3), np.zeros((3, 3)), np.eye(3)],
        ]
    )
    bound = np.vstack([across @ whole[:3], whole[3:]] if pin is None else [whole[:3], across @ whole[3:]])
    # inverse masses of both bodies: place and turn of the first, then of the second
    ease = np.zeros((12, 12))
    for at, body in ((0, rail), (6, rider)):
        ease[at : at + 3, at : at + 3], ease[at + 3 : at + 6, at + 3 : at + 6] = body.lightness * np.eye(3), body.ease
    moving = np.concatenate([rail.velocity, rail.turning, rider.velocity, rider.turning])
    # pseudo-inverse, since projected constraints depend on each other; of two fixed bodies all is 0
    impulse = np.linalg.pinv(bound @ ease @ bound.T) @ (bound @ moving)
    moving = moving - ease @ bound.T @ impulse
    rail.velocity[:], rail.turning[:], rider.velocity[:], rider.turning[:] = moving.reshape(4, 3)
    return float(axis @ ((whole[:3] if pin is None else whole[3:]) @ moving))


def stop_across(joint: SpatialJoint, solids: Mapping[str, Solid], state: SpatialState) -> float:
    """Stop what moves across a new hinge or slide; return how fast its rider moves along it [m/s, rad/s].

    Args:
        joint: Just made, of bodies where they are now.
        solids: All bodies.
        state: Of the moving ones; their velocities are changed.
    """
    spec, names = joint.spec, ends(joint.spec, solids)
    rail, rider = (_mover(solids[name], state) for name in names)
    axis = np.array(spec.axis, np.float64)
    pin = np.array(spec.anchor, np.float64) if spec.kind == "hinge" else None
    speed = lock(rail, rider, axis / np.linalg.norm(axis), pin)
    for name, body in zip(names, (rail, rider), strict=True):
        if solids[name].moves:
            row = state.names.index(name)
            turn = matrix(state.positions[row, 3:].tolist())
            state.velocities[row] = (*body.velocity, *(turn.T @ body.turning))
    return speed


def _mover(solid: Solid, state: SpatialState) -> Mover:
    if not solid.moves:
        return Mover(np.array(solid.spec.pose[:3]), np.zeros(3), np.zeros(3), 0.0, np.zeros((3, 3)))
    row = state.names.index(solid.spec.name)
    turn, speeds = matrix(state.positions[row, 3:].tolist()), state.velocities[row]
    ease = turn @ np.linalg.inv(solid.inertia) @ turn.T
    place = state.positions[row, :3].copy()
    return Mover(place, speeds[:3].copy(), turn @ speeds[3:], 1.0 / solid.spec.mass, ease)


def _cross(arm: Floats) -> Floats:
    """Return the matrix that takes a vector w to arm x w."""
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
