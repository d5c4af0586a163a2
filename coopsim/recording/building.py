"""Consecutive records on their way into the file, gathered into one message."""

from operator import attrgetter
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.recording import tables
from coopsim.recording.block import HASH_BYTES
from coopsim.recording.channels import EDITS, HEADS, KEYFRAMES, TICKS
from coopsim.recording.chunks import ChannelMessage
from coopsim.state import Record, RecordHeader
from coopsim.state.record import HEADER_BYTES

_MOST_RECORDS, _WISHED_RECORDS = 128, 32  # what a seek decodes at most to reach one; fewer compress worse
# half a megabyte compresses well; more than 8 would be lost by a kill
_WISHED_BYTES, _MOST_BYTES = 1 << 19, 1 << 23
_HEAD_BYTES = 8 * len(HEADS) + HASH_BYTES  # of one record


def capacity(header: RecordHeader) -> int:
    """Return how many records of this size one message holds.

    Many compress better, few are read faster; a recording of ten robots gets one to a second.
    """
    size = _HEAD_BYTES + 4 * (13 * header.bodies + header.readings) + 8 * header.commands
    wished = max(_WISHED_RECORDS, _WISHED_BYTES // size)
    return max(1, min(_MOST_RECORDS, wished, _MOST_BYTES // size))


class Builder:
    """Gathers records of one size and one generation.

    Args:
        header: Of the first of them.
        gap: Records that are missing before the first one.
        since_ns: What makes dates of the monotonic clock.
    """

    def __init__(self, header: RecordHeader, gap: int, since_ns: int = 0) -> None:
        self._shape, self._since_ns = _shape(header), since_ns
        self._generation, self._gap = header.generation, gap
        self.capacity = capacity(header)
        self.records = 0
        self._heads: list[tuple[int, ...]] = []
        self._speeds: list[float] = []
        # arrays of all records are read together: one by one that takes longer than the tick of a few robots
        self._arrays: list[bytes] = []
        self._ends = np.cumsum([7 * header.bodies, 6 * header.bodies, header.readings]).tolist()
        self._hashes: list[bytes] = []
        self._companions: list[ChannelMessage] = []

    def accepts(self, header: RecordHeader) -> bool:
        """Return whether a record with this header may come next."""
        return self.records < self.capacity and self._shape == _shape(header)

    def add(self, record: Record, position_ns: int, keyframe: bytes) -> None:
        """Add the next record.

        Args:
            record: Of the size and generation that `takes` agreed to.
            position_ns: Where it lies on the time line of the recording.
            keyframe: State of the simulation at this record; b"" = none.
        """
        header = record.header
        self._heads.append(_head(header, position_ns))
        self._speeds.append(header.speed)
        self._arrays.append(record.raw_arrays)
        self._hashes.append(header.state_hash)
        if header.edits_bytes:
            self._companions.append(self._companion(EDITS, header, position_ns, edits=record.edits))
        if keyframe:
            self._companions.append(self._companion(KEYFRAMES, header, position_ns, state=keyframe))
        self.records += 1

    def messages(self) -> list[ChannelMessage]:
        """Return what stands in the file for these records."""
        count = self.records
        heads = np.array(self._heads, np.uint64)
        ends: dict[str, NDArray[np.uint64]] = {name: heads[[0, -1], HEADS.index(name)] for name in _RANGES}
        rows = np.frombuffer(b"".join(self._arrays), np.float64).reshape(count, -1)[:, HEADER_BYTES // 8 :]
        *floats, commands = np.split(rows, self._ends, axis=1)
        arrays = {"heads": heads, "speed": np.array(self._speeds)[:, np.newaxis], "commands": commands}
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite
            arrays |= zip(("poses", "twists", "readings"), (part.astype(np.float32) for part in floats), strict=True)
        message: dict[str, Any] = {"records": count, "generation": self._generation, "gap": self._gap}
        message |= {name: pair.tolist() for name, pair in ends.items()}
        message["hashes"] = b"".join(self._hashes)
        message |= {name: tables.pack(array) for name, array in arrays.items()}
        date = self._date(int(heads[0, HEADS.index("wall_ns")]))
        return [ChannelMessage(TICKS, int(ends["position_ns"][0]), msgpack.packb(message), date), *self._companions]

    def _companion(self, channel: int, header: RecordHeader, position_ns: int, **content: Any) -> ChannelMessage:
        message = {"row": self.records, "tick": header.tick, "time_ns": header.time_ns, **content}
        return ChannelMessage(channel, position_ns, msgpack.packb(message), self._date(header.wall_ns))

    def _date(self, wall_ns: int) -> int:
        return max(0, wall_ns + self._since_ns)


_RANGES = ("tick", "position_ns", "revision")


def _shape(header: RecordHeader) -> tuple[int, ...]:
    return header.generation, header.bodies, header.readings, header.commands


def _head(header: RecordHeader, position_ns: int) -> tuple[int, ...]:
    flags = header.paused + 2 * header.ended
    before, after = _BEFORE(header), _AFTER(header)
    return (*before, position_ns, header.step_ns, header.mode, flags, *after)


_BEFORE = attrgetter(*HEADS[: HEADS.index("position_ns")])
_AFTER = attrgetter(*HEADS[HEADS.index("flags") + 1 :])
