"""Facts of a recording that is shown: its line of time, and where it stands on it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from coopsim.client import Client, State

PLAYBACK: Final = "/sim/playback"
_FAR = 1.0
"""States that are further apart do not follow each other [s]."""


@dataclass(frozen=True, slots=True)
class PlaybackFacts:
    """Facts of a recording that is shown.

    Attributes:
        begin: Time of the first record [s].
        end: Time of the last one [s].
        position: Where the recording stands [s].
        loop: Begin and end of what is repeated [s], None = nothing is.
        shift: Where a record lies, less its simulated time [s]: 0 until the run was reset.
    """

    begin: float
    end: float
    position: float
    playing: bool
    speed: float
    loop: tuple[float, float] | None = None
    shift: float = 0.0


def ask_playback(simulation: "Client") -> tuple[PlaybackFacts, str]:
    """Return the facts of the recording that a server shows, and its file."""
    shown = simulation.module(PLAYBACK).status()
    loop = (shown.loop_begin, shown.loop_end) if shown.looping else None
    shift = shown.time - shown.simulated
    facts = PlaybackFacts(shown.begin, shown.end, shown.time, bool(shown.playing), shown.speed, loop, shift)
    return facts, str(shown.file)


def is_elsewhere(before: "State | None", state: "State") -> bool:
    """Return whether a state of a recording does not follow the one before: a reset of the run may lie between."""
    return before is not None and abs(state.time - before.time) > _FAR
