"""A simulation in this process, recorded: for sweeps, benchmarks and programs without servers."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgpack

from coopsim.features.proof.pace import Pace
from coopsim.recording import Writer
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.keyframes import KeyFrames
from coopsim.state import Record, RecordHeader
from coopsim.state.edits import AnyEdit, AppliedEdit, Checkpoint, EditResult, SceneEdit


class RecordedRun:
    """A simulation whose every tick and edit goes into a file, as `coopsim run --record` writes it.

    It begins with a checkpoint, so that `verify` can prove it from its first record on.

    Args:
        simulation: What to record, from where it stands.
        path: A new file.
        metadata: What should be known about the run.
        attachments: Texts by name.
        mode: What the records say about the pace.
        clock: Real time of the monotonic clock [s]; with a `began` in the metadata it decides every byte of the file.

    Attributes:
        simulation: Commands are written in place.
        writer: Of the file.

    Raises:
        CannotRecord: By every method: the file exists or cannot be written.
    """

    def __init__(
        self,
        simulation: Simulation,
        path: str | Path,
        *,
        metadata: Mapping[str, Any] | None = None,
        attachments: Mapping[str, str] | None = None,
        mode: str = "free",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.simulation = simulation
        self.writer = Writer(path, metadata=metadata, attachments=attachments, clock=clock)
        self._clock = clock
        self._pace = Pace(mode)
        self._revision = 0
        self._keyframes = KeyFrames()
        self._generation = -1
        self.edit(Checkpoint(self._pace.state))

    def tick(self, count: int = 1) -> None:
        """Do a number of ticks."""
        for _ in range(count):
            self.simulation.tick()
            self._pace.tick()
            happened, self.simulation.happened = self.simulation.happened, []
            self._write(happened)

    def edit(self, edit: AnyEdit) -> EditResult:
        """Carry out an edit between two ticks; one of the pace changes what records say alone.

        Raises:
            CoopsimError: It cannot be done; nothing is written.
        """
        result = apply(self.simulation, edit) if isinstance(edit, SceneEdit) else EditResult()
        self._pace.follow(edit)
        self._write([AppliedEdit(edit)])
        return result

    def close(self) -> None:
        """Finish the file."""
        self.writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, edits: list[AppliedEdit]) -> None:
        simulation, engine = self.simulation, self.simulation.engine
        if simulation.layout.generation != self._generation:
            self._generation = simulation.layout.generation
            self.writer.layout(simulation.layout)
        arrays = (engine.poses, engine.twists, simulation.readings, simulation.commands)
        packed = msgpack.packb([applied.to_plain() for applied in edits]) if edits else b""
        raw = self._header(len(packed)).pack() + b"".join(array.tobytes() for array in arrays) + packed
        self.writer.write(Record(raw + bytes(-len(raw) % 8)), self._keyframes.next(simulation))
        self._revision += 1

    def _header(self, edits_bytes: int) -> RecordHeader:
        simulation = self.simulation
        return RecordHeader(
            tick=simulation.tick_count,
            revision=self._revision,
            time_ns=simulation.time_ns,
            step_ns=simulation.step_ns,
            generation=simulation.layout.generation,
            mode=self._pace.mode_number,
            paused=self._pace.stands,
            speed=self._pace.speed,
            bodies=len(simulation.engine.names),
            readings=simulation.readings.size,
            commands=simulation.commands.size,
            edits_bytes=edits_bytes,
            wall_ns=round(self._clock() * 1e9),
            state_hash=simulation.state_hash(),
        )
