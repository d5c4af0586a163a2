"""Some consecutive records of one layout, read from the file: one message of `/coopsim/ticks` with its edits."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from coopsim.errors import DamagedRecording
from coopsim.geometry import Floats
from coopsim.recording import tables
from coopsim.recording.channels import HEADS
from coopsim.state import MODES, Layout, Record, RecordHeader
from coopsim.state.edits import AppliedEdit
from coopsim.state.record import padded

if TYPE_CHECKING:
    from coopsim.recording.messages import Table, Ticks

HASH_BYTES = 16  # xxh3 in 128 bits
_FLOAT32, _FLOAT64, _UINT64 = np.dtype("<f4"), np.dtype("<f8"), np.dtype("<u8")
_COLUMN = {name: column for column, name in enumerate(HEADS)}
_PAUSED, _ENDED = 1, 2  # bits of the flags
_LARGEST = np.uint64(1 << 63)
_COUNTABLE = float(1 << 53)


class RecordBlock:
    """Records as arrays, row by row; tables are decoded when they are first asked for.

    Args:
        message: The message of `/coopsim/ticks`.
        edits: Edits by row.
        keyframes: Key frames by row.
        where: What errors begin with.

    Attributes:
        records: How many records it holds.
        generation: Of the layout that their columns follow.

    Raises:
        DamagedRecording: By every attribute, when the message is not what it should be.
    """

    def __init__(
        self,
        message: "Ticks",
        edits: Mapping[int, list[AppliedEdit]],
        keyframes: Mapping[int, bytes],
        where: str = "",
    ) -> None:
        self._message, self.edits, self.keyframes = message, edits, keyframes
        self._where = f"{where}: " if where else ""
        self.records: int = message["records"]
        self.generation: int = message["generation"]
        self._stamps: list[int] = []

    def __len__(self) -> int:
        return self.records

    @cached_property
    def heads(self) -> NDArray[np.uint64]:
        """Headers of the records, columns as `HEADS`, shape (n, len(HEADS))."""
        heads = self._table("heads", _UINT64)
        if heads.shape[1] != len(HEADS):
            raise self._damaged("heads", f"expected {len(HEADS)} columns, found {heads.shape[1]}")
        if heads.max() >= _LARGEST:
            raise self._damaged("heads", f"expected numbers below 2^63, found {heads.max()}")
        self._check_heads(heads)
        return heads

    def _check_heads(self, heads: NDArray[np.uint64]) -> None:
        """Check that the headers are what the message says of them."""
        for name in ("tick", "position_ns", "revision"):
            column = heads[:, _COLUMN[name]]
            if column[[0, -1]].tolist() != list(self._message[name]):
                raise self._damaged("heads", f"the first and the last {name} are not {self._message[name]}")
            if name == "position_ns" and (column[1:] < column[:-1]).any():
                raise self._damaged("heads", f"{name} goes back")
        mode, flags = (int(heads[:, _COLUMN[name]].max()) for name in ("mode", "flags"))
        if mode >= len(MODES) or flags > _PAUSED | _ENDED:
            raise self._damaged("heads", f"expected modes below {len(MODES)} and flags below 4, found {mode}, {flags}")

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
        commands = self._table("commands", _FLOAT64)
        counts = np.ascontiguousarray(commands[:, self._stamps])
        if not (np.abs(counts) < _COUNTABLE).all():
            raise self._damaged("commands", "expected stamps and numbers of commands below 2^53")
        return commands

    @cached_property
    def hashes(self) -> NDArray[np.uint8]:
        """State hash of each record, shape (n, 16)."""
        hashes = self._message["hashes"]
        if len(hashes) != self.records * HASH_BYTES:
            raise self._damaged("hashes", f"expected {self.records * HASH_BYTES} bytes, found {len(hashes)}")
        return np.frombuffer(hashes, np.uint8).reshape(self.records, HASH_BYTES)

    @property
    def decoded_bytes(self) -> int:
        """About how much memory it takes with all tables decoded."""
        return 2 * sum(len(table["planes"]) for table in self._tables.values())

    def check_columns(self, layout: Layout) -> None:
        """Check that the tables have the columns of a layout.

        Raises:
            DamagedRecording: One has others.
        """
        bodies = len(layout.bodies)
        expected = {
            "heads": len(HEADS),
            "speed": 1,
            "poses": 7 * bodies,
            "twists": 6 * bodies,
            "readings": layout.reading_size,
            "commands": layout.command_size,
        }
        for name, table in self._tables.items():
            columns = len(table["sums"])
            if columns != expected[name]:
                raise self._damaged(
                    name, f"expected {expected[name]} columns by layout {self.generation}, found {columns}"
                )
        self._stamps = layout.counting_columns

    def record(self, row: int) -> Record:
        """Return one record; poses, twists and readings are as exact as float32."""
        heads = self.heads[row].tolist()
        tick, revision, time_ns, _, step_ns, mode, flags, overruns, max_lateness_ns, slipped_ns, wall_ns = heads
        applied = self.edits.get(row)
        edits = msgpack.packb([tail.to_plain() for tail in applied]) if applied else b""
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
        tails = [tail.ljust(padded(len(tail)), b"\0") for tail in (edits, keyframe)]
        return Record(b"".join((header.pack(), *parts, *tails)))

    @cached_property
    def speeds(self) -> Floats:
        """Simulated seconds per real second asked for, shape (n,)."""
        return self._table("speed", _FLOAT64)[:, 0]

    def _table(self, name: str, kind: np.dtype[Any]) -> NDArray[Any]:
        try:
            return tables.unpack(self._tables[name], self.records, kind)
        except DamagedRecording as problem:
            raise self._damaged(name, str(problem)) from None

    @property
    def _tables(self) -> "dict[str, Table]":
        message = self._message
        first = {
            "heads": message["heads"],
            "speed": message["speed"],
            "poses": message["poses"],
            "twists": message["twists"],
        }
        return {**first, "readings": message["readings"], "commands": message["commands"]}

    def _damaged(self, name: str, text: str) -> DamagedRecording:
        return DamagedRecording(f"{self._where}table {name!r}: {text}")
