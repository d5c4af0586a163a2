"""Helpers under a plate give way as casters do, on a real simulation in this process."""

from pathlib import Path

import numpy as np
import pytest
from controllers_standin import SINGLE

from coopsim.features.laws.transport import TransportPerception
from coopsim.features.laws.transport_helper import HelperParameters, help_carry
from coopsim.robots import load
from coopsim.simulation import Simulation

DRIVE = 10  # command of motors: v and w


@pytest.mark.parametrize("carriers", [3, 6])
def test_helpers_follow_a_leader_around_a_curve_and_carry_the_plate_with_it(tmp_path: Path, carriers: int) -> None:
    scenario = f"[ROBOT_1]\ntype team2\nname team\ncarriers {carriers}\nlength 1.6\n"
    (tmp_path / "plate.scenario").write_text(scenario, encoding="utf-8")
    simulation = Simulation(load(tmp_path / "plate.scenario"))
    helpers = [f"team/{role}" for role in ("helper", *(f"helper{n}" for n in range(2, carriers)))]
    u, law, strongest = np.zeros(len(helpers)), HelperParameters(), 0.0
    for step in range(400):
        simulation.command("team/leader", "motors", DRIVE, (0.2, 0.15 if step > 150 else 0.0))
        view = perceived(simulation, helpers, float(carriers))
        commands, u = help_carry(view, u, body=SINGLE, law=law, dt=0.05)
        for helper, (v, w) in zip(helpers, commands.tolist(), strict=True):
            simulation.command(helper, "motors", DRIVE, (v, w))
        for _ in range(5):
            simulation.tick()
        strongest = max(strongest, float(np.hypot(*view.force.T).max()))
    names = list(simulation.engine.names)
    plate, leader = (simulation.engine.planar[names.index(f"team/{name}")] for name in ("plate", "leader"))
    assert np.hypot(*(plate[:2] - leader[:2])) == pytest.approx(0.65, abs=0.07), "it lies on its supports"
    assert plate[0] > 2.0, "it went along"
    assert leader[2] > 1.2, "around the curve"
    assert strongest < 60.0, "nobody drags anybody"


def perceived(simulation: Simulation, robots: list[str], carriers: float) -> TransportPerception:
    """Return what helpers perceive where nothing is near but their team."""
    support = np.array([simulation.reading(robot, "support") for robot in robots])
    none = np.full((len(robots), 1, 2), np.nan)
    return TransportPerception(
        ranges=np.full((len(robots), len(simulation.reading(robots[0], "sonars"))), np.inf),
        goal=none[:, 0],
        mates=none,
        motion=np.array([simulation.reading(robot, "motors")[:2] for robot in robots]),
        angle=support[:, 0],
        force=support[:, 3:5],
        carriers=np.full(len(robots), carriers),
    )
