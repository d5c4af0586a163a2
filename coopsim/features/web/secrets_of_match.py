"""Secrets of a player at a page: in a match with fog its orders are sealed, and what only it may read is opened.

The page itself has no part in it: a browser cannot do all of it, and its server is the program that plays.
"""

import json
from typing import TYPE_CHECKING, Any

from coopsim.features.matches.sealing import SealedTalk

if TYPE_CHECKING:
    from coopsim.message import ChannelEvent

EVENTS, PUBLISH = "/sim/events", "publish"
"""Module and command by which pages tell events."""
_ORDERS, _SEATS = "/game/orders/", "/game/seats/"


class MatchSecrets:
    """What one browser says and hears in secret, with a key of its own."""

    def __init__(self) -> None:
        self._talk = SealedTalk()
        self._announced: set[tuple[str, str]] = set()

    def sealed(self, values: list[Any], key: str) -> list[tuple[str, str]]:
        """Return the events that stand for one that a page tells: orders are sealed, after the key was named.

        Args:
            values: Topic, text and numbers of the event.
            key: Public key of the logic of the match, "" = nothing is secret.
        """
        topic, text = str(values[0]), str(values[1]) if len(values) > 1 else ""
        player = topic.rpartition("/")[2]
        is_seat = topic.startswith(_SEATS) and text != "release"
        if not key or not (is_seat or topic.startswith(_ORDERS)):
            return [(topic, text)]
        self._talk.peer = key
        told = text if is_seat else self._talk.seal(text)
        if (player, key) in self._announced:
            return [(topic, told)]
        # a logic that begins anew has another key, and has to hear ours again
        self._announced.add((player, key))
        return [(_SEATS + player, self._talk.announcement), (topic, told)]

    def line(self, event: "ChannelEvent", key: str) -> str:
        """Return a sealed line of the log as a page reads it, "" where it is for somebody else.

        Args:
            event: On the topic of its player.
            key: Public key of the logic of the match.
        """
        self._talk.peer = key
        text = self._talk.open(event.text) if key else None
        return "" if text is None else json.dumps({"what": "event", "topic": event.topic, "text": text})
