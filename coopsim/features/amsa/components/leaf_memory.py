"""State of leaves between steps, as numbers: attributes of the behavior and its random numbers."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np

from coopsim.features.amsa.components.leaf_random import LeafRandom
from coopsim.geometry import Floats

_GIVEN: Final = ("name", "period", "random", "do_step")
_EXACT: Final = 1 << 53  # beyond it a double skips integers, and the memory of a leaf is doubles


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
        remembered = {name: _remembered(name, getattr(behavior, name)) for name in held}
        self._parts = [part for part in remembered.values() if part is not None]
        odd = [name for name, part in remembered.items() if part is None]
        kinds = ", ".join(f"{name} ({type(getattr(behavior, name)).__name__})" for name in odd)
        self.missing = f"it holds more than numbers: {kinds}" if odd else ""
        self.is_kept = bool(remembered) or "do_step" not in vars(behavior)
        self.at_once, self.types = _at_once(self._parts)
        # two for the random numbers: how many were drawn, and what `gauss` keeps for its next call
        self.width = 2 + sum(abs(part.length) for part in self._parts)

    def save(self) -> list[float]:
        """Return the numbers.

        Raises:
            ValueError: An attribute no longer holds what it held after `initialize`.
        """
        behavior = self.behavior
        numbers: list[float] = [*_numbers_of(behavior.random)]
        if self.at_once is not None:
            values = self.at_once(behavior)
            # the sum is NaN if any value is: one call in place of one for each
            if tuple(map(type, values)) == self.types and not isnan(sum(values)):
                return [*numbers, *values]
        for name, kind, length, _ in self._parts:
            value = getattr(behavior, name)
            if length < 0:
                numbers.append(_number(value, kind, name))
            else:
                before = len(numbers)
                numbers += [_number(element, kind, name) for element in _flat(value)]
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
                # in place: a behavior may hold other names for the same array
                array[...] = np.reshape(numbers[place : place + length], array.shape)
            else:
                setattr(behavior, name, holder(map(kind, numbers[place : place + length])))
            place += abs(length)


class NewestMemories:
    """Several memories whose leaves step together: what needs no look is taken at once.

    Args:
        memories: Each with the place of its first number among those of all leaves.

    Attributes:
        places: Where the values of `values` go.
        key: The same for memories of the same places.
    """

    def __init__(self, memories: Sequence[tuple[LeafMemory, int]]) -> None:
        self._memories = memories
        plain = [(memory, place) for memory, place in memories if memory.at_once is not None]
        self._others = [(memory, place) for memory, place in memories if memory.at_once is None]
        self._getters = [(memory.at_once, memory.behavior) for memory, _ in plain if memory.at_once is not None]
        self._types = [kind for memory, _ in plain for kind in memory.types]
        self.places = np.array([at + 2 + k for memory, at in plain for k in range(len(memory.types))], np.int64)
        self.key = self.places.tobytes()
        self._drawing = [(memory.behavior, place) for memory, place in plain]
        self._behaviors = [behavior for behavior, _ in self._drawing]
        self._states: list[Any] = []

    def values(self) -> list[float] | None:
        """Return the values of those that need no look; None if they need one after all."""
        values: list[float] = []
        for get, behavior in self._getters:
            values += get(behavior)
        return values if list(map(type, values)) == self._types and not isnan(sum(values)) else None

    def others(self, *, all_of_them: bool = False) -> list[tuple[int, list[float]]]:
        """Return the numbers of the others, or of all, each with its place.

        Raises:
            ValueError: An attribute no longer holds what it held after `initialize`.
        """
        return [(place, memory.save()) for memory, place in (self._memories if all_of_them else self._others)]

    def drawn(self) -> list[tuple[int, tuple[float, float]]]:
        """Return the states of random numbers of those that need no look, with their places, if any has changed."""
        try:
            states = list(map(_state_of, self._behaviors))
        except AttributeError:  # a behavior has put something else there
            states = []
        # most leaves draw nothing in most steps: their states are compared, not written
        if states == self._states and len(states) == len(self._behaviors):
            return []
        self._states = states
        return [(place, _numbers_of(behavior.random)) for behavior, place in self._drawing]


_state_of = attrgetter("random.count", "random.gauss_next")


def _numbers_of(drawn: Any) -> tuple[float, float]:
    return drawn.numbers() if isinstance(drawn, LeafRandom) else (0.0, 0.0)


def keep_newest(newest: Mapping[int, NewestMemories], rows: Floats) -> dict[int, str]:
    """Write what some systems remember into their rows of numbers.

    Args:
        newest: Memories of each system that has stepped, by its row.
        rows: Numbers of all leaves of each system, shape (n, m).

    Returns:
        What cannot be kept, by row: an attribute no longer holds what it held after `initialize`.
    """
    problems: dict[int, str] = {}
    alike: dict[bytes, tuple[list[int], list[float], NewestMemories]] = {}
    for row, memories in newest.items():
        values = memories.values()
        try:
            slots = memories.others(all_of_them=values is None)
        except ValueError as problem:
            problems[row] = str(problem)
            continue
        for place, numbers in (*slots, *memories.drawn()):
            rows[row, place : place + len(numbers)] = numbers
        if values:
            together, gathered, _ = alike.setdefault(memories.key, ([], [], memories))
            together.append(row)
            gathered += values
    for together, gathered, memories in alike.values():
        rows[np.array(together)[:, None], memories.places] = np.array(gathered).reshape(len(together), -1)
    return problems


def _at_once(parts: Sequence[_Remembered]) -> tuple[Callable[[Any], Sequence[float]] | None, tuple[type, ...]]:
    """Return what takes all values of a behavior at once, and their types, where they are several that need no look."""
    kinds = {part.kind for part in parts}
    lengths = [part.length for part in parts]
    if not kinds or kinds - {float, bool}:
        return None, ()
    if len(parts) == 1 and lengths[0] >= 0 and parts[0].holder is not np.ndarray:
        return attrgetter(parts[0].name), (parts[0].kind,) * lengths[0]
    if len(parts) > 1 and max(lengths) < 0:
        return attrgetter(*(part.name for part in parts)), tuple(part.kind for part in parts)
    return None, ()


def _remembered(name: str, value: Any) -> _Remembered | None:
    if isinstance(value, float | int):
        # `type`, since a bool is an int by isinstance and comes back as another
        return _Remembered(name, type(value)) if type(value) in (float, int, bool) else None
    # floats, integers and truth values; complex numbers do not fit a row of doubles
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _Remembered(name, float, value.size, np.ndarray)
    if type(value) not in (tuple, list):
        return None
    kinds = {type(element) for element in value}
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
