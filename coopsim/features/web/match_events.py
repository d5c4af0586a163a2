"""Events of a run as pages show them: of a match those that count, without what strangers tell in its name."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from coopsim.errors import CoopsimError, NotInThisMode
from coopsim.features.matches.events import CHAT, END_TOPIC, KEYS_TOPIC, LOG_TOPIC, SEATS_TOPIC, STATUS_TOPIC
from coopsim.features.matches.sealing import ORDERS, SEATS, SealedTalk
from coopsim.features.matches.stream import MatchFilter, MatchSources
from coopsim.message import ChannelEvent

if TYPE_CHECKING:
    from coopsim.client.aio import Client

_SHOWN = (LOG_TOPIC, STATUS_TOPIC, END_TOPIC, SEATS_TOPIC, KEYS_TOPIC)
SECRET = f"{LOG_TOPIC}/"
"""What topics of sealed lines begin with; the name of the player follows."""
_GAME = "/game/"
_ASK_EVERY, _ASK_ANYWAY = 0.1, 1.0
"""Intervals at which it is asked who owns the robots: where an unknown source speaks, and in any case [s]."""


EVENTS, PUBLISH = "/sim/events", "publish"
"""Module and command by which pages tell events."""


class MatchEvents:
    """Picks what pages show of the events of a run.

    Args:
        sim: The run.
        game: Facts of its match; of a run without one all events are shown.
        clock: Real time [s].
    """

    def __init__(
        self, sim: "Client", game: Mapping[str, Any] | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sim, self._clock = sim, clock
        self._owners: Mapping[str, str] | None = {}
        self._asked = -_ASK_ANYWAY
        self._robots = [robot for squad in game["squads"] for robot in squad["robots"]] if game else []
        self._sources = MatchSources(game, self._known_owners, clock) if game else None
        self._filter = MatchFilter(self._sources, clock) if self._sources else None
        self._keys = SealedTalk() if game else None

    @property
    def key(self) -> str:
        """Public key of the logic of a match, "" = there is none, or nobody knows it yet."""
        return self._keys.peer if self._keys is not None else ""

    @property
    def is_key_told(self) -> bool:
        """Whether the logic of the match has said how orders come to it; a run without a match has none to wait for."""
        return self._keys is None or self._keys.is_told

    def _known_owners(self, _robots: Sequence[str]) -> Mapping[str, str] | None:
        return self._owners

    async def shown(self, event: ChannelEvent) -> list[ChannelEvent]:
        """Return what is to be shown now that an event has come: nothing, or it, or chat that waited and it.

        Args:
            event: On any topic; orders, and what players say of their seats, are for the logic alone.
        """
        if self._filter is None or not event.topic.startswith(_GAME):
            return [event]
        if event.topic not in _SHOWN and not event.topic.startswith((CHAT, SECRET)):
            return []
        is_known = self._owners is None or event.source in self._owners.values()
        await self._ask_owners(_ASK_ANYWAY if is_known else _ASK_EVERY)
        waited = list(self._waited())
        picked = self._filter.pick(event)
        if picked is not None and picked.topic == KEYS_TOPIC:
            if self._keys is not None:
                self._keys.learn(picked.text)
            return waited
        return [*waited, picked] if picked is not None else waited

    async def waited(self) -> list[ChannelEvent]:
        """Return chat that was held until it was known who speaks, or that somebody speaks who may not."""
        if self._filter is None or not self._filter.is_waiting:
            return []
        await self._ask_owners(_ASK_EVERY)
        return list(self._waited())

    def _waited(self) -> Iterator[ChannelEvent]:
        assert self._filter is not None  # noqa: S101 - asked for by the callers
        while (event := self._filter.chat_that_waited()) is not None:
            yield event

    async def _ask_owners(self, interval: float) -> None:
        """Ask who owns the robots, unless it was asked within so many seconds."""
        if self._clock() - self._asked < interval:
            return
        self._asked = self._clock()
        try:
            by_turns = (await self._sim.module("/sim/step").call("owners", self._robots)).owners
        except NotInThisMode:  # of a recording all counts
            self._owners = None
        except CoopsimError:
            return  # the run is gone, which its follower notices; what was known holds
        else:
            self._owners = dict(zip(by_turns[::2], by_turns[1::2], strict=True))
        if self._sources is not None:
            self._sources.refresh()


class MatchSecrets:
    """Secrets of a player at a page, with a key of its own: its orders are sealed, and lines for it are opened.

    The page itself has no part in it: a browser cannot do all of it, and its server is the program that plays.
    """

    def __init__(self) -> None:
        self._talk = SealedTalk()

    def sealed(self, values: list[Any], key: str) -> list[tuple[str, str]]:
        """Return the events that stand for one that a page tells: orders are sealed, after the key was named.

        Args:
            values: Topic, text and numbers of the event.
            key: Public key of the logic of the match, "" = nothing is secret.
        """
        topic, text = str(values[0]), str(values[1]) if len(values) > 1 else ""
        player = topic.rpartition("/")[2]
        is_seat = topic.startswith(SEATS) and text != "release"
        if not key or not (is_seat or topic.startswith(ORDERS)):
            return [(topic, text)]
        self._talk.peer = key
        spoken = text if is_seat else self._talk.seal(text)
        return [*self._talk.introduction(player), (topic, spoken)]

    def line(self, event: ChannelEvent, key: str) -> str:
        """Return a sealed line of the log as a page reads it, "" where it is for somebody else.

        Args:
            event: On the topic of its player.
            key: Public key of the logic of the match.
        """
        self._talk.peer = key
        text = self._talk.open(event.text) if key else None
        return "" if text is None else json.dumps({"what": "event", "topic": event.topic, "text": text})
