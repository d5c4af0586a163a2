"""Events and states: messages with id 0, which come once somebody subscribed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from coopsim_client.errors import Malformed
from coopsim_client.message import Message, number_at, numbers, text_at, texts, whole_at

EVENTS = "/sim/events"
_FIRST_NAME = 8
_POSE = 7
_OF_EVENT = 5


class Event(NamedTuple):
    """What a program, or the simulation, published.

    Attributes:
        number: Of this connection; one that is left out is an event that was lost.
    """

    number: int
    topic: str
    source: str
    text: str
    tick: int
    data: tuple[float, ...]


class State(NamedTuple):
    """A state of the stream: poses are x y z and a quaternion w x y z of each body in `names`."""

    topic: str
    tick: int
    time: float
    run: int
    generation: int
    revision: int
    mode: str
    is_paused: bool
    has_ended: bool
    names: tuple[str, ...]
    poses: tuple[tuple[float, ...], ...]
    readings: dict[str, tuple[float, ...]]


def events_of(message: Message) -> Iterator[Event]:
    """Go through the events of a message from `/sim/events`."""
    first, behind = whole_at(message, 0), 0
    for index, place in enumerate(range(1, len(message.params), _OF_EVENT)):
        words, count = [text_at(message, place + offset) for offset in range(3)], whole_at(message, place + 4)
        data = numbers(message, behind, count) if count else ()
        yield Event(first + index, words[0], words[1], words[2], whole_at(message, place + 3), data)
        behind += count


def state_of(message: Message) -> State:
    """Return the state that a message with id 0 tells; Malformed when it tells none."""
    bodies, robots = whole_at(message, 6), whole_at(message, 7)
    if min(bodies, robots) < 0 or len(message.params) != _FIRST_NAME + bodies + 2 * robots:
        raise Malformed(f"a state with {len(message.params)} params for {bodies} bodies and {robots} robots")
    names = texts(message, _FIRST_NAME, bodies) if bodies else ()
    poses = tuple(numbers(message, 1 + _POSE * body, _POSE) for body in range(bodies))
    readings, start = {}, 1 + _POSE * bodies
    for index in range(_FIRST_NAME + bodies, _FIRST_NAME + bodies + robots):
        width = whole_at(message, index + robots)
        readings[text_at(message, index)] = numbers(message, start, width) if width else ()
        start += width
    return State(
        topic=message.target,
        tick=message.tick,
        time=number_at(message, 0),
        run=whole_at(message, 0),
        generation=whole_at(message, 1),
        revision=whole_at(message, 2),
        mode=text_at(message, 3),
        is_paused=whole_at(message, 4) == 1,
        has_ended=whole_at(message, 5) == 1,
        names=names,
        poses=poses,
        readings=readings,
    )
