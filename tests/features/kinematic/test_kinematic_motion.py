"""Free motion in the kinematic engine: the reference for the others."""

import math

import numpy as np
import pytest
from engine_joints import joint
from engine_standins import DT, body, launch, steps, wall, where

from coopsim import plugins
from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import EngineCannot
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.robots import load
from coopsim.scene import Span
from coopsim.simulation import Simulation


def engine_of(*bodies):
    return KinematicEngine(WorldSpec(tuple(bodies)))


def test_it_is_registered_under_its_name():
    assert plugins.load("engines", "kinematic") is KinematicEngine


def test_motion_of_a_free_body_is_exact():
    engine = engine_of(body("robot", mass=4.0))
    for _ in range(100):
        engine.wrench[0, 0] = 2.0
        engine.step(DT)

    # velocities first, then positions: v = a t, x = a dt2 n (n + 1) / 2
    assert engine.position_lag == 0
    assert where(engine, "robot")[3] == pytest.approx(0.5, abs=1e-12)
    assert where(engine, "robot")[0] == pytest.approx(0.5 * DT * DT * 100 * 101 / 2, abs=1e-12)


def test_it_moves_as_the_pymunk_engine_does_where_nothing_touches():
    """Aligned by the lag: pymunk integrates positions before velocities."""
    bodies = [body(f"b{k}", 3.0 * k, yaw=0.3 * k, mass=1.0 + k, kind="box", rolling=0.1 * k) for k in range(4)]
    reference, planar = engine_of(*bodies), PymunkEngine(WorldSpec(tuple(bodies)))
    generator, late = np.random.default_rng(1), []
    for _ in range(500):
        forces = generator.normal(size=(4, 3)) * 3.0
        late.append(reference.planar[:, :3].copy())
        for engine in (reference, planar):
            engine.wrench[:, [0, 1, 5]] = forces
            engine.step(DT)

    assert planar.planar[:, 3:] == pytest.approx(reference.planar[:, 3:], abs=1e-9)
    assert planar.planar[:, :3] == pytest.approx(late[-1], abs=1e-9)


def test_a_composed_body_turns_about_its_centre_of_mass():
    shapes = (ShapeSpec("box", (0.2, 0.2, 0.2)), ShapeSpec("box", (0.2, 0.2, 0.2), position=(1.0, 0.0, 0.0)))
    engine = engine_of(BodySpec("dumbbell", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 2.0, shapes))
    launch(engine, "dumbbell", w=math.pi)

    steps(engine, 100)

    assert where(engine, "dumbbell")[:3] == pytest.approx([1.0, 0.0, math.pi], abs=1e-9)


def test_a_driven_robot_follows_the_arc_of_its_wheels():
    """The shared wheel servo drives this engine as any other."""
    simulation = Simulation(load("single"), engine="kinematic")
    simulation.command("robot1", "motors", 10, (0.2, 0.15))
    row = simulation.layout.robots[0].body
    for _ in range(100):
        simulation.tick()  # until the motors have brought it to speed
    x, y, yaw, *_ = simulation.engine.planar[row].copy()
    for _ in range(300):
        simulation.tick()

    turned, radius = 0.15 * 3.0, 0.2 / 0.15
    ahead, aside = math.sin(yaw + turned) - math.sin(yaw), math.cos(yaw) - math.cos(yaw + turned)
    expected = (x + radius * ahead, y + radius * aside)
    assert simulation.engine.planar[row, :2] == pytest.approx(expected, abs=1e-4)
    assert simulation.engine.planar[row, 2] == pytest.approx(yaw + turned, abs=1e-6)


def test_what_stands_is_not_pushed_but_moves_by_a_force_of_its_own():
    engine = engine_of(body("robot", -1.0, mass=20.0), body("crate", kind="box", rolling=0.3, mass=2.0))
    for _ in range(300):
        engine.wrench[list(engine.names).index("robot"), 0] = 50.0
        engine.step(DT)
    assert where(engine, "crate").tolist() == [0.0] * 6

    for _ in range(100):
        engine.wrench[list(engine.names).index("crate"), 0] = 20.0
        engine.step(DT)
    assert where(engine, "crate")[0] > 0.5


def test_joints_are_refused_by_the_place_they_came_from():
    bodies = body("a"), body("b", 3.0)

    with pytest.raises(EngineCannot, match=r"^team\.world:7:1: the kinematic engine has no joints; 'joint' is a weld"):
        KinematicEngine(WorldSpec(bodies, (joint("weld"),)))
    with pytest.raises(EngineCannot, match=r"^team\.world:7:1: .*pymunk"):
        engine_of(*bodies).add_joint(joint("pivot"))


def test_a_tilted_floor_and_a_tilted_body_are_refused_by_its_name():
    tilted = BodySpec("t", (0, 0, 0, math.cos(0.1), math.sin(0.1), 0, 0), 1.0, (ShapeSpec("box", (1, 1, 1)),))

    with pytest.raises(EngineCannot, match=r"^hill\.world:2:1: the kinematic engine cannot tilt the floor"):
        KinematicEngine(WorldSpec((), floor_orientation=(0.1, 0, 0), floor_span=Span("hill.world", 2, 1)))
    with pytest.raises(EngineCannot, match="the kinematic engine cannot hold 't'"):
        engine_of(tilted)


def test_a_world_of_walls_alone_steps():
    engine = engine_of(wall("only", 0.0, 0.0, 1.0, 1.0))

    steps(engine, 3)

    assert engine.planar.shape == (0, 6)
    assert engine.joint_state().shape == (0, 6)


def test_a_tick_is_one_compiled_call_with_the_same_bits():
    """Robots with sensors that run into each other and into walls, with and without it."""
    compiled, plain = (Simulation(load("vee"), engine="kinematic") for _ in range(2))
    plain.compiles = False
    for simulation in (compiled, plain):
        for k, name in enumerate(simulation.layout.robot):
            simulation.command(name, "motors", 10, (0.5, 0.3 * k - 0.6))
    for _ in range(300):
        compiled.tick()
        plain.tick()
        assert compiled.state_hash() == plain.state_hash()
    assert compiled._compiled is not None
    assert plain._compiled is None
    assert np.array_equal(compiled.engine.accelerations, plain.engine.accelerations)
