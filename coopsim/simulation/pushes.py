"""Forces that act on bodies for a while, besides those of actuators."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from coopsim.engines import PhysicsEngine
from coopsim.geometry import Quaternion, Vector3, turned


class ActivePush(NamedTuple):
    """A force on a body.

    Attributes:
        name: Of the body.
        force: In the world frame [N].
        point: Where it acts: from the middle of the body, in the frame of the body [m].
        left_ns: How long it goes on.
    """

    name: str
    force: Vector3
    point: Vector3
    left_ns: int

    @classmethod
    def from_plain(cls, plain: Sequence[Any]) -> Self:
        """Return it as a snapshot holds it."""
        name, force, point, left_ns = plain
        return cls(name, tuple(force), tuple(point), left_ns)


def with_push(active: tuple[ActivePush, ...], push: ActivePush) -> tuple[ActivePush, ...]:
    """Return what pushes from now on: a newer push of a body replaces the older one."""
    other_pushes = tuple(other_push for other_push in active if other_push.name != push.name)
    return (*other_pushes, push) if push.left_ns > 0 else other_pushes


def apply_pushes(engine: PhysicsEngine, active: tuple[ActivePush, ...], step_ns: int) -> tuple[ActivePush, ...]:
    """Add the forces to the wrenches of the next step; return what pushes after it.

    Args:
        engine: Bodies that it no longer holds are left out.
        active: What pushes now.
        step_ns: Length of the step; a push that ends within it acts for that share of it.
    """
    names = engine.names
    present = [push_active for push_active in active if push_active.name in names]
    turns = engine.poses[:, 3:]
    for push in present:
        # found anew for each of the few pushes: rows move when bodies come and go
        # a push that ends within the step acts for its share of it: the momentum is that which was asked for
        row, share = names.index(push.name), min(1.0, push.left_ns / step_ns)
        lever = turned(_quaternion(turns[row]), push.point)
        engine.wrench[row, :3] += share * np.array(push.force)
        engine.wrench[row, 3:] += share * np.cross(lever, push.force)
    return tuple(
        push_active._replace(left_ns=push_active.left_ns - step_ns)
        for push_active in present
        if push_active.left_ns > step_ns
    )


def _quaternion(row: "np.ndarray[Any, Any]") -> Quaternion:
    w, x, y, z = row.tolist()
    return w, x, y, z
