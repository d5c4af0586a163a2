"""Compares two recordings tick by tick, and says how far their robots part."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.features.differences.distances import Distances, RobotDistance, Side, Stretch, stretches
from coopsim.features.proof.differing import NOWHERE, Difference, StateView, is_shown, visible
from coopsim.geometry import Ints
from coopsim.recording import Recording, Scrubber
from coopsim.replay.outcome import Outcome
from coopsim.simulation.saved import unpacked
from coopsim.state import Record

_PATIENCE = 2000  # records after the first difference within which it comes to light


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two recordings.

    Attributes:
        ticks: How many ticks, of those that both hold, are the same; the state that the first one begins with is none.
        total: How many ticks both go over, those that are missing in one too.
        difference: Where the first hash, or the first thing that is shown, differs.
        alone: How many ticks only the first and only the second holds.
        edits: The first edit that is not in both since their first common tick, as (tick, edit or "none" in each).
        robots: How far apart the robots of both are.
    """

    ticks: int
    total: int
    difference: Difference | None
    alone: tuple[int, int]
    edits: tuple[int, str, str] | None
    robots: tuple[RobotDistance, ...]

    @property
    def outcome(self) -> Outcome:
        """Whether all ticks that both go over are the same, one is not, or those that were not missing are."""
        if self.difference is not None:
            return Outcome.DIFFERENT
        return Outcome.PARTIAL if self.ticks < self.total else Outcome.IDENTICAL

    @property
    def identical(self) -> bool:
        """Whether all ticks that both go over were compared, and are the same."""
        return self.outcome is Outcome.IDENTICAL

    def to_json(self) -> dict[str, Any]:
        """Return what `coopsim diff --json` prints."""
        edits = self.edits and {"tick": self.edits[0], "values": self.edits[1:]}
        difference = self.difference.to_json() if self.difference else None
        return {
            "outcome": self.outcome.value,
            "identical": self.identical,
            "compared": self.ticks,
            "total": self.total,
            "ticks": self.ticks,
            "first_difference": difference,
            "first_edits": edits,
            "ticks_alone": list(self.alone),
            "robots": [robot.to_json() for robot in self.robots],
        }


def diff(first: Recording, second: Recording) -> Comparison:
    """Return where two recordings differ first, and how far their robots part.

    Ticks are compared by their state hash and by what they show; of a tick with several records, as they are made by
    edits of a paused simulation, the last one counts. Chunks that cannot be read are passed over.

    Raises:
        DamagedRecording: They have no tick in common.
    """
    ticks_of_first, ticks_of_second = _Ticks(first), _Ticks(second)
    common, rows_of_first, rows_of_second = np.intersect1d(
        ticks_of_first.ticks, ticks_of_second.ticks, assume_unique=True, return_indices=True
    )
    if not len(common):
        raise DamagedRecording(
            f"{first.path} and {second.path} have no tick in common: "
            f"the first holds {ticks_of_first.span}, the second {ticks_of_second.span}"
        )
    alone = len(ticks_of_first.ticks) - len(common), len(ticks_of_second.ticks) - len(common)
    total = int(
        min(ticks_of_first.ticks[-1], ticks_of_second.ticks[-1])
        - max(ticks_of_first.ticks[0], ticks_of_second.ticks[0])
    )
    numbers = ticks_of_first.numbers[rows_of_first], ticks_of_second.numbers[rows_of_second]
    distances, shown = _compared((first, second), numbers)
    places = [shown] if shown is not None else []
    if _rule(first) == _rule(second):  # otherwise the hashes say nothing about each other
        places += np.flatnonzero(
            (ticks_of_first.hashes[rows_of_first] != ticks_of_second.hashes[rows_of_second]).any(axis=1)
        )[:1].tolist()
    if not places:
        return Comparison(len(common) - 1, total, None, alone, None, distances.by_robot)
    place = min(places)
    later = zip(numbers[0][place:].tolist(), numbers[1][place:].tolist(), strict=True)
    difference = _locate(Scrubber(first), Scrubber(second), later)
    edits = _edits(first, second, (int(common[0]), difference.tick))
    return Comparison(max(0, place - 1), total, difference, alone, edits, distances.by_robot)


