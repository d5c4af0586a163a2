"""Readings that authors give and listen to: called when a sensor measured, and mistakes with their file and line."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.robots import load
from coopsim.robots.plugging import plug
from coopsim.simulation import Simulation

SOURCE = '''"""A gauge, and who listens to it."""

from coopsim.devices.artifacts import Driver, Sensor
from coopsim.interfaces import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters


class Gauge(Sensor):
    """Gives its tick, twice or as often as `gives` says."""

    interface = Interface(
        "gauge", "Gives numbers.", (Command(10, "values", gives=(Field("first", "1"), Field("second", "1"))),),
        (Parameter("gives", int, 2, "1", 0, 9), *sampling_parameters()),
    )

    def configure(self, descriptor):
        self.descriptor = descriptor

    def run(self):
        return [float(self.artifact.tick)] * self.descriptor["gives"]


class Ear(Driver):
    """Counts what it hears."""

    interface = Interface(
        "ear", "Hears.", (Command(10, "heard", gives=(Field("calls", "1"), Field("last", "1"), Field("rays", "1"))),),
        (Parameter("gives", int, 3, "1", 0, 9), Parameter("pushes", int, 0, "1", 0, 1, fixed=True)),
    )
    remembers = {"calls": 0.0, "last": 0.0, "rays": 0.0}

    def configure(self, descriptor):
        self.descriptor = descriptor
        if descriptor["pushes"]:
            self.artifact.push((1.0, 0.0, 0.0))
        self.artifact.listen(self.artifact.name, "gauge", self.hear)
        self.artifact.listen(self.artifact.name, "sonars", self.count)

    def hear(self, readings):
        self.artifact.memory["calls"] += 1.0
        self.artifact.memory["last"] = readings[0]

    def count(self, readings):
        self.artifact.memory["rays"] += 1.0

    def run(self):
        memory = self.artifact.memory
        return [memory["calls"], memory["last"], memory["rays"], 0.0][: self.descriptor["gives"]]


PLUGINS = {"devices": {"gauge": Gauge, "ear": Ear}}
'''
ROBOT = """[ROBOT]
[BODY]
type cylinder
size 0.4 0.4 0.3
mass 10
[DEVICE_1]
type gauge
name gauge
{gauge}
[DEVICE_2]
type sonars
name sonars
{sonars}
[DEVICE_3]
type ear
name ear
{ear}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gauge.py").write_text(SOURCE)
    plug("gauge.py")
    yield tmp_path
    plugins.forget("gauge.py")


def made(folder: Path, ticks: int = 0, **settings: str) -> Simulation:
    (folder / "lamp.robot").write_text(ROBOT.format(**{"gauge": "", "sonars": "", "ear": ""} | settings))
    (folder / "lamp.scenario").write_text("[ROBOT_1]\ntype lamp\nname a\n[SIMULATION]\nstep 0.01\n")
    simulation = Simulation(load("lamp.scenario"), engine="kinematic")
    for _ in range(ticks):
        simulation.tick()
    return simulation


def heard(simulation: Simulation) -> dict[str, float]:
    return {
        name: float(simulation.tables.blocks[0].devices["ear"].memory[name][0]) for name in ("calls", "last", "rays")
    }


def test_who_listens_to_a_sensor_with_a_rate_is_called_when_it_measured(folder: Path) -> None:
    """S-38: 20 measurements, 20 calls."""
    assert heard(made(folder, 200)) == {"calls": 200.0, "last": 200.0, "rays": 200.0}
    slow = heard(made(folder, 200, gauge="rate 10", sonars="rate 20"))
    assert (slow["calls"], slow["rays"]) == (20.0, 40.0)
    assert slow["last"] in (190.0, 200.0)


def test_who_listens_to_a_late_sensor_is_called_when_its_measurement_came(folder: Path) -> None:
    late = made(folder, 13, gauge="rate 10\ndelay 0.05")
    first = heard(late)
    assert first["calls"] == 1.0
    late.tick()
    assert heard(late)["calls"] == 1.0


def test_who_listens_to_a_sensor_with_an_interval_is_called_then(folder: Path) -> None:
    assert heard(made(folder, 100, sonars="interval 5"))["rays"] == 20.0


def test_what_a_lossy_sensor_lost_is_not_told(folder: Path) -> None:
    assert heard(made(folder, 100, gauge="rate 50\nloss 1"))["calls"] == 0.0


def test_recordings_of_older_rules_have_listeners_called_in_each_tick(folder: Path) -> None:
    old = made(folder, 0, gauge="rate 10")
    old.hash_rule = 2
    old.rewire()
    for _ in range(100):
        old.tick()
    assert heard(old)["calls"] == 100.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ear": "gives 1"}, r"^gauge\.py:\d+: Ear returned 1 readings; expected 3: calls, last, rays$"),
        ({"ear": "gives 4"}, r"^gauge\.py:\d+: Ear returned 4 readings; expected 3: calls, last, rays$"),
        ({"gauge": "gives 1"}, r"^gauge\.py:\d+: Gauge returned 1 readings; expected 2: first, second$"),
        ({"gauge": "gives 5"}, r"^gauge\.py:\d+: Gauge returned 5 readings; expected 2: first, second$"),
    ],
)
def test_readings_of_a_wrong_length_are_named_with_file_and_line(
    folder: Path, settings: dict[str, Any], said: str
) -> None:
    try:
        problems = [news.text for news in made(folder, 2, **settings).failures.news]
    except PluginFailed as problem:  # a sensor is asked before the first tick
        problems = [str(problem)]
    (text,) = problems
    assert re.search(said, text)


def test_what_may_not_be_called_in_configure_is_named_with_file_and_line(folder: Path) -> None:
    with pytest.raises(PluginFailed, match=r"gauge\.py:\d+: ear of a: BadArgument: forces are applied in `run`"):
        made(folder, 0, ear="pushes 1")
