"""S-75 of SwarmSimX: ropes as chains of joints on every engine that has them, cloths and soft bodies on mujoco."""

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
    positions: Floats = simulation.engine.poses[rows, :3].copy()
    return positions, float(np.linalg.norm(simulation.engine.joint_state()[:, :3], axis=1).max())


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


def test_s_75_a_robot_goes_through_a_curtain_and_pushes_a_soft_ball() -> None:
    simulation = Simulation(load("curtain"))
    names = list(simulation.engine.names)
    cloth = [row for row, name in enumerate(names) if name.startswith("curtain_")]
    ball = [row for row, name in enumerate(names) if name.startswith("ball_")]
    begin = simulation.engine.poses.copy()
    simulation.command("robot1", "motors", 10, (0.5, 0.0))
    sides = []
    for _ in range(450):
        simulation.tick()
        sides.append(float(simulation.engine.poses[cloth, 0].max()))
    now = simulation.engine.poses
    assert now[names.index("robot1"), 0] > 0.5  # from -1.2, through the doorway at 0
    assert max(sides) > 0.2  # it was pushed aside
    assert now[names.index("curtain_1_1"), :3] == pytest.approx(begin[names.index("curtain_1_1"), :3], abs=0.05)
    middle = now[ball, :3].mean(axis=0) - begin[ball, :3].mean(axis=0)
    assert middle[0] > 0.1
    apart = np.linalg.norm(now[ball, None, :3] - now[None, ball, :3], axis=-1).max()
    assert 0.3 < apart < 0.6  # of 0.5 m, and still a ball
