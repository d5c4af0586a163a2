"""Notice that a replay answers, for commands that read from one."""

from typing import TYPE_CHECKING

from coopsim.app import talk
from coopsim.errors import CoopsimError

if TYPE_CHECKING:
    from coopsim.client import Client


def report_replay(simulation: "Client", what: str) -> None:
    """Say that what answers is a replay, and of which file; say nothing where it is none.

    Args:
        simulation: The connection; a driver of a real robot has no `/sim/info`, and is no replay.
        what: That the command shows: `readings`.
    """
    try:
        file = simulation.info().get("recording")
    except CoopsimError:
        return
    if file:
        talk.note(f"a replay of {file}: {what} as they were recorded")
