import json
import re

import pytest

from coopsim import plugins
from coopsim.app.main import run
from coopsim.features.reference.describe import interface_text
from coopsim.inprocess import LocalServer
from coopsim.interfaces import CLOCK, MOTORS, WORLD
from coopsim.robots import load
from coopsim.simulation import Simulation

NAMES = (
    "",
    "formation",
    "wander",
    "seek",
    "pymunk",
    "mujoco",
    "single",
    "scout",
    "reacher",
    "hinge",
    "sonars",
    "differential_drive",
    "gps",
)


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("coopsim.app.table.width", lambda: 80)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_installed_fits_a_terminal_and_speaks_of_no_paper_numbers(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["describe", *([name] if name else [])]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert not re.search(r"\b[ACS]-\d", shown)


@pytest.mark.parametrize("group", ["devices", "controllers", "engines"])
def test_all_that_is_installed_is_described(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {name: run(["describe", name]) for name in plugins.registered(group)}
    assert set(outcomes.values()) == {0}, (outcomes, capsys.readouterr().err)


@pytest.mark.parametrize("interface", [MOTORS, CLOCK, WORLD])
def test_a_running_module_fits_a_terminal(interface) -> None:
    page = interface_text("/robot1/motors", interface)
    assert max(map(len, page.splitlines())) <= 80
    assert all(command.name in page for command in interface.commands)


def test_defaults_of_arguments_and_ranges_of_parameters_are_shown() -> None:
    page = interface_text("/robot1/motors", MOTORS)
    assert "takes v [m/s] = 0.0, w [rad/s] = 0.0" in page
    assert "max_speed = 0.5  (float, 0 to 100 m/s)" in page


def test_a_control_law_tells_its_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["describe", "formation"]) == 0
    assert "spacing = 0.8  (float, 0.1 to 20 m)\n      distance between neighbours" in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_what_is_installed_is_described_for_scripts(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["describe", "--json", *([name] if name else [])]) == 0
    plain = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    if not name:
        assert plain["controllers"]["wander"].startswith("robots drive about")
        assert {"robot types", "devices", "engines", "controllers"} <= plain.keys()
        return
    assert {entry["name"] for entry in plain} == {name}
    assert all(entry["manual"] for entry in plain)
    if name == "sonars":
        (device,) = (entry for entry in plain if entry["group"] == "devices")
        assert [command["name"] for command in device["interface"]["commands"]] == ["ranges"]
    if name == "single":
        (robot,) = (entry for entry in plain if entry["group"] == "robot types")
        assert "motors" in {device["name"] for device in robot["type"]["devices"]}


def test_a_running_robot_and_its_modules_are_described_for_scripts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = LocalServer(Simulation(load("single")), is_hashed=False)
    connections = [server.connect(), server.connect()]
    monkeypatch.setattr("coopsim.client.connect", lambda *_, **__: connections.pop())
    assert run(["describe", "/robot1", "--json"]) == 0
    robot = json.loads(capsys.readouterr().out)
    assert robot["can"] == ["drive", "see"]
    assert run(["describe", "/robot1/motors", "--json"]) == 0
    motors = json.loads(capsys.readouterr().out)
    assert motors == {"name": "/robot1/motors", **robot["modules"]["/robot1/motors"]}
    assert motors["commands"][0]["name"] == MOTORS.commands[0].name


@pytest.mark.parametrize("name", ["differential_drive", "sonars", "pymunk"])
def test_a_manual_has_the_words_for_users_and_not_those_for_developers(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["describe", name]) == 0
    shown = capsys.readouterr().out
    assert not re.search(r"^\s*(Args|Attributes|Raises):", shown, re.MULTILINE)
    head, manual = shown.split("\n\n")[:2]
    assert name in head
    assert len(manual.split()) > 3
