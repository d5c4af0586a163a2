"""The simulation: one tick after the other, always in the same order."""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from coopsim.engines.straying import Strayed
from coopsim.errors import BadArgument, CoopsimError, EngineCannot, PluginFailed
from coopsim.geometry import Floats
from coopsim.kernels.sequence import KernelCall
from coopsim.memory import uncollected
from coopsim.plugins import words
from coopsim.robots import RunSpec
from coopsim.simulation.artifacts import leave, retiring
from coopsim.simulation.astray import Straying, put_back, undoes_steps
from coopsim.simulation.compiled_tick import CompiledTick
from coopsim.simulation.derived import check_room
from coopsim.simulation.edits import apply
from coopsim.simulation.failing import Failure, TickCalls, engine_failure
from coopsim.simulation.hashing import ticks_as_before
from coopsim.simulation.pushes import apply_pushes
from coopsim.simulation.stage import SimulationState
from coopsim.state.edits import AppliedEdit, SceneEdit, SetParameter

_CALM, _ANEW = 2, 61
"""Ticks without a change from which on a tick is made one call, and until that is tried again."""
_log = logging.getLogger(__name__)
Program: TypeAlias = Callable[["Simulation"], None]
"""An on-board program: reads `simulation.readings`, writes `simulation.commands`; runs before the actuators."""


@runtime_checkable
class LatchByCall(Protocol):
    """Latch that fills the commands, and may say which calls of kernels that comes to."""

    @property
    def is_plain(self) -> bool:
        """Whether it does what `calls` said."""
        ...

    def calls(self, commands: Floats) -> tuple[KernelCall, ...]:
        """Return the calls that fill `commands`; nothing if there are none."""
        ...

    def __call__(self, commands: Floats) -> None:
        """Fill `commands`."""
        ...


