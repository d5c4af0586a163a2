"""A robot that is driven from the window: by a joystick where there is one, and by keys that never stay down."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Never

import fake_stick
import pytest
from pyglet.window import key
from viewer_live import frames
from viewer_simulations import SimulationLink

from coopsim.features.desktop.application import Application
from coopsim.features.desktop.joystick import JoystickAxes
from coopsim.features.desktop.teleoperation import Teleoperation


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> SimulationLink:
    file = tmp_path_factory.mktemp("driving") / "a.scenario"
    file.write_text("[ROBOT_1]\ntype single\nname robot1\nposition 0 0 0\n", encoding="utf-8")
    return SimulationLink(str(file))


@pytest.fixture(scope="module")
def application(link: Any) -> Iterator[Application]:
    application = Application(link, (320, 240))
    frame(application, 3)
    yield application
    application.close()


def frame(application: Application, count: int = 2) -> None:
    frames(application, count)


def send(application: Application, event: str, *values: Any) -> None:
    application.window.dispatch_event(event, *values)
    frame(application, 1)


class Joystick:
    """A stick that speaks as those of pyglet do."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.x = self.y = 0.0
        self.is_open, self.problem, self.read = False, problem, 0
        self.device = SimpleNamespace(name="Stick 3000", poll=lambda: True, select=self._select, is_open=True)

    def open(self) -> None:
        if self.problem is not None:
            raise self.problem
        self.is_open = True

    def close(self) -> None:
        self.is_open = False

    def _select(self) -> None:
        self.read += 1


def test_a_robot_is_driven_by_the_first_joystick_that_opens(application: Application, link: Any) -> None:
    stick = Joystick()
    axes = JoystickAxes(lambda: [Joystick(RuntimeError("somebody has it")), Joystick(OSError()), stick])
    drive = Teleoperation(application.session, axes)
    drive.claim("robot1")
    frame(application)
    assert "by Stick 3000" in application.session.notes[-1]
    stick.y, stick.x = -1.0, 0.05  # ahead; nobody holds a stick quite straight
    assert drive.velocity == (0.4, 0.0)
    assert stick.read == 1
    for _ in range(30):
        drive._due = 0.0
        drive.advance()
    frame(application)
    pose = application.session.pose("robot1")
    assert pose is not None
    assert pose[0] > 0.02
    stick.y, stick.x = 0.0, -0.56
    assert drive.velocity == (0.0, pytest.approx(0.6))
    stick.device.select = _unplugged
    assert drive.velocity == (0.0, 0.0)
    assert not stick.is_open
    drive.release()
    frame(application)
    with link.server.connect() as other_client:
        other_client.robot("robot1").motors.set_velocity(0.0, 0.0)


def test_a_machine_that_cannot_tell_its_joysticks_is_driven_by_keys(application: Application, link: Any) -> None:
    drive = Teleoperation(application.session, JoystickAxes(_unplugged))
    drive.claim("robot1")
    frame(application)
    assert application.session.notes[-1] == "robot1 is driven by the arrow keys"
    drive.release()
    frame(application)


def test_keys_that_go_down_before_the_robot_is_ours_drive_it_then(application: Application, link: Any) -> None:
    drive = application._drive
    drive.claim("robot1")
    assert drive.press("forward", down=True)
    assert drive.press("left", down=True)
    assert drive.press("left", down=False)
    frame(application)
    assert (drive.robot, drive.velocity) == ("robot1", (0.4, 0.0))
    drive.release()
    frame(application)
    drive.claim("nobody")
    assert drive.press("forward", down=True)
    frame(application)
    assert "nobody" in application.session.notes[-1]
    assert not drive.press("left", down=True)
    assert drive.velocity == (0.0, 0.0)


def test_keys_drive_nothing_where_the_run_was_left_before_the_robot_was_ours(
    application: Application, link: Any, tmp_path: Path
) -> None:
    file = tmp_path / "other.scenario"
    file.write_text("[ROBOT_1]\ntype single\nname robot1\n", encoding="utf-8")
    drive = application._drive
    drive.claim("robot1")
    assert drive.press("forward", down=True)
    another: Any = SimulationLink(str(file))
    application.session.attend(another)
    assert not drive.press("forward", down=False)
    application.session.attend(link)
    frame(application)
    drive.release()
    frame(application)


def test_no_key_stays_down_when_the_window_is_left_or_the_robot_is_lost(application: Application, link: Any) -> None:
    drive = application._drive
    drive.claim("robot1")
    frame(application)
    send(application, "on_key_press", key.UP, 0)
    assert drive.velocity == (0.4, 0.0)
    send(application, "on_deactivate")
    assert drive.velocity == (0.0, 0.0)
    send(application, "on_key_press", key.UP, 0)
    link.client.world.remove("robot1")
    drive.advance()
    frame(application)
    drive._due = 0.0
    drive.advance()
    frame(application)
    assert drive.robot == ""
    link.client.world.reset()
    frame(application)
    drive.claim("robot1")
    frame(application)
    assert (drive.robot, drive.velocity) == ("robot1", (0.0, 0.0))
    drive.release()
    frame(application)


def _unplugged() -> Never:
    raise OSError("no such device")


def test_a_stick_of_linux_is_found_read_and_missed_when_it_is_unplugged() -> None:
    """In a process of its own, as windows have it: pyglet reads no devices where pictures are drawn in memory."""
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    words = [sys.executable, "-c", _STICK, fake_stick.__file__]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    name, ahead, slanting, middle, back, lost, lost_name, none = json.loads(done.stdout)
    assert name == "Stick 3000"
    assert ahead == [1.0, 0.0]
    assert slanting == [1.0, pytest.approx(0.43, abs=0.01)]
    assert middle == [0.0, 0.0]  # nobody lets go of a stick quite straight
    assert back == [-1.0, 0.0]
    assert (lost, lost_name) == ([0.0, 0.0], "")  # though it was pushed when it went
    assert none == ""


_STICK = """
import json, os, sys
import pyglet
pyglet.options.headless = pyglet.options.shadow_window = False
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from fake_stick import X, Y, FakeStick
from coopsim.features.desktop.joystick import JoystickAxes
stick, axes = FakeStick(), JoystickAxes()
axes.open()
found = [axes.name]
for pushed in ({Y: -512}, {X: -256}, {Y: 30, X: 30}, {Y: 512}):
    for axis, value in pushed.items():
        stick.push(axis, value)
    found.append(axes.position)
stick.unplug()
found += [axes.position, axes.name]
axes.open()
print(json.dumps([*found, axes.name]))
"""
