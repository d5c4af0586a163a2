"""The report of `coopsim run --profile`, and how many robots there is time for."""

import math
from dataclasses import replace

import pytest

from coopsim.app import capacity, profiled
from coopsim.app.capacity import crowd, largest, reached
from coopsim.app.profiled import completed, profile_table
from coopsim.errors import EngineCannot
from coopsim.robots import RunSpec, load, load_type
from coopsim.scene import RobotPlacement, Scenario, Settings
from coopsim.simulation import Simulation

PROFILE = {
    "ticks": 250,
    "tick": {"mean": 1e-3, "p50": 0.9e-3, "p99": 2e-3},
    "phases": {"commands": 1e-5, "actuators": 9e-5, "engine": 4e-4, "sensors": 3e-4, "hash": 1e-4, "record": 1e-4},
    "devices": [
        {"phase": "actuators", "kind": "differential_drive", "mean": 8e-5},
        {"phase": "sensors", "kind": "sonars", "mean": 2e-4},
    ],
}


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(1.0, 100), (2.0, 200), (0.5, 50), (6.0, 400), (13.0, 750), (0.0, 0), (-1.0, 0)],
)
def test_the_cost_of_a_tick_is_taken_from_the_line_between_two_crowds(budget, expected) -> None:
    points = [(0, 0.0), (200, 2.0), (400, 6.0)]
    assert reached(points, budget) == expected


def test_crowds_that_cost_next_to_nothing_more_do_not_divide_by_zero() -> None:
    assert reached([(0, 0.0), (10, 1e-3), (20, 1e-3)], 2e-3) > 20
    assert reached([(0, 0.0), (10, 2e-3), (20, 1e-3)], 3e-3) > 20


def test_larger_crowds_are_tried_only_while_they_are_in_time(monkeypatch) -> None:
    tried: list[int] = []
    rooms: list[bool] = []

    def cost(_: RunSpec, count: int) -> tuple[float, float]:
        tried.append(count)
        return count * 1e-4, 70.0 if rooms else math.inf

    monkeypatch.setattr(capacity, "_cost", cost)
    assert largest(load("single"), 0.01, 0.0) == 80
    assert tried == [64, 256]
    assert largest(load("single"), 0.01, 0.004) == 40
    # records of ten thousand robots are not those of a smaller crowd
    swarm = replace(load("single").scenario, robots=load("single").scenario.robots * 1000)
    assert largest(replace(load("single"), scenario=swarm), 0.01, 0.1) == 40
    # an engine that has no room for a larger crowd is not asked for it
    tried.clear()
    rooms.append(True)
    assert largest(load("single"), 0.01, 0.0) == 70
    assert tried == [64]


def test_what_flies_hovers_and_the_bodies_of_its_engine_end_a_crowd(monkeypatch) -> None:
    monkeypatch.setattr(capacity, "_LONGEST", 0.0)
    kind = load_type("quadrotor_gripper")
    robots = (RobotPlacement("q", kind.name),)
    spec = RunSpec(Scenario(robots=robots, settings=Settings(engine="mujoco")), {kind.name: kind})
    simulation = Simulation(crowd(spec, 2))
    capacity._set_off(simulation)
    for _ in range(30):
        simulation.tick()
    assert simulation.engine.poses[:, 2].min() > 0.5
    _, room = capacity._cost(spec, 1)
    assert room == simulation.engine.most_bodies // (len(simulation.engine.names) // 2)


def test_a_scene_without_robots_has_nothing_to_go_by() -> None:
    assert largest(load("arena.world"), 0.01) is None


def test_a_crowd_has_the_types_of_the_scene_in_their_shares_and_nobody_touches() -> None:
    robots = tuple(RobotPlacement(f"r{k}", kind) for k, kind in enumerate(("single", "bench", "single")))
    spec = RunSpec(Scenario(robots=robots), {kind: load_type(kind) for kind in ("bench", "single")})
    crowded = crowd(spec, 30)
    kinds = [robot.type for robot in crowded.scenario.robots]
    assert (kinds.count("single"), kinds.count("bench")) == (20, 10)
    simulation = Simulation(crowded)
    capacity._set_off(simulation)
    before = simulation.engine.planar[:, :2].copy()
    for _ in range(100):
        simulation.tick()
        assert not len(simulation.engine.contacts().pairs)
    assert (abs(simulation.engine.planar[:, :2] - before).max(axis=1) > 0.05).all()


def test_a_measured_crowd_says_how_many_there_is_time_for(monkeypatch) -> None:
    now, tick = [0.0], Simulation.tick

    def tick_of_ten_microseconds_a_robot(simulation: Simulation) -> None:
        tick(simulation)
        now[0] += 1e-5 * len(simulation.layout.robots)

    monkeypatch.setattr(Simulation, "tick", tick_of_ten_microseconds_a_robot)
    monkeypatch.setattr(capacity.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(capacity, "_LONGEST", 0.0)
    assert largest(load("single"), 0.01, sizes=(8, 16)) == pytest.approx(800, abs=1)
    assert largest(load("single"), 0.01, overhead=0.004, sizes=(8, 16)) == pytest.approx(400, abs=1)


def test_a_profile_is_completed_with_load_and_room(monkeypatch) -> None:
    monkeypatch.setattr(profiled, "largest", lambda _spec, period, overhead: round((period - overhead) * 1e6))
    done = completed(PROFILE, load("single"), 0.01)
    assert (done["period"], done["load"], done["largest"]) == (0.01, pytest.approx(0.1), 9900)


def test_a_crowd_that_cannot_be_built_leaves_the_figures_of_the_run(monkeypatch) -> None:
    def fail(*_: object) -> int:
        raise EngineCannot("it is tilted")

    monkeypatch.setattr(profiled, "largest", fail)
    done = completed(PROFILE, load("single"), 0.01)
    assert done["ticks"] == 250
    assert profile_table(done).endswith("a crowd of such robots cannot be built: it is tilted")


def test_the_table_has_the_phases_in_the_order_of_the_tick_with_their_devices() -> None:
    lines = profile_table({**PROFILE, "period": 0.01, "load": 0.1, "largest": 640}).splitlines()
    assert [line.split()[0] for line in lines[2:11]] == [
        *("events,", "actuators", "differential_drive", "engine", "sensors", "sonars", "state", "record", "tick")
    ]
    assert lines[5].split() == ["engine", "400.0", "4.00"]
    assert lines[11] == "250 ticks of 10 ms each: half of them took at most 900 us, 99 of 100 at most 2000 us"
    assert lines[12] == "this machine has time for about 640 such robots at this step"


def test_leaves_of_components_have_a_table_of_their_own() -> None:
    leaf = {"robots": "rover", "name": "Follower", "steps": 40, "mean": 3e-6, "slowest": 9e-6, "late": 0.02}
    lines = profile_table({**PROFILE, "parts": [leaf], "period": 0.01, "load": 0.1, "largest": 640}).splitlines()
    assert lines[11].split() == ["leaf", "measured", "mean", "us", "slowest", "us", "late", "us"]
    assert lines[13].split() == ["rover.Follower", "40", "3.0", "9.0", "20000.0"]
    assert lines[14].startswith("250 ticks of 10 ms each")


def test_without_robots_nothing_is_said_of_room() -> None:
    text = profile_table({**PROFILE, "period": 0.01, "load": 0.1, "largest": None})
    assert "machine" not in text
