"""Client connection as the modules see it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from coopsim.errors import BadArgument, CoopsimError
from coopsim.message import Message, encode
from coopsim.server.lockstep.ownership import Owner
from coopsim.state import Layout

if TYPE_CHECKING:
    from coopsim.server.access.limits import Limits
    from coopsim.server.access.wires import KeyedConnection
    from coopsim.server.lockstep.exchange_form import LearnedForms
    from coopsim.server.lockstep.step_pattern import StepPattern

STEP_MODULE = "/sim/step"
# each holds memory until its tick: a client that only asks must not fill it
MOST_WAITING = 1000
"""Largest number of requests of one connection that may wait for a tick or an edit."""


def pack(message: Message) -> bytes:
    """Return the bytes of a reply, or of one that says why it cannot be sent."""
    try:
        return encode(message)
    except CoopsimError as problem:
        return encode(message.refusal(problem, tick=message.tick))


class ReplySender(Protocol):
    """Owner of the socket of a session."""

    def post(self, session: "Session", raw: bytes) -> None:
        """Send a reply; from a thread that does not own the socket it is handed over to the one that does."""


class Session:
    """A client connection: where its replies go, and what the modules remember about it.

    Attributes:
        sender: Owner of the socket.
        route: Address within the socket, as the sender knows it.
        label: Who that is, for people.
        claimant: What it owns robots as; None before its first command.
        waiting: How many of its requests are not answered yet.
        is_gone: Whether the connection is over.
        evicted: Robots it lost for want of commands, not reported to it yet, and how long they held up others [s].
        memory: What modules remember for it, by module.
        steps: What its STEPs look like that came the same way twice.
        exchanges: What its other requests look like that came the same way twice; None = nobody learns them.
        keyed: Whose key opened it, None where there are no keys.
        is_listening: Whether it takes states.
        hears_events: Whether it takes events.
        limits: What the role of that key forbids, None = it may do everything.
    """

    __slots__ = (
        "claimant",
        "evicted",
        "exchanges",
        "hears_events",
        "is_gone",
        "is_listening",
        "keyed",
        "label",
        "limits",
        "memory",
        "route",
        "sender",
        "steps",
        "waiting",
    )

    def __init__(self, sender: ReplySender, route: Any, label: str) -> None:
        self.sender, self.route, self.label = sender, route, label
        self.claimant: Owner | None = None
        self.waiting = 0
        self.is_gone = self.is_listening = self.hears_events = False
        self.evicted: dict[str, float] = {}
        self.memory: dict[str, Any] = {}
        self.steps: StepPattern | None = None
        self.exchanges: LearnedForms | None = None
        self.keyed: KeyedConnection | None = None
        self.limits: Limits | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it may be forgotten: it owns nothing and waits for nothing."""
        is_waiting = self.waiting or self.evicted or self.is_listening or self.hears_events
        return not is_waiting and (self.claimant is None or not self.claimant.robots)

    def begin_waiting(self) -> None:
        """Count a request that is answered later.

        Raises:
            BadArgument: Too many wait already.
        """
        if self.waiting >= MOST_WAITING:
            raise BadArgument(f"{MOST_WAITING} requests of this connection wait already; read the replies first")
        self.waiting += 1

    def reply(self, message: Message) -> None:
        """Send an answer."""
        if not self.is_gone:
            self.sender.post(self, pack(message))


@dataclass(frozen=True, slots=True)
class CoordinatorHooks:
    """Callbacks of the coordinator.

    Attributes:
        wake: Wakes the thread that calls `LockstepCoordinator.turn`.
        on_layout: Called with each new layout.
        has_waiting_edits: Returns whether edits of a connection are not on their way to the source yet.
    """

    wake: Callable[[], object] = lambda: None
    on_layout: Callable[[Layout], object] = lambda _: None
    has_waiting_edits: Callable[[Session], bool] = lambda _: False
