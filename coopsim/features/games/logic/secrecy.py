"""Secrets of a match: what only one player may hear while it goes on, and everybody at its end.

Source: swarm gaming, section 3 (players command through the logic of the game); secrecy is our choice.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from coopsim.features.games.logic.model import DataModel, LogEntry
from coopsim.features.matches.events import KEYS_TOPIC, LOG_TOPIC
from coopsim.features.matches.sealing import SealedTalk

Event = tuple[str, str, tuple[float, ...]]
PUBLIC = frozenset(
    {"back", "disagreement", "dropped", "flood", "illegal claim", "illegal pick up", "illegal shot", "illegal status"}
    | {"in water", "lobby", "out", "outside", "overlap", "picked up", "referee", "seat", "silent", "switched off"}
    | {"tampered", "too fast", "vanished"}
)
"""Rules of the log that everybody hears: what anyone would see, and what concerns the match as a whole."""
_MOST_TEXT = 2800
"""Letters of a line that is sealed: sealed, it has a third more, and an event holds 4096 bytes."""
_KEY_EVERY = 2.0
"""Simulated time after which the key is told again, for those who came late [s]."""


class Secrecy:
    """Lines of the log that are told to one player in secret, and to all at the end.

    A player whose program named a key has secrets, and so have computer players against it. An order in clear was
    heard by all, so that only fog keeps what becomes of it.

    Args:
        model: Of the match.
        has_fog: Whether all players have secrets, whoever plays.
        is_sealing: Whether orders may be sealed. Several logics have several keys, and who orders knows one.

    Attributes:
        is_sealing: As given.
        talk: Seals and opens.
        keys: Public key of each connection that named one, by its source.
        withheld: Lines that not all have heard.
    """

    def __init__(self, model: DataModel, *, has_fog: bool = False, is_sealing: bool = True) -> None:
        self._model, self._due = model, -1.0
        self._has_fog, self.is_sealing = has_fog, is_sealing
        self.withheld: list[LogEntry] = []
        self.talk = SealedTalk()
        self.keys: dict[str, str] = {}

    def carry_on(self, before: "Secrecy") -> None:
        """Go on with the keys, and with what was withheld, of a match that goes on in this one."""
        self.talk, self.keys, self.withheld = before.talk, before.keys, before.withheld

    def key_events(self) -> Iterator[Event]:
        """Yield the key of the logic, where it is time to tell it."""
        if self._model.time >= self._due:
            self._due = self._model.time + _KEY_EVERY
            yield KEYS_TOPIC, json.dumps({"key": self.talk.key if self.is_sealing else ""}), (self._model.time,)

    def repeat_key(self) -> None:
        """Tell the key again at the next occasion."""
        self._due = self._model.time

    def events(self, entries: Sequence[LogEntry], seats: Mapping[str, str], *, is_over: bool) -> Iterator[Event]:
        """Yield lines of the log: public ones, those of players sealed for them, and at the end all.

        Args:
            entries: That are new.
            seats: Who holds the seat of each player, "" = nobody.
            is_over: Whether the match is.
        """
        is_played = any(holder in self.keys for holder in seats.values())
        for entry in entries:
            player = "" if entry.rule in PUBLIC else self._player_of(entry.source)
            holder = seats.get(player, "")
            if not player or not (self._has_fog or (is_played if not holder else holder in self.keys)):
                yield LOG_TOPIC, line_of(entry), (entry.time,)
                continue
            self.withheld.append(entry)
            if key := self.keys.get(holder, ""):
                yield f"{LOG_TOPIC}/{player}", self.talk.seal(line_of(entry)[:_MOST_TEXT], key), (entry.time,)
        if is_over:
            withheld, self.withheld = self.withheld, []
            yield from ((LOG_TOPIC, line_of(entry), (entry.time,)) for entry in withheld)

    def _player_of(self, source: str) -> str:
        """Return the player that a line of the log is about, "" = nobody's."""
        model = self._model
        owned = model.robots.get(source) or model.squads.get(source)
        return owned.player if owned is not None else source if source in model.players() else ""


def line_of(entry: LogEntry) -> str:
    """Return a line of the log as its events have it."""
    return f"{entry.source}: {entry.rule}: {entry.text}"
