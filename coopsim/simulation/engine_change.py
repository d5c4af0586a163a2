"""Bodies and joints that come, go, and change while a simulation runs; what fails leaves an engine as it was."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from coopsim.engines import BodySpec, JointSpec, PhysicsEngine, is_spatial
from coopsim.robots import joint_spec, world_with
from coopsim.scene import Joint
from coopsim.simulation.difference import SceneDifference
from coopsim.simulation.exchange import rejoin
from coopsim.simulation.joined import Joined, Pose, join
from coopsim.simulation.scene import AnyJoint, Entity, Scene


class EngineChange:
    """Brings an engine from one scene to another; undone where the block that it stands in fails.

    What came is removed again. Where something went the engine is restored, because only its own snapshot has all bits.

    Bodies that stay keep their rows, except those that are described anew: they come last, where and as fast as they
    were unless they were moved.

    Args:
        engine: What is changed.
        joints: Its joints, as they were made.
        before: The scene that it holds.
        after: The scene that it shall hold.
        step: Simulated time of a tick [s], which joints may be too stiff for.

    Attributes:
        joints: Its joints after the change, in any order; those that it no longer holds may be among them.
    """

    def __init__(
        self, engine: PhysicsEngine, joints: Mapping[str, Joined], before: Scene, after: Scene, step: float
    ) -> None:
        self._engine, self._before, self._after, self._step = engine, before, after, step
        self.joints = dict(joints)
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._undo.pop_all()
        else:
            self._undo.close()

    def apply(self, changes: SceneDifference) -> None:
        """Carry out what makes one scene of the other.

        Raises:
            CoopsimError: The engine cannot hold a body or a joint.
        """
        engine, parted = self._engine, [self.joints.pop(name).spec for name in changes.parted]
        replaced = [
            _Replacement.of(old, new, self.joints, self._after.joints_of(now), is_placed=now.name in changes.placed)
            for was, now in changes.updated
            # a new colour alone leaves bodies as they are
            if (old := self._before.bodies_of(was)) != (new := self._after.bodies_of(now)) or now.name in changes.placed
        ]
        for replacement_pair in replaced:
            self._try(replacement_pair)  # before the first body goes, so that most refusals undo nothing
        removed_bodies = [body.name for entity in changes.removed for body in self._before.bodies_of(entity)]
        if removed_bodies or parted or replaced:
            # taken before anything goes; without removals undoing one by one is cheaper
            self._undo.callback(engine.restore, engine.snapshot())
        for joint in parted:
            if joint.a not in removed_bodies and joint.b not in removed_bodies:
                engine.remove_joint(joint.name)
        for name in removed_bodies:
            engine.remove(name)
        for replacement_pair in replaced:
            self._replace(replacement_pair)
        self._add(changes.added)
        for joint_to_come in changes.joined:
            self._join([self._spec(joint_to_come)])
        added = [*changes.added, *(now for _, now in changes.updated)]
        if changes.joined or any(body.soft for entity in added for body in self._after.bodies_of(entity)):
            engine.check_step(self._step)

    def _try(self, replacement: "_Replacement") -> None:
        """Refuse bodies that the engine or their joints cannot hold; they are tried in a world of their own."""
        engine, new = self._engine, {body.name: body for body in replacement.new}
        for body in replacement.new:
            engine.check(body)
        if not replacement.inner and not replacement.outer:  # only joints depend on who else is there
            return
        poses = self._poses()
        bodies = {body.name: replace(body, pose=poses.get(body.name, body.pose)) for body in self._after.bodies} | new
        specs = (*replacement.inner, *(joint.spec for joint in replacement.outer))
        used = sorted({name for spec in specs for name in (spec.a, spec.b)})
        world = world_with(self._after.floor, [bodies[name] for name in used], replacement.inner)
        trial = type(engine)(world)
        rejoin(trial, replacement.outer)
        trial.check_step(self._step)

    def _add_bodies(self, bodies: Sequence[BodySpec]) -> None:
        self._engine.add_all(bodies)
        for body in bodies:
            self._undo.callback(self._engine.remove, body.name)

    def _add(self, entities: Iterable[Entity]) -> None:
        """Add the bodies of entities, and the joints within them."""
        self._add_bodies([body for entity in entities for body in self._after.bodies_of(entity)])
        self._join([joint for entity in entities for joint in self._after.joints_of(entity)])

    def _join(self, joints: Sequence[JointSpec]) -> None:
        fixed = self._fixed() if joints else {}
        for joint in joints:
            self.joints[joint.name] = join(self._engine, joint, fixed)
            self._undo.callback(self._engine.remove_joint, joint.name)

    def _replace(self, replacement: "_Replacement") -> None:
        engine = self._engine
        # read now: rows move as soon as one is removed
        put_back = [_kept(engine, name) for name in replacement.staying]
        for body in replacement.old:
            engine.remove(body.name)
        self._add_bodies(replacement.new)
        for put in put_back:
            put()
        self._join(replacement.inner)
        rejoin(engine, replacement.outer)
        self.joints |= {joint.spec.name: joint for joint in replacement.outer}

    # what is where

    def _spec(self, joint: AnyJoint) -> JointSpec:
        return joint_spec(joint, self._poses()) if isinstance(joint, Joint) else joint

    def _fixed(self) -> dict[str, Pose]:
        return {body.name: body.pose for body in self._after.bodies if body.mass == 0.0}

    def _poses(self) -> dict[str, Pose]:
        """Return where all bodies are now, by name."""
        engine = self._engine
        moving = {name: tuple(pose) for name, pose in zip(engine.names, engine.poses.tolist(), strict=True)}
        return {**self._fixed(), **moving}


@dataclass(frozen=True)
class _Replacement:
    """Other bodies of an entity whose description changed; its joints hold as they were made.

    Attributes:
        staying: Names of those that stay where, and as fast, as they are.
        inner: Joints within it that are made anew, because it was moved.
        outer: Joints that are made again as they once were.
    """

    old: Sequence[BodySpec]
    new: Sequence[BodySpec]
    staying: Sequence[str]
    inner: Sequence[JointSpec]
    outer: Sequence[Joined]

    @classmethod
    def of(
        cls,
        old: Sequence[BodySpec],
        new: Sequence[BodySpec],
        joined: Mapping[str, Joined],
        own: Sequence[JointSpec],
        *,
        is_placed: bool,
    ) -> Self:
        """Return it for the bodies, all joints there are, and those within the entity where it stands now.

        None stays where `is_placed`.
        """
        names = {body.name for body in old}
        joints = [joint for joint in joined.values() if names & {joint.spec.a, joint.spec.b}]
        pairs = zip(old, new, strict=True)
        staying = [
            old_body.name
            for old_body, two in pairs
            if not is_placed and old_body.pose == two.pose and old_body.mass > 0.0 and two.mass > 0.0
        ]
        moved = (
            ()
            if len(staying) == len(old)
            else {joint.spec.name for joint in joints if {joint.spec.a, joint.spec.b} <= names}
        )
        outer = [joint for joint in joints if joint.spec.name not in moved]
        for body in new:
            if body.mass == 0.0:  # it may have been moved, and takes what hangs on it along
                outer = [
                    joint.moved(body.name, body.pose) if body.name in (joint.spec.a, joint.spec.b) else joint
                    for joint in outer
                ]
        return cls(old, new, staying, [joint for joint in own if joint.name in moved], outer)


def _kept(engine: PhysicsEngine, name: str) -> Callable[[], None]:
    """Return what puts the body of this name, when it was added anew, where it is now."""
    row = list(engine.names).index(name)
    poses, twists, planar = engine.poses[[row]], engine.twists[[row]], engine.planar[[row]]

    def put_back() -> None:
        rows = np.array([list(engine.names).index(name)])
        if is_spatial(engine):
            engine.set_spatial_state(rows, poses, twists)
        else:
            engine.set_state(rows, planar)

    return put_back
