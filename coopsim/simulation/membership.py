"""Bodies and joints that come, go, and change while a simulation runs; what fails leaves everything as it was."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from coopsim.engines import BodySpec, JointSpec, PhysicsEngine, is_spatial
from coopsim.robots import joint_spec, world_with
from coopsim.scene import Joint
from coopsim.simulation.exchange import rejoin
from coopsim.simulation.joined import Joined, Pose, join
from coopsim.simulation.population import Entity
from coopsim.simulation.stage import SimulationState


def add_bodies(stage: SimulationState, entities: Sequence[Entity], undo: ExitStack) -> None:
    """Add the bodies of entities, and the joints within them, to the engine.

    Args:
        stage: Its population knows the entities.
        entities: Some may have no body.
        undo: Takes what removes them again.

    Raises:
        CoopsimError: The engine cannot hold one of them.
    """
    population, engine = stage.population, stage.engine
    bodies = [body for entity in entities for body in population.bodies_of(entity)]
    engine.add_all(bodies)
    for body in bodies:
        undo.callback(engine.remove, body.name)
    joints = [joint for entity in entities for joint in population.joints_of(entity)]
    for joint in joints:
        undo.callback(population.joints.pop, joint.name, None)
    _join_all(stage, joints)


def add_joints(stage: SimulationState, joints: Sequence[Joint], undo: ExitStack) -> None:
    """Join bodies where they are now.

    Args:
        stage: Holds the bodies.
        joints: As sections say them.
        undo: Takes what lets them go again.

    Raises:
        CoopsimError: A joint cannot be made, or the present step is too long for it.
    """
    population, engine = stage.population, stage.engine
    for each in joints:
        _join_all(stage, [joint_spec(each, _poses(stage))])
        undo.callback(population.joints.pop, each.name, None)
        undo.callback(engine.remove_joint, each.name)
        population.sections[each.name] = each
        undo.callback(population.sections.pop, each.name, None)
    if joints:
        engine.check_step(stage.step_ns * 1e-9)


def replace_bodies(stage: SimulationState, before: Entity, after: Entity) -> None:
    """Have an entity whose description changed have other bodies; they stay where they are unless it was moved.

    Its joints hold as they were made.

    Raises:
        EngineCannot: The engine cannot hold one of them; everything is as it was.
    """
    population, engine = stage.population, stage.engine
    old, new = population.bodies_of(before), population.bodies_of(after)
    for body in new:
        engine.check(body)
    names = {body.name for body in old}
    joints = [it for it in population.joints.values() if names & {it.spec.a, it.spec.b}]
    stays = [old.pose == new.pose and old.mass > 0 and new.mass > 0 for old, new in zip(old, new, strict=True)]
    inside = {it.spec.name for it in joints if {it.spec.a, it.spec.b} <= names and not all(stays)}
    inner = [joint for joint in population.joints_of(after) if joint.name in inside]
    outer = [it for it in joints if it.spec.name not in inside]
    for body in new:
        if body.mass == 0.0:
            outer = [it.moved(body.name, body.pose) if body.name in (it.spec.a, it.spec.b) else it for it in outer]
    if joints:
        _try_joints(stage, new, inner, outer)
    put_back = [_kept(engine, body.name) for body, is_there in zip(old, stays, strict=True) if is_there]
    for body in old:
        engine.remove(body.name)
    engine.add_all(new)
    for put in put_back:
        put()
    _join_all(stage, inner)
    rejoin(engine, outer)
    population.joints.update({it.spec.name: it for it in outer})


def _try_joints(
    stage: SimulationState, new: Sequence[BodySpec], inner: Sequence[JointSpec], outer: Sequence[Joined]
) -> None:
    """Refuse bodies that their joints cannot hold: in a world of their own, so that nothing is changed.

    Args:
        stage: Holds the bodies that they are joined with.
        new: Bodies that are to take the place of those of the same names.
        inner: Joints that are made between them where they stand.
        outer: Joints that are made again as they once were.

    Raises:
        CoopsimError: A joint cannot be made, or the present step is too long for it.
    """
    population, poses = stage.population, _poses(stage)
    bodies = {it.name: replace(it, pose=poses.get(it.name, it.pose)) for it in population.bodies()}
    bodies |= {it.name: it for it in new}
    used = {name for it in (*inner, *(each.spec for each in outer)) for name in (it.a, it.b)}
    trial = type(stage.engine)(world_with(population.floor, [bodies[name] for name in sorted(used)], inner))
    rejoin(trial, outer)
    trial.check_step(stage.step_ns * 1e-9)


def _join_all(stage: SimulationState, joints: Sequence[JointSpec]) -> None:
    fixed = _fixed(stage) if joints else {}
    for each in joints:
        stage.population.joints[each.name] = join(stage.engine, each, fixed)


def _fixed(stage: SimulationState) -> dict[str, Pose]:
    return {body.name: body.pose for body in stage.population.bodies() if body.mass == 0.0}


def _poses(stage: SimulationState) -> dict[str, Pose]:
    """Return where all bodies are now, by name."""
    engine = stage.engine
    return {
        **_fixed(stage),
        **{name: tuple(pose) for name, pose in zip(engine.names, engine.poses.tolist(), strict=True)},
    }


def _kept(engine: PhysicsEngine, name: str) -> Callable[[], None]:
    """Return what puts the body of this name, when it was added anew, where it is now."""
    row = list(engine.names).index(name)
    poses, twists, planar = engine.poses[[row]], engine.twists[[row]], engine.planar[[row]]

    def put_back() -> None:
        rows = np.array([list(engine.names).index(name)])
        if is_spatial(engine):
            engine.place(rows, poses, twists)
        else:
            engine.set_state(rows, planar)

    return put_back
