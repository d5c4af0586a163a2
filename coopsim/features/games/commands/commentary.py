"""Commentary on a match for those who only watch: what happens, as sentences with times, and no seat is claimed."""

import contextlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coopsim.app import talk
from coopsim.errors import SimulationEnded
from coopsim.features.games.commands.playing import shown
from coopsim.features.matches.events import (
    CHAT,
    END_TOPIC,
    LOG_TOPIC,
    STATUS_TOPIC,
    LobbyNews,
    match_result,
    match_status,
)
from coopsim.features.matches.sentences import sentence

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.message import ChannelEvent

_JOINED_EARLY = 2.5
"""Time of the match up to which all robots are there without a word [s]."""
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

    game, absence, lobby = sim.info()["game"], RUN_ENDED, LobbyNews()
    strengths = StrengthReport(game)
    with MatchStream(sim, game) as stream, contextlib.suppress(SimulationEnded):
        while not stream.absence:
            event = stream.hear(_PERIOD)
            if event is None:
                continue
            news = lobby.text(event)
            if event.topic == STATUS_TOPIC:
                for text in filter(None, (news, strengths.text(event))):
                    talk.data(f"{event.data[0]:6.1f} s  {text}")
                continue
            talk.data(comment(event))
            if event.topic == END_TOPIC and match_result(event.text):
                return True
        absence = stream.absence
    talk.complain(absence)
    return False


class StrengthReport:
    """Robots that players have left, told once to who joins late: before the next event nothing else would be told.

    Args:
        game: Facts of the match.
    """

    def __init__(self, game: Mapping[str, Any]) -> None:
        self._players = {robot: squad["player"] for squad in game["squads"] for robot in squad["robots"]}
        self._healths: dict[str, float] = {}
        self._is_due = True

    def text(self, event: "ChannelEvent") -> str:
        """Return how many robots each player has left, "" before all are known, and from then on."""
        status = match_status(event.text)
        if not self._is_due or status is None or not event.data:
            return ""
        self._healths |= {name: health for name, health, _, _ in status["robots"] if name in self._players}
        if len(self._healths) < len(self._players):
            return ""
        self._is_due = False
        alive = Counter(self._players[name] for name, health in self._healths.items() if health > 0.0)
        shares = [
            f"{player} has {alive[player]} of {count}" for player, count in Counter(self._players.values()).items()
        ]
        return f"{', '.join(shares)} robots" if event.data[0] > _JOINED_EARLY else ""


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
