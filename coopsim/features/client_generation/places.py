"""Places of values in the params or data of a reply: numbered from the front, or from the end behind a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.interfaces import Field


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value, or a run of values, stands.

    Attributes:
        start: Index of the first value; below 0 = counted from the end.
        count: How many values there are; 0 = all up to `end`.
        end: How many values stand behind a run of any number.
        part: Which part it is of what such a run is divided into.
        parts: How many equal parts there are.
    """

    start: int
    count: int
    end: int = 0
    part: int = 0
    parts: int = 1

    @property
    def is_single(self) -> bool:
        """Whether it is one value by itself."""
        return self.count == 1


def places(fields: Sequence[Field]) -> list[Place]:
    """Return where each field stands; fields of one unknown count share what the others leave, in equal parts.

    Where their counts differ nobody can tell them apart: each gets all that the others leave.
    """
    counts = [_count(field) for field in fields]
    open_ones = [index for index, count in enumerate(counts) if count == 0]
    if not open_ones:
        return [Place(sum(counts[:index]), count) for index, count in enumerate(counts)]
    first, last = open_ones[0], open_ones[-1]
    before, behind = sum(counts[:first]), sum(counts[last + 1 :])
    share = len({fields[index].count for index in open_ones}) == 1 and last - first + 1 == len(open_ones)
    places = []
    for index, count in enumerate(counts):
        if index < first:
            places.append(Place(sum(counts[:index]), count))
        elif index > last:
            places.append(Place(-sum(counts[index:]), count))
        else:
            places.append(Place(before, 0, behind, *((index - first, len(open_ones)) if share else (0, 1))))
    return places


def _count(field: Field) -> int:
    """Return how many values a field has; 0 = only the simulation knows."""
    return field.count if isinstance(field.count, int) else 0
