"""A client that waits for each reply."""

from __future__ import annotations

import os
import ssl
import time
from collections import deque
from collections.abc import Sequence
from typing import Self

from coopsim_client.errors import Lost, Malformed, Refused, Value
from coopsim_client.link import Link
from coopsim_client.message import Asked, Message, decode, encode, text_at, whole_at

PING, ELSEWHERE, WRONG_RUN = 0, 207, 208
MOST_STATES = 64
USUAL = "127.0.0.1:5571"


def usual_address(address: str) -> str:
    """Return an address; without one what COOPSIM_TCP says, or 127.0.0.1:5571."""
    return address or os.environ.get("COOPSIM_TCP") or USUAL


class Client:
    """A client of one run at host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571; a context manager.

    Args:
        address: Of the simulation; `tls` is for one that asks for keys.
        timeout: For connecting and for every reply [s]; `ask` takes another one.
    """

    def __init__(self, address: str = "", timeout: float = 5.0, tls: ssl.SSLContext | None = None) -> None:
        self._address, self._timeout, self._tls = usual_address(address), timeout, tls
        self._number, self.run = 0, 0
        self._elsewhere: dict[str, Link] = {}
        self._states: deque[Message] = deque(maxlen=MOST_STATES)
        self._link = Link(self._address, timeout, tls)
        self._learn()

    def _learn(self) -> None:
        """Learn the run: from now on another one refuses what is meant for this one."""
        try:
            self.run = whole_at(self.ask("/sim/clock", PING), 1)
        except BaseException:
            self.close()
            raise

    def reconnect(self) -> None:
        """Connect anew, to the same run; Refused with 208 when another one is there, which a new client may drive."""
        self.close()
        self._elsewhere.clear()
        self._states.clear()
        self._link, run, self.run = Link(self._address, self._timeout, self._tls), self.run, 0
        self._learn()
        previous_run, self.run = self.run, run
        if previous_run != run:
            self.close()
            raise Refused(WRONG_RUN, f"another run is at {self._address}", [previous_run])

    def ask(
        self,
        target: str,
        command: int,
        params: Sequence[Value] = (),
        data: Sequence[float] = (),
        tick: int = 0,
        timeout: float | None = None,
    ) -> Message:
        """Send a request and return its reply; CoopsimError says what went wrong."""
        deadline = time.monotonic() + (self._timeout if timeout is None else timeout)
        asked = (target, command, params, data, tick)
        if target in self._elsewhere:
            return self._ask_elsewhere(target, asked, deadline)
        reply = self._exchange(self._link, asked, self.run, deadline)
        if reply.error == ELSEWHERE and len(reply.params) > 1 and reply.params[1]:
            address = text_at(reply, 1).replace("0.0.0.0", self._link.host)
            keys = self._tls if address.startswith("tls://") else None
            self._elsewhere[target] = Link(address, max(deadline - time.monotonic(), 1e-3), keys)
            return self._ask_elsewhere(target, asked, deadline)
        return checked(reply)

    def ask_all(self, asked: Sequence[Asked], timeout: float | None = None) -> list[Message]:
        """Send several requests to the simulation, then wait for all replies: a STEP in parts needs that.

        Args:
            asked: Target, command, params, data and tick of each.
            timeout: For all together [s].

        Returns:
            The reply to each; Refused when one of them is a refusal.
        """
        deadline = time.monotonic() + (self._timeout if timeout is None else timeout)
        replies: dict[int, Message] = {}
        first = self._number + 1
        for target, command, params, data, tick in asked:
            self._number += 1
            self._link.send(encode(self._number, target, command, params, data, tick, self.run), deadline)
        while len(replies) < len(asked):
            reply = self._sort(self._link.receive(deadline))
            if reply is not None and reply.id >= first:
                replies[reply.id] = reply
        return [checked(replies[number]) for number in sorted(replies)]

    def _ask_elsewhere(self, target: str, asked: Asked, deadline: float) -> Message:
        """Ask the server that a module has of its own; where that is gone, the next request asks where it is now."""
        try:
            return checked(self._exchange(self._elsewhere[target], asked, 0, deadline))
        except (Lost, Malformed):
            self._elsewhere.pop(target).close()
            raise

    def state(self, timeout: float | None = None) -> Message:
        """Return the next state of a topic that was subscribed to (`ask("/sim/info", 11, [topic])`)."""
        deadline = time.monotonic() + (self._timeout if timeout is None else timeout)
        while not self._states:
            self._sort(self._link.receive(deadline))
        return self._states.popleft()

    def _exchange(self, link: Link, asked: Asked, run: int, deadline: float) -> Message:
        self._number += 1
        target, command, params, data, tick = asked
        link.send(encode(self._number, target, command, params, data, tick, run), deadline)
        while True:
            reply = self._sort(link.receive(deadline))
            if reply is not None and reply.id == self._number:  # what came too late for an earlier request goes by
                return reply

    def _sort(self, raw: bytes) -> Message | None:
        """Return a reply, keep a state; an empty message is a probe."""
        message = decode(raw) if raw else None
        if message is not None and message.id == 0:
            self._states.append(message)
            return None
        return message

    def close(self) -> None:
        """End all connections."""
        for link in (self._link, *self._elsewhere.values()):
            link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def checked(reply: Message) -> Message:
    """Return a reply; Refused when it is a refusal."""
    if reply.error:
        raise Refused(reply.error, reply.text, reply.params)
    return reply
