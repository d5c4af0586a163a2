"""Content of an exported recording's page, as JSON: pictures, entities, robots, messages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.features.export.tables import headings
from coopsim.features.pictures.marks import DrawnMark, Paint, marks_of
from coopsim.features.pictures.page_robots import DIGITS, LayoutPictures, packed, robots_data
from coopsim.features.pictures.palette import distinct_colors
from coopsim.features.pictures.recorded_pictures import about, chosen_pictures, messages
from coopsim.features.pictures.scene import walls_of
from coopsim.geometry import ORIGIN, Vector3, heading, quaternion, times
from coopsim.recording import Recording
from coopsim.replay.run_json import robot_types
from coopsim.scene import by_name
from coopsim.state import EntityRow

USUAL_RATE = 20.0
"""Pictures per simulated second; the page shows the straight way between them."""
_MOST_FLOATS = 6_000_000  # 32 MB of page as float32 in base64
_SLOWEST_WITH_READINGS = 5.0  # Hz; below it, poses without readings look better than both


@dataclass
class Plan:
    """Share of a recording that the page holds.

    Attributes:
        rate: Pictures per simulated second; None = every record.
        readings: Whether readings are in it.
        note: What was left out, for people.
    """

    rate: float | None
    readings: bool = True
    note: str = ""


def plan(recording: Recording, *, full: bool = False) -> Plan:
    """Return how much is to be shown: at most 20 pictures a second, fewer where the page would grow too large.

    Args:
        recording: What to show.
        full: Every record and every reading, however large.
    """
    if full:
        return Plan(None)
    layouts = [recording.layout(generation) for generation in recording.generations]
    poses = 3 * max((len(layout.bodies) for layout in layouts), default=0)
    readings = max((layout.reading_size for layout in layouts), default=0)
    seconds = max(recording.duration, 1e-9)
    rate = _MOST_FLOATS / (seconds * max(1, poses + readings))
    if rate >= min(USUAL_RATE, _SLOWEST_WITH_READINGS):
        return Plan(min(USUAL_RATE, rate))
    rate = min(USUAL_RATE, _MOST_FLOATS / (seconds * max(1, poses)))
    return Plan(rate, readings=False, note="readings were left out of this long recording; --full keeps them")


def page_data(recording: Recording, plan: Plan) -> dict[str, Any]:
    """Return what the page shows.

    Args:
        recording: Complete or cut off.
        plan: How much of it.

    Raises:
        DamagedRecording: It holds no record, or a chunk or a layout is damaged.
    """
    if not len(recording):
        raise DamagedRecording(f"{recording.path}: the recording holds no record")
    return _PageBuilder(recording, plan).data()


class _PageBuilder:
    """Collects the pictures of a recording."""

    def __init__(self, recording: Recording, plan: Plan) -> None:
        self._recording, self._plan = recording, plan
        self._parts = chosen_pictures(recording, plan.rate)
        moving = {name for part in self._parts for name in part.layout.bodies}
        self._rows = {name: row for row, name in enumerate(sorted(moving, key=by_name))}
        self._types, self._paints = robot_types(recording), _paints(self._parts)
        self._walls = walls_of(recording)

    def data(self) -> dict[str, Any]:
        """Return the page's content."""
        times = np.concatenate([part.times for part in self._parts])
        ticks = np.concatenate([part.ticks for part in self._parts])
        return {
            "title": str(self._recording.metadata.get("scenario") or self._recording.path.stem),
            "about": about(self._recording, self._parts),
            "note": self._plan.note,
            "times": packed(times, "<f8"),
            "ticks": packed(ticks, "<f8"),
            "moving": len(self._rows),
            "poses": packed(self._poses(), "<f4"),
            "entities": self._entities(),
            "robots": robots_data(self._parts, self._types, with_readings=self._plan.readings),
            "messages": messages(self._recording, self._parts),
        }

    def _poses(self) -> NDArray[np.float32]:
        """Return x, y, heading of every moving body in every picture, NaN where it is not there."""
        films = []
        for part in self._parts:
            film = np.full((len(part.times), len(self._rows), 3), np.nan, np.float32)
            rows = [self._rows[name] for name in part.layout.bodies]
            film[:, rows, :2] = part.poses[:, :, :2]
            film[:, rows, 2] = headings(part.poses)
            films.append(film)
        return np.concatenate(films)

    # entities

    def _entities(self) -> list[dict[str, Any]]:
        """Return who is there and in which pictures; who changes its looks is there twice."""
        kinds: dict[str, dict[str, Any]] = {}
        begin = 0
        for part in self._parts:
            end = begin + len(part.times)
            for row in part.layout.entities:
                looks = self._appearance(row)
                entity = kinds.setdefault(repr(looks), {**looks, "spans": []})
                if entity["spans"] and entity["spans"][-1][1] == begin:
                    entity["spans"][-1][1] = end
                else:
                    entity["spans"].append([begin, end])
            begin = end
        return list(kinds.values())

    def _appearance(self, row: EntityRow) -> dict[str, Any]:
        x, y, _, *turn = row.pose
        color, facing = self._paints.get(row.name, row.color), heading(*turn)
        tilt = times(quaternion(0.0, 0.0, -facing), (turn[0], turn[1], turn[2], turn[3]))
        seen = replace(row, is_wall=row.is_wall or row.name in self._walls)
        return {
            "name": row.name,
            "kind": row.kind,
            "marks": [_mark(mark) for mark in marks_of(seen, (0.0, 0.0, 0.0, *tilt), color)],
            "parts": self._parts_of(row, color),
            "size": _rounded(row.size),
            "color": [round(channel, 4) for channel in color],
            "pose": _rounded((x, y, facing)),
            "row": self._rows.get(row.name, -1) if row.body >= 0 else -1,
        }

    def _parts_of(self, row: EntityRow, color: Vector3) -> list[dict[str, Any]]:
        """Return the further bodies of an entity: their rows among the moving ones, and what they cover."""
        bodies = dict.fromkeys(visual.body for visual in row.drawn() if visual.body)
        rows = {body: self._rows.get(row.body_name(body)) for body in bodies}
        return [
            {"row": place, "marks": [_mark(mark) for mark in marks_of(row, ORIGIN, color, body)]}
            for body, place in rows.items()
            if place is not None
        ]


def _paints(parts: Sequence[LayoutPictures]) -> dict[str, Vector3]:
    """Return the colours of robots: those whose scenario names none get different ones."""
    rows = [row for part in parts for row in part.layout.entities]
    wanted = {row.name: row.color for row in rows if row.kind == "robot"}
    return distinct_colors(wanted, [row.color for row in rows if row.kind == "target"])


def _mark(mark: DrawnMark) -> dict[str, Any]:
    """Return a mark of the drawing list: one circle, or corners, or an arrow; what is usual is left out."""
    if mark.pixels:
        shape: dict[str, Any] = {"middle": _rounded(mark.middle), "pixels": mark.pixels}
    elif mark.radius:
        shape = {"middle": _rounded(mark.middle), "radius": round(mark.radius, DIGITS)}
    else:
        shape = {"points": [_rounded(point) for point in mark.points]} | ({"arrow": True} if mark.is_arrow else {})
    fill = {"fill": _plain_paint(mark.fill), "alpha": mark.alpha} if mark.fill else {}
    edge = {"edge": _plain_paint(mark.edge), "light": mark.light, "width": mark.width} if mark.edge else {}
    return {**shape, **fill, **edge}


def _plain_paint(paint: Paint) -> str | list[float]:
    return paint if isinstance(paint, str) else [round(channel, 4) for channel in paint]


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(value, DIGITS) for value in values]