def _compared(recordings: tuple[Recording, Recording], numbers: tuple[Ints, Ints]) -> tuple[Distances, int | None]:
    """Return how far robots are apart, and which of the common ticks is the first that shows anything else."""
    distances, shown = Distances(), None
    for stretch in stretches(recordings, numbers):
        distances.add(stretch)
        if shown is None:
            shown = _first_shown(stretch)
    return distances, shown


def _first_shown(stretch: Stretch) -> int | None:
    first, second = stretch.first, stretch.second
    for place, row_of_first, row_of_second in zip(
        stretch.places.tolist(), first.rows.tolist(), second.rows.tolist(), strict=True
    ):
        view_of_first, view_of_second = _shown(first, row_of_first), _shown(second, row_of_second)
        if not is_shown(view_of_first, view_of_second) and visible(view_of_first, view_of_second) is not None:
            return int(place)
    return None


def _shown(side: Side, row: int) -> StateView:
    """Return what a record shows but its commands: how they were counted is no difference."""
    block, nothing = side.block, np.zeros(side.layout.command_size)
    return StateView(side.layout, nothing, block.poses[row], block.twists[row], block.readings[row])


def _rule(recording: Recording) -> int:
    """Return the rule that the state hashes of a recording follow; 0 = it does not say."""
    frame = recording.keyframe(len(recording) - 1) if len(recording) else None
    return int(unpacked(frame.state).get("hash", 1)) if frame is not None else 0


class _Ticks:
    """Last record of every tick of a recording."""

    def __init__(self, recording: Recording) -> None:
        ticks, hashes, numbers = [np.zeros(0, np.uint64)], [np.zeros((0, 16), np.uint8)], [np.zeros(0, np.int64)]
        for chunk in range(recording.chunks):
            with suppress(DamagedRecording):  # the ticks of one that cannot be read are missing
                block = recording.block(chunk)
                heads, hashes_of_block = block.ticks, block.hashes
                ticks.append(heads)
                hashes.append(hashes_of_block)
                numbers.append(int(recording.index.first_numbers[chunk]) + np.arange(len(block)))
        every = np.concatenate(ticks)
        last = np.flatnonzero(np.append(every[1:] != every[:-1], np.ones(min(1, len(every)), bool)))
        self.ticks: NDArray[np.uint64] = every[last]
        self.numbers: Ints = np.concatenate(numbers)[last]
        self.hashes: NDArray[np.uint8] = np.concatenate(hashes)[last]

    @property
    def span(self) -> str:
        """Ticks that there are, for people."""
        return f"{self.ticks[0]} to {self.ticks[-1]}" if len(self.ticks) else "none"


def _locate(first: Scrubber, second: Scrubber, numbers: Iterable[tuple[int, int]]) -> Difference:
    """Return the difference of the first pair of records, as it comes to light there or later."""
    tick, seconds = -1, 0.0
    for number_in_first, number_in_second in islice(numbers, _PATIENCE):
        record_of_first, record_of_second = first.record(number_in_first), second.record(number_in_second)
        if tick < 0:
            tick, seconds = record_of_first.tick, record_of_first.time
        mismatch = visible(
            _sight(first.recording, record_of_first), _sight(second.recording, record_of_second), with_stamps=False
        )
        if mismatch is not None:
            return Difference(tick, seconds, mismatch, record_of_first.tick)
    return Difference(tick, seconds, NOWHERE, tick)


def _sight(recording: Recording, record: Record) -> StateView:
    layout = recording.layout(record.generation)
    return StateView(layout, record.commands, record.poses, record.twists, record.readings)


def _edits(first: Recording, second: Recording, ticks: tuple[int, int]) -> tuple[int, str, str] | None:
    """Return the first edit that is not in both, of those that can change a state."""
    for change_of_first, change_of_second in zip_longest(_changes(first, *ticks), _changes(second, *ticks)):
        if change_of_first != change_of_second:
            tick = min(change[0] for change in (change_of_first, change_of_second) if change)
            words = [
                change[1] if change and change[0] == tick else "none" for change in (change_of_first, change_of_second)
            ]
            return tick, words[0], words[1]
    return None


def _changes(recording: Recording, begin: int, until: int) -> Iterator[tuple[int, str]]:
    for group in recording.edits():
        if group.tick > until:
            return
        for applied in group.edits if group.tick >= begin else ():
            if applied.edit.changes_state:
                yield group.tick, json.dumps(applied.to_plain(), sort_keys=True)
