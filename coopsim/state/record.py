"""The record of a tick: the only thing that is served, streamed, stored and hashed.

Layout of its bytes, little-endian: a header of 192 bytes (see `RecordHeader`), then float64 arrays poses (n, 7),
twists (n, 6), readings, commands, then the edits applied in this tick as a msgpack array, a key frame and the layout,
where there is one; each of the three is padded to 8 bytes.
"""

import struct
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import msgpack
import numpy as np

from coopsim.errors import InternalError
from coopsim.geometry import Floats

MODES = ("real-time", "lockstep", "free")
HEADER_BYTES = 192  # a multiple of 64: the arrays begin at a cache line
_FORMAT = struct.Struct("<18Qd16s24x")
HASH_BEGIN = 152
"""Where the state hash stands in the header."""
_FLAGS = 7  # where they stand in the header
_FLAG_PAUSED, _FLAG_ENDED = 1, 2


def padded(size: int) -> int:
    """Return the next multiple of 8."""
    return (size + 7) // 8 * 8


class RecordHeader(NamedTuple):
    """Facts of a record besides its arrays.

    Attributes:
        tick: How many steps were done; it goes on when the clock is reset, and only a replay shows it go back.
        revision: Grows with every record, also while the tick stands still.
        mode: Index into `MODES`.
        wall_ns: Monotonic clock when it was published; no part of the hash.
        keyframe_bytes: Length of the state that a run can be continued from; 0 = none in this record.
        layout_bytes: Length of the layout; 0 = none in this record, it is the one of the record before.
        state_hash: xxh3-128 over bodies, device memory and readings.
    """

    tick: int = 0
    revision: int = 0
    time_ns: int = 0
    step_ns: int = 10_000_000
    generation: int = 0
    mode: int = 0
    paused: bool = False
    ended: bool = False
    bodies: int = 0
    readings: int = 0
    commands: int = 0
    edits_bytes: int = 0
    overruns: int = 0
    max_lateness_ns: int = 0
    slipped_ns: int = 0
    wall_ns: int = 0
    keyframe_bytes: int = 0
    layout_bytes: int = 0
    speed: float = 1.0
    state_hash: bytes = bytes(16)

    @property
    def size(self) -> int:
        """Bytes of the whole record, a multiple of 8."""
        arrays = HEADER_BYTES + 8 * (13 * self.bodies + self.readings + self.commands)
        # most records of a run have none of the three: this is asked in each tick
        if not (self.edits_bytes or self.keyframe_bytes or self.layout_bytes):
            return arrays
        return arrays + padded(self.edits_bytes) + padded(self.keyframe_bytes) + padded(self.layout_bytes)

    @property
    def layout_begin(self) -> int:
        """First byte of the layout."""
        return self.arrays_end + padded(self.edits_bytes) + padded(self.keyframe_bytes)

    @property
    def arrays_end(self) -> int:
        """First byte of the edits."""
        return HEADER_BYTES + 8 * (13 * self.bodies + self.readings + self.commands)

    @property
    def readings_begin(self) -> int:
        """First byte of the readings."""
        return HEADER_BYTES + 8 * 13 * self.bodies

    def pack(self, size: int = 0) -> bytes:
        """Return the header's bytes; the first 8 are the size of the record, counted anew unless it is known."""
        flags = _FLAG_PAUSED * self.paused + _FLAG_ENDED * self.ended
        return _FORMAT.pack(size or self.size, *self[: _FLAGS - 1], flags, *self[_FLAGS + 1 :])

    @classmethod
    def unpack(cls, raw: bytes | memoryview) -> "RecordHeader":
        """Return the header that the first bytes of a record hold."""
        values = _FORMAT.unpack_from(raw)
        flags = values[_FLAGS]
        is_paused, has_ended = bool(flags & _FLAG_PAUSED), bool(flags & _FLAG_ENDED)
        return cls._make((*values[1:_FLAGS], is_paused, has_ended, *values[_FLAGS + 1 :]))


