"""The events of a match that count: those of its logics, and chat of those who hold the seats.

Anybody may publish on the topics of a match. The event channel names the source of each event, which no client can
choose, and the server names the owners of the robots by the same words: who owns a player's robots is its logic.
Specification: docs/games.md, "Who may give orders".
"""

import contextlib
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from coopsim.errors import CoopsimError, NoReply, NotInThisMode, SimulationEnded
from coopsim.features.matches.events import (
    CHAT,
    END_TOPIC,
    KEYS_TOPIC,
    LOG_TOPIC,
    SEATS_TOPIC,
    STATUS_TOPIC,
    match_seats,
)
from coopsim.features.matches.sealing import SealedTalk
from coopsim.message import ChannelEvent

TOPICS = (LOG_TOPIC, STATUS_TOPIC, END_TOPIC, SEATS_TOPIC, f"{CHAT}*")
RUN_ENDED = "the run ended before the match had an end"
"""Why a match has none, as players are told."""
_SILENCE = 5.0
"""A logic that told nothing for so long is no referee; that of the next player is [s]."""
_HELD = 1.0
"""Time that chat of an unknown source is held until the logic says who holds which seat [s]."""
_SEATED = 6.0
"""The same for chat from before the logic was there, which hears of players at their next sign of life [s]."""
# a player whose match begins late gets the newest; strangers are named once each, so they are counted
_MOST_HELD, _MOST_STRANGERS = 100, 100
_LOOK_EVERY = 0.1
"""Least interval between two questions who owns the robots [s]: strangers may tell a lot."""
_LOOK_ANYWAY = 1.0
"""Largest interval between two such questions [s]: nothing else says that a logic died while the run goes on."""
_ABANDONED = 5.0
"""Robots that no logic owned for so long are left [s]: another logic takes over, and one that begins anew, in less."""


class _Heard(Protocol):
    is_over: bool

    def hear(self, timeout: float) -> ChannelEvent | None: ...

    def close(self) -> None: ...


class _Simulation(Protocol):
    def listen(self, *patterns: str) -> Any: ...

    def module(self, name: str) -> Any: ...


