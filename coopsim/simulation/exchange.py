"""From one physics engine to another: bodies stay where, and as fast, as they are.

Source: SwarmSimX, section 2.1 (the physics engine is exchangeable).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np

from coopsim.engines import BodySpec, PhysicsEngine, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Ints, heading, quaternion
from coopsim.simulation.joined import Joined

_STRAIGHTENED = math.radians(1.0)
"""What is tilted less is set upright for an engine that knows the plane alone."""


@runtime_checkable
class PlacesBodies(Protocol):
    """What an engine in three dimensions offers besides the contract."""

    def place(self, rows: Ints, poses: Floats, twists: Floats) -> None:
        """Put bodies elsewhere in space.

        Args:
            rows: Shape (k,).
            poses: Position and quaternion, shape (k, 7).
            twists: Velocity and angular velocity, shape (k, 6).
        """


def carried(
    old: PhysicsEngine,
    make: Callable[[WorldSpec], PhysicsEngine],
    world: WorldSpec,
    joints: Sequence[Joined] = (),
) -> PhysicsEngine:
    """Return a new engine whose bodies go on from where those of `old` are, which stays as it is.

    Poses are kept exactly. An engine that knows the plane alone keeps heights, and forgets how fast things fall and
    tumble; what is tilted by less than 1 degree it sets upright, and other tilted bodies it refuses.

    Args:
        old: The engine so far.
        make: Builds the new one.
        world: The scene as it was described; its moving bodies are those of `old`.
        joints: Those of `old`, in order. They hold as they did; the carriage of a support begins in its middle.

    Raises:
        EngineCannot: The new engine cannot hold a body as it is now, or a joint; the text names it.
    """
    known = {joint.spec.name for joint in joints}
    lost = [name for name in old.joints if name not in known]
    if lost:
        raise EngineCannot(f"{', '.join(lost)} cannot be carried to another engine: made in its engine alone")
    old.fill()
    rows = {name: row for row, name in enumerate(old.names)}
    in_space = isinstance(make, type) and issubclass(make, PlacesBodies)
    bodies = tuple(
        _now(body, old.poses[rows[body.name]], in_space=in_space) if body.name in rows else body
        for body in world.bodies
    )
    new = make(replace(world, bodies=bodies))
    for joint in joints:
        _join_again(new, joint)
    order = np.array([rows[name] for name in new.names], np.int64)
    here = np.arange(order.size)
    if isinstance(new, PlacesBodies):
        new.place(here, old.poses[order], old.twists[order])
    else:
        new.set_state(here, _flat(old)[order])
    return new


def _flat(engine: PhysicsEngine) -> Floats:
    """Return the planar state of an engine; headings out of three dimensions keep the sign of their quaternions."""
    planar: Floats = engine.planar.copy()
    if isinstance(engine, PlacesBodies):
        w, x, y, z = engine.poses[:, 3:].T
        upright = np.hypot(x, y) == 0.0
        planar[upright, 2] = 2.0 * np.arctan2(z, w)[upright]
    return planar


def _join_again(engine: PhysicsEngine, joint: Joined) -> None:
    """Make a joint as it once was made: its bodies are where they were then, for that moment."""
    places = [(name, pose) for name, pose in ((joint.spec.a, joint.a), (joint.spec.b, joint.b)) if name in engine.names]
    rows = np.array([list(engine.names).index(name) for name, _ in places], np.int64)
    poses = np.array([pose for _, pose in places], np.float64).reshape(-1, 7)
    if isinstance(engine, PlacesBodies):
        engine.place(rows, poses, np.zeros((rows.size, 6)))
    else:
        turns = [heading(*pose[3:]) for pose in poses.tolist()]
        engine.set_state(rows, np.column_stack([poses[:, :2], turns, np.zeros((rows.size, 3))]))
    engine.add_joint(joint.spec)


def _now(body: BodySpec, pose: Floats, *, in_space: bool) -> BodySpec:
    """Return a body described where it is now."""
    x, y, z, *turn = pose.tolist()
    tilt = 2.0 * math.hypot(turn[1], turn[2])
    if not in_space and tilt < _STRAIGHTENED:
        turn = list(quaternion(0.0, 0.0, heading(*turn)))
    return replace(body, pose=(x, y, z, *turn))
