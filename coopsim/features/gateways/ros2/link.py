"""The contract between the ROS 2 codec and a middleware that carries its messages: DDS or Zenoh."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Received: TypeAlias = Callable[[bytes], None]
"""Called with each message that came, in a thread of the middleware."""
Reply: TypeAlias = Callable[[bytes], None]
"""Sends the response to a request; may be called from any thread."""
Requested: TypeAlias = Callable[[bytes, Reply], None]
"""Called with each request that came, in a thread of the middleware."""
Changed: TypeAlias = Callable[[], None]
"""Called when programs came or went, in a thread of the middleware."""
_UNFIT = re.compile(r"[^A-Za-z0-9_/]")
_DIGIT_FIRST = re.compile(r"/(?=\d)")


class Qos(NamedTuple):
    """Quality of service of a topic.

    Attributes:
        depth: How many messages wait for a slow reader, and how many a late reader gets of a latched topic.
        is_reliable: Whether lost messages are sent again.
        is_latched: Whether readers that come later get what was published before: "transient local".
    """

    depth: int = 10
    is_reliable: bool = True
    is_latched: bool = False


USUAL, LATCHED = Qos(), Qos(depth=1, is_latched=True)


class LinkPublisher(ABC):
    """A topic that is published.

    Attributes:
        readers: How many subscriptions there are.
    """

    readers: int = 0

    @abstractmethod
    def publish(self, raw: bytes, *, may_wait: bool = False) -> bool:
        """Send a message; return whether it could be sent.

        Args:
            raw: The message.
            may_wait: Whether to wait for readers that are behind, instead of giving up messages.
        """

    @abstractmethod
    def close(self) -> None:
        """Publish no more."""


class LinkEnd(ABC):
    """A subscription or a service.

    Attributes:
        writers: How many publishers of a subscription's topic there are.
    """

    writers: int = 0

    @abstractmethod
    def close(self) -> None:
        """Receive no more."""


class RosLink(ABC):
    """A node of ROS 2, as one middleware carries it.

    Attributes:
        about: Where it is, for people.
    """

    about: str

    @property
    @abstractmethod
    def programs(self) -> int:
        """Number of other programs."""

    @abstractmethod
    def publisher(self, topic: str, kind: str, qos: Qos) -> LinkPublisher:
        """Publish a topic from now on."""

    @abstractmethod
    def subscription(self, topic: str, kind: str, received: Received, changed: Changed) -> LinkEnd:
        """Receive a topic from now on."""

    @abstractmethod
    def service(self, name: str, kind: str, requested: Requested) -> LinkEnd:
        """Offer a service from now on."""

    @abstractmethod
    def close(self) -> None:
        """Leave the graph of nodes."""


def ros_name(name: str) -> str:
    """Return a name as ROS 2 allows it: letters, digits and underscores, no digit in front of a part."""
    return _DIGIT_FIRST.sub("/_", _UNFIT.sub("_", name))
