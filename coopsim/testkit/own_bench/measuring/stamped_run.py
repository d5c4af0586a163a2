"""A run in lockstep whose physics notes when the parts of each tick begin."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coopsim.interpreter import module_command
from coopsim.launch.launcher import Launcher
from coopsim.launch.options import RunOptions
from coopsim.launch.programs import Programs
from coopsim.robots import load
from coopsim.testkit import Run
from coopsim.testkit.own_bench.measuring import stamped_physics

_HERE, _PHYSICS = (f"coopsim.testkit.own_bench.measuring.{name}" for name in ("stamped_run", "stamped_physics"))


class StampedRun(Run):
    """A run whose clients drive its robots.

    Args:
        scenario: The text of a scenario.
        robots: How many robots steps wait for.
        times: File for the times, which is there when the run has ended; see `stamped_physics.read`.
    """

    def __init__(self, scenario: str, robots: int, times: Path) -> None:
        super().__init__(scenario)
        file = Path(self._folder.name) / "given.scenario"
        self._command = [*module_command(_HERE, str(file), str(robots), str(times), is_unbuffered=True)]

    @property
    def physics(self) -> int:
        """Process id of the process that moves bodies."""
        return self._child("stamped_physics")


class _Printing:
    """Prints what a run says."""

    def note(self, text: str) -> None:
        """Print a line."""
        sys.stdout.write(f"{text}\n")

    def complain(self, text: str) -> None:
        """Print a complaint."""
        self.note(text)

    def printed(self, controller: str, line: str) -> None:
        """Print what a controller said."""
        self.note(f"{controller}: {line}")

    def audited(self, text: str) -> None:
        """Print a line of the audit."""
        self.note(text)

    def progress(self, status: Mapping[str, Any]) -> None:
        """Print nothing."""


def main(scenario: str, robots: str, times: str) -> None:
    """Run until Ctrl-C."""
    os.environ[stamped_physics.FILE] = times
    options = RunOptions(port=0, controllers=False, wait_for=int(robots))
    Launcher(load(scenario), options, _Printing(), Programs(physics=module_command(_PHYSICS))).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
