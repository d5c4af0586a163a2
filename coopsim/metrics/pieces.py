"""A run cut into pieces of the same number of records, however its records come."""

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from coopsim.metrics.arrays import ArrayPart, RunArrays, last_of_each_instant
from coopsim.metrics.formations import Formation

_MOST_NUMBERS = 2_000_000  # 16 MB of doubles in a piece
_MOST_RECORDS, _FEWEST_RECORDS = 4096, 64  # arrays of fewer cost more than what they hold


class Pieces:
    """Cuts records into pieces that depend on the run alone, so that live and recorded runs are judged alike.

    Of records of one instant the last counts: time stood still.

    Args:
        formations: The places that teams should keep.
        records: Length of a piece; None = as many as need some 16 MB.
    """

    def __init__(self, formations: Sequence[Formation] = (), records: int | None = None) -> None:
        self._formations, self._records = formations, records
        self._waiting: tuple[ArrayPart, ...] = ()

    def add(self, part: ArrayPart) -> list[RunArrays]:
        """Take the next records; return the pieces that they complete."""
        if not len(part):
            return []
        if self._records is None:
            self._records = _fitting(part)
        self._waiting = (*self._waiting, part)
        if _count(self._waiting) <= self._records:
            return []
        self._waiting = last_of_each_instant(self._waiting)
        pieces = []
        while _count(self._waiting) > self._records:  # the last one stays: another one of its instant may come
            piece, self._waiting = _cut(self._waiting, self._records)
            pieces.append(RunArrays(_joined(piece), self._formations))
        return pieces

    def rest(self) -> RunArrays:
        """Return the records that wait for more."""
        return RunArrays(_joined(last_of_each_instant(self._waiting)), self._formations)


def _fitting(part: ArrayPart) -> int:
    """Return how many records such as these make a piece."""
    numbers: int = sum(arrays[0].size for arrays in (part.poses, part.twists, part.readings, part.commands))
    return min(max(_MOST_NUMBERS // max(numbers, 1), _FEWEST_RECORDS), _MOST_RECORDS)


def _count(parts: Iterable[ArrayPart]) -> int:
    return sum(len(part) for part in parts)


def _cut(parts: Iterable[ArrayPart], records: int) -> tuple[tuple[ArrayPart, ...], tuple[ArrayPart, ...]]:
    """Return the first records, and the others."""
    first, later = list[ArrayPart](), list[ArrayPart]()
    for part in parts:
        if records >= len(part):
            first.append(part)
        elif records > 0:
            first.append(part.records(slice(records)))
            later.append(part.records(slice(records, None)))
        else:
            later.append(part)
        records = max(0, records - len(part))
    return tuple(first), tuple(later)


def _joined(parts: Iterable[ArrayPart]) -> tuple[ArrayPart, ...]:
    """Return parts of one layout in a row as one."""
    return tuple(_one(list(group)) for _, group in groupby(parts, key=lambda part: id(part.layout)))


def _one(parts: Sequence[ArrayPart]) -> ArrayPart:
    if len(parts) == 1:
        return parts[0]
    names = [name for name in vars(parts[0]) if name != "layout"]
    return ArrayPart(
        parts[0].layout, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    )
