"""Ticks made as one compiled call: the same bits as the tick in Python, whatever happens."""

from pathlib import Path

import numpy as np
import pytest
from compiled_pairs import Both, compiled_tick
from simulation_scenes import make_spec

from coopsim.engines.planar.engine import PymunkEngine
from coopsim.robots import RunSpec, load
from coopsim.simulation import Simulation
from coopsim.simulation.costs import SampledCosts
from coopsim.simulation.edits import apply
from coopsim.simulation.pushes import ActivePush
from coopsim.state.edits import Insert, Remove, Reset, SetParameter, SetStep

MIXED = """
[TARGET]
red       3 0 0
[ROBOT_1]
name      quiet
type      single
position  0 0 0
[ROBOT_2]
name      noisy
type      noisy
position  1.2 0 0
orientation 0 0 180
[ROBOT_3]
name      slow
type      slow
position  -1.2 0.1 0
[ROBOT_4]
name      late
type      late
position  0 1.2 0
"""
ROBOT = """
[BODY]
type        cylinder
size        0.5 0.5 0.3
mass        20
[DEVICE_1]
type        differential_drive
name        motors
[DEVICE_2]
type        sonars
name        sonars
{sonars}
[DEVICE_3]
type        target
name        target
{target}
[DEVICE_4]
type        odometry
name        odometry
{odometry}
[DEVICE_5]
type        bumpers
name        bumpers
"""
WATCHER = """
[BODY]
type    cylinder
size    0.5 0.5 0.3
mass    20
[DEVICE_1]
type    range
name    eye
noise   0.05
"""
KNOBS = {
    "noisy": ("noise 0.05", "noise_distance 0.01", "noise 0.02"),
    "slow": ("interval 3", "occlusion 1", "slip 0.1"),
    "late": ("delay 0.05", "interval 2", ""),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> RunSpec:
    folder = tmp_path_factory.mktemp("mixed")
    for name, (sonars, target, odometry) in KNOBS.items():
        (folder / f"{name}.robot").write_text(ROBOT.format(sonars=sonars, target=target, odometry=odometry))
    (folder / "mixed.scenario").write_text(MIXED)
    return load(folder / "mixed.scenario")


def drive(simulation: Simulation, speed: float = 0.3) -> None:
    for k, place in enumerate(simulation.layout.robots):
        simulation.command(place.name, "motors", 10, (speed - 0.05 * k, 0.1 * k))


@pytest.mark.parametrize("robots", [1, 3])
def test_a_compiled_tick_has_the_bits_of_one_in_python(robots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(make_spec(robots))
    both.do(lambda simulation: drive(simulation, 0.5))
    both.tick(800)  # the first robot runs into the crate
    assert both.compiled.reading("robot1", "bumpers").any()
    # what touches is felt by kernels alone
    monkeypatch.setattr(both.compiled.engine, "contacts", None)
    both.compiled.tick()
    assert both.compiled.reading("robot1", "bumpers").any()
    assert not list(both.compiled.failures)


def test_devices_that_take_turns_wait_or_jitter_are_called_between_the_calls(mixed: RunSpec) -> None:
    both = Both(mixed)
    both.do(drive)
    both.tick(200)
    assert any(both.compiled.reading(name, "bumpers").any() for name in ("quiet", "noisy", "slow"))


def test_changes_between_ticks_count(mixed: RunSpec) -> None:
    both = Both(mixed, seed=5)
    both.do(drive)
    both.tick(10)
    for edit in (
        SetParameter("quiet", "sonars", "reach", 9.0),
        SetParameter("quiet", "sonars", "noise", 0.1),
        SetParameter("noisy", "motors", "max_speed", 0.1),
        SetParameter("quiet", "target", "robots", "noisy"),
        SetStep(0.02),
        Remove("slow"),
        Insert("[ROBOT_1]\nname another\ntype single\nposition 0 -1.5 0\n"),
        Reset(),
    ):
        both.do(lambda simulation, edit=edit: apply(simulation, edit))  # type: ignore[misc]
        both.do(drive)
        both.tick(12)


def test_a_step_that_is_refused_is_told_the_same_way():
    both = Both(make_spec(2))
    both.do(drive)
    both.tick(5)
    both.do(lambda simulation: simulation.engine.wrench.__setitem__((1, 0), np.nan))
    both.tick(5)
    stumbles = [side.failures.stumbles for side in both.each]
    assert stumbles[0] == stumbles[1]
    assert stumbles[0][0].text.startswith("the force on body 'robot1'")


def test_sensors_without_calls_look_after_a_refused_step_that_was_the_first_call(tmp_path: Path) -> None:
    """A robot without actuators on an engine that puts back itself: no call comes before those of the step."""
    (tmp_path / "watcher.robot").write_text(WATCHER)
    (tmp_path / "a.scenario").write_text("[ROBOT_1]\ntype watcher\nposition 0 0 0\n")
    both = Both(load(tmp_path / "a.scenario"), engine="mujoco")
    both.tick(2)
    both.do(lambda simulation: simulation.engine.wrench.__setitem__((0, 0), np.nan))
    both.tick(2)
    assert both.compiled.failures.stumbles


def test_a_device_that_raises_between_the_calls_is_switched_off_the_same_way(
    mixed: RunSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Both(mixed)
    both.tick(5)
    for side in both.each:
        sensors = next(block.devices["sonars"] for block in side.tables.blocks if block.blueprint.name == "slow")
        monkeypatch.setattr(sensors, "measure", lambda *_: 1 / 0)
    both.tick(8)
    assert [*map(str, both.compiled.failures)] == [*map(str, both.plain.failures)]
    assert ("slow", "sonars") in both.compiled.failures


def test_an_engine_that_steps_otherwise_is_asked_to_step(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting(PymunkEngine):
        steps = 0

        def step(self, dt: float, substeps: int = 1) -> None:
            Counting.steps += 1
            super().step(dt, substeps)

    monkeypatch.setattr("coopsim.simulation.stage.engine_type", lambda _: Counting)
    simulation = Simulation(make_spec(1))
    for _ in range(6):
        simulation.tick()
    assert Counting.steps == 6
    assert compiled_tick(simulation) is None


def test_pushes_are_exerted_in_python_for_a_while():
    both = Both(make_spec(1))
    both.tick(5)
    push = ActivePush("crate", (30.0, 0.0, 0.0), (0.0, 0.0, 0.0), 100_000_000)
    both.do(lambda simulation: setattr(simulation, "pushes", (push,)))
    both.tick(30)
    assert not both.compiled.pushes


def test_a_tick_that_is_measured_is_made_in_python_and_the_others_go_on() -> None:
    both = Both(make_spec(2))
    both.do(drive)
    costs = [SampledCosts(side) for side in both.each]
    for _ in range(130):
        for cost in costs:
            cost.tick()
        assert both.compiled.state_hash() == both.plain.state_hash()
    both.tick(1)
