"""The flight engine flies as MuJoCo does, holds what comes down, and keeps the contract."""

import math
from dataclasses import replace

import numpy as np
import pytest
from flying_scenes import flight, order, position_of, run

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import EngineCannot
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.flight.engine import FlightEngine
from coopsim.features.space.snapshot import FLIGHT, EngineMark, describe, mark_of, pack
from coopsim.kernels.constants import GRAVITY
from coopsim.robots import world_with
from coopsim.simulation.astray import undoes_steps
from coopsim.simulation.edits import apply
from coopsim.state.edits import SetEngine
from coopsim.testkit import check_engine

_CROWD = tuple((f"q{k}", "quadrotor", (2.0 * k, 0.0, 3.0)) for k in range(4))


def _thing(name: str, x: float, z: float = 0.0, turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> BodySpec:
    shapes = (ShapeSpec("box", (0.4, 0.2, 0.1)), ShapeSpec("box", (0.1, 0.1, 0.3), position=(0.3, 0.1, 0.1)))
    return BodySpec(name, (x, 0.0, z, *turn), 1.5, shapes, rolling=0.3)


def test_the_engine_keeps_the_contract() -> None:
    assert not check_engine("flight").failures


def test_free_flight_is_that_of_mujoco_to_a_nanometre_after_ten_seconds() -> None:
    simulation = flight(*_CROWD, step=0.01)
    for k in range(4):
        order(simulation, f"q{k}", "eight", 2.0 + k, 1.0, 5.0, k % 2, 0.5)
    twin, apart = FlightEngine(world_with(simulation.scene.floor, simulation.scene.bodies)), 0.0
    assert list(twin.names) == list(simulation.engine.names)
    step = simulation.engine.step

    def both(dt: float) -> None:
        twin.wrench[:] = simulation.engine.wrench
        step(dt)
        twin.step(dt)

    simulation.engine.step = both
    for _ in range(1000):
        simulation.tick()
        apart = max(apart, float(np.abs(twin.poses - simulation.engine.poses).max()))
    assert np.abs(simulation.engine.poses[:, :2] - twin.poses[:, :2]).max() <= 1e-9
    assert apart <= 1e-9
    assert np.abs(simulation.engine.accelerations - twin.accelerations).max() < 1e-6


def test_bodies_whose_axes_of_inertia_lie_aslant_tumble_as_on_mujoco() -> None:
    world = WorldSpec((_thing("a", 0.0, 200.0), _thing("b", 3.0, 300.0, (0.5, 0.5, 0.5, 0.5))))
    engines = MujocoEngine(world), FlightEngine(world)
    for engine in engines:
        engine.set_spatial_state(np.arange(2), engine.poses.copy(), np.array([[1.0, 0.0, 2.0, 3.0, 1.0, 2.0]] * 2))
        for _ in range(200):
            engine.wrench[:, 3:] = 0.01, 0.02, -0.01
            engine.step(0.01)
    assert np.abs(engines[0].poses - engines[1].poses).max() <= 1e-9


@pytest.mark.parametrize("turn", [(0.9, 0.3, 0.2, 0.1), (0.1, 0.9, 0.2, 0.1)])
def test_what_comes_down_lies_flat_on_the_floor_and_is_braked(turn: tuple[float, ...]) -> None:
    size = math.sqrt(sum(part * part for part in turn))
    engine = FlightEngine(WorldSpec((_thing("thing", 0.0, 1.0, tuple(part / size for part in turn)),)))
    engine.set_spatial_state(np.array([0]), engine.poses.copy(), np.array([[2.0, 0.0, 0.0, 0.0, 0.0, 1.0]]))
    for _ in range(300):
        engine.step(0.01)

    assert np.abs(engine.twists).max() == 0.0
    assert 0.5 < engine.poses[0, 0] < 5.0
    assert abs(engine.poses[0, 4] * engine.poses[0, 3]) < 1e-12  # flat: upright, or upside down
    engine.wrench[0, 2] = 1.5 * GRAVITY * 1.1
    engine.step(0.01)
    assert engine.twists[0, 2] > 0.0


def test_bodies_pass_through_one_another_and_nothing_is_reported() -> None:
    wall = BodySpec("wall", (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 0.0, (ShapeSpec("box", (0.1, 4.0, 4.0)),))
    engine = FlightEngine(WorldSpec((_thing("a", 0.0, 9.0), _thing("b", 2.0, 9.0), wall)))
    engine.set_spatial_state(np.array([0]), engine.poses[:1].copy(), np.array([[4.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    for _ in range(100):
        engine.step(0.01)
        assert not len(engine.contacts().pairs)
    assert engine.poses[0, 0] == pytest.approx(4.0, abs=0.05)


def test_joints_and_a_floor_that_is_tilted_are_refused() -> None:
    bodies = (_thing("a", 0.0), _thing("b", 2.0))
    joint = JointSpec("joint", "pivot", "a", "b")
    with pytest.raises(EngineCannot, match="no joints; 'joint' is a pivot"):
        FlightEngine(WorldSpec(bodies, (joint,)))
    with pytest.raises(EngineCannot, match="a level floor"):
        FlightEngine(WorldSpec(bodies, floor_orientation=(0.1, 0.0, 0.0)))


def test_a_body_that_goes_astray_is_stopped_and_named() -> None:
    engine = FlightEngine(WorldSpec((_thing("a", 0.0, 1.0), _thing("b", 2.0, 1.0))))
    before = engine.poses.copy()
    engine.wrench[1, 0] = 9e8
    with pytest.raises(EngineCannot, match="'b' is stopped"):
        engine.step(0.05)
    assert (engine.poses == before).all()
    engine.step(0.01)
    assert np.isfinite(engine.poses).all()


def test_the_same_devices_fly_on_both_engines_and_a_flight_goes_on_over_an_exchange() -> None:
    simulation = flight(engine="flight")
    order(simulation, "q", "go_to", 0.5, 0.5, 1.0)
    run(simulation, 2.0)
    for engine in ("mujoco", "flight"):
        before = position_of(simulation, "q")
        apply(simulation, SetEngine(engine))
        assert position_of(simulation, "q") == pytest.approx(before, abs=1e-9)
        run(simulation, 3.0)
    assert position_of(simulation, "q") == pytest.approx([0.5, 0.5, 1.0], abs=0.05)


def test_ground_robots_drive_on_it() -> None:
    simulation = flight(("g", "single", (0.0, 0.0, 0.0)), ("q", "quadrotor", (2.0, 0.0, 0.0)), engine="flight")
    simulation.command("g", "motors", 10, (0.3, 0.0))
    order(simulation, "q", "take_off", 1.0)
    run(simulation, 4.0)
    assert simulation.engine.planar[0, 0] == pytest.approx(1.2, abs=0.1)
    assert position_of(simulation, "q")[2] == pytest.approx(1.0, abs=0.1)


def test_a_step_that_fails_leaves_everything_where_it_was() -> None:
    """So a run goes on without a new engine."""
    assert undoes_steps(FlightEngine(WorldSpec(())))


def test_what_is_bolted_down_stays_where_it_was_put_and_recordings_of_before_let_it_fall() -> None:
    """A post of a weather station, held in the wind 3 m above the floor, beside a body that falls."""
    post = replace(_thing("post", 2.0, 3.0, (0.8, 0.0, 0.6, 0.0)), is_bolted=True)
    engine = FlightEngine(WorldSpec((_thing("a", 0.0, 3.0), post)))
    begin, twin = engine.poses.copy(), FlightEngine(WorldSpec((_thing("a", 0.0, 3.0),)))
    before = pack(
        describe((_thing("a", 0.0, 3.0), post)), engine._world, (), engine._state, (FLIGHT, EngineMark("auto"))
    )
    for _ in range(50):
        engine.wrench[1] = 5.0, 0.0, 40.0, 1.0, 2.0, 3.0
        engine.step(0.01)
        twin.step(0.01)
    assert (engine.poses[1] == begin[1]).all()
    assert not engine.twists[1].any()
    assert (engine.poses[0] == twin.poses[0]).all()
    assert mark_of(engine.snapshot(), FLIGHT) == EngineMark("auto", holds_bolted=True)
    assert mark_of(twin.snapshot(), FLIGHT) == EngineMark("auto")
    engine.restore(before)
    engine.step(0.01)
    assert engine.twists[1, 2] < 0.0
    assert mark_of(engine.snapshot(), FLIGHT) == EngineMark("auto")
