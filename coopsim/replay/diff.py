"""Compares two recordings tick by tick."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.geometry import Ints
from coopsim.recording import Recording, Scrubber
from coopsim.replay.differing import NOWHERE, Difference, Sight, visible
from coopsim.replay.rerun import PACE
from coopsim.state import Record

_PATIENCE = 2000
_SILENT = PACE | {"note", "checkpoint", "snapshot"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two recordings compare.

    Attributes:
        ticks: How many ticks, of those that both hold, are the same; the state that the first one begins with is none.
        difference: Where the first hash differs.
        alone: How many ticks only the first and only the second holds.
        edits: The first edit that is not in both since their first common tick, as (tick, edit or "none" in each).
    """

    ticks: int
    difference: Difference | None
    alone: tuple[int, int]
    edits: tuple[int, str, str] | None

    @property
    def identical(self) -> bool:
        """Whether all ticks that both hold are the same."""
        return self.difference is None

    def to_json(self) -> dict[str, Any]:
        """Return what `coopsim diff --json` prints."""
        edits = self.edits and {"tick": self.edits[0], "values": self.edits[1:]}
        difference = self.difference.to_json() if self.difference else None
        alone = list(self.alone)
        return {
            "identical": self.identical,
            "ticks": self.ticks,
            "first_difference": difference,
            "first_edits": edits,
            "ticks_alone": alone,
        }


def diff(first: Recording, second: Recording) -> Comparison:
    """Return where two recordings differ first.

    Ticks are compared by their state hash; of a tick with several records, as they are made by edits of a paused
    simulation, the last one counts.

    Raises:
        DamagedRecording: A recording is damaged, or they have no tick in common.
    """
    one, other = _Ticks(first), _Ticks(second)
    common, here, there = np.intersect1d(one.ticks, other.ticks, assume_unique=True, return_indices=True)
    if not len(common):
        raise DamagedRecording(
            f"{first.path} and {second.path} have no tick in common: "
            f"the first holds {one.said}, the second {other.said}"
        )
    alone = len(one.ticks) - len(common), len(other.ticks) - len(common)
    differing = np.flatnonzero((one.hashes[here] != other.hashes[there]).any(axis=1))
    if not len(differing):
        return Comparison(len(common) - 1, None, alone, None)
    place = int(differing[0])
    later = zip(one.numbers[here[place:]].tolist(), other.numbers[there[place:]].tolist(), strict=True)
    difference = _locate(Scrubber(first), Scrubber(second), later)
    return Comparison(max(0, place - 1), difference, alone, _edits(first, second, (int(common[0]), difference.tick)))


class _Ticks:
    """Last record of every tick of a recording."""

    def __init__(self, recording: Recording) -> None:
        ticks, hashes = [np.zeros(0, np.uint64)], [np.zeros((0, 16), np.uint8)]
        for _, block in recording.blocks():
            ticks.append(block.ticks)
            hashes.append(block.hashes)
        every = np.concatenate(ticks)
        last = np.flatnonzero(np.append(every[1:] != every[:-1], np.ones(min(1, len(every)), bool)))
        self.ticks: NDArray[np.uint64] = every[last]
        self.numbers: Ints = last
        self.hashes: NDArray[np.uint8] = np.concatenate(hashes)[last]

    @property
    def said(self) -> str:
        """Which ticks there are, for people."""
        return f"{self.ticks[0]} to {self.ticks[-1]}" if len(self.ticks) else "none"


def _locate(first: Scrubber, second: Scrubber, numbers: Iterable[tuple[int, int]]) -> Difference:
    """Return the difference of the first pair of records, as it comes to light there or later."""
    tick, seconds = -1, 0.0
    for here, there in islice(numbers, _PATIENCE):
        one, other = first.record(here), second.record(there)
        if tick < 0:
            tick, seconds = one.tick, one.time
        spot = visible(_sight(first.recording, one), _sight(second.recording, other))
        if spot is not None:
            return Difference(tick, seconds, spot, one.tick)
    return Difference(tick, seconds, NOWHERE, tick)


def _sight(recording: Recording, record: Record) -> Sight:
    layout = recording.layout(record.generation)
    return Sight(layout, record.commands, record.poses, record.twists, record.readings)


def _edits(first: Recording, second: Recording, ticks: tuple[int, int]) -> tuple[int, str, str] | None:
    """Return the first edit that is not in both, of those that can change a state."""
    for here, there in zip_longest(_changes(first, *ticks), _changes(second, *ticks)):
        if here != there:
            tick = min(each[0] for each in (here, there) if each)
            words = [each[1] if each and each[0] == tick else "none" for each in (here, there)]
            return tick, words[0], words[1]
    return None


def _changes(recording: Recording, begin: int, until: int) -> Iterator[tuple[int, str]]:
    for group in recording.edits():
        if group.tick > until:
            return
        for edit in group.edits if group.tick >= begin else ():
            if edit["edit"] not in _SILENT:
                yield group.tick, json.dumps(edit, sort_keys=True)
