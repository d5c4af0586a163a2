"""S-75 of SwarmSimX: ropes as chains of joints, on every engine that has joints."""

import numpy as np
import pytest

from coopsim.errors import EngineCannot
from coopsim.geometry import Floats
from coopsim.robots import load
from coopsim.simulation import Simulation

ROPE = ["crate", *(f"rope_{k}" for k in range(1, 7)), "rover1"]


def towed(engine: str) -> tuple[Floats, float]:
    """Return where crate, links and rover are after six seconds of driving, and how far any joint gave way."""
    simulation = Simulation(load("tow"), engine=engine)
    simulation.command("rover1", "motors", 10, (0.3, 0.0))
    for _ in range(600):
        simulation.tick()
    simulation.engine.fill()
    rows = [list(simulation.engine.names).index(name) for name in ROPE]
    found: Floats = simulation.engine.poses[rows, :3].copy()
    return found, float(np.linalg.norm(simulation.engine.joint_state()[:, :3], axis=1).max())


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_s_75_a_rope_is_a_chain_of_joints_by_which_a_rover_tows_a_crate(engine: str) -> None:
    places, gap = towed(engine)
    assert places[0, 0] > -0.1  # from -1.5
    assert places[-1, 0] == pytest.approx(1.7, abs=0.15)
    assert (np.diff(places[:, 0]) > 0.0).all()  # no link passed another
    assert gap < 0.05


@pytest.mark.parametrize("engine", ["kinematic", "flight"])
def test_s_75_an_engine_without_joints_refuses_a_rope(engine: str) -> None:
    with pytest.raises(EngineCannot, match=r"tow\.(world|scenario):\d+:\d+: .*joint"):
        Simulation(load("tow"), engine=engine)
