"""Some consecutive records of one layout, read from the file: one message of `/coopsim/ticks` with its edits."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.geometry import Floats
from coopsim.recording import tables
from coopsim.recording.channels import HEADS
from coopsim.state import Record, RecordHeader
from coopsim.state.record import padded

HASH_BYTES = 16
_FLOAT32, _FLOAT64, _UINT64 = np.dtype("<f4"), np.dtype("<f8"), np.dtype("<u8")
_COLUMN = {name: column for column, name in enumerate(HEADS)}
_PAUSED, _ENDED = 1, 2


class Block:
    """Records as arrays, row by row; tables are decoded when they are first asked for.

    Args:
        message: The message of `/coopsim/ticks`.
        edits: Edits by row.
        keyframes: Key frames by row.

    Attributes:
        records: How many records it holds.
        generation: Of the layout that their columns follow.

    Raises:
        DamagedRecording: By every attribute, when the message is not what it should be.
    """

    def __init__(
        self, message: Mapping[str, Any], edits: Mapping[int, list[dict[str, Any]]], keyframes: Mapping[int, bytes]
    ) -> None:
        self._message, self.edits, self.keyframes = message, edits, keyframes
        self.records: int = message["records"]
        self.generation: int = message["generation"]

    def __len__(self) -> int:
        return self.records

    @cached_property
    def heads(self) -> NDArray[np.uint64]:
        """What stands in the headers of the records, columns as `HEADS`, shape (n, len(HEADS))."""
        heads = self._table("heads", _UINT64)
        if heads.shape[1] != len(HEADS):
            raise DamagedRecording(f"a record has {heads.shape[1]} header columns instead of {len(HEADS)}")
        return heads

    def head(self, name: str) -> NDArray[np.uint64]:
        """Return one column of the headers, shape (n,).

        Args:
            name: One of `HEADS`.
        """
        return self.heads[:, _COLUMN[name]]

    @property
    def ticks(self) -> NDArray[np.uint64]:
        """Tick of each record, shape (n,)."""
        return self.head("tick")

    @property
    def positions_ns(self) -> NDArray[np.uint64]:
        """Time on the recording's own time line, which never goes back, shape (n,)."""
        return self.head("position_ns")

    @cached_property
    def poses(self) -> NDArray[np.float32]:
        """Position and quaternion w x y z of every moving body, shape (n, bodies, 7)."""
        return self._table("poses", _FLOAT32).reshape(self.records, -1, 7)

    @cached_property
    def twists(self) -> NDArray[np.float32]:
        """Velocity and angular velocity of every moving body, shape (n, bodies, 6)."""
        return self._table("twists", _FLOAT32).reshape(self.records, -1, 6)

    @cached_property
    def readings(self) -> NDArray[np.float32]:
        """Readings of all robots, shape (n, readings)."""
        return self._table("readings", _FLOAT32)

    @cached_property
    def commands(self) -> Floats:
        """Commands of all robots, shape (n, commands)."""
        return self._table("commands", _FLOAT64)

    @cached_property
    def hashes(self) -> NDArray[np.uint8]:
        """State hash of each record, shape (n, 16)."""
        return np.frombuffer(self._message["hashes"], np.uint8).reshape(self.records, HASH_BYTES)

    @property
    def decoded_bytes(self) -> int:
        """About how much memory it takes with all tables decoded."""
        names = ("heads", "poses", "twists", "readings", "commands")
        return 2 * sum(len(self._message[name]["planes"]) for name in names)

    def record(self, row: int) -> Record:
        """Return one record; poses, twists and readings are as exact as float32."""
        heads = self.heads[row].tolist()
        tick, revision, time_ns, _, step_ns, mode, flags, overruns, max_lateness_ns, slipped_ns, wall_ns = heads
        applied = self.edits.get(row)
        edits = msgpack.packb(applied) if applied else b""
        keyframe = self.keyframes.get(row, b"")
        header = RecordHeader(
            tick=tick,
            revision=revision,
            time_ns=time_ns,
            step_ns=step_ns,
            generation=self.generation,
            mode=mode,
            paused=bool(flags & _PAUSED),
            ended=bool(flags & _ENDED),
            bodies=self.poses.shape[1],
            readings=self.readings.shape[1],
            commands=self.commands.shape[1],
            edits_bytes=len(edits),
            overruns=overruns,
            max_lateness_ns=max_lateness_ns,
            slipped_ns=slipped_ns,
            wall_ns=wall_ns,
            keyframe_bytes=len(keyframe),
            speed=float(self.speeds[row]),
            state_hash=self.hashes[row].tobytes(),
        )
        arrays = (self.poses, self.twists, self.readings, self.commands)
        parts = [np.asarray(array[row], _FLOAT64).tobytes() for array in arrays]
        tails = [each.ljust(padded(len(each)), b"\0") for each in (edits, keyframe)]
        return Record(b"".join((header.pack(), *parts, *tails)))

    @cached_property
    def speeds(self) -> Floats:
        """Simulated seconds per real second asked for, shape (n,)."""
        return self._table("speed", _FLOAT64)[:, 0]

    def _table(self, name: str, kind: np.dtype[Any]) -> NDArray[Any]:
        try:
            return tables.unpack(self._message[name], self.records, kind)
        except (KeyError, TypeError, ValueError) as problem:
            raise DamagedRecording(f"table {name!r} of the recording cannot be read: {problem!r}") from None
