"""Difference that makes one scene of another."""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass

from coopsim.robots import RobotBlueprint
from coopsim.scene import Floor, Object, RobotPlacement
from coopsim.simulation.scene import AnyJoint, Entity, Scene


@dataclass(frozen=True)
class SceneDifference:
    """Difference of two scenes: what has to go, to change and to come; the other way it is what undoes that.

    Attributes:
        updated: Old and new of each entity that is described anew.
        added: The floor is never among them.
        placed: Names of those that go where they are described, also where they were described there before.
        parted: Joints that go, those of bodies that go among them.
        joined: Joints that come.
        has_other_ground: Whether what an engine knows of the floor differs.
    """

    removed: tuple[Entity, ...] = ()
    updated: tuple[tuple[Entity, Entity], ...] = ()
    added: tuple[Entity, ...] = ()
    placed: frozenset[str] = frozenset()
    parted: tuple[str, ...] = ()
    joined: tuple[AnyJoint, ...] = ()
    has_other_ground: bool = False

    @property
    def added_robots(self) -> list[RobotPlacement]:
        """Robots that come."""
        return [entity for entity in self.added if isinstance(entity, RobotPlacement)]


def difference(before: Scene, after: Scene, placed: Container[str] = ()) -> SceneDifference:
    """Return what has to be done to a scene to have another one, where some entities are to be put in their places."""
    old, new = _by_name(before), _by_name(after)
    both = [(old[name], now) for name, now in new.items() if name in old]
    exchanged = {now.name for was, now in both if not _is_same_kind(was, now, before.types, after.types)}
    # bodies that are made anew take their joints along, even where those are described as before
    lost_bodies = {body.name for was, now in both if now.name in exchanged for body in before.bodies_of(was)}
    lost_joints = {name for name, joint in after.joints.items() if _is_stretched(joint, old, new, placed)}
    return SceneDifference(
        removed=tuple(entity for name, entity in old.items() if name not in new or name in exchanged),
        updated=tuple(
            (was, now)
            for was, now in both
            if now.name not in exchanged and ((was is not now and was != now) or now.name in placed)
        ),
        added=tuple(entity for name, entity in new.items() if name not in old or name in exchanged),
        placed=frozenset(now.name for _, now in both if now.name in placed),
        parted=tuple(joint.name for joint in _lacking(before, after, lost_bodies, lost_joints)),
        joined=tuple(_lacking(after, before, lost_bodies, lost_joints)),
        has_other_ground=_ground(before.floor) != _ground(after.floor),
    )


def _lacking(scene: Scene, other: Scene, lost_bodies: set[str], lost_joints: set[str]) -> list[AnyJoint]:
    """Return the joints that another scene does not have, and those that are made anew."""
    return [
        joint
        for name, joint in scene.joints.items()
        if other.joints.get(name) != joint or lost_bodies & {joint.a, joint.b} or name in lost_joints
    ]


def _is_stretched(
    joint: AnyJoint, old: Mapping[str, Entity], new: Mapping[str, Entity], placed: Container[str]
) -> bool:
    """Return whether an edit puts both bodies of a joint, farther apart or nearer than before: it grips anew."""
    if joint.a not in placed or joint.b not in placed:
        return False
    pairs = [
        (first.position, second.position)
        for first, second in ((scene.get(joint.a), scene.get(joint.b)) for scene in (old, new))
        if isinstance(first, Object | RobotPlacement) and isinstance(second, Object | RobotPlacement)
    ]
    return len(pairs) > 1 and not math.isclose(math.dist(*pairs[0]), math.dist(*pairs[1]), abs_tol=1e-9)


def _by_name(scene: Scene) -> dict[str, Entity]:
    return {**scene.objects, **scene.targets, **scene.robots, **scene.areas}


def _is_same_kind(
    was: Entity, now: Entity, before: Mapping[str, RobotBlueprint], after: Mapping[str, RobotBlueprint]
) -> bool:
    """Return whether an entity can become another one, instead of going for it."""
    if isinstance(was, RobotPlacement) and isinstance(now, RobotPlacement):
        first, second = before[was.type], after[now.type]
        # mostly the same object: comparing takes longer
        return was.type == now.type and (first is second or first == second)
    return type(was) is type(now)


def _ground(floor: Floor) -> tuple[object, ...]:
    return floor.size, floor.friction, floor.orientation
