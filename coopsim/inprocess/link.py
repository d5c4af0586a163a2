"""A client's connection to a server in the same process."""

import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Protocol

import numpy as np

from coopsim.geometry import all_finite
from coopsim.message import Message
from coopsim.server.lockstep.sessions import Session, pack

_MOST_KEPT = 1000
"""Largest number of messages that may wait, for events to be added."""
_LOOK_EVERY = 0.02
"""How often a client that waits looks whether patience with another one is over [s]."""


class Serves(Protocol):
    """The server as its connections see it."""

    def respond(self, raw: bytes, session: Session) -> bytes | None:
        """Return the reply to a request, None if it comes later; do what follows from it."""
        ...

    def answer(self, request: Message, session: Session) -> Message | None:
        """Do the same without bytes."""
        ...

    def turn(self) -> None:
        """Do what time brings."""
        ...

    def lost(self, link: "LocalLink", session: Session) -> None:
        """Forget a connection."""
        ...


class _LocalSession(Session):
    """A connection that takes replies as they are."""

    __slots__ = ()
    sender: "LocalLink"

    def reply(self, message: Message) -> None:
        """Send an answer."""
        if not self.is_gone:
            self.sender.give(message)


class LocalLink:
    """Carries messages by calls; replies that come later wait until they are received.

    Args:
        server: Answers.
        label: Who that is, for people.
    """

    def __init__(self, server: Serves, label: str) -> None:
        self._server, self._session = server, _LocalSession(self, None, label)
        self._replies: SimpleQueue[bytes | Message] = SimpleQueue()
        self._direct: set[int] = set()
        self._tell: Callable[[], object] = lambda: None

    def post(self, _session: Session, raw: bytes) -> None:
        """Keep a reply that comes later; other threads may call this."""
        self._replies.put(raw)
        self._tell()

    def offer(self, session: Session, raw: bytes) -> bool:
        """Keep an event, unless too many wait."""
        has_room = self._replies.qsize() < _MOST_KEPT
        if has_room:
            self.post(session, raw)
        return has_room

    def on_reply(self, call: Callable[[], object]) -> None:
        """Call `call` after each deferred reply."""
        self._tell = call

    def send(self, raw: bytes, _timeout: float) -> bool:
        """Answer a request, and do the ticks that it allows."""
        reply = self._server.respond(raw, self._session)
        if reply is not None:
            self._replies.put(reply)
        return True

    def send_message(self, request: Message) -> None:
        """Answer a request whose reply needs no bytes either."""
        self._direct.add(request.id)
        reply = self._server.answer(request, self._session)
        if reply is not None:
            self.give(reply)

    def give(self, message: Message) -> None:
        """Keep a reply; one whose values no message may hold cannot be read, as on the network."""
        if message.id in self._direct and all_finite(np.asarray(message.data)):
            self._direct.remove(message.id)
            self._replies.put(message)
            self._tell()
        else:
            self._direct.discard(message.id)
            self.post(self._session, pack(message))

    def receive(self, timeout: float) -> bytes | None:
        """Return the bytes of the oldest reply, as `receive_message`."""
        reply = self.receive_message(timeout)
        return pack(reply) if isinstance(reply, Message) else reply

    def receive_message(self, timeout: float) -> bytes | Message | None:
        """Return the oldest reply; None if none came within `timeout` [s], for which only other threads can care."""
        with suppress(Empty):
            return self._replies.get_nowait()
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0.0:
            with suppress(Empty):
                return self._replies.get(timeout=min(left, _LOOK_EVERY))
            self._server.turn()
        return None

    def reset(self) -> None:
        """Drop the replies that were not received."""
        with suppress(Empty):
            while True:
                self._replies.get_nowait()

    def close(self) -> None:
        """Give back what this connection owns."""
        self._tell = lambda: None
        self._server.lost(self, self._session)
