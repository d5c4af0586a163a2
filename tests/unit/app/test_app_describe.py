import re

import pytest

from coopsim.app.describe import interface_text
from coopsim.app.main import run
from coopsim.interfaces import CLOCK, MOTORS, WORLD

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
