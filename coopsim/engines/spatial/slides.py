"""The moment in which two moving bodies are joined by a slide: what moves across it stops, and nothing is lost."""

from dataclasses import dataclass

import numpy as np

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


def lock(rail: Mover, rider: Mover, axis: Floats) -> float:
    """Let both turn alike and the rider move along the rail alone, by an impulse between them.

    Args:
        rail: Its velocities are changed.
        rider: Its velocities are changed.
        axis: Unit vector along the rail, shape (3,).

    Returns:
        How fast the rider moves along the rail [m/s].
    """
    arm = _cross(rider.place - rail.place)
    across = np.eye(3) - np.outer(axis, axis)
    # velocity of the rider against the rail at its place, and how it turns against it, from both velocities
    whole = np.block(
        [[-np.eye(3), arm, np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), -np.eye(3), np.zeros((3, 3)), np.eye(3)]]
    )
    bound = np.vstack([across @ whole[:3], whole[3:]])
    ease = np.zeros((12, 12))
    for at, it in ((0, rail), (6, rider)):
        ease[at : at + 3, at : at + 3], ease[at + 3 : at + 6, at + 3 : at + 6] = it.lightness * np.eye(3), it.ease
    moving = np.concatenate([rail.velocity, rail.turning, rider.velocity, rider.turning])
    impulse = np.linalg.pinv(bound @ ease @ bound.T) @ (bound @ moving)
    moving = moving - ease @ bound.T @ impulse
    rail.velocity[:], rail.turning[:], rider.velocity[:], rider.turning[:] = moving.reshape(4, 3)
    return float(axis @ (whole[:3] @ moving))


def _cross(arm: Floats) -> Floats:
    """Return the matrix that takes a vector w to arm x w."""
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
