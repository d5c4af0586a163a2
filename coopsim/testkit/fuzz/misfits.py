"""Changes of plain data: another type, length, value or reference in one to three places."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from coopsim.testkit.fuzz.recorded import Parts

Place: TypeAlias = tuple[Any, Any]
"""A list or a map, and an index or a key of it."""
# edges of each size of integer that msgpack has
_NUMBERS = (0, 1, -1, 2, 7, 255, 65536, 10**6, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1, -(2**63))
# signed zero, subnormal, near the end, none at all
_FLOATS = (0.0, -0.0, 0.5, -1.0, 1e-300, 1e30, 1e308, float("nan"), float("inf"), float("-inf"))
# names that exist and not, paths out of a folder, escapes, letters of two bytes
_TEXTS = ("", "x", "robot1", "robot9", "sonars", "a.b.c", "..", "\x00", "\x1b[2J", "1e999", "ß" * 300, "=")
# empty, an unused code of msgpack, lists without end
_BYTES = (b"", b"\x00", b"\xc1", bytes(64), b"\xff" * 16, b"\x90" * 500)
_OTHERS: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], {"": None}, [1, 2], {"edit": 3}, [[[[[[0]]]]]])
VALUES = (*_NUMBERS, *_FLOATS, *_TEXTS, *_BYTES, *_OTHERS)


def changed(parts: Parts, chance: random.Random) -> Parts:
    """Return a recording's parts with one to three places changed.

    Args:
        parts: Stay as they are.
        chance: Decides everything.
    """
    changed_parts = copy.deepcopy(parts)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_entries(chance.choice(_trees(changed_parts))))
        if places:
            chance.choice(_CHANGES)(*chance.choice(places), places, chance)
    return changed_parts


def _trees(parts: Parts) -> list[Any]:
    """Return what is changed as often as each other: rare parts are no less dangerous than large ones."""
    by_topic: dict[str, list[Any]] = {}
    for messages in parts.chunks:
        for message in messages:
            by_topic.setdefault(message.topic, []).append(message.content)
    return [parts.metadata, parts.texts, parts.index, *by_topic.values(), *by_topic.values()]


def _entries(tree: Any) -> Iterator[Place]:
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            yield holder, key
            if isinstance(holder[key], list | dict):
                waiting.append(holder[key])


def _value(holder: Any, key: Any, _: list[Place], chance: random.Random) -> None:
    _put(holder, key, copy.deepcopy(chance.choice(VALUES)))


def _near(holder: Any, key: Any, _: list[Place], chance: random.Random) -> None:
    value = holder.get(key) if isinstance(holder, dict) else holder[key] if key < len(holder) else None
    match value:
        case bool() | None:
            _put(holder, key, not value)
        case int() | float():
            _put(holder, key, chance.choice((value + 1, value - 1, -value, value * 2, value * 1000, float(value))))
        case str():
            _put(holder, key, chance.choice((value + "1", value[:-1], value.upper(), value * 2, value.encode())))
        case bytes():
            _put(holder, key, chance.choice((value[:-1], value + b"\0", value * 2, value[::-1], b"\xff" * len(value))))
        case list():
            _put(holder, key, chance.choice((value[:-1], value * 2, value[::-1], value[1:])))
        case dict():
            _put(holder, key, list(value.items()))


def _reference(holder: Any, key: Any, places: list[Place], chance: random.Random) -> None:
    """Put what stands elsewhere here."""
    source, place = chance.choice(places)
    if place in source if isinstance(source, dict) else place < len(source):
        _put(holder, key, copy.deepcopy(source[place]))


def _without(holder: Any, key: Any, _: list[Place], chance: random.Random) -> None:
    if isinstance(holder, dict):
        value = holder.pop(key, None)
        if chance.random() < 0.3:
            holder[chance.choice(_TEXTS)] = value
    elif key < len(holder):
        del holder[key]


def _put(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, dict) or key < len(holder):
        holder[key] = value


_CHANGES: tuple[Callable[[Any, Any, list[Place], random.Random], None], ...] = (
    *(_value, _value, _value, _near, _near),
    *(_reference, _without),
)
