"""A recording as four tables: poses, readings, commands, edits."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Ints
from coopsim.interfaces import Interface
from coopsim.recording import RecordBlock, Recording
from coopsim.replay.columns import POSE, TWIST, reading_names
from coopsim.state import Layout, ModuleLayout
from coopsim.state.edits import EDITS, AppliedEdit
from coopsim.state.layout import NUMBER, STAMP, VALUES

Columns: TypeAlias = dict[str, NDArray[Any] | list[str]]
"""Values by column, all of one length; NaN = none."""

WHEN = {"tick": "int", "time": "float64"}


@dataclass(frozen=True, slots=True)
class TableRows:
    """Some rows of a table."""

    table: str
    columns: Columns


def schemas(recording: Recording) -> dict[str, dict[str, str]]:
    """Return the columns of each table and their kinds: "int", "float32", "float64", "text" or "json".

    Readings have a column for each name that any robot type has; commands one for each value of the longest.
    """
    layouts = [recording.layout(generation) for generation in recording.generations]
    readings = [name for layout in layouts for kind in layout.types for name in reading_names(kind)]
    widths = [module.interface.setting_width for layout in layouts for _, module in _slots(layout)]
    values = [f"value_{index}" for index in range(max(widths, default=0))]
    pose = dict.fromkeys((*POSE, "heading", *TWIST), "float32")
    return {
        "poses": {**WHEN, "entity": "text", **pose},
        "readings": {**WHEN, "robot": "text", **dict.fromkeys(readings, "float32")},
        "commands": {
            **WHEN,
            **dict.fromkeys(("robot", "module", "command"), "text"),
            **dict.fromkeys(("stamp", "number"), "int"),
            **dict.fromkeys(values, "float64"),
        },
        "edits": {**WHEN, "edit": "text", "event": "int", "details": "json"},
    }


def parts(recording: Recording, rate: float | None = None) -> Iterator[TableRows]:
    """Yield the rows of all tables, in the order of time within each.

    A command has a row when it came or changed and holds until the next one.

    Args:
        recording: Complete or cut off.
        rate: Largest number of rows of poses and readings per simulated second and entity; None = all.

    Raises:
        DamagedRecording: A chunk or a layout is damaged.
    """
    columns = {table: list(schema) for table, schema in schemas(recording).items()}
    changes = _Changes(columns["commands"])
    thinning = Thinning(rate)
    for _, block in recording.blocks():
        layout = recording.layout(block.generation)
        rows = thinning.rows(block)
        if rows.size:
            yield TableRows("poses", _poses(layout, block, rows))
            yield TableRows("readings", _readings(layout, block, rows, columns["readings"]))
        yield TableRows("commands", changes.of(layout, block))
        yield TableRows("edits", _edits(block))


class Thinning:
    """Chooses the first record of every interval.

    Args:
        rate: Intervals per simulated second; None = every record is chosen.
    """

    def __init__(self, rate: float | None) -> None:
        self._interval = None if rate is None else max(1, round(1e9 / rate))
        self._last = -1

    def rows(self, block: RecordBlock) -> Ints:
        """Return the rows of the next block that are chosen."""
        if self._interval is None:
            return np.arange(len(block))
        intervals = (block.positions_ns // np.uint64(self._interval)).astype(np.int64)
        before = np.concatenate([[self._last], intervals[:-1]])
        self._last = int(intervals[-1]) if len(intervals) else self._last
        return np.flatnonzero(intervals != before)


def headings(poses: NDArray[Any]) -> NDArray[Any]:
    """Return the rotation about z of poses, shape (..., 7) → (...) [rad]."""
    w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    angles: NDArray[Any] = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return angles


def when(block: RecordBlock, rows: Ints, repeats: int = 1) -> Columns:
    """Return tick and time of some rows of a block, each repeated."""
    times = block.head("time_ns")[rows] / 1e9
    return {
        "tick": np.repeat(block.ticks[rows].astype(np.int64), repeats),
        "time": np.repeat(np.round(times, 9), repeats),
    }


def _poses(layout: Layout, block: RecordBlock, rows: Ints) -> Columns:
    poses, twists = block.poses[rows], block.twists[rows]
    count = len(layout.bodies)
    columns: Columns = {**when(block, rows, count), "entity": list(layout.bodies) * rows.size}
    columns |= {name: poses[:, :, index].reshape(-1) for index, name in enumerate(POSE)}
    columns["heading"] = headings(poses).reshape(-1)
    return columns | {name: twists[:, :, index].reshape(-1) for index, name in enumerate(TWIST)}


def _readings(layout: Layout, block: RecordBlock, rows: Ints, names: list[str]) -> Columns:
    places = layout.robots
    columns: Columns = {**when(block, rows, len(places)), "robot": [place.name for place in places] * rows.size}
    wide = {name: index for index, name in enumerate(names[len(WHEN) + 1 :])}
    values = np.full((rows.size, len(places), len(wide)), np.nan, np.float32)
    readings = block.readings[rows]
    targets = {kind.name: [wide[name] for name in reading_names(kind)] for kind in layout.types}
    for index, place in enumerate(places):
        begin = place.reading_offset
        values[:, index, targets[place.type.name]] = readings[:, begin : begin + place.type.reading_width]
    return columns | {name: values[:, :, index].reshape(-1) for name, index in wide.items()}


def _slots(layout: Layout) -> Iterator[tuple[tuple[str, int], ModuleLayout]]:
    """Yield robot and first column of every command slot, and its module."""
    for place in layout.robots:
        for module in place.type.modules:
            if module.command_offset >= 0:
                yield (place.name, place.command_offset + module.command_offset), module


class _Changes:
    """Finds the records in which a command slot is not what it was."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._values = sum(name.startswith("value_") for name in names)
        self._last: dict[tuple[str, str], NDArray[Any]] = {}

    def of(self, layout: Layout, block: RecordBlock) -> Columns:
        """Return the rows of the table for the next block."""
        modules: list[tuple[int, str, ModuleLayout, NDArray[Any]]] = []
        for (robot, begin), module in _slots(layout):
            slots = block.commands[:, begin : begin + VALUES + module.interface.setting_width]
            first = self._last.get((robot, module.name))
            if first is None or len(first) != slots.shape[1]:  # another robot may have the name by now
                first = np.zeros(slots.shape[1])
            # the last row of the block before stands in front: a change at a block's edge is not lost
            before = np.concatenate([first[np.newaxis], slots[:-1]])
            modules += [
                (row, robot, module, slots[row]) for row in np.flatnonzero((slots != before).any(axis=1)).tolist()
            ]
            self._last[robot, module.name] = slots[-1]
        modules.sort(key=lambda member: member[0])
        return self._table(block, modules)

    def _table(self, block: RecordBlock, blocks: list[tuple[int, str, ModuleLayout, NDArray[Any]]]) -> Columns:
        values = np.full((len(blocks), self._values), np.nan)
        for index, (_, _, _, slot) in enumerate(blocks):
            values[index, : len(slot) - VALUES] = slot[VALUES:]
        rows: Ints = np.array([row for row, *_ in blocks], np.int64)
        slots = [slot for *_, slot in blocks]
        return {
            **when(block, rows),
            "robot": [robot for _, robot, _, _ in blocks],
            "module": [module.name for _, _, module, _ in blocks],
            "command": [_command(module.interface, int(slot[NUMBER])) for _, _, module, slot in blocks],
            "stamp": np.array([slot[STAMP] for slot in slots], np.int64),
            "number": np.array([slot[NUMBER] for slot in slots], np.int64),
            **{f"value_{index}": values[:, index] for index in range(self._values)},
        }


def _command(interface: Interface, number: int) -> str:
    return next((command.name for command in interface.commands if command.number == number), "")


def _edits(block: RecordBlock) -> Columns:
    applied_edits = [(row, applied) for row, edits in sorted(block.edits.items()) for applied in edits]
    return {
        **when(block, np.array([row for row, _ in applied_edits], np.int64)),
        "edit": [applied.edit.kind for _, applied in applied_edits],
        "event": np.array([applied.is_event for _, applied in applied_edits], np.int64),
        "details": [_details(applied) for _, applied in applied_edits],
    }


def _details(applied: AppliedEdit) -> str:
    return json.dumps({name: value for name, value in applied.to_plain().items() if name not in (EDITS.mark, "event")})
