"""First difference of two structures of dictionaries, lists, numbers, texts and bytes."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgpack
import numpy as np

Path: TypeAlias = tuple[str | int, ...]
_LONGEST = 60  # letters of a value in a line


class FirstDifference(NamedTuple):
    """The first place where two structures are not the same.

    Attributes:
        path: Names and numbers that lead there.
        first: What stands there in the first one, for people.
        second: And in the second one.
    """

    path: Path
    first: float | str
    second: float | str

    @property
    def where(self) -> str:
        """The path as a text: `devices.motors.gain[2]`."""
        parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path]
        return "".join(parts).lstrip(".")


def fork(first: Any, second: Any, *, is_open: bool = False) -> FirstDifference | None:
    """Return where two structures differ first, bit by bit; None if they are the same.

    Args:
        first: Of dictionaries, lists, numbers, texts, bytes, and arrays as snapshots hold them.
        second: The same.
        is_open: Whether dictionaries of the second one may have more entries.
    """
    return next(_forks((), first, second, is_open), None)


def without_places(value: Any) -> Any:
    """Return what a snapshot holds without the places in files that bodies came from: they say nothing of the run."""
    if isinstance(value, bytes):
        try:
            return without_places(msgpack.unpackb(value))
        except (ValueError, msgpack.UnpackException):
            return value
    if isinstance(value, dict):
        return {name: without_places(item) for name, item in value.items()}
    if isinstance(value, list) and not _is_array(value):
        return [None if _is_place(item) else without_places(item) for item in value]
    return value


def _is_place(value: Any) -> bool:
    """Return whether this is file, line, column and length."""
    kinds = (str, int, int, int)
    return isinstance(value, list) and len(value) == 4 and all(map(isinstance, value, kinds))


def _is_array(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and isinstance(value[0], str) and isinstance(value[2], bytes)


def _forks(path: Path, first: Any, second: Any, is_open: bool) -> Iterator[FirstDifference]:
    if isinstance(first, dict) and isinstance(second, dict):
        yield from _in_dicts(path, first, second, is_open)
    elif _is_array(first) and _is_array(second) and first[:2] == second[:2]:
        yield from _in_arrays(path, first, second)
    elif isinstance(first, list | tuple) and isinstance(second, list | tuple) and len(first) == len(second):
        for number, (item_of_first, item_of_second) in enumerate(zip(first, second, strict=True)):
            yield from _forks((*path, number), item_of_first, item_of_second, is_open)
    elif not _is_same(first, second):
        yield FirstDifference(path, _said(first), _said(second))


def _in_dicts(path: Path, first: dict[Any, Any], second: dict[Any, Any], is_open: bool) -> Iterator[FirstDifference]:
    for name in [*first, *([] if is_open else (name for name in second if name not in first))]:
        if name not in first or name not in second:
            yield FirstDifference(
                (*path, str(name)), *("there" if name in side else "missing" for side in (first, second))
            )
        else:
            yield from _forks((*path, str(name)), first[name], second[name], is_open)


def _in_arrays(path: Path, first: Sequence[Any], second: Sequence[Any]) -> Iterator[FirstDifference]:
    kind, shape, raw = first
    if raw == second[2]:
        return
    try:
        array_of_first, array_of_second = (np.frombuffer(side[2], kind).reshape(shape) for side in (first, second))
    except (ValueError, TypeError):  # a damaged recording may name a shape or a kind that its bytes do not have
        yield FirstDifference(path, _said(first), _said(second))
        return
    octets = [
        np.ascontiguousarray(side).view(np.uint8).reshape(array_of_first.size, -1)
        for side in (array_of_first, array_of_second)
    ]
    for place in np.flatnonzero((octets[0] != octets[1]).any(axis=1)).tolist():
        index = tuple(map(int, np.unravel_index(place, array_of_first.shape)))
        yield FirstDifference((*path, *index), float(array_of_first.flat[place]), float(array_of_second.flat[place]))


def _is_same(first: Any, second: Any) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return np.float64(first).tobytes() == np.float64(second).tobytes()
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    return bool(first == second)


def _said(value: Any) -> float | str:
    if isinstance(value, float):
        return value
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
