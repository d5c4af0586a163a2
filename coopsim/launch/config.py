"""Configuration of a run, which the launcher sends its processes first."""

import pickle
import secrets
from dataclasses import dataclass, field
from typing import Any

from coopsim.errors import SimulationEnded
from coopsim.launch.options import RunOptions
from coopsim.plugins import loose_files
from coopsim.robots import RunSpec
from coopsim.transport import Channel
from coopsim.transport.control import Configure, Stop

LARGEST_RUN = (1 << 53) - 1
"""JSON in any language keeps a number up to this one."""


def new_run() -> int:
    """Return a number that no other run has."""
    return 1 + secrets.randbelow(LARGEST_RUN)


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """Configuration of a run.

    Attributes:
        spec: With the settings of the command line already in it.
        wait_for: Robots, or how many, that lockstep waits for before its first step.
        plugins: Paths of the loose plugins that the launcher has loaded.
        run: Number of the run; clients name it, so that no command for one run drives another.
    """

    spec: RunSpec
    options: RunOptions
    wait_for: int | tuple[str, ...] = ()
    plugins: tuple[str, ...] = field(default_factory=lambda: tuple(plugin.spelled for plugin in loose_files()))
    run: int = field(default_factory=new_run)

    def message(self) -> Configure:
        """Return the first message to a child."""
        return Configure(pickle.dumps(self))


def receive_config(launcher: Channel[Any, Any]) -> LaunchConfig:
    """Wait for the first message of the launcher.

    Raises:
        SimulationEnded: The launcher stopped the run, or ended, before it came.
    """
    while not launcher.closed:
        messages = launcher.wait(None)
        if any(isinstance(message, Stop) for message in messages):
            break
        if messages:
            config: LaunchConfig = pickle.loads(messages[0].config)  # noqa: S301 - from our own process
            return config
    raise SimulationEnded("the run was stopped before it began")
