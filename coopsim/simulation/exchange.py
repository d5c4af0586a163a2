"""From one physics engine to another: bodies stay where, and as fast, as they are.

Source: SwarmSimX, section 2.1 (the physics engine is exchangeable).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from coopsim.engines import BodySpec, PhysicsEngine, WorldSpec, is_spatial
from coopsim.engines.plane.footprints import LAYER_HEIGHT
from coopsim.engines.rotations import minus, plus, turned
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Vector3, heading, quaternion
from coopsim.simulation.joined import Joined, Pose


@dataclass(frozen=True, slots=True, eq=False)
class EngineInstant:
    """Bodies of an engine as they were at some time; attributes as those of `PhysicsEngine`."""

    abilities: frozenset[str]
    names: Sequence[str]
    joints: Sequence[str]
    poses: Floats
    twists: Floats
    planar: Floats

    @classmethod
    def of(cls, engine: PhysicsEngine) -> Self:
        """Return the bodies of an engine as they are now."""
        arrays = engine.poses.copy(), engine.twists.copy(), engine.planar.copy()
        return cls(engine.abilities, engine.names, engine.joints, *arrays)


def carried(
    old: PhysicsEngine | EngineInstant,
    make: type[PhysicsEngine],
    world: WorldSpec,
    joints: Sequence[Joined] = (),
) -> PhysicsEngine:
    """Return a new engine whose bodies go on from where those of `old` are, which stays as it is.

    Poses are kept exactly. From space to the plane, what leans a little is set upright (`flattened`), what leans more
    is refused, and how fast things fall and tumble is forgotten.

    Args:
        old: The engine so far, or its bodies at the time that the new one goes on from.
        make: Class of the new one.
        world: The scene as it was described; its moving bodies are those of `old`.
        joints: Those of `old`, in order. They hold as they did; the carriage of a support begins in its middle.

    Raises:
        EngineCannot: The new engine cannot hold a body as it is now, or a joint; the text names it.
    """
    names = {joint.spec.name for joint in joints}
    lost = [name for name in old.joints if name not in names]
    if lost:
        raise EngineCannot(f"{', '.join(lost)} cannot be carried to another engine: made in its engine alone")
    # the new engine sorts its bodies by name
    rows = {name: row for row, name in enumerate(old.names)}
    is_flat = "height" in old.abilities and "height" not in make.abilities
    poses: dict[str, Pose] = dict(zip(old.names, map(tuple, old.poses.tolist()), strict=True))
    if is_flat:
        poses = {body.name: flattened(body, poses[body.name]) for body in world.bodies if body.name in poses}
    bodies = tuple(replace(body, pose=poses.get(body.name, body.pose)) for body in world.bodies)
    new = make(replace(world, bodies=bodies))
    for joint in joints:
        _join_again(new, joint)
    order = np.array([rows[name] for name in new.names], np.int64)
    places = np.arange(order.size)
    if is_spatial(new):
        new.set_spatial_state(places, old.poses[order], old.twists[order])
    else:
        new.set_state(places, _flat(old, np.array([poses[name] for name in old.names]).reshape(-1, 7))[order])
    return new


def rejoin(engine: PhysicsEngine, joints: Sequence[Joined]) -> None:
    """Make joints as they once were made, of bodies that stay where, and as fast, as they are."""
    rows = np.arange(len(engine.names))
    poses, twists, planar = engine.poses.copy(), engine.twists.copy(), engine.planar.copy()
    for joint in joints:
        _join_again(engine, joint)
    if joints and is_spatial(engine):
        engine.set_spatial_state(rows, poses, twists)
    elif joints:
        engine.set_state(rows, planar)


def _flat(engine: PhysicsEngine | EngineInstant, poses: Floats) -> Floats:
    """Return planar states of flattened poses; headings keep the sign of their quaternions, and whole turns."""
    planar: Floats = engine.planar.copy()
    planar[:, :2] = poses[:, :2]
    if "height" in engine.abilities:
        # not `heading`, which is within half a turn: the sign of the quaternion says which turn it is
        planar[:, 2] = 2.0 * np.arctan2(poses[:, 6], poses[:, 3])
    return planar


def _join_again(engine: PhysicsEngine, joint: Joined) -> None:
    """Make a joint as it once was made: its bodies are where they were then, for that moment."""
    places = [(name, pose) for name, pose in ((joint.spec.a, joint.a), (joint.spec.b, joint.b)) if name in engine.names]
    rows = np.array([list(engine.names).index(name) for name, _ in places], np.int64)
    poses = np.array([pose for _, pose in places], np.float64).reshape(-1, 7)
    if is_spatial(engine):
        # at rest: a joint that is made of moving bodies would stop them
        engine.set_spatial_state(rows, poses, np.zeros((rows.size, 6)))
    else:
        turns = [heading(*pose[3:]) for pose in poses.tolist()]
        engine.set_state(rows, np.column_stack([poses[:, :2], turns, np.zeros((rows.size, 3))]))
    engine.add_joint(joint.spec)


# Bodies in space as an engine wants them that knows the plane alone.
_STRAIGHTENED = math.radians(1.0)
"""What leans less is set upright."""
_SUNK = 0.005
"""So near to the boundary of a layer a body lies on it [m]: what stands on others sinks into them a little."""


def flattened(body: BodySpec, pose: Pose) -> Pose:
    """Return where a body is, upright if it leans a little or is a ball, which looks the same however it has rolled.

    Heights are kept but for what a body has sunk into others, since those in the plane meet layer by layer.

    Args:
        body: What it is.
        pose: Where it is.
    """
    turn = pose[3], pose[4], pose[5], pose[6]
    if len(body.shapes) == 1 and body.shapes[0].kind == "sphere":
        x, y, z = body.shapes[0].position
        middle: Vector3 = (x, y, z + 0.5 * body.shapes[0].size[2])
        place = plus((pose[0], pose[1], pose[2]), turned(turn, middle))
        turn = quaternion(0.0, 0.0, heading(*turn))
        pose = (*minus(place, turned(turn, middle)), *turn)
    elif 0.0 < 2.0 * math.hypot(turn[1], turn[2]) < _STRAIGHTENED:
        turn = quaternion(0.0, 0.0, heading(*turn))
    return (pose[0], pose[1], _raised(pose[2]), *turn)


def _raised(z: float) -> float:
    layer = round(z / LAYER_HEIGHT) * LAYER_HEIGHT
    return layer if layer > 0.0 and abs(z - layer) < _SUNK else z
