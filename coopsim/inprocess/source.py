"""A simulation in this process as servers see it: records, commands, edits and ticks, without shared memory."""

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from coopsim.errors import BadArgument, CoopsimError, NotInThisMode, SimulationEnded
from coopsim.geometry import Floats
from coopsim.interfaces.simulation import MOST_STEPS
from coopsim.simulation import Simulation
from coopsim.simulation.costs import SampledCosts
from coopsim.simulation.edits import apply
from coopsim.simulation.latch import CommandLatch
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.records import Timing, check_finite, header_of, serialize_edits
from coopsim.state import MODES, Layout, Record
from coopsim.state.edits import (
    AnyEdit,
    AppliedEdit,
    Continue,
    EditResult,
    Note,
    Pause,
    PlaybackCommand,
    SceneEdit,
    SetMode,
    SetSpeed,
    SetStep,
    Step,
    UnknownEdit,
    note,
)
from coopsim.transport.carrying import carry_commands

if TYPE_CHECKING:
    from coopsim.transport import Answer

LOCKSTEP = MODES.index("lockstep")
SMALLEST_STEP = 1e-4  # s; as small as an edit allows, see `interfaces.simulation`
_PUNCTUAL = Lateness()
"""Nothing is paced here, so nothing is late."""


class DirectSource:
    """Does ticks when they are permitted and edits at once, in the thread that asks.

    Everything but `work` happens under the lock of `Modules`.

    Args:
        simulation: What ticks.
        duration: Simulated time after which it ends [s]; None = never.
        published: Called with each record.
        is_over: Asked after each tick whether it was the last one.
        is_hashed: Whether records have state hashes, which nothing in this process needs.

    Raises:
        BadArgument: The simulation is served already.

    Attributes:
        layout: Of the newest generation.
        facts: Other facts about the run: engine, devices that failed.
        ended: Whether there will be no more ticks.
        largest_edit: Bytes of the largest edit.
    """

    def __init__(
        self,
        simulation: Simulation,
        *,
        duration: float | None = None,
        published: Callable[[Record], object] = lambda _: None,
        is_over: Callable[[], bool] = lambda: False,
        is_hashed: bool = True,
    ) -> None:
        if simulation.latch is not None:
            raise BadArgument("this simulation is served already; connect to its server instead")
        self._simulation, self._published, self._is_over = simulation, published, is_over
        self._costs = SampledCosts(simulation)
        self._is_hashed = is_hashed
        self.layout, self.ended, self.largest_edit = simulation.layout, False, sys.maxsize
        self.facts: Mapping[str, Any] = {"engine": simulation.engine_name}
        self.compiling: Mapping[str, int] = {}
        self._last_ns = None if duration is None else round(duration * 1e9)
        self._rows = np.zeros(self.layout.command_size)
        self._is_paused = self._is_permitted = self._is_new = False
        self._revision = self._steps_left = 0
        self._edits: list[AppliedEdit] = []
        self._latch = simulation.latch = CommandLatch(simulation, self)
        self._publish()

    # what servers ask

    @property
    def now(self) -> tuple[Layout, Record]:
        """The newest record and its layout."""
        return self.layout, self._record

    @property
    def record(self) -> Record:
        """The newest record."""
        return self._record

    def follow_layouts(self) -> None:
        """A layout is in force with its first record."""

    def writing(self) -> AbstractContextManager[tuple[Layout, Floats]]:
        """Give (layout, flat command rows in that layout) to write."""
        return nullcontext((self.layout, self._rows))

    def grant_tick(self) -> None:
        """Do one tick by `work`."""
        self._is_permitted = True

    def edit(self, edit: AnyEdit, answer: "Callable[[Answer], None]") -> None:
        """Carry out an edit and answer it."""
        from coopsim.transport import Answer

        if self.ended:
            answer(Answer(SimulationEnded.code, "the simulation has ended"))
            return
        result, refusal = EditResult(), None
        try:
            result = self._carry_out(edit)
        except CoopsimError as problem:
            refusal = problem
        answer(Answer.of(0, self._simulation.tick_count, result, refusal))

    # what a simulation asks

    def latch(self, generation: int, out: Floats) -> bool:
        """Copy the commands of a generation into `out`; False if there are none."""
        if generation != self.layout.generation:
            return False
        out[:] = self._rows
        return True

    # time

    def work(self) -> bool:
        """Do the tick that is permitted; return whether there is a record that was not there before."""
        if self._is_permitted:
            self._is_permitted = False
            self._tick()
        is_new, self._is_new = self._is_new, False
        return is_new

    def _tick(self) -> None:
        try:
            costs = self._costs.tick()
            if costs is not None:
                self.facts = {**self.facts, "costs": costs}
            self._steps_left = max(0, self._steps_left - 1)
            is_late = self._last_ns is not None and self._simulation.time_ns >= self._last_ns
            self.ended = is_late or self._is_over()
            self._publish()
        except BaseException:
            self.ended = True
            raise

    # edits

    def _carry_out(self, edit: AnyEdit) -> EditResult:
        result = self._do(edit)
        if edit.is_recorded:
            note(self._edits, edit)
            if not edit.waits_for_tick:
                self._publish()
        while self._steps_left and not self.ended:
            self._tick()
        return result

    def _do(self, edit: AnyEdit) -> EditResult:
        match edit:
            case SceneEdit():
                if isinstance(edit, SetStep):
                    self._check_step(edit.step)
                result = apply(self._simulation, edit)
                self._latch.forget()
                return result
            case Pause() | Continue():
                self._is_paused = isinstance(edit, Pause)
            case Step():
                self._begin_steps(edit.count)
            case SetMode() | SetSpeed() | PlaybackCommand() | UnknownEdit():
                raise NotInThisMode(
                    f"`{edit.kind}` has no meaning in one process: time goes on when the robots are commanded"
                ).bring(MODES[LOCKSTEP])
            case _:
                assert_never(edit)
        return EditResult()

    def _begin_steps(self, count: int) -> None:
        if not self._is_paused:
            raise NotInThisMode("`step` is for a paused simulation; call `pause` first").bring(MODES[LOCKSTEP])
        if not 1 <= count <= MOST_STEPS:
            raise BadArgument(f"count must lie within 1 and {MOST_STEPS}, got {count}")
        self._steps_left = count

    def _check_step(self, step: float) -> None:
        if not SMALLEST_STEP <= step <= 1.0:
            raise BadArgument(f"step must lie within {SMALLEST_STEP:g} and 1 s, got {step:g}")

    # records

    def _publish(self) -> None:
        """Make the record of the present state.

        Raises:
            EngineCannot: The state is no longer finite.
        """
        simulation = self._simulation
        self._follow_layout()
        self._publish_facts()
        check_finite(simulation)
        edits, self._edits = serialize_edits(simulation, self._edits), []
        timing = Timing(paused=self._is_paused and not self._steps_left, ended=self.ended)
        header = header_of(simulation, self._revision, timing, _PUNCTUAL, edits, is_hashed=self._is_hashed)
        engine, size = simulation.engine, header.size
        arrays = (engine.poses, engine.twists, simulation.readings, simulation.commands)
        raw = b"".join([header.pack(size), *(array.tobytes() for array in arrays), edits])
        self._record, self._is_new = Record(raw.ljust(size, b"\0"), header), True
        self._revision += 1
        self._published(self._record)

    def _follow_layout(self) -> None:
        old, new = self.layout, self._simulation.layout
        if new.generation != old.generation:
            rows = np.zeros(new.command_size)
            carry_commands(old, self._rows, new, rows)
            self.layout, self._rows = new, rows

    def _publish_facts(self) -> None:
        """Add failed devices and the present engine to `/sim/info` and the record."""
        simulation = self._simulation
        failures = simulation.failures
        if failures.changed:
            self._edits += [AppliedEdit(Note(text)) for text in failures.notes()]
            failures.forget_reported()
            self.facts = {**self.facts, "failures": failures.to_plain()}
        if simulation.engine_name != self.facts["engine"]:
            self.facts = {**self.facts, "engine": simulation.engine_name}
