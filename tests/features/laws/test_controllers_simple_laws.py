"""Simple laws in a simulation of their own process: cruise, laws of plugins, and a stick that comes and goes."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim import plugins
from coopsim.errors import NoSuchName, SimulationEnded
from coopsim.features.laws import cruise, plugged
from coopsim.features.laws.teleoperate import Group, Stick, TeleoperateParameters
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

LAW = '''
SPEED = 0.25

def slowly(readings, gain: float = 1.0):
    """Drive straight on."""
    if readings.tick > 50:
        return None
    return [(SPEED * gain, 0.0)] * len(readings.robots)

def main(arguments):
    print("said", *arguments)
    return 4

def raising(arguments):
    return {}["no key"]

PLUGINS = {"controllers": {"talker": main, "raiser": raising, "number": 7}}
'''


@pytest.fixture
def file(tmp_path: Path) -> Any:
    path = tmp_path / "own_laws.py"
    path.write_text(LAW)
    yield path
    plugins.forget(path)
    plugins.forget(f"{path}::slowly")


def driven(simulation: Simulation, main: Any, *arguments: str) -> int:
    (code,) = LocalServer(simulation).run(partial(main, list(arguments)))
    return code


def test_robots_cruise_for_their_time_and_no_longer() -> None:
    simulation = Simulation(load("formation"))
    robots = ["robot1", "robot2", "robot3"]
    rows = [simulation.engine.names.index(robot) for robot in robots]
    begin = simulation.engine.planar[rows].copy()
    assert driven(simulation, cruise.main, "--robots", *robots, "--v", "0.4", "--seconds", "1.5") == 0
    assert simulation.time_ns == pytest.approx(1.5e9, abs=2e7)
    ways = np.hypot(*(simulation.engine.planar[rows] - begin)[:, :2].T)
    assert (ways > 0.4).all(), "a second at speed and the time to reach it"
    assert (ways < 0.6).all()


def test_robots_that_cruise_turn_as_fast_as_they_are_told() -> None:
    """C-102: students see what the two numbers of a motion do."""
    simulation = Simulation(load("formation"))
    row = simulation.engine.names.index("robot1")
    before = float(simulation.engine.planar[row, 2])
    words = ("--robots", "robot1", "--v", "0.1", "--w", "0.8", "--seconds", "1.5")
    assert driven(simulation, cruise.main, *words) == 0
    turned = float(simulation.engine.planar[row, 2]) - before
    assert 0.8 < turned < 1.2, "a second at that rate and the time to reach it"


def test_cruising_refuses_what_has_no_wheels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.scenario").write_text("[ROBOT_1]\ntype quadrotor\nname q1\n[SIMULATION]\nengine flight\n")
    simulation = Simulation(load(tmp_path / "q.scenario"))
    assert driven(simulation, cruise.main, "--robots", "q1") == 1
    assert "has no motors: this control law cannot drive it" in capsys.readouterr().err


def test_a_law_of_a_file_gets_its_words_and_gives_its_code(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plugged.main(["talker", str(file), "--robots", "r1"]) == 4
    assert capsys.readouterr().out == "said --robots r1\n"
    assert plugged.main(["--plugin", str(file), "talker", ""]) == 4


@pytest.mark.parametrize(
    ("law", "said"),
    [("raiser", "own_laws.py:15"), ("nobody", "nobody")],
)
def test_a_law_that_fails_is_blamed_with_its_line(
    file: Path, law: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plugged.main([law, str(file)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"{law}: ")
    assert said in message
    assert "Traceback" not in message


def test_a_plain_function_of_readings_is_a_law_whose_parameters_are_options(file: Path) -> None:
    simulation = Simulation(load("single"))
    words = ["slowly", f"{file}::slowly", "--robots", "robot1", "--gain", "0.5"]
    begin = simulation.engine.planar[0, :2].copy()
    assert driven(simulation, plugged.main, *words) == 0
    way = float(np.hypot(*(simulation.engine.planar[0, :2] - begin)))
    assert 0.03 < way < 0.125 * 0.6, "half of 0.25 m/s for half a second"


class StickServer:
    """Modules of an operator: each reading is what the next entry says, an error is raised."""

    def __init__(self, *readings: Any) -> None:
        self.readings, self.asked = list(readings), 0

    def module(self, _name: str) -> "StickServer":
        return self

    def read(self) -> Any:
        self.asked += 1
        reading = self.readings.pop(0)
        if isinstance(reading, Exception):
            raise reading
        return reading


def held(x: float, *, count: float = 1.0, age: float = 0.0) -> SimpleNamespace:
    return SimpleNamespace(x=x, y=0.0, z=0.0, count=count, age=age)


def test_a_stick_that_nobody_holds_counts_as_let_go_and_is_not_asked_in_each_step() -> None:
    silent, unwritten = held(1.0, age=0.6), held(1.0, count=0.0)
    server = StickServer(held(0.5), silent, unwritten, NoSuchName("gone"), held(-0.5), SimulationEnded("over"))
    stick = Stick(server, TeleoperateParameters())  # type: ignore[arg-type]
    assert [stick.read()[0] for _ in range(4)] == [0.5, 0.0, 0.0, 0.0]
    assert [stick.read()[0] for _ in range(25)] == [0.0] * 25
    assert server.asked == 4
    assert stick.read()[0] == -0.5
    with pytest.raises(SimulationEnded):
        stick.read()


def test_a_group_that_is_held_back_keeps_its_place_on_the_leash_and_pushes_no_harder_than_may_be() -> None:
    law = TeleoperateParameters(speed=1.0, leash=0.5, lead=0.0, stiffness=100.0, max_force=3.0)
    positions = np.array([[0.0, -1.0, 0.2], [0.0, 1.0, 0.2]])
    group, still = Group(positions, law), np.zeros((2, 3))
    climbing, _ = group.advance(np.zeros(3), positions, still, 0.1)
    assert climbing[:, 2].tolist() == [1.5, 1.5], "a group on the floor climbs first"
    aloft = climbing.copy()
    for _ in range(20):
        places, force = group.advance(np.array([1.0, 0.0, 0.0]), aloft, still, 0.1)
    assert (places - aloft)[:, 0] == pytest.approx([0.5, 0.5])
    assert np.linalg.norm(force) == pytest.approx(3.0)
    assert force[0] < 0.0
    places, force = group.advance(np.array([np.nan, np.inf, 0.0]), places, still, 0.1)
    assert np.isfinite(places).all()
    assert force == pytest.approx(np.zeros(3), abs=1e-9)
