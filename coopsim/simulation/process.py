"""The physics process: paces a simulation, takes edits, publishes records.

Source: CoopDynSim, section III-A (physics thread, real and simulated time); SwarmSimX, section 2.1 (main loop).
"""

import gc
from dataclasses import replace
from typing import assert_never

from coopsim.devices.artifacts import running_extensions
from coopsim.errors import BadArgument, CannotRecord, CoopsimError, NotInThisMode, PluginFailed
from coopsim.interfaces.simulation import MOST_STEPS
from coopsim.memory import return_freed_memory
from coopsim.robots import RunSpec
from coopsim.simulation.costs import SampledCosts
from coopsim.simulation.edits import apply
from coopsim.simulation.failing import engine_blamed, engine_failure
from coopsim.simulation.latch import CommandLatch
from coopsim.simulation.message_wakeup import MessageWakeup
from coopsim.simulation.options import PhysicsOptions, Wakeups, check_mode, check_speed, nanoseconds
from coopsim.simulation.pacing import Alarm, FreeRun, Lateness, OnSignal, PacedSignal, Pacer, RealTime
from coopsim.simulation.priority import Priority
from coopsim.simulation.profiling import ProfiledPublisher, ProfiledSimulation
from coopsim.simulation.publisher import Publisher
from coopsim.simulation.simulation import Simulation
from coopsim.simulation.snapshot import checkpoint, restore
from coopsim.state import Layout, Record
from coopsim.state.edits import (
    AnyEdit,
    AppliedEdit,
    Checkpoint,
    ClockReset,
    Continue,
    EditResult,
    Load,
    Note,
    PaceState,
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
from coopsim.transport import Ring
from coopsim.transport.control import (
    DeviceFailed,
    DeviceNoticed,
    DurationOver,
    EditRequest,
    ProcessFailed,
    RecordingBegins,
    RecordingRefused,
    SourceSummary,
    TickFailed,
)
from coopsim.transport.last_words import leave_words
from coopsim.transport.source_process import HostChannel, LauncherChannel, SourceProcess, run_source


def run_physics(
    spec: RunSpec,
    options: PhysicsOptions,
    ring: Ring,
    host: HostChannel,
    launcher: LauncherChannel,
    wakeups: Wakeups,
) -> int:
    """Build the simulation and run it until the launcher says stop; return the exit code.

    Args:
        spec: What to simulate.
        options: How it is paced.
        ring: Where records go and commands come from.
        host: Control channel: edits in, answers and facts out.
        launcher: Start, stop and record in; ready, ended, recording, summary and problems out.
        wakeups: Who wakes whom.
    """

    def make() -> PhysicsProcess:
        kind = ProfiledSimulation if options.profile else Simulation
        simulation = kind(spec, engine=options.engine, seed=options.seed, step=options.step)
        if options.state:
            restore(simulation, options.state)
            checkpoint(simulation)
        process = PhysicsProcess(simulation, options, ring, host, launcher, wakeups)
        return_freed_memory()  # what stood only while it was built, a third of all for ten thousand quadrotors
        return process

    try:
        with running_extensions():
            return run_source(make, launcher)
    except BaseException as problem:  # an extension: the source says itself what is wrong with it
        failure = problem if isinstance(problem, PluginFailed) else engine_failure(problem, options.engine)
        if failure is None:
            raise
        leave_words(failure)
        launcher.send(ProcessFailed.of(failure))
        return 1


class PhysicsProcess(SourceProcess):
    """The loop around a simulation: messages, pace, tick, record."""

    def __init__(
        self,
        simulation: Simulation,
        options: PhysicsOptions,
        ring: Ring,
        host: HostChannel,
        launcher: LauncherChannel,
        wakeups: Wakeups,
    ) -> None:
        self._simulation, self._options, self._ring, self._recorder = simulation, options, ring, wakeups.recorder
        super().__init__(host, launcher)
        self._mode, self._speed = options.mode, options.speed
        self._paused = self._is_over = self._ended = self._is_changed = False
        self._steps_left, self._steps_asked, self._step_answer = 0, 0, -1
        self._engine_told = options.engine
        self._answers: list[tuple[int, EditResult]] = []
        self._first_last_ns = self._last_ns = nanoseconds(options.duration)
        self._is_paced = options.is_paced
        self._lateness, self._costs = Lateness(), SampledCosts(simulation)
        self._alarm = Alarm(self._lateness)
        self._priority = Priority(is_wanted=options.realtime_priority)
        self._wakeup = MessageWakeup(host, launcher, wakeups.permit, ring)
        make = ProfiledPublisher if isinstance(simulation, ProfiledSimulation) else Publisher
        self._publisher = make(simulation, ring, host, launcher, wakeups.woken, self._lateness)
        self._publisher.is_kept = options.stays
        simulation.latch = self._latch = CommandLatch(simulation, ring)
        simulation.limit(ring.command_capacity, ring.largest)
        self._publish()
        self._priority.follow(is_paced=self._mode != "free")
        # both are made once: a pacer remembers whether it gave way
        self._free_run, self._on_signal = FreeRun(self._wakeup), OnSignal(self._wakeup)
        self._schedule: RealTime | None = None
        self._paced_signal = PacedSignal(self._on_signal, self._wakeup)
        self._pacer: Pacer = self._free_run

    @property
    def now(self) -> tuple[Layout, Record]:
        """The newest record and its layout."""
        return self._simulation.layout, Record(self._ring.latest())

    @property
    def _tick(self) -> int:
        return self._simulation.tick_count

    def _wait(self) -> None:
        self._wakeup.wait(None)

    def _work(self) -> None:
        # what is here stays; a first collection would free 1 MB, and look at all of ten thousand robots for 0.5 s
        gc.freeze()
        gc.disable()  # collections would interrupt ticks; they are made after edits instead
        try:
            with engine_blamed(self._simulation):
                self._loop()
        finally:
            gc.enable()
            self._simulation.close()
        self._publish(ended=True)

    def _loop(self) -> None:
        self._follow()
        while not self._stopped:
            if self._resting:
                self._wait()
                self.serve()
            elif self._pacer.wait():
                self._do_tick()
            else:
                self.serve()

    @property
    def _resting(self) -> bool:
        return self._ended or (self._paused and not self._steps_left)

    def _do_tick(self) -> None:
        costs = self._costs.tick()
        if costs is not None:
            self._publisher.publish_facts({"costs": costs})
        if self._steps_left:
            self._steps_left -= 1
            if not self._steps_left:
                self._follow()
        self._publish()
        if late := self._alarm.check():
            self._launcher.send(late)
        if self._step_answer >= 0 and not self._steps_left:
            self._answer_step()
        if self._last_ns is not None and self._simulation.time_ns >= self._last_ns and not self._ended:
            self._ended = True
            self._follow()
            self._launcher.send(DurationOver())
        self._simulation.prepare()

    def _publish(self, *, ended: bool = False) -> None:
        if self._simulation.failures.changed:
            self._report_failures()
        if self._simulation.engine_name != self._engine_told:
            self._engine_told = self._simulation.engine_name
            self._publisher.publish_facts({"engine": self._engine_told})
        paused = self._paused and not self._steps_left
        self._publisher.publish(mode=self._mode, speed=self._speed, paused=paused, ended=ended)

    def _report_failures(self) -> None:
        """Report disabled devices: in the record, to the launcher, and to clients."""
        failures = self._simulation.failures
        self._publisher.edits += [AppliedEdit(Note(text)) for text in failures.notes()]
        for failure in failures.news:
            self._launcher.send(DeviceFailed(failure.name, failure.text, failure.tick))
        for stumble in failures.stumbles:
            self._launcher.send(TickFailed(stumble.engine, stumble.text, stumble.tick))
        for remark in failures.remarks:
            self._launcher.send(DeviceNoticed(remark.text, remark.tick))
        failures.forget_reported()
        self._publisher.publish_facts({"failures": failures.to_plain()})

    def serve(self) -> None:
        """Obey the launcher and carry out edits; those that change something are answered after their record."""
        self._simulation.forget_prepared()
        super().serve()
        if self._is_changed:
            self._is_changed = False
            self._publish()
            self._deliver()
            gc.collect()

    def _record(self, *, is_wanted: bool) -> None:
        """Begin, or end, to write key frames; say where in the ring the recording begins, or why it cannot."""
        if not is_wanted:
            self._publisher.record_for(None)
            self._ring.detach_reader()
            return
        try:
            self._launcher.send(self._begin_recording())
        except CoopsimError as problem:
            self._publisher.record_for(None)
            self._launcher.send(RecordingRefused.of(problem))

    def _begin_recording(self) -> RecordingBegins:
        apply(self._simulation, Checkpoint())
        self._publisher.record_for(self._recorder)
        pace = PaceState(self._mode, self._speed, self._paused, self._steps_left)
        self._publisher.edits.append(AppliedEdit(Checkpoint(pace)))
        revision = self._publisher.revision
        self._publish()
        if not self._publisher.has_keyframe:
            raise CannotRecord("the state does not fit into shared memory; start the run with a larger --max-robots")
        # in the recorder's name: it needs a moment to come, and nothing may be overwritten meanwhile
        self._ring.acknowledge(self._ring.position)
        return RecordingBegins(self._ring.position, revision)

    # edits

    def _edit(self, request: EditRequest) -> None:
        self._wakeup.edits += 1
        super()._edit(request)

    def _settle(self, request: EditRequest, result: EditResult) -> None:
        """Answer an edit: a `step` after its last tick, what the record holds after that, the others at once."""
        edit = request.edit
        if isinstance(edit, Step):
            self._step_answer = request.id
        elif edit.is_recorded and not edit.waits_for_tick:
            self._answers.append((request.id, result))
        else:
            self._answer(request.id, result)
        if edit.is_recorded:
            note(self._publisher.edits, edit)
            self._is_changed |= not edit.waits_for_tick

    def _deliver(self) -> None:
        """Answer edits after the record that holds their effect."""
        for number, result in self._answers:
            self._answer(number, result)
        self._answers = []

    def _carry_out(self, edit: AnyEdit) -> EditResult:
        result = self._do(edit)
        if edit.ends_steps:
            self._end_steps(edit.kind)
        self._follow()  # mode, speed, step or pause may have changed
        return result

    def _do(self, edit: AnyEdit) -> EditResult:
        match edit:
            case SceneEdit():
                return self._change(edit)
            case Pause() | Continue():
                self._paused, self._is_over = isinstance(edit, Pause), False
            case Step():
                self._begin_steps(edit.count)
            case SetMode():
                self._set_mode(edit.mode)
            case SetSpeed():
                check_speed(edit.speed)
                self._speed = edit.speed
            case PlaybackCommand():
                raise NotInThisMode("nothing is played back here").bring(self._mode)
            case UnknownEdit():
                raise BadArgument(f"there is no edit {edit.called!r}; {edit.problem}")
            case _:
                assert_never(edit)
        return EditResult()

    def _change(self, edit: SceneEdit) -> EditResult:
        if isinstance(edit, SetStep):
            self._options.check_step(edit.step)
        result = apply(self._simulation, edit)
        self._latch.forget()
        if isinstance(edit, ClockReset | Load):
            self._ended = False
            # where nobody looks on, this end would be that of all processes, and no client may cause that by a scene
            own = nanoseconds(self._simulation.spec.scenario.settings.duration)
            self._last_ns = own if self._options.stays else self._first_last_ns
        if isinstance(edit, Load) and self._is_over:  # nobody has paused what follows
            note(self._publisher.edits, Continue())
            self._do(Continue())
        return result

    def _halt(self) -> None:
        self._paused, self._is_over, self._ended, self._last_ns = True, True, False, None
        self._end_steps("pause")
        note(self._publisher.edits, Pause())
        self._is_changed = True
        self._follow()

    def _begin_steps(self, count: int) -> None:
        if not self._paused:
            raise NotInThisMode("`step` is for a paused simulation; call `pause` first").bring(self._mode)
        if not 1 <= count <= MOST_STEPS:
            raise BadArgument(f"count must lie within 1 and {MOST_STEPS}, got {count}")
        if self._step_answer >= 0:
            raise NotInThisMode("another `step` is under way").bring(self._mode)
        self._steps_left, self._steps_asked = count, count

    def _end_steps(self, why: str) -> None:
        """Answer a `step` that is under way: it ends before its last tick."""
        if self._steps_left:
            done, self._steps_left = self._steps_asked - self._steps_left, 0
            self._answer_step(NotInThisMode(f"`{why}` ended the step after {done} of {self._steps_asked} ticks"))

    def _answer_step(self, problem: CoopsimError | None = None) -> None:
        self._answer(self._step_answer, EditResult(), problem)
        self._step_answer = -1

    def _set_mode(self, mode: str) -> None:
        check_mode(mode)
        if mode != self._mode:  # otherwise the host waits for the tick that it permitted
            self._wakeup.forget_permits()
        self._mode, self._is_paced = mode, False

    # pace and end

    def _follow(self) -> None:
        """Pace as mode, speed, step and pause say now; a schedule of real time goes on, so that none is lost."""
        self._priority.follow(is_paced=self._mode != "free")
        self._keep_schedule()
        if self._steps_left or self._mode == "free":
            self._pacer = self._free_run
        elif self._schedule is None and self._is_paced:
            self._paced_signal.retime(round(self._simulation.step_ns / self._speed))
            self._pacer = self._paced_signal
        else:
            self._pacer = self._schedule or self._on_signal

    def _keep_schedule(self) -> None:
        if self._mode != "real-time":
            if self._schedule is not None:
                self._schedule.give_up()
            self._schedule = None
            return
        period = round(self._simulation.step_ns / self._speed)
        if self._schedule is None:
            self._schedule = RealTime(period, self._wakeup, self._lateness)
        self._schedule.retime(period)
        self._schedule.rest(is_resting=self._paused or self._ended)

    def _summary(self, wall_time: float) -> SourceSummary:
        simulation, lateness = self._simulation, self._lateness
        return replace(
            super()._summary(wall_time),
            lateness_p50=lateness.quantile(0.5),
            lateness_p99=lateness.quantile(0.99),
            profile=simulation.to_plain() if isinstance(simulation, ProfiledSimulation) else None,
        )