_T = TypeVar("_T")


class _Once(Generic[_T]):
    """A property that is computed once; that of the standard library takes a lock each time until Python 3.12."""

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, record: Any, _: type | None = None) -> _T:
        if record is None:
            return self  # type: ignore[return-value]  # asked of the class, by what shows documentation
        value = record.__dict__[self._name] = self._compute(record)
        return value


class Record:
    """A record, read from its bytes; arrays are views that must not be written.

    Args:
        raw: Its bytes.
        header: What they begin with, where that is known.

    Attributes:
        header: Everything besides the arrays.

    Raises:
        InternalError: The bytes are cut off.
    """

    def __init__(self, raw: bytes, header: RecordHeader | None = None) -> None:
        self._bytes = raw
        # who hands over the header has read it in the ring already, and checked it
        if header is not None:
            self.header = header
            return
        if len(raw) < HEADER_BYTES:
            raise InternalError(f"a record has at least {HEADER_BYTES} bytes, this one has {len(raw)}")
        self.header = RecordHeader.unpack(raw)
        # a writer that is killed leaves a record that is cut off
        if len(raw) < self.header.size:
            raise InternalError(f"a record of {self.header.size} bytes is cut off after {len(raw)}")

    @property
    def _raw(self) -> bytes:
        return self._bytes

    def complete(self) -> None:
        """Wait until all of it is there, which it is unless somebody waits for its readings alone."""

    @property
    def raw_arrays(self) -> bytes:
        """Header and arrays as they lie in memory: of equal length in all records of a layout."""
        return self._raw[: self.header.arrays_end]

    @property
    def tick(self) -> int:
        """Number of steps that were done."""
        return self.header.tick

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.header.time_ns / 1e9

    @property
    def generation(self) -> int:
        """Generation of the layout that the arrays follow."""
        return self.header.generation

    @property
    def mode(self) -> str:
        """`real-time`, `lockstep` or `free`."""
        return MODES[self.header.mode]

    @_Once
    def poses(self) -> Floats:
        """Position of the base and quaternion w x y z of every moving body, shape (n, 7)."""
        return self._array(0, 7 * self.header.bodies).reshape(-1, 7)

    @_Once
    def twists(self) -> Floats:
        """Velocity and angular velocity of every moving body in the world frame, shape (n, 6)."""
        return self._array(7 * self.header.bodies, 6 * self.header.bodies).reshape(-1, 6)

    @_Once
    def readings(self) -> Floats:
        """Readings of all robots, flat (see `Layout`)."""
        return self._array(13 * self.header.bodies, self.header.readings)

    @_Once
    def commands(self) -> Floats:
        """Commands latched in this tick, flat (see `Layout`)."""
        return self._array(13 * self.header.bodies + self.header.readings, self.header.commands)

    @_Once
    def edits(self) -> list[dict[str, Any]]:
        """Edits and timed events applied at the beginning of this tick, in order."""
        if not self.header.edits_bytes:
            return []
        start = self.header.arrays_end
        edits: list[dict[str, Any]] = msgpack.unpackb(self._raw[start : start + self.header.edits_bytes])
        return edits

    @property
    def keyframe(self) -> bytes:
        """The state after this tick that a run can be continued from; b"" in most records."""
        start = self.header.arrays_end + padded(self.header.edits_bytes)
        return self._raw[start : start + self.header.keyframe_bytes]

    @property
    def packed_layout(self) -> bytes:
        """The layout as it travels between processes (see `transport.layouts`); b"" in most records."""
        start = self.header.layout_begin
        return self._raw[start : start + self.header.layout_bytes]

    def _array(self, offset: int, length: int) -> Floats:
        # a view: readings are answered in each tick, and copies would double what that takes
        return np.frombuffer(self._raw, np.float64, length, HEADER_BYTES + 8 * offset)
