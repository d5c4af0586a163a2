"""What the page of an exported recording shows: pictures, entities, robots, messages, as JSON can hold them."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import heading
from coopsim.recording import Block, Recording
from coopsim.replay.columns import field_names, reading_names
from coopsim.replay.export_tables import Thinning, headings
from coopsim.replay.scene_of import robot_types
from coopsim.replay.telling import tell
from coopsim.scene import by_name
from coopsim.state import EntityRow, Layout, RobotPlace

USUAL_RATE = 20.0
"""Pictures per simulated second; the page shows the straight way between them."""
_MOST_FLOATS = 6_000_000
_SLOWEST_WITH_READINGS = 5.0
_DIGITS = 6


@dataclass
class Plan:
    """How much of a recording the page holds.

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
    return Plan(rate, readings=False, note="readings were left out of so long a recording; --full keeps them")


def page_data(recording: Recording, plan: Plan) -> dict[str, Any]:
    """Return what the page shows.

    Args:
        recording: Complete or cut off.
        plan: How much of it.

    Raises:
        DamagedRecording: It holds no record, or a chunk or a layout is damaged.
    """
    return _Film(recording, plan).data()


@dataclass
class _Robot:
    """One robot's readings, picture by picture."""

    place: RobotPlace
    names: list[str]
    rows: list[NDArray[np.float32]] = field(default_factory=list)
    pictures: int = 0

    def fill(self, pictures: int) -> None:
        """Put nothing into the pictures that it is not in."""
        if pictures > self.pictures:
            self.rows.append(np.full((pictures - self.pictures, len(self.names)), np.nan, np.float32))
            self.pictures = pictures

    def add(self, rows: NDArray[np.float32]) -> None:
        self.rows.append(rows)
        self.pictures += len(rows)


@dataclass
class _Part:
    """Pictures of one layout."""

    layout: Layout
    times: NDArray[np.float64]
    ticks: NDArray[np.float64]
    poses: NDArray[np.float32]
    readings: NDArray[np.float32]


