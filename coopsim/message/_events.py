"""Events of the event channel, their topics and bytes (docs/protocol.md, section 4.5)."""

import math
import re
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgpack
import numpy as np

from coopsim.errors import BadArgument, MalformedMessage
from coopsim.message._message import VERSION, Message, Param

LONGEST_EVENT_TOPIC = 128  # letters; topics are kept by every listener
LONGEST_EVENT_TEXT = 4096
"""Bytes of the text of one event."""
MOST_EVENT_VALUES = 64  # an event is news, readings have modules
MOST_LEVELS = 8  # patterns are matched level by level for each event
ANY_LEVEL, ANY_REST = "*", "**"
_LEVEL = "[A-Za-z0-9_.-]{1,64}"
_TOPIC = re.compile(f"(/{_LEVEL}){{1,{MOST_LEVELS}}}")
_PATTERN = re.compile(rf"(/({_LEVEL}|\*)){{0,{MOST_LEVELS}}}(/\*\*)?")
_FIELDS = 5
"""Params of each event in a message: topic, source, text, tick, number of values."""


class ChannelEvent(NamedTuple):
    """An event of the channel.

    Attributes:
        topic: What it is about, `/game/score`.
        text: What happened, in whatever form the programs have agreed on.
        data: Numbers.
        source: The connection that published it, as the server knows it.
        tick: The newest tick when it was published.
        number: Counts the events of one subscriber from 1; a gap means that some were lost. 0 = not counted.
    """

    topic: str
    text: str = ""
    data: tuple[float, ...] = ()
    source: str = ""
    tick: int = 0
    number: int = 0


def check_event(topic: str, text: str, data: Sequence[float]) -> None:
    """Refuse what no event may be.

    Raises:
        BadArgument: The topic is none, or a limit is passed.
    """
    _check(topic, _TOPIC)
    if 4 * len(text) > LONGEST_EVENT_TEXT and len(text.encode(errors="replace")) > LONGEST_EVENT_TEXT:
        raise BadArgument(f"the text of an event has at most {LONGEST_EVENT_TEXT} bytes").bring("text")
    if len(data) > MOST_EVENT_VALUES or not all(map(math.isfinite, data)):
        raise BadArgument(f"the data of an event are at most {MOST_EVENT_VALUES} finite numbers").bring("data")


def _check(topic: str, form: re.Pattern[str]) -> None:
    if not topic or len(topic) > LONGEST_EVENT_TOPIC or form.fullmatch(topic) is None:
        raise BadArgument(
            f"a topic is like `/game/score`: at most {MOST_LEVELS} levels of letters, digits, `_`, `.` and `-`, "
            f"{LONGEST_EVENT_TOPIC} characters in all; got {topic[:80]!r}"
        ).bring("topic")


class TopicPattern:
    """Topics that a subscriber listens to: `*` for any one level, `**` at the end for whatever follows, also nothing.

    Args:
        text: `/game/*/score`, `/sim/**`.

    Raises:
        BadArgument: It is no pattern.
    """

    def __init__(self, text: str) -> None:
        _check(text, _PATTERN)
        self._levels = text[1:].split("/")
        self._is_open = self._levels[-1] == ANY_REST
        if self._is_open:
            self._levels.pop()

    def matches(self, topic: str) -> bool:
        """Return whether an event of this topic is meant."""
        levels = topic[1:].split("/")
        wanted = self._levels
        if len(levels) < len(wanted) or (len(levels) > len(wanted) and not self._is_open):
            return False
        return all(want in {ANY_LEVEL, level} for want, level in zip(wanted, levels, strict=False))

    def may_match_under(self, root: str) -> bool:
        """Return whether topics whose first level is `root` can be meant."""
        return not self._levels or self._levels[0] in {ANY_LEVEL, root}


class PackedEvent:
    """An event as the bytes that messages are put together of, made once for all who get it.

    Args:
        event: What is told; its number is not.

    Attributes:
        head: Its params.
        count: How many numbers it holds.
        binary: These, as bytes.
        size: About how many bytes it takes in a message.
    """

    __slots__ = ("_listed", "binary", "count", "head", "size")

    def __init__(self, event: ChannelEvent) -> None:
        topic, text, data, source, tick, _ = event
        self.count = len(data)
        self.head: bytes = _pack((topic, source, text, tick, self.count))[1:]
        self.binary = struct.pack(f"<{self.count}d", *data)
        self.size = len(self.head) + 9 * self.count
        self._listed = b""

    @property
    def listed(self) -> bytes:
        """Its numbers as they stand in an array."""
        if self.count and not self._listed:
            self._listed = b"".join(b"\xcb" + self.binary[at : at + 8][::-1] for at in range(0, 8 * self.count, 8))
        return self._listed


# one for all, since making a packer takes longer than packing
_pack = msgpack.packb if msgpack.Packer.__module__.endswith("fallback") else msgpack.Packer().pack


def pack_events(
    target: str, command: int, tick: int, first: int, events: Sequence[PackedEvent], *, binary: bool
) -> bytes:
    """Return the message that carries events to one subscriber.

    Args:
        target: Name of the module.
        command: Number of the command that subscribed.
        tick: The newest one.
        first: Number of the first event for this subscriber.
        events: What is told.
        binary: Whether numbers travel as bytes.
    """
    packer = msgpack.Packer(autoreset=False)
    packer.pack_array_header(9)
    for field in (VERSION, 0, target, tick, 0, "", command):
        packer.pack(field)
    packer.pack_array_header(1 + _FIELDS * len(events))
    packer.pack(first)
    head = packer.bytes()
    params = [event.head for event in events]
    if binary:
        return b"".join((head, *params, _pack(b"".join([event.binary for event in events]))))
    packer.reset()
    packer.pack_array_header(sum(event.count for event in events))
    return b"".join((head, *params, packer.bytes(), *[event.listed for event in events]))


def events_of(message: Message) -> list[ChannelEvent]:
    """Return the events in a message.

    Raises:
        MalformedMessage: There are none in it.
    """
    params = message.params
    data = message.data.tolist() if isinstance(message.data, np.ndarray) else message.data
    try:
        number = int(params[0])
        events, start = [], 0
        columns = (params[at::_FIELDS] for at in range(1, 1 + _FIELDS))
        for topic, source, text, tick, count in zip(*columns, strict=True):
            end = start + int(count)
            events.append(ChannelEvent(str(topic), str(text), tuple(data[start:end]), str(source), int(tick), number))
            start, number = end, number + 1
    except (ValueError, IndexError) as problem:
        raise MalformedMessage(f"no events: {type(problem).__name__} {problem}"[:200]) from None
    if start != len(data):
        raise MalformedMessage(f"no events: {len(data)} values for events with {start}")
    return events


def params_of_events(events: Iterable[tuple[str, str, Sequence[float]]]) -> tuple[tuple[Param, ...], list[float]]:
    """Return params and data of the request that publishes several events: topic, text, number of values of each."""
    params: list[Param] = []
    data: list[float] = []
    for topic, text, values in events:
        params += (topic, text, len(values))
        data += map(float, values)
    return tuple(params), data