class Simulation(SimulationState):
    """Simulation of one run, without its pace, its processes and its sockets.

    One tick, always in this order: timed events, latch commands, programs, actuators, engine, sensors
    (SwarmSimX, section 2.1). Public: benchmarks, sweeps and learning use it in process.

    Args:
        spec: What to simulate (`coopsim.robots.load`).
        engine: Name of a registered engine, instead of the scenario's.
        seed: Instead of the scenario's.
        step: Simulated seconds per tick, instead of the scenario's.
        programs: On-board programs, run in this order.

    Attributes:
        latch: Fills `commands` at the beginning of a tick; None = they are written in place.
        happened: Timed events carried out since the list was emptied.
        compiles: Whether a tick may be made as one compiled call, with the same bits.

    Raises:
        NoSuchPlugin: The engine or a device is not registered.
        PluginFailed: A device cannot be made, or not look for the first time.
        EngineCannot: The engine cannot represent the scene.
    """

    compiles = True
    _compiled: CompiledTick | None = None
    _compiled_calls: TickCalls | None = None
    _calm_ticks = 0
    _prepared: CompiledTick | None = None
    _latch_by_call: LatchByCall | None = None
    _straying: Straying | None = None

    def __init__(
        self,
        spec: RunSpec,
        *,
        engine: str | None = None,
        seed: int | None = None,
        step: float | None = None,
        programs: Sequence[Program] = (),
    ) -> None:
        with uncollected():
            super().__init__(spec, engine=engine, seed=seed, step=step)
        self.programs = list(programs)
        self.latch: Callable[[Floats], None] | None = None
        self.happened: list[AppliedEdit] = []

    def limit(self, commands: int, record_bytes: int) -> None:
        """Give all later layouts an end: floats of commands, and bytes of a record with its layout.

        Raises:
            BadArgument: The first layout is beyond it.
        """
        self.command_limit, self.record_limit = commands, record_bytes
        if self.layout.command_size > commands:
            raise BadArgument("there is no room for the robots; start the run with a larger --max-robots")
        check_room(self.tables, len(self.engine.names), len(self.scene.names), record_bytes)

    def tick(self) -> None:
        """Do one tick."""
        prepared, self._prepared = self._prepared, None
        # all that `tick` would look at was looked at by `prepare`, but for what may change since
        if prepared is not None and self.calls is self._compiled_calls and self.time_ns < self.agenda.next_ns:
            self._do_compiled(prepared, self._latch_commands)
            return
        if self.retired:
            self._destroy_retired()
        if self.time_ns >= self.agenda.next_ns:
            self._run_events()
        if self.latch is not None:
            self.latch(self.tables.commands)
        for program in self.programs:
            program(self)
        dt = self.step_ns * 1e-9
        if self._acting:
            self.run_programs(dt)
        # pushes are few and short: no kernel knows them; what is measured is not what was compiled
        compiled = None if self.pushes or self.calls is not self._compiled_calls else self._compiled
        if compiled is None or not compiled.is_current(dt):
            compiled = None if self.pushes else self._compiled_tick(dt)
        if compiled is not None:
            compiled.begin(self.tick_count + 1 - self.episode_tick)
            self._do_compiled(compiled)
            return
        self._move(dt)
        self._count()
        self.sense(dt)
        if self.callbacks.calls:
            self.callbacks.call(self.switch_off, self.tick_count - self.episode_tick)

    def prepare(self) -> None:
        """Do beforehand what the next tick begins with; nothing may be changed until then, but for its commands."""
        self._prepared = None
        compiled, latch_by_call = self._compiled, self._latch_by_call
        if compiled is None or latch_by_call is None or latch_by_call is not self.latch or not latch_by_call.is_plain:
            return
        if self.retired or self.pushes or self.programs or self._acting or self.calls.programs:
            return
        if self.calls is self._compiled_calls and compiled.is_current(self.step_ns * 1e-9):
            compiled.begin(self.tick_count + 1 - self.episode_tick)
            self._prepared = compiled

    def forget_prepared(self) -> None:
        """Have the next tick begin from nothing, since something is changed."""
        self._prepared = None

    def _do_compiled(self, compiled: CompiledTick, take: Callable[[], object] | None = None) -> None:
        refusal = compiled.move(take)
        if refusal is not None:
            self._stumble(refusal)
        if compiled.is_astray and self._straying is not None:
            self._put_back(self._straying)
            self._count()
            self.sense(self.step_ns * 1e-9)
        else:
            self.tick_count += 1
            self.time_ns += self.step_ns
            if not compiled.is_over:
                compiled.sense(self.measure)
        if self.callbacks.calls:
            self.callbacks.call(self.switch_off, self.tick_count - self.episode_tick)

    def _latch_commands(self) -> None:
        if self.latch is not None:
            self.latch(self.tables.commands)

    def _move(self, dt: float) -> None:
        """Have actuators act and the engine step."""
        self.act(dt)
        if self.pushes:
            self.pushes = apply_pushes(self.engine, self.pushes, self.step_ns)
        straying = self._straying
        if straying is not None:
            straying.keep()
        try:
            self.engine.step(dt)
        except EngineCannot as problem:  # it has put everything back, and the tick goes on
            self._stumble(problem)
        except (ArithmeticError, np.linalg.LinAlgError) as problem:  # what numbers do to an engine that diverges
            if straying is None:
                raise
            self._put_back(straying, words(problem))
        except BaseException as problem:  # a foreign engine may raise anything
            failure = engine_failure(problem, self.engine_name, self.tick_count)
            if failure is None:
                raise
            raise failure from problem
        if straying is not None and straying.is_astray():
            self._put_back(straying)

    def _stumble(self, problem: EngineCannot) -> None:
        if isinstance(problem, Strayed) and not ticks_as_before(
            self.hash_rule
        ):  # a push that went on would hold everybody where they are
            self.pushes = ()
        self.engine.wrench[:] = 0.0
        self.failures.stumble(self.engine_name, str(problem), self.tick_count)

    def _put_back(self, straying: Straying, problem: str = "") -> None:
        """Undo a step in which bodies went astray, or that ended with a problem, and note it."""
        text = put_back(self, straying, problem)  # which has another `failures` in the place of this one
        self.failures.stumble(self.engine_name, text, self.tick_count)

    def _count(self) -> None:
        self.tick_count += 1
        self.time_ns += self.step_ns

    def _compiled_tick(self, dt: float) -> CompiledTick | None:
        """Return the tick of `dt` [s] as one call, once nothing was changed for some ticks."""
        if self._compiled is not None:
            if self.calls is not self._compiled_calls:
                return None  # what this tick calls is measured
            if self._compiled.is_current(dt):
                return self._compiled
            self._compiled, self._calm_ticks = None, 0
        self._calm_ticks += 1
        if self._calm_ticks % _ANEW == _CALM and self.compiles:
            self._compiled_calls = self.calls
            latch_by_call = self.latch if isinstance(self.latch, LatchByCall) else None
            taking = () if latch_by_call is None else latch_by_call.calls(self.tables.commands)
            self._latch_by_call = latch_by_call if taking else None
            self._compiled = CompiledTick.of(self.engine, self._world, self.calls, dt, taking, self._straying)
        return self._compiled

    def connect(self) -> None:
        """List what the tick calls: all devices but those that are switched off."""
        super().connect()
        self._compiled, self._prepared, self._calm_ticks = None, None, 0
        is_left = undoes_steps(self.engine) or ticks_as_before(self.hash_rule)
        self._straying = None if is_left else Straying(self.engine)

    def close(self) -> None:
        """Destroy drivers and sensors: all of them, and those of artifacts that left."""
        self.retired = retiring(self.retired, self.tables)
        self._destroy_retired()

    def _destroy_retired(self) -> None:
        tables, self.retired = self.retired, ()
        for table in tables:
            for robots, text in leave(table):
                self.failures.report(robots, "destroy", self.tick_count, text)

    def act(self, dt: float) -> None:
        """Call all actuators for a tick of `dt` [s]."""
        engine, rest = self.engine, iter(self.calls.actuators)
        while True:
            try:
                for act, slot in rest:
                    act(slot, engine, engine.wrench, dt)
                break
            except BaseException as problem:  # whatever a device raises, the tick goes on
                self.switch_off(act, problem)

    def _run_events(self) -> None:
        for edit in self.agenda.due(self.time_ns):
            refusal = ""
            try:
                apply(self, edit)
            except CoopsimError as problem:  # its robot may be gone; no client waits for an answer
                if not self._blame(edit, problem):
                    _log.warning("event at %g s without effect: %s", self.time, problem)
                    refusal = str(problem)
            self.happened.append(AppliedEdit(edit, is_event=True, problem=refusal))

    def _blame(self, edit: SceneEdit, problem: CoopsimError) -> bool:
        """Switch off the device that raised over a parameter; return whether that was it."""
        block = self.tables.block_of(edit.robot) if isinstance(edit, SetParameter) else None
        if block is None or not isinstance(edit, SetParameter) or not isinstance(problem, PluginFailed):
            return False
        self.failures.add(Failure(block.blueprint.name, edit.module, self.tick_count, str(problem)))
        self.connect()
        return True
