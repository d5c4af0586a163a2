"""Bodies and joints that come, go, and change while a simulation runs; what fails leaves everything as it was."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import numpy as np

from coopsim.engines import JointSpec, PhysicsEngine, is_spatial
from coopsim.robots import joint_spec
from coopsim.scene import Joint
from coopsim.simulation.exchange import rejoin
from coopsim.simulation.joined import Pose, join
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
    put_back = [_kept(engine, body.name) for body, is_there in zip(old, stays, strict=True) if is_there]
    for body in old:
        engine.remove(body.name)
    engine.add_all(new)
    for put in put_back:
        put()
    fixed = {body.name: body.pose for body in new if body.mass == 0.0}
    inner = [it.spec.name for it in joints if {it.spec.a, it.spec.b} <= names and not all(stays)]
    _join_all(stage, [joint for joint in population.joints_of(after) if joint.name in inner])
    outer = [it for it in joints if it.spec.name not in inner]
    for name, pose in fixed.items():
        outer = [it.moved(name, pose) if name in (it.spec.a, it.spec.b) else it for it in outer]
    rejoin(engine, outer)
    population.joints.update({it.spec.name: it for it in outer})


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
