"""Drivers that command on-board programs of other robots: counted whatever the types are called."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import coopsim.robots
from coopsim import plugins
from coopsim.robots import load
from coopsim.robots.plugging import plug
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

NAV = '''"""A navigation that flies another robot."""

from coopsim.devices.artifacts import Driver
from coopsim.interfaces import Command, Field, Interface, Parameter


class Nav(Driver):
    """Has a quadrotor take off."""

    interface = Interface(
        "nav", "Flies a quadrotor.", (Command(10, "told", gives=(Field("told", "1"),)),),
        (Parameter("flies", str, "q", summary="the quadrotor", fixed=True),),
    )
    remembers = {"told": 0.0}

    def configure(self, descriptor):
        self.flies = descriptor["flies"]

    def run(self):
        self.artifact.memory["told"] += 1.0
        self.artifact.command("autopilot", "take_off", 1.0, artifact=self.flies)
        return self.artifact.memory["told"]


PLUGINS = {"devices": {"nav": Nav}}
'''
BOX = "[BODY]\ntype box\nsize 0.2 0.2 0.2\nmass 1\nwheels no\n[DEVICE_1]\ntype nav\n"
ALONE = "[ROBOT_1]\ntype {}\nname q\n[SIMULATION]\nengine flight\nstep 0.02\n"
SCENARIO = ALONE.format("quadrotor") + "[ROBOT_2]\ntype {}\nname box\nposition 2 0 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nav.py").write_text(NAV)
    plug("nav.py")
    yield tmp_path
    plugins.forget("nav.py")


def height(simulation: Simulation, ticks: int = 100) -> float:
    for _ in range(ticks):
        simulation.tick()
    return float(simulation.engine.height[list(simulation.engine.names).index("q")])


def flown_by(folder: Path, kind: str) -> Simulation:
    (folder / f"{kind}.robot").write_text(BOX)
    (folder / "fly.scenario").write_text(SCENARIO.format(kind))
    return Simulation(load("fly.scenario"))


def test_a_driver_flies_another_robot_whatever_the_types_are_called(folder: Path) -> None:
    """S-18, S-42: an external navigation algorithm."""
    first, last = flown_by(folder, "navbox"), flown_by(folder, "znav")
    heights = height(first), height(last)
    assert heights[0] > 0.5
    assert heights[0] == heights[1]


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_driver_flies_the_robot_that_carries_it(folder: Path, place: str) -> None:
    plain = (Path(coopsim.robots.__file__).parent / "types" / "quadrotor.robot").read_text()
    device = "[DEVICE_9]\ntype nav\n"
    head, mark, devices = plain.partition("[DEVICE_1]")
    (folder / "flyer.robot").write_text(
        f"{head}{device}\n{mark}{devices}" if place == "first" else f"{plain}\n{device}"
    )
    (folder / "fly.scenario").write_text(ALONE.format("flyer"))
    assert height(Simulation(load("fly.scenario"))) > 0.5


def test_a_run_with_such_a_driver_goes_on_from_a_snapshot_bit_by_bit(folder: Path) -> None:
    whole, half = flown_by(folder, "znav"), flown_by(folder, "znav")
    height(whole, 60)
    height(half, 30)
    restored = flown_by(folder, "znav")
    restore(restored, snapshot(half))
    height(restored, 30)
    assert restored.state_hash() == whole.state_hash()
    assert restored.reading("box", "nav")[0] == 60.0
