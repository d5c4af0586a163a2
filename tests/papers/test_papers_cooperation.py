"""Items of CoopDynSim about robots that cooperate, over the interfaces that its users have."""

import math
from pathlib import Path

import pytest

from coopsim.inprocess import connect
from coopsim.robots import load, load_type
from coopsim.simulation import Simulation

EMPTY = "[WORLD]\nfile empty\n"
TEAM = "[ROBOT_1]\ntype team2\nname team1\nlength 2.5\nmass 5\n"


def _simulation(folder: Path, text: str) -> Simulation:
    (folder / "a.scenario").write_text(EMPTY + text)
    return Simulation(load(folder / "a.scenario"))


def test_c_40_of_the_two_mobile_types_one_has_a_support_besides_what_the_other_has() -> None:
    plain, carrier = load_type("single"), load_type("transport")
    kinds = [[device.kind for device in kind.devices] for kind in (plain, carrier)]
    assert kinds[1] == [*kinds[0], "support"]
    assert (plain.shape, plain.size, plain.mass) == (carrier.shape, carrier.size, carrier.mass)


def test_c_49_the_support_tells_a_client_where_the_load_is_and_how_it_pushes(tmp_path: Path) -> None:
    with connect(_simulation(tmp_path, TEAM)) as sim, sim.stepper() as stepper:
        for _ in range(300):
            stepper.step({"team1/leader": (0.0, 0.0), "team1/helper": (0.0, 0.0)})
        support = sim.module("/team1/leader/support").state()
        assert (support.angle, support.loaded) == (pytest.approx(-math.pi / 2, abs=0.01), 1.0)
        for _ in range(300):
            stepper.step({"team1/leader": (0.3, 0.0), "team1/helper": (0.0, 0.0)})
        pulled = sim.module("/team1/leader/support").state()
        assert abs(pulled.angle) > math.pi / 2 + 0.1
        assert math.hypot(pulled.force_x, pulled.force_y) == pytest.approx(
            4000.0 * math.hypot(pulled.x, pulled.y), rel=0.1, abs=2.0
        )


def test_c_59_a_team_for_transport_is_inserted_like_a_robot_and_stands_with_its_bar(tmp_path: Path) -> None:
    with connect(_simulation(tmp_path, "")) as sim:
        sim.world.insert(TEAM + "position 1 2 0\norientation 0 0 45\n")
        assert {"/team1/leader/support", "/team1/helper/support"} <= set(sim.names("/team1"))
        bar = sim.world.get("team1/bar")
        assert tuple(bar.pose[:2]) == pytest.approx((1.0, 2.0))
        assert (bar.size[1], bar.mass) == (2.5, 5.0)
