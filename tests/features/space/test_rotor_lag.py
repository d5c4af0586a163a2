"""Lag of rotors: what a step gives is what the closed form says, however long it is."""

import math
from pathlib import Path

import pytest

from coopsim.interfaces import ROTORS, command_numbers
from coopsim.robots import load
from coopsim.simulation import Simulation

FLYER = """[BODY]
type cylinder
size 0.4 0.4 0.1
mass 1
wheels no
[DEVICE_1]
type rotors
name rotors
drag 0
lag 0.03
"""
SCENE = """[ROBOT_1]
type flyer
name q
position 0 0 20
[SIMULATION]
engine {engine}
step {step}
"""
HOVER = command_numbers(ROTORS).set_thrusts
GRAVITY, LAG = 9.81, 0.03


@pytest.mark.parametrize("engine", ["flight", "mujoco"])
@pytest.mark.parametrize("step", [0.01, 0.02, 0.05])
def test_rotors_that_begin_to_hover_lose_as_much_as_their_lag_costs(tmp_path: Path, engine: str, step: float) -> None:
    (tmp_path / "flyer.robot").write_text(FLYER)
    (tmp_path / "q.scenario").write_text(SCENE.format(engine=engine, step=step))
    run = Simulation(load(tmp_path / "q.scenario"))
    row = list(run.engine.names).index("q")
    weight = float(run.engine.mass[row]) * GRAVITY
    for _ in range(round(1.0 / step)):
        run.command("q", "rotors", HOVER, (0.25 * weight,) * 4)
        run.tick()
    # m dv/dt = -m g exp(-t / lag)
    assert run.engine.twists[row, 2] == pytest.approx(-GRAVITY * LAG * (1.0 - math.exp(-1.0 / LAG)), rel=1e-6)