class MatchSources:
    """Sources that may speak of a match, and of what.

    Args:
        game: Facts of the match, as `/sim/info` tells them.
        owners: Returns the owner of each robot that has one; None where the run is a recording, all of which counts.
        clock: Real time [s].

    Attributes:
        known_since: When a logic told first who holds the seats [s], infinity before.
    """

    def __init__(
        self,
        game: Mapping[str, Any],
        owners: Callable[[Sequence[str]], Mapping[str, str] | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._players = {player["name"]: list[str]() for player in game["players"]}
        for squad in game["squads"]:
            self._players[squad["player"]] += squad["robots"]
        self._ask, self._clock = owners, clock
        self._logics: dict[str, str] = {}
        self._seats: dict[str, str] = {}
        self._spoke = dict.fromkeys(self._players, clock())
        self._looked, self._is_recording = -_LOOK_EVERY, False
        self._strangers: set[tuple[str, str]] = set()
        self._owned, self.known_since = clock(), math.inf
        self.refresh()

    @property
    def are_gone(self) -> bool:
        """Whether no logic owns a robot of the match any more; one that never came is awaited."""
        return bool(self._logics) and self._looked - self._owned > _ABANDONED

    @property
    def since_look(self) -> float:
        """Time since it was asked who owns the robots [s]."""
        return self._clock() - self._looked

    def refresh(self) -> None:
        """Ask who owns the robots; who was the logic of a player stays it until somebody else owns all its robots."""
        self._looked = self._clock()
        owners = self._ask([robot for robots in self._players.values() for robot in robots])
        self._is_recording = owners is None
        if owners is None or owners:
            self._owned = self._looked
        for player, robots in self._players.items():
            present = [owners[robot] for robot in robots if robot in owners] if owners else []
            if present and self._logics.get(player) not in present:
                self._logics[player] = present[0]

    def counts(self, event: ChannelEvent) -> bool:
        """Return whether an event counts; notes who holds which seat, and which logics speak."""
        if self._is_recording:
            return True
        if event.topic.startswith(CHAT):
            player = event.topic.removeprefix(CHAT)
            return player not in self._players or self._seats.get(player) == event.source
        players = self._players_of(event.source)
        if not players or event.topic == KEYS_TOPIC or event.topic.startswith(LOG_TOPIC):
            return bool(players)
        if event.topic == SEATS_TOPIC:
            self.known_since = min(self.known_since, self._clock())
            self._seats |= {name: holder for name, holder in match_seats(event.text).items() if name in players}
            return True
        now, order = self._clock(), list(self._players)
        first = min(map(order.index, players))
        if any(now - self._spoke[name] < _SILENCE and name in self._logics for name in order[:first]):
            return False  # the logic of one before it is the referee
        self._spoke |= dict.fromkeys(players, now)
        return True

    def stranger(self, event: ChannelEvent) -> ChannelEvent | None:
        """Return what is to be shown in the place of an event that does not count: once for each source and topic."""
        if len(self._strangers) >= _MOST_STRANGERS or (event.source, event.topic) in self._strangers:
            return None
        self._strangers.add((event.source, event.topic))
        who = f"does not hold the seat of {event.topic.removeprefix(CHAT)}"
        if not event.topic.startswith(CHAT):
            who = "is no logic of this match" if not self._players_of(event.source) else "is not the referee"
        text = f"{event.source}: illegal event: a stranger, who {who}: what it tells on {event.topic} does not count"
        return ChannelEvent(LOG_TOPIC, text, (), event.source, event.tick)

    def _players_of(self, source: str) -> list[str]:
        if source not in self._logics.values() and self._clock() - self._looked >= _LOOK_EVERY:
            self.refresh()
        return [player for player, logic in self._logics.items() if logic == source]


class MatchFilter:
    """Picks what counts of the events of a match, one after the other; chat waits until the holders of seats are known.

    Args:
        sources: Who may speak of what.
        clock: Real time [s].
    """

    def __init__(self, sources: MatchSources, clock: Callable[[], float] = time.monotonic) -> None:
        self._sources, self._clock = sources, clock
        self._held: deque[tuple[float, ChannelEvent]] = deque(maxlen=_MOST_HELD)

    @property
    def is_waiting(self) -> bool:
        """Whether chat waits."""
        return bool(self._held)

    def pick(self, event: ChannelEvent) -> ChannelEvent | None:
        """Return what is to be shown of an event now: it, a line about a stranger, or None."""
        if self._sources.counts(event):
            return event
        if event.topic.startswith(CHAT):
            # nobody has a seat before the logic of the match is there
            is_early = math.isinf(self._sources.known_since)
            self._held.append((math.inf if is_early else self._clock() + _HELD, event))
            return None
        return self._sources.stranger(event)

    def chat_that_waited(self, *, is_over: bool = False) -> ChannelEvent | None:
        """Return chat whose speaker is known by now, or a line about a stranger whom nobody knows yet.

        Args:
            is_over: Whether no more events will come, so that waiting is of no use.
        """
        for entry in list(self._held):
            until, event = entry
            counts = self._sources.counts(event)
            until = min(until, self._sources.known_since + _SEATED)
            if not counts and self._clock() < until and not is_over:
                continue
            self._held.remove(entry)
            shown = event if counts else self._sources.stranger(event)
            if shown is not None:
                return shown
        return None


class MatchStream:
    """Events of a match, without those that strangers forged: `with MatchStream(sim, game) as events`.

    The first forged event of a source on a topic becomes a line of the log that says so; others are left out.

    Args:
        sim: The run.
        game: Facts of the match.
        clock: Real time [s].

    Attributes:
        talk: What a player seals its orders with.
    """

    def __init__(self, sim: _Simulation, game: Mapping[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._sim, self._clock = sim, clock
        self.talk = SealedTalk()
        self._secrets = Counter[tuple[str, tuple[float, ...]]]()
        self._heard: _Heard = sim.listen(*TOPICS, KEYS_TOPIC, f"{LOG_TOPIC}/*")
        try:
            self._sources = MatchSources(game, self._owners, clock)
        except CoopsimError:
            self._heard.close()
            raise
        self._filter = MatchFilter(self._sources, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_over(self) -> bool:
        """Whether no more events will come."""
        return self._heard.is_over and not self._filter.is_waiting

    @property
    def absence(self) -> str:
        """Reason why no end of the match will be told, "" as long as one may be."""
        if self.is_over:
            return RUN_ENDED
        if self._sources.are_gone:
            return f"the logic of the match is gone: for {_ABANDONED:g} s nobody has owned its robots; the run goes on"
        return ""

    def close(self) -> None:
        """Stop listening."""
        self._heard.close()

    def hear(self, timeout: float) -> ChannelEvent | None:
        """Return the next event that counts, None where none comes in time [s]."""
        deadline = self._clock() + timeout
        if self._sources.since_look > _LOOK_ANYWAY and not self._heard.is_over:
            with contextlib.suppress(NoReply, SimulationEnded):  # `is_over` says so, too
                self._sources.refresh()
        while True:
            if (event := self._filter.chat_that_waited(is_over=self._heard.is_over)) is not None:
                return event
            event = self._heard.hear(max(deadline - self._clock(), 0.0))
            if event is None:
                return self._filter.chat_that_waited(is_over=self._heard.is_over)
            shown = self._filter.pick(event)
            if shown is not None and (opened := self._opened(shown)) is not None:
                return opened

    def _opened(self, event: ChannelEvent) -> ChannelEvent | None:
        """Return an event as its player reads it, None where it is none, or is for somebody else."""
        if event.topic == SEATS_TOPIC:
            return None
        if event.topic == KEYS_TOPIC:
            self.talk.learn(event.text)
            return None
        if not event.topic.startswith(LOG_TOPIC):
            return event
        if event.topic == LOG_TOPIC:
            return None if self._was_secret(event) else event
        text = self.talk.open(event.text)
        if text is None:
            return None
        self._secrets[text, tuple(event.data)] += 1
        return ChannelEvent(LOG_TOPIC, text, event.data, event.source, event.tick)

    def _was_secret(self, event: ChannelEvent) -> bool:
        """Return whether a line that all hear at the end of a match was told to this player before."""
        line = event.text, tuple(event.data)
        if not self._secrets[line]:
            return False
        self._secrets[line] -= 1
        return True

    def _owners(self, robots: Sequence[str]) -> Mapping[str, str] | None:
        try:
            by_turns = self._sim.module("/sim/step").owners(list(robots)).owners
        except NotInThisMode:
            return None
        return dict(zip(by_turns[::2], by_turns[1::2], strict=True))
