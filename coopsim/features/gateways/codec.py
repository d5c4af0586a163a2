"""The contract between the gateway, which follows a run, and the codec of one middleware."""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from coopsim.features.gateways.lasting import LastingTopic
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.robots import ModuleFacts, OfferedTopic, TakenTopic
from coopsim.features.gateways.stepping import Refused

if TYPE_CHECKING:
    from coopsim.client import State
    from coopsim.client.aio import Client


@dataclass(slots=True)
class GatewayCounts:
    """Numbers that a gateway tells about itself as `/gateway/KIND`.

    Attributes:
        clients: How many programs are connected now.
        sent: Messages that left.
        dropped: Messages given up because their reader was slow.
        received: Messages and calls that came.
        refused: Of them, those that were refused.
    """

    clients: int = 0
    sent: int = 0
    dropped: int = 0
    received: int = 0
    refused: int = 0


class FollowedRun(Protocol):
    """The run as a codec sees it; errors as of `MiddlewareGateway`, which is one."""

    @property
    def time(self) -> float:
        """Simulated time of the newest state [s]."""
        ...

    @property
    def state(self) -> "State | None":
        """The newest state, None before the first."""
        ...

    @property
    def is_lockstep(self) -> bool:
        """Whether time waits for commands, so that each tick is passed on and nothing may be lost."""
        ...

    @property
    def sim(self) -> "Client":
        """The run itself."""
        ...

    @property
    def offered(self) -> Mapping[str, OfferedTopic]:
        """Topics of robots that are published, by name."""
        ...

    @property
    def command_topics(self) -> Mapping[str, TakenTopic]:
        """Topics on which robots are commanded, by name."""
        ...

    @property
    def lasting(self) -> Mapping[str, LastingTopic]:
        """Topics whose message late readers get, too, by name."""
        ...

    @property
    def modules(self) -> Mapping[str, ModuleFacts]:
        """Facts of each module of the robots that are offered, by its name: `/robot1/motors`."""
        ...

    @property
    def types(self) -> Mapping[str, str]:
        """Type of every topic, by its name."""
        ...

    def newest(self, topic: str) -> Words | None:
        """Return the message of a robot's topic as the newest state has it, None before the first."""
        ...

    async def command(self, topic: str, message: Words, peer: Hashable, refused: Refused | None = None) -> None:
        """Command a robot as a message on a topic says."""

    async def answer(self, service: str, words: Words) -> Words:
        """Answer a request to a service."""
        ...

    async def call(self, target: str, command: str | int, values: Sequence[Any], peer: Hashable) -> list[Any]:
        """Send a command to a module; return what it gives."""
        ...

    async def part(self, peer: Hashable) -> None:
        """Stop and give back the robots that a program commanded."""

    def note(self, text: str) -> None:
        """Print a line for people."""


class Codec(ABC):
    """A middleware: listens to its programs, and words messages as they expect them.

    All methods are called in the event loop of the gateway. `publish` is called with each message of a topic that
    `wants` says is read; it must not wait: what a reader does not take is dropped there, oldest first, and counted. In
    lockstep, where time waits, it may wait as long as its middleware lets a reader be slow.

    Attributes:
        kind: Name of the middleware, as `coopsim gateway KIND` has it.
        is_plain: Whether it publishes every module as the array of its readings, by the module's own name.
        counts: Kept up to date by the codec.
    """

    kind: ClassVar[str]
    is_plain: ClassVar[bool] = False

    def __init__(self) -> None:
        self.counts = GatewayCounts()

    @abstractmethod
    async def open(self, run: FollowedRun) -> str:
        """Listen from now on; return where, for people.

        Raises:
            OSError: The address is taken, or is none.
        """

    @abstractmethod
    async def close(self) -> None:
        """Listen no more and part from all programs."""

    @abstractmethod
    def wants(self, topic: str) -> bool:
        """Return whether anybody reads a topic."""

    @abstractmethod
    def publish(self, topic: str, kind: str, message: Words) -> None:
        """Send a message of a type to all who read its topic."""

    def refresh_counts(self) -> None:  # noqa: B027 - most middlewares count as they go
        """Bring `counts` up to date; called about once a second."""

    def complain(self, text: str) -> None:  # noqa: B027 - some middlewares have no place for what nobody asked
        """Say an error to whoever listens to errors."""

    def changed(self) -> None:  # noqa: B027 - most middlewares look at the topics when they are asked
        """Learn that robots came or went, or that another run began: the topics have changed."""


class MessageOutbox:
    """Messages that wait for one slow reader, a few of each topic.

    Args:
        counts: Where dropped messages are counted.
    """

    def __init__(self, counts: GatewayCounts) -> None:
        self._counts = counts
        self._waiting: deque[tuple[Hashable, str | bytes]] = deque()
        self._lengths: dict[Hashable, int] = {}
        self._filled = asyncio.Event()

    def put(self, key: Hashable, raw: str | bytes, most: int) -> None:
        """Add a message; of those with the same key at most `most` wait, and the oldest goes first."""
        if self._lengths.get(key, 0) >= most:
            place = next(place for place, (waiting, _) in enumerate(self._waiting) if waiting == key)
            del self._waiting[place]
            self._lengths[key] -= 1
            self._counts.dropped += 1
        self._waiting.append((key, raw))
        self._lengths[key] = self._lengths.get(key, 0) + 1
        self._filled.set()

    async def get(self) -> str | bytes:
        """Return the oldest message; wait for one where there is none."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        key, raw = self._waiting.popleft()
        self._lengths[key] -= 1
        if not self._lengths[key]:
            del self._lengths[key]
        return raw
