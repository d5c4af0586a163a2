"""Events that the simulation itself publishes: bumps, contacts, changes, timed events, late controllers."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from coopsim.interfaces import BUMPERS
from coopsim.message import ChannelEvent
from coopsim.state import Layout, Record
from coopsim.state.edits import PATIENCE_OVER, RELEASED, AppliedEdit, Note

SOURCE = "simulation"
_SIDES = ("front", "rear")
_TOUCHED = "touched"  # first reading of sensors whose touches are told, with the readings after it
_TOPICS = {PATIENCE_OVER: "late", RELEASED: "released"}
"""Topics of notes about robots, by how the note begins."""


class OwnEvents:
    """Compares each record with the one before."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._columns = np.zeros(0, np.int64)
        self._touches: list[tuple[str, str, slice]] = []
        self._touched: NDArray[np.bool_] | None = None

    def forget(self) -> None:
        """Begin anew with the next record: some were not looked at."""
        self._touched = None

    def of(self, layout: Layout, record: Record, edits: Iterable[AppliedEdit]) -> list[ChannelEvent]:
        """Return what happened in the tick of a record."""
        tick = record.tick
        events = [_event_of(edit, tick) for edit in edits if edit.is_event or edit.edit.is_mark]
        return [*events, *self._beginnings(layout, record)]

    def _beginnings(self, layout: Layout, record: Record) -> Iterator[ChannelEvent]:
        if layout is not self._layout:
            self._follow(layout)
        if not self._columns.size:
            return
        touched = record.readings[self._columns] > 0.0
        if self._touched is not None:
            for row in np.flatnonzero(touched & ~self._touched).tolist():
                topic, text, place = self._touches[row]
                yield ChannelEvent(topic, text, tuple(record.readings[place].tolist()), SOURCE, record.tick)
        self._touched = touched

    def _follow(self, layout: Layout) -> None:
        self._layout, self._touched = layout, None
        self._touches, columns = [], list[int]()
        for place in layout.robots:
            for module in place.type.modules:
                first = place.reading_offset + module.reading_offset
                if module.interface.kind == BUMPERS.kind:
                    self._touches += [(f"/sim/bumps/{place.name}", side, slice(0)) for side in _SIDES]
                    columns += [first, first + 1]
                elif [field.name for field in module.interface.readings[:1]] == [_TOUCHED]:
                    rest = slice(first + 1, first + module.reading_width)
                    self._touches.append((f"/sim/contacts/{place.name}", module.name, rest))
                    columns.append(first)
        self._columns = np.asarray(columns, np.int64)


def _event_of(applied: AppliedEdit, tick: int) -> ChannelEvent:
    edit = applied.edit
    if isinstance(edit, Note) and edit.robot:
        for beginning, topic in _TOPICS.items():
            if edit.what.startswith(beginning):
                return ChannelEvent(f"/sim/{topic}/{edit.robot}", edit.what.removeprefix(beginning), (), SOURCE, tick)
    root = "scenario" if applied.is_event else "edits"
    words = f"{edit.as_text()}{': ' * bool(applied.problem)}{applied.problem}"
    return ChannelEvent(f"/sim/{root}/{edit.kind}", words[:1000], (), SOURCE, tick)
