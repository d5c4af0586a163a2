"""Commentary on a match for those who only watch: what happens, as sentences with times, and no seat is claimed."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.app import talk
from coopsim.errors import SimulationEnded
from coopsim.features.games.commands.playing import shown
from coopsim.features.matches.events import CHAT, END_TOPIC, LOG_TOPIC, STATUS_TOPIC, LobbyNews, match_result
from coopsim.features.matches.sentences import sentence

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.message import ChannelEvent

_PERIOD = 0.5
"""Largest time between two looks at whether the match goes on [s]."""
_TOPICS = (LOG_TOPIC, END_TOPIC)
"""Events that are told; the status repeats what the log has."""


def comment_on(sim: "Client") -> bool:
    """Print what happens in a match until its end; return whether it had one, and say why not.

    Args:
        sim: The run.
    """
    from coopsim.features.matches.stream import RUN_ENDED, MatchStream

    absence, lobby = RUN_ENDED, LobbyNews()
    with MatchStream(sim, sim.info()["game"]) as stream, contextlib.suppress(SimulationEnded):
        while not stream.absence:
            event = stream.hear(_PERIOD)
            if event is None:
                continue
            news = lobby.text(event)
            if event.topic == STATUS_TOPIC:
                if news:
                    talk.data(f"{event.data[0]:6.1f} s  {news}")
                continue
            talk.data(comment(event))
            if event.topic == END_TOPIC and match_result(event.text):
                return True
        absence = stream.absence
    talk.complain(absence)
    return False


def comment(event: "ChannelEvent") -> str:
    """Return an event of a match as those who watch read it."""
    is_log = event.topic == LOG_TOPIC and event.data
    return f"{event.data[0]:6.1f} s  {sentence(event.text)}" if is_log else shown(event)


def comment_on_recording(file: Path) -> bool:
    """Print what happened in a recorded match up to its end; return whether it had one, and say why not.

    Events of strangers count, too: a recording does not say who owned the robots.

    Args:
        file: The recording.

    Raises:
        NotARecording: It is none.
    """
    from coopsim.recording import Recording
    from coopsim.state.edits import PublishEvents

    count = 0
    with Recording.open(file) as recording:
        published = (applied.edit for edits in recording.edits() for applied in edits.edits)
        for event in (event for edit in published if isinstance(edit, PublishEvents) for event in edit.events):
            if event.topic not in _TOPICS and not event.topic.startswith(CHAT):
                continue
            count += 1
            talk.data(comment(event))
            if event.topic == END_TOPIC and match_result(event.text):
                return True
    talk.complain(f"{file}: the recording ends before the match had an end" if count else f"{file} holds no match")
    return False
