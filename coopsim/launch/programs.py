"""Programs of a run, and the view of it for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from coopsim import plugins
from coopsim.interpreter import module_command
from coopsim.launch.fork_server import ForkServer


class RunView(Protocol):
    """View of a run that people see."""

    def note(self, text: str) -> None:
        """Print a line."""

    def complain(self, text: str) -> None:
        """Print a complaint."""

    def printed(self, controller: str, line: str) -> None:
        """Pass on a line that a controller printed."""

    def audited(self, text: str) -> None:
        """Print a line of the audit."""

    def progress(self, status: Mapping[str, Any]) -> None:
        """Show how the run goes; called about ten times a second."""


def camera_command() -> tuple[str, ...]:
    """Return the command of the process that draws what cameras see, with the renderers of loose plugins."""
    return plugins.process_command("cameras", *plugins.loading("renderers"))


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs to be started, and how long each may take.

    Attributes:
        physics: Command of the physics process; its ends are appended.
        host: Command of the host process; its ends are appended.
        recorder: Command of the recorder process; its ends are appended; () = this run cannot be recorded.
        start: Seconds until both must be ready; a first run compiles kernels.
        grace: Seconds that controllers have to end when they are asked to.
        stop: Seconds that each of our own processes has to stop.
        drain: Seconds that the recorder has to write what is left.
        stall: Seconds that it may do nothing while it should.
        cameras: Command of the process that draws what cameras see; the ring and its ends are appended.
        server: Forks physics, host and a recorder from the start on; None = they begin from nothing.
    """

    physics: tuple[str, ...] = module_command("coopsim.launch.physics_process")
    host: tuple[str, ...] = module_command("coopsim.launch.host_process")
    start: float = 120.0
    grace: float = 2.0
    stop: float = 5.0
    recorder: tuple[str, ...] = module_command("coopsim.launch.recorder_process")
    drain: float = 60.0
    stall: float = 4.0
    cameras: tuple[str, ...] = field(default_factory=camera_command)
    server: ForkServer | None = None
