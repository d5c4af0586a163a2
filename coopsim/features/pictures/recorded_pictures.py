"""Pictures of a recording as pages hold them: some of its records, what happened, and facts in a line each."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coopsim.features.export.tables import Thinning
from coopsim.features.pictures.page_robots import LayoutPictures
from coopsim.geometry import Ints
from coopsim.recording import RecordBlock, Recording
from coopsim.state import Layout


def chosen_pictures(recording: Recording, rate: float | None) -> list[LayoutPictures]:
    """Return the pictures of a recording, chunk by chunk.

    Args:
        recording: Complete or cut off.
        rate: Pictures per simulated second, None = every record.

    Raises:
        DamagedRecording: A chunk or a layout is damaged.
    """
    chosen = _chosen(recording, rate)
    return [_pictures(recording.layout(block.generation), block, rows) for block, rows in chosen]


def about(recording: Recording, parts: Sequence[LayoutPictures]) -> list[tuple[str, str]]:
    """Return facts of a recording for people: names and values.

    Args:
        recording: What they are about.
        parts: Its pictures.
    """
    metadata = recording.metadata
    robots = max((len(part.layout.robots) for part in parts), default=0)
    facts = [
        ("duration", f"{recording.duration:.2f} s"),
        ("ticks", str(recording.last_tick - recording.first_tick)),
    ]
    facts += [("robots", str(robots))]
    facts += [(name, str(metadata[name])) for name in ("mode", "seed", "engine") if metadata.get(name) is not None]
    if recording.gaps:
        facts.append(("missing records", str(recording.gaps)))
    parent = metadata.get("parent")
    if isinstance(parent, dict):
        facts.append(("continues", f"{parent.get('file')} at {parent.get('time')} s"))
    return facts


def messages(recording: Recording, parts: Sequence[LayoutPictures]) -> list[dict[str, Any]]:
    """Return what was changed, and when, in words.

    Args:
        recording: With edits.
        parts: Its pictures, whose layouts know the names of commands.
    """
    return [
        {
            "time": group.position_ns / 1e9,
            "tick": group.tick,
            "text": applied.as_text(lambda robot, module, number: _command(parts, robot, module, number)),
        }
        for group in recording.edits()
        for applied in group.edits
    ]


def _command(parts: Sequence[LayoutPictures], robot: str, module: str, number: int) -> str:
    """Return the name of a module's command; its number if the module is unknown."""
    for part in parts:
        robot_place = next((place for place in part.layout.robots if place.name == robot), None)
        module_layout = robot_place.type.module(module) if robot_place else None
        if module_layout is not None:
            return next(
                (command.name for command in module_layout.interface.commands if command.number == number),
                f"command {number}",
            )
    return f"command {number}"


def _chosen(recording: Recording, rate: float | None) -> Iterator[tuple[RecordBlock, Ints]]:
    """Yield blocks with the rows that become pictures; the last record always does."""
    thinning = Thinning(rate)
    for chunk, (_, block) in enumerate(recording.blocks()):
        rows = thinning.rows(block)
        if chunk == recording.chunks - 1:
            # of two records of one instant the last one counts
            earlier = rows[block.positions_ns[rows] < block.positions_ns[-1]]
            rows = np.append(earlier, len(block) - 1)
        if rows.size:
            yield block, rows


def _pictures(layout: Layout, block: RecordBlock, rows: Ints) -> LayoutPictures:
    times = np.round(block.positions_ns[rows] * 1e-9, 9)
    ticks = block.ticks[rows].astype(np.float64)
    return LayoutPictures(layout, times, ticks, block.poses[rows], block.readings[rows], block.commands[rows])
