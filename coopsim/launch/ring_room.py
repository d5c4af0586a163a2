"""Shared memory of a run: how large it must be for the robots of the run, and how large it had better be."""

from dataclasses import dataclass
from typing import Self

from coopsim.errors import BadArgument, InternalError
from coopsim.robots import RunSpec, command_width
from coopsim.state import HEADER_BYTES, Layout
from coopsim.state.layout import LAYOUT_BYTES
from coopsim.transport import Ring
from coopsim.transport.shared_memory import free_bytes

_COMMAND_FLOATS = 20
"""Command values of a robot that may come later, generously."""
_ROBOT_BYTES, _BODY_BYTES = 768, 8 * 13
"""A robot's and an object's part of a record, generously; commands beyond `_COMMAND_FLOATS` are added to it."""
# bytes; slow readers get their second even of a small scene. Memory that is written for the first time costs seven
# times as much as the copy of a record, so a ring comes round soon: after some twenty records of ten thousand robots
_SMALLEST_RING, _LARGEST_RING = 32 << 20, 128 << 20
_SECONDS = 2.0  # s of records: a reader that sleeps that long has lost none
_AREAS = 2
"""Areas of command rows: one for each parity of the generation."""
_RECORDS = 2
"""Records that fit at least: one is read while the next is written."""


@dataclass(frozen=True, slots=True)
class RingRoom:
    """Room that the robots of a run need in shared memory.

    Attributes:
        robots: How many there are at the start.
        known: Those of them whose type is known; a replay knows none, and has room as for robots that come later.
        command_floats: Command values of all of them.
        record_bytes: Size of a record of all of them and of the objects that move.
        step: Simulated time between two records [s].
    """

    robots: int
    known: int
    command_floats: int
    record_bytes: int
    step: float

    @classmethod
    def of_run(cls, spec: RunSpec) -> Self:
        """Return the room for a run that is simulated."""
        scenario = spec.scenario
        types = [spec.types[placement.type] for placement in scenario.robots if placement.type in spec.types]
        moving = sum(1 for item in scenario.world.objects if item.mass > 0)
        moving += sum(len(blueprint.links) for blueprint in types)
        distinct = {blueprint.name: blueprint for blueprint in types}
        widths = {name: command_width(blueprint) for name, blueprint in distinct.items()}
        floats = sum(widths[blueprint.name] for blueprint in types)
        wider = sum(max(0, widths[blueprint.name] - _COMMAND_FLOATS) for blueprint in types)
        record = HEADER_BYTES + _ROBOT_BYTES * len(scenario.robots) + _BODY_BYTES * moving + 8 * wider
        return cls(len(scenario.robots), len(types), floats, record, scenario.settings.step)

    def commands_for(self, max_robots: int) -> int:
        """Return the command values of all robots when further ones have come, `max_robots` in all."""
        return self.command_floats + _COMMAND_FLOATS * max(0, max_robots - self.known)

    @property
    def least(self) -> int:
        """The smallest ring that serves the robots of the start [bytes]."""
        return _RECORDS * (self.record_bytes + LAYOUT_BYTES * self.robots)

    def wanted(self, max_robots: int) -> int:
        """Return the size of a ring for two seconds, and for some records of `max_robots` robots [bytes]."""
        seconds = int(_SECONDS / self.step * self.record_bytes)
        # whatever is inserted later, some records must fit
        later = (_ROBOT_BYTES + LAYOUT_BYTES) * max(0, max_robots - self.robots)
        return max(_SMALLEST_RING, self.least + _RECORDS * later, min(seconds, _LARGEST_RING))


def robots_like(layout: Layout) -> int:
    """Return how many ordinary robots need as much room as those of a recording that begins with this layout."""
    record = 8 * (13 * len(layout.bodies) + layout.reading_size + layout.command_size)
    return max(len(layout.robots), -(-layout.command_size // _COMMAND_FLOATS), -(-record // _ROBOT_BYTES))


def create_ring(spec: RunSpec, max_robots: int) -> Ring:
    """Return shared memory that holds two seconds of records, fewer where the machine lacks the room.

    Args:
        spec: What runs.
        max_robots: Robots that memory is set aside for.

    Raises:
        BadArgument: There is too little for the robots of the start.
    """
    room = RingRoom.of_run(spec)
    ring_bytes, command_floats = room.wanted(max_robots), room.commands_for(max_robots)
    least = max(_SMALLEST_RING // 16, room.least)
    while True:
        try:
            return Ring.create(ring_bytes=ring_bytes, command_floats=command_floats)
        except InternalError as problem:
            if ring_bytes <= least:
                raise _too_many(room, least, command_floats, problem) from None
            ring_bytes = max(least, ring_bytes // 2)
            command_floats = max(room.command_floats, command_floats // 2)


def _too_many(room: RingRoom, ring_bytes: int, command_floats: int, problem: InternalError) -> BadArgument:
    """Return the refusal of a run that this machine has no memory for: it says how many robots would fit."""
    needed = ring_bytes + 8 * _AREAS * command_floats
    fitting = room.robots * free_bytes() // needed
    return BadArgument(
        f"{problem}: {room.robots} robots need them, and about {fitting} of the same types would fit in what is free"
    )
