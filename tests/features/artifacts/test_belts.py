"""Conveyor belts: what lies on one goes with it on every engine, as friction allows, and the speed is commanded."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.artifacts.devices.belt import _FEW, _carry
from coopsim.features.artifacts.interfaces import BELT
from coopsim.interfaces import MOTORS, command_numbers
from coopsim.robots import load
from coopsim.sensing.robot_cells import empty_cells
from coopsim.simulation import Simulation

RUN, STOP = command_numbers(BELT).set_speed, command_numbers(BELT).stop
G = 9.81
HALL = """[FLOOR]
size 20 20 0.1

[OBJECT_1]
type      box
name      crate
size      0.3 0.3 0.3
position  -1 0 0.1
mass      4
friction  0.5

[OBJECT_2]
type      box
name      beside
size      0.3 0.3 0.3
position  0 1.5 0
mass      4

[ARTIFACT_1]
type        conveyor
name        belt1
position    0 0 0
orientation 0 0 {turn}
size        4 1 0.1
set         {settings}
"""


def hall(folder: Path, settings: str = "belt.start 0.4", engine: str = "pymunk", turn: float = 0.0) -> Simulation:
    (folder / "hall.world").write_text(HALL.format(settings=settings, turn=turn))
    (folder / "run.scenario").write_text(f"[WORLD]\nfile hall\n[SIMULATION]\nengine {engine}\nstep 0.01\n")
    return Simulation(load(folder / "run.scenario"))


def state(sim: Simulation, name: str) -> np.ndarray:
    return sim.engine.planar[list(sim.engine.names).index(name)].copy()


def run(sim: Simulation, ticks: int, command: int = 0, value: float = 0.0) -> None:
    for _ in range(ticks):
        if command:
            sim.command("belt1", "belt", command, (value,) if command == RUN else ())
        sim.tick()


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
def test_s_14_a_crate_on_a_belt_goes_at_its_speed_and_one_beside_it_stays(engine: str, tmp_path: Path) -> None:
    sim = hall(tmp_path, engine=engine)
    run(sim, 100)
    begin = state(sim, "crate")
    run(sim, 200)
    crate, beside = state(sim, "crate"), state(sim, "beside")
    assert crate[3:5] == pytest.approx((0.4, 0.0), abs=1e-3)
    assert crate[:2] - begin[:2] == pytest.approx((0.8, 0.0), abs=2e-3)
    assert beside[:2] == pytest.approx((0.0, 1.5), abs=1e-4)
    assert sim.reading("belt1", "belt") == pytest.approx((0.4, 1.0))
    assert state(sim, "belt1")[:2] == pytest.approx((0.0, 0.0), abs=1e-3)


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
def test_s_14_friction_bounds_how_fast_a_crate_follows_and_stops(engine: str, tmp_path: Path) -> None:
    # mu g = 0.981 m/s2: 1 m/s takes 1.02 s, whatever the motor could do
    sim = hall(tmp_path, "belt.start 1 belt.friction 0.1 belt.acceleration 50", engine)
    run(sim, 51)
    assert state(sim, "crate")[3] == pytest.approx(0.5 * 0.1 * G, rel=0.05)
    run(sim, 100)
    assert state(sim, "crate")[3] == pytest.approx(1.0, abs=5e-3)
    run(sim, 50, STOP)
    assert state(sim, "crate")[3] == pytest.approx(1.0 - 0.5 * 0.1 * G, rel=0.05)
    run(sim, 100, STOP)
    assert state(sim, "crate")[3] == pytest.approx(0.0, abs=5e-3)


def test_a_belt_runs_along_its_length_wherever_it_points_and_backwards(tmp_path: Path) -> None:
    sim = hall(tmp_path, "belt.start -0.5", turn=30.0)
    sim.engine.set_state(np.array([list(sim.engine.names).index("crate")]), np.array([[0.5, 0.3, 0.0, 0.0, 0.0, 0.0]]))
    run(sim, 150)
    assert state(sim, "crate")[3:5] == pytest.approx((-0.5 * np.cos(np.pi / 6), -0.5 * np.sin(np.pi / 6)), abs=1e-3)


def test_messages_set_the_speed_which_the_motor_reaches_in_its_time_and_never_exceeds(tmp_path: Path) -> None:
    sim = hall(tmp_path, "belt.acceleration 0.5 belt.max_speed 0.6")
    run(sim, 1)
    assert sim.reading("belt1", "belt") == pytest.approx((0.0, 1.0))
    run(sim, 40, RUN, 0.4)
    assert sim.reading("belt1", "belt")[0] == pytest.approx(0.2)
    run(sim, 60, RUN, 0.4)
    assert sim.reading("belt1", "belt")[0] == pytest.approx(0.4)
    run(sim, 100, RUN, 5.0)
    assert sim.reading("belt1", "belt")[0] == pytest.approx(0.6)
    run(sim, 200, STOP)
    assert sim.reading("belt1", "belt")[0] == 0.0
    assert state(sim, "crate")[3] == pytest.approx(0.0, abs=1e-6)


def test_a_belt_whose_commands_cease_stops_by_its_watchdog_and_does_not_begin_anew(tmp_path: Path) -> None:
    sim = hall(tmp_path, "belt.start 0.5 belt.watchdog 0.2 belt.acceleration 100")
    run(sim, 5)
    assert sim.reading("belt1", "belt")[0] == pytest.approx(0.5)
    run(sim, 1, RUN, 0.3)
    run(sim, 15)
    assert sim.reading("belt1", "belt")[0] == pytest.approx(0.3)
    run(sim, 30)
    assert sim.reading("belt1", "belt")[0] == 0.0


def test_a_belt_whose_commands_are_taken_back_stops_and_one_that_had_none_runs_as_it_began(tmp_path: Path) -> None:
    sim = hall(tmp_path, "belt.start 0.5 belt.acceleration 100")
    run(sim, 5, RUN, 0.3)
    sim.command("belt1", "belt", 0, ())
    run(sim, 5)
    assert sim.reading("belt1", "belt")[0] == 0.0


@pytest.mark.parametrize("place", [(0.0, 0.8), (0.0, -0.8), (2.3, 0.0), (-2.3, 0.0)])
def test_what_is_beside_a_belt_at_its_height_is_not_carried(place: tuple[float, float], tmp_path: Path) -> None:
    sim = hall(tmp_path)
    row = np.array([list(sim.engine.names).index("crate")])
    sim.engine.set_state(row, np.array([[*place, 0.0, 0.0, 0.0, 0.0]]))
    run(sim, 50)
    assert sim.reading("belt1", "belt") == pytest.approx((0.4, 0.0))
    assert state(sim, "crate")[:2] == pytest.approx(place)


def test_what_hangs_above_a_belt_or_stands_through_it_is_not_carried(tmp_path: Path) -> None:
    for height in ("0.5", "0.13"):
        world = HALL.format(settings="belt.start 0.4", turn=0).replace("-1 0 0.1", f"-1 0 {height}")
        (tmp_path / "hall.world").write_text(world)
        sim = Simulation(load(tmp_path / "hall.world"))
        run(sim, 50)
        assert sim.reading("belt1", "belt")[1] == 0.0
        assert state(sim, "crate")[0] == pytest.approx(-1.0)


def test_s_14_what_stands_on_wheels_lies_higher_or_has_left_is_not_carried(tmp_path: Path) -> None:
    (tmp_path / "hall.world").write_text(HALL.format(settings="belt.start 0.4", turn=0))
    text = "[WORLD]\nfile hall\n[ROBOT_1]\ntype single\nname rover\nposition 1 0 0.1\n"
    (tmp_path / "run.scenario").write_text(text)
    sim = Simulation(load(tmp_path / "run.scenario"))
    for _ in range(100):
        sim.command("rover", "motors", command_numbers(MOTORS).stop, ())
        sim.tick()
    assert state(sim, "rover")[:2] == pytest.approx((1.0, 0.0), abs=1e-6)
    assert sim.reading("belt1", "belt")[1] == 1.0
    row = np.array([list(sim.engine.names).index("crate")])
    sim.engine.set_state(row, np.array([[2.6, 0.0, 0.0, 0.4, 0.0, 0.0]]))
    run(sim, 100)
    assert sim.reading("belt1", "belt")[1] == 0.0
    assert state(sim, "crate")[3] == pytest.approx(0.0, abs=1e-6)


def test_s_14_many_belts_carry_to_the_bit_what_each_of_them_carries_alone() -> None:
    random, count, bodies = np.random.default_rng(3), 60, 400
    planar = random.normal(0.0, 2.0, (bodies, 6))
    planar[:, 2] = random.uniform(-np.pi, np.pi, bodies)
    planar[-3:, :2] = (1e6, 0.0), (0.0, -1e6), (np.nan, np.nan)  # astray: a grid over all would be a single cell
    heights, masses = np.where(np.arange(bodies) < count, 0.0, 0.1), random.uniform(1.0, 9.0, bodies)
    floor = np.where(np.arange(bodies) % 5, 20.0, 0.0)
    rows, commands, size = np.arange(count), np.zeros((count, 3)), np.array([3.0, 0.6, 0.1])
    table = np.zeros((len(BELT.parameters), count))
    for name, value in {"start": 0.5, "max_speed": 1.0, "acceleration": 100.0, "friction": 0.6}.items():
        table[[parameter.name for parameter in BELT.parameters].index(name)] = value
    wrenches, goods = np.zeros((2, bodies, 3)), np.zeros((2, count, 5))
    things = planar, heights, masses, floor

    assert count > _FEW
    _carry(commands, (rows, table, goods[0], size), things, empty_cells(np.arange(bodies)), wrenches[0], 0.01)
    for belt in range(count):
        own = rows[belt : belt + 1], table[:, belt : belt + 1].copy(), goods[1, belt : belt + 1], size
        _carry(commands[:1], own, things, empty_cells(rows[:0]), wrenches[1], 0.01)

    assert wrenches[0].tobytes() == wrenches[1].tobytes()
    assert goods[0].tobytes() == goods[1].tobytes()
    assert goods[0, :, 4].sum() > 100.0  # many carry something