class _Film:
    """Collects the pictures of a recording."""

    def __init__(self, recording: Recording, plan: Plan) -> None:
        self._recording, self._plan = recording, plan
        self._parts = [_part(recording.layout(block.generation), block, rows) for block, rows in self._chosen()]
        moving = {name for part in self._parts for name in part.layout.bodies}
        self._rows = {name: row for row, name in enumerate(sorted(moving, key=by_name))}
        self._types = robot_types(recording)

    def _chosen(self) -> Any:
        """Yield blocks with the rows that become pictures; the last record always does."""
        thinning = Thinning(self._plan.rate)
        for chunk, (_, block) in enumerate(self._recording.blocks()):
            rows = thinning.rows(block)
            if chunk == self._recording.chunks - 1:
                rows = np.union1d(rows, [len(block) - 1])
            if rows.size:
                yield block, rows

    def data(self) -> dict[str, Any]:
        """Return the page's content."""
        times = np.concatenate([part.times for part in self._parts]) if self._parts else np.zeros(0)
        ticks = np.concatenate([part.ticks for part in self._parts]) if self._parts else np.zeros(0)
        return {
            "title": str(self._recording.metadata.get("scenario") or self._recording.path.stem),
            "about": self._about(len(times)),
            "note": self._plan.note,
            "times": _packed(times, "<f8"),
            "ticks": _packed(ticks, "<f8"),
            "moving": len(self._rows),
            "poses": _packed(self._poses(), "<f4"),
            "entities": self._entities(),
            "robots": self._robots(len(times)),
            "messages": self._messages(),
        }

    def _about(self, pictures: int) -> list[tuple[str, str]]:
        recording, said = self._recording, self._recording.metadata
        robots = max((len(part.layout.robots) for part in self._parts), default=0)
        about = [
            ("duration", f"{recording.duration:.2f} s"),
            ("ticks", str(recording.last_tick - recording.first_tick)),
        ]
        about += [("robots", str(robots)), ("pictures", str(pictures))]
        about += [(name, str(said[name])) for name in ("mode", "seed", "engine") if said.get(name) is not None]
        if recording.gaps:
            about.append(("missing records", str(recording.gaps)))
        parent = said.get("parent")
        if isinstance(parent, dict):
            about.append(("continues", f"{parent.get('file')} at {parent.get('time')} s"))
        return about

    def _poses(self) -> NDArray[np.float32]:
        """Return x, y, heading of every moving body in every picture, NaN where it is not there."""
        films = []
        for part in self._parts:
            film = np.full((len(part.times), len(self._rows), 3), np.nan, np.float32)
            rows = [self._rows[name] for name in part.layout.bodies]
            film[:, rows, :2] = part.poses[:, :, :2]
            film[:, rows, 2] = headings(part.poses)
            films.append(film)
        return np.concatenate(films) if films else np.zeros((0, 0, 3), np.float32)

    # entities

    def _entities(self) -> list[dict[str, Any]]:
        """Return who is there and in which pictures; who changes its looks is there twice."""
        found: dict[str, dict[str, Any]] = {}
        begin = 0
        for part in self._parts:
            end = begin + len(part.times)
            for row in part.layout.entities:
                looks = self._looks(row)
                entity = found.setdefault(repr(looks), {**looks, "spans": []})
                if entity["spans"] and entity["spans"][-1][1] == begin:
                    entity["spans"][-1][1] = end
                else:
                    entity["spans"].append([begin, end])
            begin = end
        return list(found.values())

    def _looks(self, row: EntityRow) -> dict[str, Any]:
        x, y, _, *turn = row.pose
        return {
            "name": row.name,
            "kind": row.kind,
            "shape": self._shape(row),
            "size": [round(each, _DIGITS) for each in row.size],
            "color": [round(each, 4) for each in row.color],
            "pose": [round(x, _DIGITS), round(y, _DIGITS), round(heading(*turn), _DIGITS)],
            "row": self._rows[row.name] if row.body >= 0 else -1,
        }

    def _shape(self, row: EntityRow) -> str:
        if row.kind == "robot":
            blueprint = self._types.get(row.type)
            round_one = math.isclose(row.size[0], row.size[1])
            return blueprint.shape if blueprint else "cylinder" if round_one else "box"
        return row.type if row.kind == "object" else "box"

    # robots

    def _robots(self, pictures: int) -> list[dict[str, Any]]:
        found: dict[str, _Robot] = {}
        begin = 0
        for part in self._parts:
            for place in part.layout.robots:
                robot = found.setdefault(place.name, _Robot(place, reading_names(place.type)))
                robot.fill(begin)
                offset = place.reading_offset
                rows = part.readings[:, offset : offset + place.type.reading_width]
                if rows.shape[1] == len(robot.names):
                    robot.add(rows)
            begin += len(part.times)
        for robot in found.values():
            robot.fill(pictures)
        return [self._robot(found[name]) for name in sorted(found, key=by_name)]

    def _robot(self, robot: _Robot) -> dict[str, Any]:
        table = np.concatenate(robot.rows) if self._plan.readings and robot.rows else np.zeros((0, 0), np.float32)
        readings = []
        for module in robot.place.type.modules:
            for each in module.interface.readings:
                column, length = module.columns(each)
                labels = [name.removeprefix(each.name) or each.name for name in field_names(each, module)]
                name = f"{module.name}.{each.name}"
                readings.append({"name": name, "unit": each.unit, "column": column, "labels": labels[:length]})
        return {
            "name": robot.place.name,
            "width": len(robot.names),
            "readings": readings,
            "table": _packed(table, "<f4"),
            "rays": self._rays(robot.place),
        }

    def _rays(self, place: RobotPlace) -> dict[str, Any] | None:
        """Return where the rays of a robot's sonars lie, None if that is not known."""
        blueprint = self._types.get(place.type.name)
        device = next((each for each in blueprint.devices if each.kind == "sonars"), None) if blueprint else None
        module = place.type.module(device.name) if device else None
        if blueprint is None or device is None or module is None:
            return None
        count, half = int(device.settings["count"]), math.radians(float(device.settings["sector"])) / 2
        column, _ = module.columns(module.interface.readings[0])
        bearings = np.linspace(-half, half, count) if count > 1 else np.zeros(1)
        radius = 0.5 * max(blueprint.size[:2])
        shown = {"column": column, "bearings": [round(each, _DIGITS) for each in bearings.tolist()]}
        return {**shown, "radius": radius, "reach": float(device.settings["reach"])}

    def _messages(self) -> list[dict[str, Any]]:
        return [
            {"time": group.position_ns * 1e-9, "tick": group.tick, "text": tell(edit)}
            for group in self._recording.edits()
            for edit in group.edits
        ]


def _part(layout: Layout, block: Block, rows: NDArray[Any]) -> _Part:
    times = np.round(block.positions_ns[rows] * 1e-9, 9)
    return _Part(layout, times, block.ticks[rows].astype(np.float64), block.poses[rows], block.readings[rows])


def _packed(array: NDArray[Any] | Sequence[float], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, kind).tobytes()).decode()
