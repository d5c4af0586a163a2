"""Sends hostile requests without waiting for each reply, and holds the server to one reply each."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from coopsim.errors import CoopsimError, InternalError, MalformedMessage, NoReply
from coopsim.message import Message
from coopsim.testkit.hostile.requests import HostileRequests
from coopsim.testkit.raw import RawClient

_WINDOW = 64  # requests without an answer; more would fill the server's queue, which is another test
_PAUSE, _LONG, _LAST_PAUSE = 0.05, 2.0, 0.5
"""Time without a reply after which the operator helps, and time to listen in the end [s]."""
_MOST_KEPT = 20  # of a report that a person reads


@dataclass
class AttackResult:
    """Outcome of an attack.

    Attributes:
        requests: How many were sent.
        refused: How many replies there were by number of the error, 0 = done.
        extra: Replies without a request.
        unread: Replies that are no messages, or hold numbers that are not finite.
        bugs: Requests that were answered with a bug of the host (503), as far as they are kept.
        unanswered: Requests without a reply.
    """

    requests: int = 0
    refused: dict[int, int] = field(default_factory=dict)
    extra: int = 0
    unread: list[str] = field(default_factory=list)
    bugs: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)

    @property
    def is_kept(self) -> bool:
        """Whether each request had one reply, and no reply was a bug."""
        return not (self.extra or self.unread or self.bugs or self.unanswered)


class Attack:
    """A hostile client.

    Args:
        endpoint: Of the simulation, ZeroMQ or plain TCP.
        requests: What to send.
        relieve: Called where nothing comes for a while, with whether that is long: time must go on.
        deadline: Time without any reply after which the rest counts as unanswered [s]; kernels may have to be compiled.
    """

    def __init__(
        self, endpoint: str, requests: HostileRequests, relieve: Callable[[bool], None], deadline: float = 120.0
    ) -> None:
        self._client = RawClient(endpoint)
        self._requests, self._relieve, self._deadline = requests, relieve, deadline
        self._open: dict[int, list[str]] = {}
        self._waiting = 0
        self.outcome = AttackResult()

    def send_all(self, given: list[tuple[int, bytes, str]]) -> None:
        """Send these requests, and take in what comes meanwhile."""
        for number, raw, what in given:
            self._send(number, raw, what)
            if self._waiting >= _WINDOW:
                self._receive_until(_WINDOW // 2)

    def send(self, count: int) -> None:
        """Send a number of requests, and read the replies that come meanwhile."""
        for _ in range(count):
            self.send_all([self._requests.next()])

    def finish(self) -> AttackResult:
        """Wait for all replies, and a moment longer for those that must not come; close the connection."""
        self._receive_until(0)
        while self._read_reply(_LAST_PAUSE):
            pass
        self._client.close()
        self.outcome.unanswered = [what for requests in self._open.values() for what in requests][:_MOST_KEPT]
        return self.outcome

    def _send(self, number: int, raw: bytes, what: str) -> None:
        self._open.setdefault(number, []).append(what)
        self._waiting += 1
        self.outcome.requests += 1
        self._client.send(raw)

    def _receive_until(self, left: int) -> None:
        last_reply = time.monotonic()
        while self._waiting > left and time.monotonic() - last_reply < self._deadline:
            if self._read_reply(_PAUSE):
                last_reply = time.monotonic()
            else:
                self._relieve(time.monotonic() - last_reply > _LONG)

    def _read_reply(self, seconds: float) -> bool:
        """Read one reply; False if none came. States of subscriptions are skipped."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                reply = self._client.receive(left)
            except NoReply as problem:
                self.outcome.unread.append(str(problem))
                return False
            except CoopsimError as problem:
                self.outcome.unread.append(str(problem))
                return True
            if reply is not None and not _is_state(reply):
                self._count(reply)
                return True
        return False

    def _count(self, reply: Message) -> None:
        outcome, waiting = self.outcome, self._open.get(reply.id)
        outcome.refused[reply.error] = outcome.refused.get(reply.error, 0) + 1
        if waiting is None:
            outcome.extra += 1
            return
        what = waiting.pop(0)
        self._waiting -= 1
        if not waiting:
            del self._open[reply.id]
        if reply.error == InternalError.code and len(outcome.bugs) < _MOST_KEPT:
            outcome.bugs.append(f"{what}: {reply.text}")


def _is_state(reply: Message) -> bool:
    """Return whether this is a state, or the end of a subscription; unreadable messages have the id 0, too."""
    return reply.id == 0 and reply.error != MalformedMessage.code
