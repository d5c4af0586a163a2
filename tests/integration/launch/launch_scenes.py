"""A view that remembers, and scenarios for launchers whose processes are stand-ins."""

import shlex
import sys
from collections.abc import Mapping
from typing import Any

from coopsim.robots import RunSpec
from coopsim.scene import Controller, RobotPlacement, Scenario, Settings


class Seen:
    """A view that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.complaints: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self.statuses: list[Mapping[str, Any]] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def complain(self, text: str) -> None:
        self.complaints.append(text)

    def printed(self, controller: str, line: str) -> None:
        self.lines.append((controller, line))

    def audited(self, text: str) -> None:
        self.notes.append(text)

    def progress(self, status: Mapping[str, Any]) -> None:
        self.statuses.append(status)


def spec(*controllers: str, mode: str = "real-time") -> RunSpec:
    """Return a scenario with one robot and these commands as controllers."""
    sections = tuple(Controller(controller, ("robot1",)) for controller in controllers)
    robots = (RobotPlacement("robot1", "single"),)
    return RunSpec(Scenario(robots=robots, controllers=sections, settings=Settings(mode=mode), file="a.scenario"))


def python(code: str) -> str:
    """Return a command that runs `code`."""
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
