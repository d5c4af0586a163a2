"""Incoming events of a match: seats that players take, and orders of those who hold one."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from coopsim.client import Client
from coopsim.features.games.logic.logics import Logics
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.seats import REPEATED, Refusals, Seats
from coopsim.features.games.logic.secrecy import Secrecy
from coopsim.features.matches.sealing import KEY, ORDERS, SEALED, SEATS, is_key
from coopsim.message import ChannelEvent

CLAIM, HERE, RELEASE, READY = "claim", "here", "release", "ready"
"""What is said on `/game/seats/PLAYER`."""
_MOST_EVENTS = 5000
"""Read in one look."""


class OrderIntake:
    """Reads events; passes on the orders of those who may give them, and logs what it refuses, with who sent it.

    Args:
        sim: The run.
        game: Facts of the match.
        model: Takes the log.
        clock: Real time [s].
        logics: Say whose orders are of other logics; None = nobody's.
        secrecy: Opens sealed orders; None = there are none.

    Attributes:
        seats: Who plays whom.
        ready: Players who said so, and hold their seat.
        vanished: Players whose connection is silent since the last look.
    """

    def __init__(
        self,
        sim: Client,
        game: Mapping[str, Any],
        model: DataModel,
        clock: Callable[[], float] = time.monotonic,
        logics: Logics | None = None,
        secrecy: Secrecy | None = None,
    ) -> None:
        self._heard = sim.listen(f"{ORDERS}*", f"{SEATS}*")
        self._model, self._clock, self._logics, self._secrecy = model, clock, logics, secrecy
        keys = {player["name"]: player.get("key", "") for player in game["players"]}
        self.seats = Seats(list(keys), keys)
        self.vanished, self.ready = list[str](), set[str]()
        self._refusals, self._unread = Refusals(), dict[str, int]()
        self._flooded: dict[str, float] = {}

    def close(self) -> None:
        """Stop listening to players."""
        self._heard.close()

    def read_orders(self) -> list[tuple[str, str]]:
        """Return players and their orders that came since the last look."""
        orders = []
        self._log_counted()
        for _ in range(_MOST_EVENTS):
            event = self._heard.hear(0.0)
            if event is None:
                break
            player = event.topic.rpartition("/")[2]
            if (self._logics is not None and not self._logics.answers_for(player)) or self.seats.is_flooded(
                event.source
            ):
                continue
            if event.topic.startswith(SEATS):
                self._seat(player, event)
            elif self._may_order(player, event.source):
                orders += [(player, line) for line in self._opened(event)]
        self.vanished = self.seats.vanished(self._clock())
        self.ready -= {*self.vanished}
        for player in self.vanished:
            self._model.note(player, "vanished", f"nothing was heard of who played {player}; the seat is free")
        return orders

    def _opened(self, event: ChannelEvent) -> list[str]:
        """Return the order of an event, none where it is sealed and cannot be opened."""
        if self._secrecy is None or not event.text.startswith(SEALED):
            return [event.text]
        line = self._secrecy.talk.open(event.text, self._secrecy.keys.get(event.source, "-"))
        if line is None:
            text = f"a sealed order that cannot be opened: say `{KEY}HEX` on {SEATS}PLAYER first"
            self._refuse(event.source, "illegal order", text)
        return [] if line is None else [line]

    def _may_order(self, player: str, source: str) -> bool:
        """Return whether an order counts: the first one takes a free seat."""
        refused = self._claim_seat(player, source, keeps=False)
        if refused:
            self._refuse(source, "illegal order", refused)
        return not refused

    def _refuse(self, source: str, rule: str, text: str) -> None:
        """Log a refusal; the same one again is counted for a while."""
        if self._refusals.is_new(source, rule, text, self._clock()):
            self._model.note(source, rule, text)

    def _log_counted(self) -> None:
        """Log floods, and refusals that came again: each source once in a while."""
        now = self._clock()
        for source, rule, text in self._refusals.counted(now):
            self._model.note(source, rule, text)
        for source, count in self.seats.begin_round().items():
            self._unread[source] = self._unread.get(source, 0) + count
        self._flooded = {source: told for source, told in self._flooded.items() if now - told < REPEATED}
        for source in self._unread.keys() - self._flooded.keys():
            self._flooded[source] = now
            self._model.note(source, "flood", f"{self._unread.pop(source)} events too many at once were not read")

    def _seat(self, player: str, event: ChannelEvent) -> None:
        if event.text in {CLAIM, HERE, READY}:
            refused = self._claim_seat(player, event.source, keeps=True)
            if event.text == READY and not refused:
                self.ready.add(player)
        elif event.text.startswith(KEY) and is_key(event.text.removeprefix(KEY)):
            refused = self._claim_seat(player, event.source, keeps=True)
            if not refused and self._secrecy is not None and self._secrecy.is_sealing:
                self._secrecy.keys[event.source] = event.text.removeprefix(KEY)
        elif event.text == RELEASE:
            refused = self.seats.give_back(player, event.source)
            if not refused:
                self.ready.discard(player)
                self._model.note(event.source, "seat", f"{event.source} plays {player} no more")
        else:
            refused = f"seats understand {CLAIM}, {HERE}, {READY} and {RELEASE}, got {event.text[:40]!r}"
        if refused:
            self._refuse(event.source, "illegal claim", refused)

    def _claim_seat(self, player: str, source: str, *, keeps: bool) -> str:
        before = self.seats.holder(player) if player in self.seats else ""
        refused = self.seats.claim(player, source, self._clock(), keeps=keeps)
        if keeps and not refused and before != source:
            self._model.note(source, "seat", f"{source} plays {player}")
            if self._secrecy is not None:
                self._secrecy.repeat_key()  # its orders wait for that
        return refused
