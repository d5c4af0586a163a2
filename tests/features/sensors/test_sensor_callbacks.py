"""Callbacks of drivers and clients: what touches a body, and each new measurement of a receiver."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import coopsim
from coopsim import plugins
from coopsim.robots import load
from coopsim.simulation import Simulation

GONG = '''
from coopsim.devices.artifacts import Driver
from coopsim.interfaces import Command, Field, Interface


class Gong(Driver):
    """Counts strokes, and fixes of its receiver."""

    interface = Interface(
        kind="gong",
        summary="Counts how often it is struck.",
        commands=(Command(10, "strokes", gives=(Field("strokes", "1"), Field("fixes", "1"))),),
    )
    remembers = {"strokes": 0.0, "touched": 0.0, "fixes": 0.0}

    def configure(self, descriptor):
        self.artifact.listen(self.artifact.name, "skin", self.feel)
        self.artifact.listen("r", "gnss", self.hear)

    def feel(self, readings):
        memory = self.artifact.memory
        memory["strokes"] += readings[0] > memory["touched"]
        memory["touched"] = readings[0]

    def hear(self, readings):
        self.artifact.memory["fixes"] += 1

    def run(self):
        return self.artifact.memory["strokes"], self.artifact.memory["fixes"]


PLUGINS = {"devices": {"gong": Gong}}
'''
BODY = "[BODY]\ntype box\nsize 0.4 0.4 0.4\nmass 40\nwheels no\n"
STRIKER = "[BODY]\ntype cylinder\nsize 0.4 0.4 0.3\nmass 10\n[DEVICE_1]\ntype differential_drive\nname motors\n"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "gong.py").write_text(GONG)
    (tmp_path / "gong.robot").write_text(
        f"{BODY}[DEVICE_1]\ntype contact\nname skin\n[DEVICE_2]\ntype gong\nname gong\n"
    )
    receiver = "[DEVICE_2]\ntype gnss\nname gnss\nrate 5\nloss 0.3\n"
    (tmp_path / "striker.robot").write_text(f"{STRIKER}{receiver}")
    (tmp_path / "bare.world").write_text("[FLOOR]\nsize 20 20 0.1\n")
    plugins.add(tmp_path / "gong.py")
    yield tmp_path
    plugins.forget(tmp_path / "gong.py")


def run(folder: Path, engine: str, ticks: int) -> Simulation:
    """Let a robot strike twice: it drives into the gong, back, and into it once more."""
    (folder / "a.scenario").write_text(
        f"[SIMULATION]\nengine {engine}\nstep 0.01\n[WORLD]\nfile bare\n"
        "[ROBOT_1]\ntype gong\nname gong\nposition 1 0 0\n[ROBOT_2]\ntype striker\nname r\nposition 0.3 0 0\n"
    )
    simulation = Simulation(load(str(folder / "a.scenario")))
    for tick in range(ticks):
        speed = -0.3 if 200 <= tick < 300 else 0.3
        simulation.command("r", "motors", 10, (speed, 0.0))
        simulation.tick()
    return simulation


def test_a_driver_hears_of_contacts_in_the_tick_in_which_they_begin_and_end(scene: Path) -> None:
    simulation = run(scene, "pymunk", 600)
    assert simulation.reading("gong", "gong")[0] == 2.0
    assert simulation.reading("gong", "skin")[0] == 1.0
    # it is pushed ahead by what is behind it
    assert simulation.reading("gong", "skin")[1] > 1.0
    assert simulation.reading("gong", "skin")[4] == pytest.approx(-0.2, abs=0.02)


def test_in_space_the_floor_is_a_contact_from_the_first_tick_on(scene: Path) -> None:
    simulation = run(scene, "mujoco", 100)
    assert simulation.reading("gong", "gong")[0] == 1.0
    assert simulation.reading("gong", "skin")[3] == pytest.approx(40.0 * 9.81, rel=0.02)


def test_a_driver_hears_of_each_measurement_that_comes_and_of_no_other(scene: Path) -> None:
    simulation = run(scene, "pymunk", 1000)
    fixes = simulation.reading("gong", "gong")[1]
    # 5 Hz over 10 s, of which three in ten are lost
    assert 25.0 <= fixes <= 45.0


def test_s_38_a_client_hears_of_each_touch_as_it_begins_with_force_and_place(scene: Path) -> None:
    """Two boxes are put on a pad one after the other; the pad itself is held, and touches nothing else."""
    (scene / "pad.robot").write_text(
        "[BODY]\ntype box\nsize 0.6 0.6 0.1\nmass 5\nwheels no\nbolted yes\n[DEVICE_1]\ntype contact\nname skin\n"
    )
    (scene / "laid.world").write_text("[FLOOR]\nsize 9 9 0.1\n[ARTIFACT_1]\ntype pad\nname pad1\nposition 2 0 0\n")
    (scene / "laid.scenario").write_text(
        "[SIMULATION]\nengine mujoco\n[WORLD]\nfile laid\n[ROBOT_1]\ntype striker\nname r\n"
    )
    events = []
    with (
        coopsim.open(scene / "laid.scenario") as sim,
        sim.stepper(["r"]) as stepper,
        sim.listen("/sim/contacts/*") as heard,
    ):
        for x in (2.1, 1.8):
            sim.world.insert(f"[OBJECT_1]\ntype box\nname b\nsize 0.1 0.1 0.1\nposition {x} 0.05 0.12\nmass 2\n")
            for _ in range(60):
                stepper.step([(0.0, 0.0)])
            sim.world.remove("b")
            stepper.step([(0.0, 0.0)])
        while (event := heard.hear(0.0)) is not None:
            events.append(event)
    assert [(event.topic, event.text, event.source) for event in events] == [
        ("/sim/contacts/pad1", "skin", "simulation")
    ] * 2
    for event, x in zip(events, (0.1, -0.2), strict=True):
        assert event.data[2] < -2.0 * 9.81
        assert event.data[3:] == pytest.approx((x, 0.05, 0.1), abs=0.02)
    assert 0 < events[0].tick < 30
    assert 60 < events[1].tick < 90
