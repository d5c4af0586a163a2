"""What a leaf remembers between its steps, as numbers: the attributes of its behavior and its random numbers."""

from collections.abc import Callable, Sequence
from math import isnan
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np

from coopsim.components.leaf_random import LeafRandom

_GIVEN: Final = ("name", "period", "random", "do_step")
_EXACT: Final = 1 << 53


class _Remembered(NamedTuple):
    """An attribute of a behavior.

    Attributes:
        kind: Type of its value, or of all values where it holds several.
        length: How many numbers it holds, -1 = it is a single one.
        holder: Type of what holds several.
    """

    name: str
    kind: type
    length: int = -1
    holder: type = tuple


class LeafMemory:
    """Saves and restores a behavior that was initialised: what it holds by then, and of which types, stays so.

    Args:
        behavior: Whose attributes are numbers, truth values, or tuples, lists or arrays of such.

    Attributes:
        behavior: Whose memory it is.
        at_once: Takes all values at once where they need no look, else None; `types` are theirs.
        missing: What of it cannot be stored, with the reason, "" = nothing.
        width: How many numbers there are.
        is_kept: Whether they can change: a function holds nothing, and draws no random numbers.
    """

    def __init__(self, behavior: Any) -> None:
        self.behavior = behavior
        held = [name for name in vars(behavior) if name not in _GIVEN] if hasattr(behavior, "__dict__") else []
        found = {name: _remembered(name, getattr(behavior, name)) for name in held}
        self._parts = [each for each in found.values() if each is not None]
        odd = [name for name, each in found.items() if each is None]
        kinds = ", ".join(f"{name} ({type(getattr(behavior, name)).__name__})" for name in odd)
        self.missing = f"it holds more than numbers: {kinds}" if odd else ""
        self.is_kept = bool(found) or "do_step" not in vars(behavior)
        self.at_once, self.types = _at_once(self._parts)
        self.width = 2 + sum(abs(each.length) for each in self._parts)

    def save(self) -> list[float]:
        """Return the numbers.

        Raises:
            ValueError: An attribute no longer holds what it held after `initialize`.
        """
        behavior = self.behavior
        drawn = behavior.random
        numbers: list[float] = [*drawn.numbers()] if isinstance(drawn, LeafRandom) else [0.0, 0.0]
        if self.at_once is not None:
            values = self.at_once(behavior)
            if tuple(map(type, values)) == self.types and not isnan(sum(values)):
                return [*numbers, *values]
        for name, kind, length, _ in self._parts:
            value = getattr(behavior, name)
            if length < 0:
                numbers.append(_number(value, kind, name))
            else:
                before = len(numbers)
                numbers += [_number(each, kind, name) for each in _flat(value)]
                if len(numbers) - before != length:
                    raise ValueError(f"{name} holds {len(numbers) - before} numbers, and held {length} at the start")
        return numbers

    def load(self, numbers: Sequence[float]) -> None:
        """Put the numbers back."""
        behavior = self.behavior
        if isinstance(behavior.random, LeafRandom):
            behavior.random.go_to(*numbers[:2])
        place = 2
        for name, kind, length, holder in self._parts:
            if length < 0:
                setattr(behavior, name, kind(numbers[place]))
            elif holder is np.ndarray:
                array = getattr(behavior, name)
                array[...] = np.reshape(numbers[place : place + length], array.shape)
            else:
                setattr(behavior, name, holder(map(kind, numbers[place : place + length])))
            place += abs(length)


class NewestMemories:
    """Saves several memories at once, into the numbers of all: those that need no look are taken together.

    Args:
        memories: Each with the place of its first number.
    """

    def __init__(self, memories: Sequence[tuple[LeafMemory, int]]) -> None:
        self._memories = memories
        plain = [(memory, place) for memory, place in memories if memory.at_once is not None]
        self._others = [(memory, place) for memory, place in memories if memory.at_once is None]
        self._getters = [(memory.at_once, memory.behavior) for memory, _ in plain if memory.at_once is not None]
        self._types = [kind for memory, _ in plain for kind in memory.types]
        self._places = [place + 2 + index for memory, place in plain for index in range(len(memory.types))]
        self._drawing = [(memory.behavior, place) for memory, place in plain]

    def save(self, numbers: list[float]) -> None:
        """Write the numbers.

        Raises:
            ValueError: An attribute no longer holds what it held after `initialize`.
        """
        values: list[float] = []
        for get, behavior in self._getters:
            values += get(behavior)
        others: Sequence[tuple[LeafMemory, int]] = self._memories
        if list(map(type, values)) == self._types and not isnan(sum(values)):
            others = self._others
            for place, value in zip(self._places, values, strict=True):
                numbers[place] = value
            self._save_drawn(numbers)
        for memory, place in others:
            numbers[place : place + memory.width] = memory.save()

    def _save_drawn(self, numbers: list[float]) -> None:
        """Write the states of random numbers that have changed."""
        for behavior, place in self._drawing:
            drawn = behavior.random
            if type(drawn) is not LeafRandom:
                numbers[place : place + 2] = 0.0, 0.0
            elif drawn.count != numbers[place] or drawn.gauss_next is not None or not isnan(numbers[place + 1]):
                numbers[place : place + 2] = drawn.numbers()


def _at_once(parts: Sequence[_Remembered]) -> tuple[Callable[[Any], Sequence[float]] | None, tuple[type, ...]]:
    """Return what takes all values of a behavior at once, and their types, where they are several that need no look."""
    kinds = {each.kind for each in parts}
    lengths = [each.length for each in parts]
    if not kinds or kinds - {float, bool}:
        return None, ()
    if len(parts) == 1 and lengths[0] >= 0 and parts[0].holder is not np.ndarray:
        return attrgetter(parts[0].name), (parts[0].kind,) * lengths[0]
    if len(parts) > 1 and max(lengths) < 0:
        return attrgetter(*(each.name for each in parts)), tuple(each.kind for each in parts)
    return None, ()


def _remembered(name: str, value: Any) -> _Remembered | None:
    if isinstance(value, float | int):
        return _Remembered(name, type(value)) if type(value) in (float, int, bool) else None
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _Remembered(name, float, value.size, np.ndarray)
    if type(value) not in (tuple, list):
        return None
    kinds = {type(each) for each in value}
    if kinds - {float, int, bool} or len(kinds) > 1:
        return None
    return _Remembered(name, kinds.pop() if kinds else float, len(value), type(value))


def _flat(value: Any) -> Sequence[Any]:
    return value.ravel().tolist() if isinstance(value, np.ndarray) else value


def _number(value: Any, kind: type, name: str) -> float:
    if not isinstance(value, float | int) or (kind is not float and value != kind(value)):
        raise ValueError(f"{name} became {type(value).__name__}, and was {kind.__name__} at the start")
    if kind is int and not -_EXACT <= value <= _EXACT:
        raise ValueError(f"{name} has more digits than a number of a record holds")
    number = float(value)
    if isnan(number):
        raise ValueError(f"{name} is no number")
    return number
