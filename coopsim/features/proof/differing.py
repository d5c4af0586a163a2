"""First difference of two states: entity, field and both values."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.engines import PhysicsEngine
from coopsim.recording import RecordBlock
from coopsim.replay.columns import PLANAR, POSE, TWIST, reading_names
from coopsim.replay.mismatch import Datum, Mismatch
from coopsim.scene import by_name
from coopsim.simulation import Simulation
from coopsim.simulation.hashing import hashed_from
from coopsim.state import Layout, TypeLayout
from coopsim.state.layout import VALUES

Row: TypeAlias = NDArray[Any]
_SAID = ("type", "modules")
"""Fields of an entity that its files say, and no version computes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference of two runs.

    Attributes:
        tick: The first one whose state hashes differ.
        time: Simulated time then [s].
        mismatch: What differs; found later than `tick` where it was too small for what is stored of every tick.
        seen: The tick in which `mismatch` was found.
    """

    tick: int
    time: float
    mismatch: Mismatch
    seen: int

    @property
    def is_of_states(self) -> bool:
        """Whether it is in what an engine or a device computes, not in what the file says of the run."""
        entity, field = self.mismatch.entity, self.mismatch.field
        if not entity:
            return not field
        return field not in _SAID and not field.endswith(".stamp")

    def to_json(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        mismatch = self.mismatch
        values = {"values": [_plain(mismatch.first), _plain(mismatch.second)], "seen": self.seen}
        return {"tick": self.tick, "time": self.time, "entity": mismatch.entity, "field": mismatch.field, **values}

    def __str__(self) -> str:
        where = f"tick {self.tick} ({self.time:.3f} s)"
        mismatch = self.mismatch
        if not mismatch.field:
            return f"{where}: the states differ in less than float32 can show"
        later = f", seen in tick {self.seen}" if self.seen != self.tick else ""
        name = f"{mismatch.entity} {mismatch.field}" if mismatch.entity else mismatch.field
        first, second = _distinct(mismatch.first, mismatch.second)
        return f"{where}: {name} is {first} and {second}{later}"


NOWHERE = Mismatch("", "", "", "")


@dataclass(frozen=True, slots=True)
class StateView:
    """State of a tick, as exact as a recording stores it."""

    layout: Layout
    commands: Row
    poses: Row
    twists: Row
    readings: Row

    @classmethod
    def of_row(cls, layout: Layout, block: RecordBlock, row: int) -> Self:
        """Return what one record shows."""
        return cls(layout, block.commands[row], block.poses[row], block.twists[row], block.readings[row])

    @classmethod
    def of_simulation(cls, simulation: Simulation) -> Self:
        """Return what the record of a simulation would show."""
        engine = simulation.engine
        with np.errstate(over="ignore"):
            floats = [array.astype(np.float32) for array in (engine.poses, engine.twists, simulation.readings)]
        return cls(simulation.layout, simulation.commands, *floats)


def is_shown(first: StateView, second: StateView) -> bool:
    """Return whether two records of the same layout show the same, bit by bit."""
    pairs = ((getattr(first, name), getattr(second, name)) for name in ("commands", "poses", "twists", "readings"))
    return all(
        array.shape == array_of_second.shape and array.tobytes() == array_of_second.tobytes()
        for array, array_of_second in pairs
    )


def visible(first: StateView, second: StateView, *, with_stamps: bool = True) -> Mismatch | None:
    """Return the first thing that differs between what two records show, None if nothing does.

    Commands come first, since they are a cause; then poses, twists, readings; each in the order of names.

    Args:
        first: One record.
        second: The other.
        with_stamps: Whether it counts how many commands came.
    """
    spots = _visible(first, second)
    return next((mismatch for mismatch in spots if with_stamps or not mismatch.field.endswith(".stamp")), None)


def _visible(first: StateView, second: StateView) -> Iterator[Mismatch]:
    missing = list(_membership(first.layout, second.layout))
    yield from missing
    if not missing:
        robots = sorted(first.layout.robot, key=by_name)
        yield from _robots(robots, first, second, "command")
        yield from _bodies(first, second, "pose", POSE)
        yield from _bodies(first, second, "twist", TWIST)
        yield from _robots(robots, first, second, "reading")


def _membership(first: Layout, second: Layout) -> Iterator[Mismatch]:
    names = sorted({*first.entity, *second.entity}, key=by_name)
    for name in names:
        kind_in_first, kind_in_second = (
            layout.entity[name].type if name in layout.entity else "missing" for layout in (first, second)
        )
        if kind_in_first != kind_in_second:
            yield Mismatch(name, "type", kind_in_first, kind_in_second)


def _robots(robots: Sequence[str], first: StateView, second: StateView, what: str) -> Iterator[Mismatch]:
    names_of = _command_names if what == "command" else reading_names
    for robot in robots:
        kinds = [sight.layout.robot[robot].type for sight in (first, second)]
        names, names_of_second = (names_of(kind) for kind in kinds)
        if names != names_of_second:
            yield Mismatch(robot, "modules", *(", ".join(module.name for module in kind.modules) for kind in kinds))
            continue
        spots = list(_row(robot, names, *(_robot_row(sight, robot, what) for sight in (first, second))))
        yield from sorted(spots, key=lambda mismatch: mismatch.field.endswith(".stamp"))  # what was commanded says more


def _robot_row(sight: StateView, robot: str, what: str) -> Row:
    place = sight.layout.robot[robot]
    if what == "command":
        return sight.commands[place.command_offset : place.command_offset + place.type.command_width]
    return sight.readings[place.reading_offset : place.reading_offset + place.type.reading_width]


def _bodies(first: StateView, second: StateView, what: str, columns: Sequence[str]) -> Iterator[Mismatch]:
    arrays = [sight.poses if what == "pose" else sight.twists for sight in (first, second)]
    rows = [{name: row for row, name in enumerate(sight.layout.bodies)} for sight in (first, second)]
    names = [f"{what}.{column}" for column in columns]
    for body in sorted(rows[0].keys() & rows[1].keys(), key=by_name):
        yield from _row(body, names, arrays[0][rows[0][body]], arrays[1][rows[1][body]])


def _row(entity: str, names: Sequence[str], first: Row, second: Row) -> Iterator[Mismatch]:
    """Yield what differs, bit by bit: a zero of another sign counts."""
    for column in np.flatnonzero(_words(first) != _words(second)).tolist():
        yield Mismatch(entity, names[column], float(first[column]), float(second[column]))


def _words(row: Row) -> Row:
    row = np.ascontiguousarray(row)
    return row.view(np.uint32 if row.itemsize == 4 else np.uint64)


# everything that is hashed, in float64


def hidden(first: Simulation, second: Simulation) -> Mismatch | None:
    """Return the first thing that differs between the whole states of two simulations, None if nothing does."""
    return next(iter(_hidden(first, second)), None)


def _hidden(first: Simulation, second: Simulation) -> Iterator[Mismatch]:
    missing = list(_membership(first.layout, second.layout))
    yield from missing
    if missing:
        return
    rows = [{name: row for row, name in enumerate(simulation.engine.names)} for simulation in (first, second)]
    for body in sorted(rows[0], key=by_name):
        row_of_first, row_of_second = rows[0][body], rows[1][body]
        for columns, mine, theirs in _moving(first.engine, second.engine):
            yield from _row(body, columns, mine[row_of_first], theirs[row_of_second])
    for block, block_of_second in zip(first.tables.blocks, second.tables.blocks, strict=True):
        for name, device in block.devices.items():
            for key in sorted(device.memory):
                begin = hashed_from(device, key, first.hash_rule)
                arrays = device.memory[key], block_of_second.devices[name].memory[key]
                yield from _memory(block.robots, f"{name}.{key}", begin, *arrays)
        names = reading_names(block.layout)
        for robot, row in block.row.items():
            yield from _row(robot, names, block.readings[row], block_of_second.readings[block_of_second.row[robot]])


def _moving(first: PhysicsEngine, second: PhysicsEngine) -> list[tuple[Sequence[str], Row, Row]]:
    """Return what the state hash covers of bodies: names of the columns, and both arrays."""
    if "height" in first.abilities:
        poses, twists = [f"pose.{name}" for name in POSE], [f"twist.{name}" for name in TWIST]
        return [(poses, first.poses, second.poses), (twists, first.twists, second.twists)]
    heights = first.height[:, np.newaxis], second.height[:, np.newaxis]
    return [(PLANAR, first.planar, second.planar), (("z",), *heights)]


def _memory(robots: Iterable[str], name: str, begin: int, first: Row, second: Row) -> Iterator[Mismatch]:
    for row, robot in enumerate(robots):
        values, values_of_second = np.ravel(first[row]), np.ravel(second[row])
        for column in (begin + np.flatnonzero(_words(values[begin:]) != _words(values_of_second[begin:]))).tolist():
            yield Mismatch(robot, f"{name}[{column}]", float(values[column]), float(values_of_second[column]))


def _plain(datum: Datum) -> Datum | None:
    return datum if isinstance(datum, str) or np.isfinite(datum) else None


def _distinct(first: Datum, second: Datum) -> tuple[str, str]:
    """Return both with the fewest digits that differ."""
    for digits in range(6, 18):
        pair = [f"{datum:.{digits}g}" if isinstance(datum, float) else datum for datum in (first, second)]
        if pair[0] != pair[1]:
            break
    return pair[0], pair[1]


def _command_names(kind: TypeLayout) -> list[str]:
    """Return the names of a robot's command row: `motors.stamp`, `motors.number`, `motors.value[0]`."""
    names = [""] * kind.command_width
    for module in kind.modules:
        if module.command_offset >= 0:
            values = [f"value[{index}]" for index in range(module.interface.setting_width)]
            slot = [f"{module.name}.{name}" for name in ("stamp", "number", *values)]
            names[module.command_offset : module.command_offset + VALUES + len(values)] = slot
    return names
