"""Robots named together in one message, resolved to places in the flat vectors of commands and readings."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from coopsim.errors import BadArgument, MessageTooLarge, NoSuchName
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Field, count
from coopsim.message import MAX_DATA
from coopsim.state import Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.state.layout import NUMBER, STAMP, VALUES

Span = tuple[int, int]


def settings(module: ModuleLayout) -> list[tuple[Field, int]]:
    """Return the data fields that a STEP brings for `module`, and their lengths."""
    command = module.interface.setting
    if command is None or module.command_offset < 0 or not module.interface.is_stepped:
        return []
    return [(field, count(field, module.counts)) for field in command.takes if field.place == "data"]


def command_length(kind: TypeLayout) -> int:
    """Return how many values a STEP brings for one robot of a type."""
    return sum(length for module in kind.modules for _, length in settings(module))


class GroupPlaces(NamedTuple):
    """Columns that a STEP writes and reads.

    Attributes:
        slots: Command columns that are written.
        sources: For each of them the value of the STEP that goes there, -1 = `image` does.
        image: What goes there besides values.
        stamps: Columns that count commands.
        readings: Where the readings are.
    """

    slots: Ints
    sources: Ints
    image: Floats
    stamps: Ints
    readings: Ints


class RobotGroup:
    """Some robots of one generation: where a STEP writes their commands and finds their readings.

    Args:
        layout: The generation.
        names: The robots, in the order of the message.

    Raises:
        NoSuchName: One of them is not there.
        BadArgument: One is named twice.
        MessageTooLarge: Their rows do not fit one message.

    Attributes:
        names: The robots.
        members: The same as a set.
        takes: Length of their commands in a message.
        gives: Length of their readings in a message.
    """

    def __init__(self, layout: Layout, names: Sequence[str]) -> None:
        self.generation = layout.generation
        self.names, self.members = tuple(names), frozenset(names)
        if len(self.members) < len(self.names):
            raise BadArgument("a robot is named twice in one message")
        try:
            places = [layout.robot[name] for name in self.names]
        except KeyError as missing:
            name = missing.args[0]
            raise NoSuchName(f"there is no robot {name!r} in this generation").bring(name) from None
        patterns = {kind.name: _Pattern(kind) for kind in {place.type.name: place.type for place in places}.values()}
        self.takes = sum(patterns[place.type.name].values.size for place in places)
        self.gives = sum(place.type.reading_width for place in places)
        if max(self.takes, self.gives) > MAX_DATA:
            raise MessageTooLarge(
                f"{len(places)} robots have {self.takes} commands and {self.gives} readings; at most {MAX_DATA} fit"
            )
        offsets = [(patterns[place.type.name], place.command_offset) for place in places]
        self._stamps = _simplest(_joined([pattern.stamps + offset for pattern, offset in offsets]))
        self._slots = _simplest(_joined([pattern.slots + offset for pattern, offset in offsets]))
        self._others = _joined([pattern.others + offset for pattern, offset in offsets])
        self._image = np.concatenate([np.zeros(0), *(pattern.image for pattern, _ in offsets)])
        before = np.cumsum([0, *(pattern.image.size for pattern, _ in offsets)])
        self._values = _simplest(
            _joined([pattern.values + at for (pattern, _), at in zip(offsets, before, strict=False)])
        )
        self._rows = [(place.reading_offset, place.reading_offset + place.type.reading_width) for place in places]
        self._readings = _simplest(_joined([np.arange(*row) for row in self._rows]))

    @property
    def places(self) -> GroupPlaces:
        """Columns of its commands and its readings."""
        sources = np.full(self._image.size, -1, np.int64)
        sources[self._values] = np.arange(self.takes)
        slots, stamps, readings = map(_expanded, (self._slots, self._stamps, self._readings))
        return GroupPlaces(slots, sources, self._image.copy(), stamps, readings)

    def check(self, commands: Sequence[float] | Floats) -> None:
        """Refuse commands of the wrong length.

        Raises:
            BadArgument: The length is wrong.
        """
        if len(commands) != self.takes:
            raise BadArgument(f"{len(self.names)} robots take {self.takes} values, got {len(commands)}; see LAYOUT")

    def write(self, commands: Sequence[float] | Floats, rows: Floats) -> None:
        """Write a command of the first SET kind into every slot.

        Args:
            commands: Values of all robots back to back, shape (takes,).
            rows: The flat command rows of this generation.
        """
        self._image[self._values] = commands
        rows[self._slots] = self._image
        rows[self._stamps] += 1.0

    def stop(self, rows: Floats) -> None:
        """Write "nothing commanded" into every slot, those that no STEP writes among them."""
        rows[self._slots] = 0.0
        rows[self._stamps] += 1.0
        rows[self._others] = 0.0

    def read(self, readings: Floats) -> Floats:
        """Return the readings of all robots back to back, shape (gives,)."""
        return readings[self._readings]


class _Pattern:
    """Places of one type's command columns, relative to the robot's row."""

    def __init__(self, kind: TypeLayout) -> None:
        stamps: list[int] = []
        slots: list[int] = []
        image: list[float] = []
        values: list[int] = []
        columns: list[int] = []
        for module in kind.modules:
            setting = module.interface.setting
            if setting is None or module.command_offset < 0:
                continue
            start, width = module.command_offset, module.interface.setting_width
            if not module.interface.is_stepped:
                columns += [start + NUMBER, *range(start + VALUES, start + VALUES + width)]
                continue
            stamps.append(start + STAMP)
            given = sum(length for _, length in settings(module))
            values += [len(image) + 1 + place for place in range(given)]
            slots += [start + NUMBER, *range(start + VALUES, start + VALUES + width)]
            image += [float(setting.number), *[0.0] * width]
        self.stamps, self.slots, self.values, self.others = (
            np.array(column_list, np.int64) for column_list in (stamps, slots, values, columns)
        )
        self.image = np.array(image)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _simplest(places: Ints) -> Ints | slice:
    """Return a slice where the places follow each other, which is several times faster."""
    if places.size and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def _expanded(places: Ints | slice) -> Ints:
    """Undo `_simplest`."""
    return np.arange(places.start, places.stop) if isinstance(places, slice) else places


def describe(layout: Layout, page: Sequence[RobotPlace], run: int) -> str:
    """Return the text that LAYOUT answers, with a page of robots."""
    return json.dumps(
        {
            "generation": layout.generation,
            "run": run,
            "types": {kind.name: _describe_type(kind) for kind in layout.types},
            "robots": [[place.name, place.type.name] for place in page],
            "total": len(layout.robots),
        }
    )


def lengths(page: Sequence[RobotPlace]) -> list[float]:
    """Return how many values each robot of a page takes and gives in a STEP, by turns."""
    kinds = {place.type.name: place.type for place in page}
    widths = {name: (float(command_length(kind)), float(kind.reading_width)) for name, kind in kinds.items()}
    return [length for place in page for length in widths[place.type.name]]


def _describe_type(kind: TypeLayout) -> Mapping[str, Any]:
    takes: list[list[Any]] = []
    gives: list[list[Any]] = []
    at = 0
    for module in kind.modules:
        for field, length in settings(module):
            takes.append([module.name, field.name, field.wire_unit, at, length])
            at += length
        offset = module.reading_offset
        for field in module.interface.readings:
            length = count(field, module.counts)
            gives.append([module.name, field.name, field.wire_unit, offset, length])
            offset += length
    tables = {
        module.name: {field.name: field.columns for field in module.interface.readings if field.columns}
        for module in kind.modules
        if any(field.columns for field in module.interface.readings)
    }
    rows = {"takes": takes, "gives": gives, "takes_length": at, "gives_length": kind.reading_width}
    return {**rows, "columns": tables} if tables else rows
