"""Ticks that an engine cannot make: told with the body's name, and the run goes on."""

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.errors import EngineCannot
from coopsim.features.space.binding import complaints
from coopsim.features.space.compiled_step import StepOutcome
from coopsim.features.space.engine import MujocoEngine
from coopsim.features.space.step import LONGEST_STEP
from coopsim.robots import RunSpec, load, unfit
from coopsim.scene import Object, World
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import SetEngine


def crates() -> RunSpec:
    things = tuple(Object(f"crate_{k}", "box", (0.4, 0.4, 0.4), (2.0 + k, 2.0, 0.0), mass=5.0) for k in range(2))
    spec = make_spec()
    scenario = spec.scenario
    return RunSpec(type(scenario)(World(objects=things), scenario.targets, scenario.robots), spec.types)


@pytest.fixture
def simulation() -> Simulation:
    return Simulation(crates(), engine="mujoco")


def row(simulation: Simulation, name: str) -> int:
    return list(simulation.engine.names).index(name)


def test_a_body_that_would_go_astray_is_stopped_and_named_and_the_run_goes_on(simulation: Simulation) -> None:
    before = simulation.engine.planar.copy()
    simulation.engine.wrench[row(simulation, "crate_1"), 0] = 9e8
    simulation.tick()

    assert simulation.tick_count == 1
    assert np.array_equal(simulation.engine.planar, before)
    (stumble,) = simulation.failures.stumbles
    assert stumble.text.startswith("body 'crate_1' is stopped")
    assert (stumble.engine, stumble.tick, simulation.failures.changed) == ("mujoco", 0, True)
    simulation.command("robot1", "motors", 10, (0.3, 0.0))
    for _ in range(50):
        simulation.tick()
    assert simulation.engine.planar[row(simulation, "robot1"), 0] > before[row(simulation, "robot1"), 0] + 0.05


def test_what_goes_on_is_said_once(simulation: Simulation) -> None:
    for _ in range(5):
        simulation.engine.wrench[row(simulation, "crate_1"), 0] = 9e8
        simulation.tick()
    assert len(simulation.failures.stumbles) == 1


def test_mujoco_giving_up_is_told_as_a_tick_that_could_not_be_made(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = simulation.engine._steps

    def give_up(parts: int) -> StepOutcome:
        parts_made = type(steps).make(steps, parts)
        complaints.append("Nan, Inf or huge value in QACC at DOF 0")
        return parts_made

    monkeypatch.setattr(steps, "make", give_up)
    simulation.tick()
    assert simulation.tick_count == 1
    assert "MuJoCo gives up" in simulation.failures.stumbles[0].text


def test_mujoco_refuses_steps_that_it_cannot_make(simulation: Simulation) -> None:
    with pytest.raises(EngineCannot, match=r"steps of up to 0\.05 s, got 1 s"):
        simulation.set_step(1.0)
    assert simulation.step_ns == 10_000_000
    with pytest.raises(EngineCannot, match="steps of up to"):
        Simulation(crates(), engine="mujoco", step=0.06)
    slow = Simulation(crates(), step=1.0)
    with pytest.raises(EngineCannot, match="steps of up to"):
        apply(slow, SetEngine("mujoco"))
    assert slow.engine_name == "pymunk"


def test_the_longest_step_of_mujoco_sinks_and_throws_nothing() -> None:
    simulation = Simulation(crates(), engine="mujoco", step=LONGEST_STEP)
    fastest = 0.0
    for _ in range(200):
        simulation.command("robot1", "motors", 10, (0.5, 0.0))
        simulation.tick()
        fastest = max(fastest, float(np.abs(simulation.engine.planar[:, 3:5]).max()))
    assert fastest < 1.0
    assert simulation.engine.height.min() > -0.01
    assert isinstance(simulation.engine, MujocoEngine)


def test_check_says_where_a_step_is_too_long_for_an_engine(tmp_path) -> None:
    path = tmp_path / "slow.scenario"
    path.write_text("[ROBOT_1]\ntype single\n\n[SIMULATION]\nengine mujoco\nstep   0.1\n")
    (flaw,) = unfit(load(path), "mujoco")
    assert flaw.startswith(f"{path}:6:8: the mujoco engine makes steps of up to 0.05 s")
    assert unfit(load(path), "pymunk") == []
