"""Time marks of a recording: edits, events, collisions, commands of robots."""

import json
from collections.abc import Iterator

import numpy as np

from coopsim.geometry import Floats
from coopsim.interfaces import BUMPERS
from coopsim.message import Param
from coopsim.recording import RecordBlock, Recording
from coopsim.state import Layout, RobotPlace
from coopsim.state.layout import STAMP

_MOST_RECORDS, _MOST_BYTES = 2048, 16 << 20
"""Largest numbers of records, and of bytes of their tables, in a page."""
_MOST_MARKS = 2000  # in one message
# a stick sends ten commands a second: on a time line they are one drive
_JOINED = 0.25
"""Commands that are nearer to each other than this are told as one [s]."""
_SHOWN = 200  # letters of an edit in a list
_Mark = tuple[float, str, str]


def marks_from(recording: Recording, first: int) -> tuple[Param, ...]:
    """Return a page of marks as JSON, and the first record of the next page, -1 = there is none.

    Args:
        recording: The file.
        first: Record to begin with.

    Raises:
        DamagedRecording: A part of the page is damaged.
    """
    marks: list[_Mark] = []
    commands: dict[str, list[tuple[float, float]]] = {}
    last: tuple[int, Floats, Floats] | None = None
    records = size = 0
    following = -1
    for number, block in recording.blocks(first) if first < len(recording) else ():
        if records >= _MOST_RECORDS or size >= _MOST_BYTES:
            following = number
            break
        last = _read(recording.layout(block.generation), block, last, marks, commands)
        records, size = records + len(block), size + block.decoded_bytes
    page = {"marks": sorted(marks)[:_MOST_MARKS], "commands": commands}
    return json.dumps(page, separators=(",", ":")), following


def _read(
    layout: Layout,
    block: RecordBlock,
    last: tuple[int, Floats, Floats] | None,
    marks: list[_Mark],
    commands: dict[str, list[tuple[float, float]]],
) -> tuple[int, Floats, Floats]:
    """Take in a block; return its generation and what its last record commands and reads.

    Args:
        layout: Of the block.
        block: Records.
        last: What the same call returned for the block before, None = there was none.
        marks: Gets what happened.
        commands: Gets when robots were commanded.
    """
    times = block.positions_ns.astype(float) / 1e9
    marks += _edits(block, times)
    is_next = last is not None and last[0] == block.generation
    stamps, readings = block.commands, block.readings.astype(float)
    before = (last[1], last[2]) if last is not None and is_next else (stamps[0], readings[0])
    for place in layout.robots:
        _add_commands(place, times, np.vstack([before[0], stamps]), commands)
        marks += _touches(place, times, np.vstack([before[1], readings]))
    return block.generation, stamps[-1], readings[-1]


def _edits(block: RecordBlock, times: Floats) -> Iterator[_Mark]:
    for row, applied in sorted(block.edits.items()):
        for applied_edit in applied:
            if applied_edit.edit.is_recorded and applied_edit.edit.is_mark:
                yield (
                    round(float(times[row]), 6),
                    "event" if applied_edit.is_event else "edit",
                    applied_edit.edit.as_text()[:_SHOWN],
                )


def _add_commands(
    place: RobotPlace, times: Floats, commands: Floats, spans: dict[str, list[tuple[float, float]]]
) -> None:
    """Append when commands came: where the stamp of a slot changes."""
    slots = [
        module.command_offset + place.command_offset for module in place.type.modules if module.command_offset >= 0
    ]
    stamps = commands[:, [slot + STAMP for slot in slots]]
    parts = spans.setdefault(place.name, []) if slots else []
    for at in times[np.flatnonzero((np.diff(stamps, axis=0) != 0.0).any(axis=1))].tolist():
        if parts and at - parts[-1][1] <= _JOINED:
            parts[-1] = parts[-1][0], at
        else:
            parts.append((at, at))


def _touches(place: RobotPlace, times: Floats, readings: Floats) -> Iterator[_Mark]:
    """Yield when a robot began to be touched."""
    for module in place.type.modules:
        for field in module.interface.readings if module.interface.kind == BUMPERS.kind else ():
            offset, length = module.columns(field)
            begin = place.reading_offset + offset
            touched = np.asarray(readings[:, begin : begin + length] > 0.5).any(axis=1, keepdims=True).ravel()
            for row in np.flatnonzero(touched[1:] & ~touched[:-1]):
                text = f"{place.name} is touched at its {field.name}"
                yield round(float(times[row]), 6), "collision", text
