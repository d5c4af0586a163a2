"""Values over time out of a recording: ways, readings, distances."""

import contextlib
import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.export.tables import Thinning, headings
from coopsim.geometry import Floats
from coopsim.interfaces import Field
from coopsim.recording import RecordBlock, Recording
from coopsim.replay.columns import field_names
from coopsim.scene import by_name, choices
from coopsim.state import Layout, ModuleLayout

_INFO = "`coopsim info FILE` tells which robots a recording holds."


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one unit over time.

    Attributes:
        title: `robot1.sonars.ranges`.
        unit: SI unit; "1" for a pure number.
        labels: Name of each column.
        times: Positions on the time line of the recording, shape (k,) [s].
        values: NaN where there was none, shape (k, columns).
    """

    title: str
    unit: str
    labels: tuple[str, ...]
    times: Floats
    values: NDArray[np.float32]


def ways(recording: Recording, rate: float = 10.0) -> Mapping[str, Floats]:
    """Return the way of each moving body, by name: time, x, y, heading, shape (k, 4) [s, m, m, rad].

    Args:
        recording: Complete or cut off.
        rate: Points per second.
    """
    points: dict[str, list[Floats]] = {}
    thinning = Thinning(rate)
    for chunk, (layout, block) in enumerate(_blocks(recording)):
        rows = thinning.rows(block)
        if chunk == recording.chunks - 1:
            rows = np.union1d(rows, [len(block) - 1])
        poses = block.poses[rows]
        times = block.positions_ns[rows] / 1e9
        angles = headings(poses)
        for body, name in enumerate(layout.bodies):
            way = np.column_stack((times, poses[:, body, 0], poses[:, body, 1], angles[:, body]))
            points.setdefault(name, []).append(way)
    series = {name: np.concatenate(parts) for name, parts in sorted(points.items(), key=lambda item: by_name(item[0]))}
    return {name: way for name, way in series.items() if len(way)}


def readings(recording: Recording, path: str) -> list[Series]:
    """Return what a module read: a series for each of its readings, single values of one unit together.

    Args:
        recording: Complete or cut off.
        path: `robot1.sonars`, or one reading of it, `robot1.motors.v`.

    Raises:
        BadArgument: The path is of another form.
        NoSuchName: There is no such robot, module or reading.
    """
    robot, module_name, wanted = _split(path)
    module = _module(recording, robot, module_name)
    fields = [reading for reading in module.interface.readings if wanted in ("", reading.name)]
    if not fields:
        reading_names = ", ".join(reading.name for reading in module.interface.readings) or "none"
        raise NoSuchName(f"{robot}.{module_name} has no reading {wanted!r}; it has: {reading_names}").advise(_INFO)
    return [_series(recording, robot, module, group) for group in _groups(fields)]


def readings_of_many(recording: Recording, pattern: str) -> list[Series]:
    """Return what the same module of several robots read, those of all robots on one pair of axes.

    Args:
        recording: Complete or cut off.
        pattern: A path whose robot has wildcards, such as `r*.motors.v`; robots without such a module are left out.

    Raises:
        BadArgument: The path is of another form.
        NoSuchName: No robot has such a name, module and reading.
    """
    robot, module, wanted = _split(pattern)
    layouts = [recording.layout(generation) for generation in recording.generations]
    names = dict.fromkeys(place.name for layout in layouts for place in layout.robots)
    series: dict[str, list[tuple[str, Series]]] = {}
    for name in sorted(fnmatch.filter(names, robot), key=by_name):
        with contextlib.suppress(NoSuchName):
            for reading in readings(recording, ".".join(part for part in (name, module, wanted) if part)):
                series.setdefault(reading.title.removeprefix(name) + reading.unit, []).append((name, reading))
    if not series:
        choice_words = choices(sorted(names, key=by_name))
        raise NoSuchName(f"no robot of {recording.path} has {pattern!r}; it holds: {choice_words}").advise(_INFO)
    return [_together(robot, several) for several in series.values()]


def _together(pattern: str, several: Sequence[tuple[str, Series]]) -> Series:
    name, first = several[0]
    labels = [
        owner if len(series.labels) == 1 else f"{owner} {label}" for owner, series in several for label in series.labels
    ]
    values = np.hstack([series.values for _, series in several])
    return Series(pattern + first.title.removeprefix(name), first.unit, tuple(labels), first.times, values)


def _groups(fields: list[Field]) -> list[list[Field]]:
    """Return readings that are shown together: single values of one unit."""
    groups: dict[tuple[str, str], list[Field]] = {}
    for field in fields:
        groups.setdefault((field.unit, "" if field.count == 1 else field.name), []).append(field)
    return list(groups.values())


def _series(recording: Recording, robot: str, module: ModuleLayout, fields: list[Field]) -> Series:
    names = [name for field in fields for name in field_names(field, module)]
    labels = tuple(name.removeprefix(fields[0].name) or name if len(fields) == 1 else name for name in names)
    parts = [
        np.hstack([_columns(layout, block, robot, module, *module.columns(field)) for field in fields])
        for layout, block in _blocks(recording)
    ]
    title = f"{robot}.{module.name}" + (f".{fields[0].name}" if len(fields) == 1 else "")
    return Series(title, fields[0].unit, labels, _times(recording), _joined(parts, len(labels)))


def distances(recording: Recording, pairs: Sequence[tuple[str, str]]) -> Series:
    """Return the distances between entities, from middle to middle on the floor.

    Args:
        recording: Complete or cut off.
        pairs: Robots, objects, targets.

    Raises:
        NoSuchName: There is no such entity.
    """
    names = dict.fromkeys(name for pair in pairs for name in pair)
    places = {name: _positions(recording, name) for name in names}
    apart = [np.hypot(*(places[first] - places[second]).T).astype(np.float32) for first, second in pairs]
    labels = tuple(f"{first} to {second}" for first, second in pairs)
    return Series(labels[0] if len(labels) == 1 else "distance", "m", labels, _times(recording), np.column_stack(apart))


def _split(path: str) -> tuple[str, str, str]:
    parts = path.split(".")
    if len(parts) not in (2, 3) or not all(parts):
        raise BadArgument(
            f"{path!r} is no reading; expected ROBOT.MODULE or ROBOT.MODULE.READING, as robot1.sonars"
        ).advise(_INFO)
    return parts[0], parts[1], parts[2] if len(parts) == 3 else ""


def _module(recording: Recording, robot: str, name: str) -> ModuleLayout:
    """Return a module as the last layout that has it says it is."""
    robots: set[str] = set()
    modules: set[str] = set()
    for generation in reversed(recording.generations):
        layout = recording.layout(generation)
        robots.update(layout.robot)
        if robot in layout.robot:
            kind = layout.robot[robot].type
            modules.update(module.name for module in kind.modules)
            module = kind.module(name)
            if module is not None:
                return module
    if modules:
        raise NoSuchName(f"{robot} has no module {name!r}; it has: {choices(sorted(modules))}").advise(_INFO)
    choice_words = choices(sorted(robots, key=by_name))
    raise NoSuchName(f"there is no robot {robot!r} in {recording.path}; it holds: {choice_words}").advise(_INFO)


def _columns(
    layout: Layout, block: RecordBlock, robot: str, module: ModuleLayout, offset: int, length: int
) -> NDArray[np.float32]:
    place = layout.robot.get(robot)
    if place is None or place.type.module(module.name) != module:
        return np.full((len(block), length), np.nan, np.float32)
    begin = place.reading_offset + offset
    return block.readings[:, begin : begin + length]


def _positions(recording: Recording, name: str) -> NDArray[np.float32]:
    """Return x and y of an entity in every record, shape (n, 2), NaN where it is not there."""
    rows = {row for generation in recording.generations for row in recording.layout(generation).entity}
    if name not in rows:
        raise NoSuchName(
            f"there is no {name!r} in {recording.path}; it holds: {choices(sorted(rows, key=by_name))}"
        ).advise(_INFO)
    parts = []
    for layout, block in _blocks(recording):
        row = layout.entity.get(name)
        if row is None:
            parts.append(np.full((len(block), 2), np.nan, np.float32))
        elif row.body >= 0:
            parts.append(block.poses[:, row.body, :2])
        else:
            parts.append(np.full((len(block), 2), row.pose[:2], np.float32))
    return _joined(parts, 2)


def _blocks(recording: Recording) -> Iterator[tuple[Layout, RecordBlock]]:
    for _, block in recording.blocks():
        yield recording.layout(block.generation), block


def _times(recording: Recording) -> Floats:
    parts = [block.positions_ns / 1e9 for _, block in recording.blocks()]
    return np.concatenate(parts) if parts else np.zeros(0)


def _joined(parts: list[NDArray[np.float32]], columns: int) -> NDArray[np.float32]:
    return np.concatenate(parts) if parts else np.zeros((0, columns), np.float32)
