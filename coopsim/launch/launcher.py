"""Starts, watches and stops the processes of one run."""

import contextlib
import selectors
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any, assert_never

from coopsim.errors import CoopsimError
from coopsim.launch.addresses import forget_ready, tell_ready, with_cure
from coopsim.launch.audit_log import AuditLog
from coopsim.launch.camera_processes import CameraProcesses
from coopsim.launch.child import Child
from coopsim.launch.config import LaunchConfig
from coopsim.launch.controller_processes import ControllerProcesses
from coopsim.launch.controllers import commands_beside, controller_commands
from coopsim.launch.descriptors import ProcessLinks
from coopsim.launch.incidents import Incidents
from coopsim.launch.options import RunOptions, awaited_robots, check_record, overlay, started_controllers
from coopsim.launch.outcome import RunOutcome, from_crash, from_problem, from_signal
from coopsim.launch.programs import Programs, RunView
from coopsim.launch.recording import Recorders
from coopsim.launch.recording.info import recorded_run
from coopsim.launch.recording.process import recorder_start
from coopsim.launch.report import Report, Summary
from coopsim.launch.ring_room import create_ring
from coopsim.launch.signals import Signals
from coopsim.launch.tracks import Tracks
from coopsim.launch.watching import CommandWatch, RecordFollower, RingFollowers, last_summary
from coopsim.robots import RunSpec
from coopsim.transport import Channel, remove_abandoned_rings
from coopsim.transport.control import (
    AuditLines,
    DurationOver,
    ExpectControllers,
    HostStatus,
    HostSummary,
    HostToLauncher,
    ProcessFailed,
    Ready,
    RecorderAwaited,
    RecordingBegins,
    RecordingRefused,
    SourceSummary,
    SourceToLauncher,
    Start,
    StartCameras,
    StartRecording,
    Stop,
    StopRecording,
)

_TURN = 0.1
_COMPILING = 5.0  # times as long may a process take to be ready that compiles kernels
_SETTLING = 0.3


class Launcher:
    """One run, from the first process to the last.

    Who dies, what happens: physics or host - the other is stopped, exit code 3; a controller - it is reported, the
    others go on, exit code 1 in the end; the recorder - the run goes on, exit code 3 in the end; this process - all
    others see the end of their channels and stop.

    Args:
        spec: What to run, checked.
        options: What the command line decided.
        view: What people see.
        programs: What is started; tests start stand-ins.
        judge: Takes every record; the run ends when it has seen enough.

    Raises:
        BadFile: Scenario and options do not fit together.
        CannotRecord: There is no place for the recording.
        NoSuchPlugin: A `[CONTROLLER_n]` section names no known control law.
    """

    def __init__(
        self,
        spec: RunSpec,
        options: RunOptions,
        view: RunView,
        programs: Programs | None = None,
        judge: RecordFollower | None = None,
    ) -> None:
        self._spec, self._view, self._programs = overlay(spec, options), view, programs or Programs()
        check_record(options)
        if options.ready is not None:
            forget_ready(options.ready)
        self._order = LaunchConfig(self._spec, options, awaited_robots(spec, options))
        sections = started_controllers(spec, options)
        self._commands = controller_commands(sections, allow_commands=options.allow_commands)
        self._controllers = ControllerProcesses(view.printed, view.complain)
        self._children: dict[str, Child] = {}
        self._ready: set[str] = set()
        self._ports: dict[str, int] = {}
        self._status: dict[str, Any] = {}
        self._source_summary: SourceSummary | None = None
        self._host_summary: HostSummary | None = None
        self._incidents = Incidents(view)
        self._patience = self._programs.start
        self._tracks = Tracks()
        self._followers = [*([self._tracks] if options.tracks else []), *([judge] if judge else [])]
        self._audit = AuditLog(view.audited, options.audit)
        self._ending: RunOutcome | None = None
        self._hurry, self._began = False, 0.0

    def run(self) -> Report:
        """Start everything, wait for the end, stop everything; nothing is left behind.

        Raises:
            BadArgument: The machine has too little shared memory.
        """
        remove_abandoned_rings()
        with (
            Signals() as self._signals,
            contextlib.closing(ProcessLinks(create_ring(self._spec, self._order.options.max_robots))) as self._links,
            selectors.DefaultSelector() as self._selector,
        ):
            self._channels: dict[str, Channel[Any, Any]] = {"physics": self._links.physics, "host": self._links.host}
            self._following = RingFollowers(self._links.ring, self._followers)
            recorder = recorder_start(self._links, self._programs, self._selector)
            start = None if self._order.options.playback else recorder
            self._recorders = Recorders(self._links, start, partial(recorded_run, self._order), self._view)
            self._cameras = CameraProcesses(self._links, self._programs, self._order, self._view, self._selector)
            try:
                self._start_processes()
                self._await_processes()
                if self._ending is None and self._is_ready():
                    self._begin()
                    self._serve(self._is_over)
                return self._report(self._stop(self._ending or self._never_ready()))
            finally:
                self._reap()

    # start

    def _start_processes(self) -> None:
        links, programs = self._links, self._programs
        for name, command, ends in (
            ("physics", programs.physics, links.physics_ends),
            ("host", programs.host, links.host_ends),
        ):
            arguments = [*command, *ends.arguments()]
            called, server = f"{self._called(name)} process", programs.server
            self._children[name] = Child(called, arguments, pass_fds=ends.descriptors, server=server)
        links.hand_over()
        message = self._order.message()
        for channel in self._channels.values():
            channel.send(message)
            self._selector.register(channel, selectors.EVENT_READ)
        self._selector.register(self._signals, selectors.EVENT_READ)
        options = self._order.options
        if options.record is not None:
            self._recorders.record_run(options, self._spec.scenario.file, self._recorded)
        if programs.server is not None:
            programs.server.close()  # its memory is worth more than a later recorder's start

    def _recorded(self, problem: CoopsimError | None) -> None:
        """Handle the begin of the first recording, or its failure, which ends the run."""
        if problem is not None:
            self._ending = self._ending or from_problem("recorder", ProcessFailed(problem.code, str(problem)))

    def _await_processes(self) -> None:
        def is_done() -> bool:
            return self._is_over() or self._is_ready()

        self._serve(is_done, self._patience)
        if self._incidents.is_compiling and not is_done():
            # on a slow machine a compiler takes minutes, and says that it is at work
            self._serve(is_done, self._patience * (_COMPILING - 1))
            self._patience *= _COMPILING

    def _is_ready(self) -> bool:
        return not self._missing

    @property
    def _missing(self) -> list[str]:
        is_due = self._order.options.record is not None and not self._recorders.has_begun
        return [*map(self._called, sorted(set(self._children) - self._ready)), *(["recorder"] if is_due else [])]

    def _called(self, name: str) -> str:
        """Return what people call a process: in a replay, what takes the place of physics is the playback."""
        return "playback" if name == "physics" and self._order.options.playback else name

    def _never_ready(self) -> RunOutcome:
        missing = " and ".join(self._missing)
        return RunOutcome(3, f"the {missing} process was not ready after {self._patience:g} s", is_fault=True)

    def _begin(self) -> None:
        links, ports = self._links, self._ports
        robots = sorted({robot for command in self._commands for robot in command.robots})
        links.host.send(ExpectControllers(tuple(robots)))
        self._command_watch = CommandWatch(len(robots), self._view.complain)
        links.physics.send(Start())
        access = self._order.options.access
        endpoint = f"tcp://{access.address}:{ports['zmq']}"
        self._ending = tell_ready(self._order, ports)
        self._view.note(access.describe(ports))
        if self._spec.scenario.settings.mode == "lockstep" and not self._commands and not self._order.wait_for:
            self._view.note(
                "lockstep: waiting until a client claims or commands a robot; see --wait-for and [CONTROLLER_n]"
            )
        self._began = time.monotonic()
        self._controllers.start([*self._commands, *commands_beside(self._spec)], endpoint, access.environment)
        for lines in self._controllers.pipes:
            self._selector.register(lines, selectors.EVENT_READ)

    # watch

    def _serve(self, done: Callable[[], bool], seconds: float | None = None) -> None:
        """Serve all channels until `done`, or until the time limit [s]; None = without end."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._hurry and not done() and (deadline is None or time.monotonic() < deadline):
            self._turn()

    def _is_over(self) -> bool:
        """Return whether the run has an outcome; the death of a process, or the end of all controllers, is one."""
        if self._ending is None:
            self._look_for_deaths()
        if self._ending is None and self._began and self._commands and self._controllers.all_ended:
            self._controllers.poll()
            self._ending = RunOutcome(0, "all controllers have ended")
        if self._ending is None and self._following.is_over:
            self._ending = RunOutcome(0, "the goals are decided")
        return self._ending is not None

    def _look_for_deaths(self) -> None:
        ended = [child for child in self._children.values() if child.ended]
        if ended and all(child.code == 0 for child in ended):
            # one that stops in good order has most likely followed another, whose end comes to light just now
            for child in self._children.values():
                child.wait(_SETTLING)
        if ended:
            self._listen()  # its last messages explain more
            self._ending = self._ending or from_crash([child for child in self._children.values() if child.ended])

    def _turn(self) -> None:
        is_pending = self._recorders.pending or any(channel.pending for channel in self._channels.values())
        self._selector.select(0.01 if is_pending else _TURN)
        for number in self._signals.drain():
            self._hurry = self._ending is not None
            self._ending = self._ending or from_signal(number)
        self._listen()
        self._controllers.poll()
        self._forget_closed()
        self._following.follow()
        if self._status and self._began and self._ending is None:
            more = {"recording": self._recorders.progress, "stuck": self._incidents.stuck}
            self._view.progress({**self._status, **{key: value for key, value in more.items() if value}})

    def _listen(self) -> None:
        physics, host = self._links.physics, self._links.host
        for channel in (physics, host):
            channel.flush()
        for message in physics.receive():
            self._hear_source(message)
        for report in host.receive():
            self._hear_host(report)
        self._recorders.poll()
        self._cameras.poll()

    def _hear_source(self, message: SourceToLauncher) -> None:
        match message:
            case Ready():
                self._take_ready("physics")
            case ProcessFailed():
                self._take_problem("physics", message)
            case SourceSummary():
                self._source_summary = message
            case RecordingBegins() | RecordingRefused():
                self._recorders.place(message)
            case RecorderAwaited():
                self._recorders.awaited(is_awaited=message.is_awaited)
            case DurationOver():
                self._ending = self._ending or RunOutcome(0, "the duration is over")
            case _:
                self._incidents.take(message, has_begun=self._began > 0.0)

    def _hear_host(self, message: HostToLauncher) -> None:
        match message:
            case Ready():
                self._ports = message.ports
                self._take_ready("host")
            case ProcessFailed():
                self._take_problem("host", message)
            case HostStatus():
                self._status = asdict(message)
                if self._began and self._ending is None:
                    self._command_watch.check(self._status)
            case AuditLines():
                self._audit.take(message.lines, message.kept)
            case HostSummary():
                self._host_summary = message
            case StartRecording() | StopRecording():
                self._recorders.handle(message)
            case StartCameras():
                self._cameras.start()
            case _:
                assert_never(message)

    def _take_ready(self, name: str) -> None:
        self._ready.add(name)
        self._recorders.ready(name)

    def _take_problem(self, name: str, problem: ProcessFailed) -> None:
        self._ending = self._ending or from_problem(self._called(name), with_cure(problem, self._order.options))

    def _forget_closed(self) -> None:
        for key in list(self._selector.get_map().values()):
            if getattr(key.fileobj, "closed", False):
                self._selector.unregister(key.fileobj)

    # stop

    def _stop(self, ending: RunOutcome) -> RunOutcome:
        """Stop controllers, physics, host and recorder, in this order; return how the run ended in the end."""
        if ending.is_fault:
            self._view.complain(ending.reason)
        self._controllers.dismiss()
        self._serve(lambda: self._controllers.all_ended, self._programs.grace)
        self._controllers.reap()
        obeyed = [self._stop_process(name, child, ending.reason) for name, child in self._children.items()]
        self._listen()
        obeyed.append(self._stop_recorder(ending.reason))
        if not all(obeyed) and not self._hurry:
            ending = replace(ending, code=ending.code or 3)
        return self._with_failures(ending)

    def _with_failures(self, ending: RunOutcome) -> RunOutcome:
        """Return the ending with what went wrong meanwhile and did not end the run."""
        failures = [
            *self._controllers.failures,
            *self._incidents.failures,
            *self._cameras.failures,
            *(["the recording"] if self._recorders.has_failed else []),
            *(["the file for Foxglove"] if self._recorders.foxglove.is_missing else []),
        ]
        if self._recorders.has_died:
            ending = replace(ending, code=ending.code or 3)
        if failures and not ending.is_fault:
            return RunOutcome(ending.code or 1, f"{ending.reason}; with an error: {', '.join(failures)}")
        return ending

    def _stop_recorder(self, reason: str) -> bool:
        """Wait until the recorder has written the rest; False when it did not end."""
        recorders = self._recorders
        if not recorders.is_active:
            return True
        recorders.stop(reason=reason)
        self._serve(lambda: not recorders.is_active or recorders.foxglove.is_written, self._programs.drain)
        if recorders.foxglove.is_written:  # as long as that takes: one that does nothing is noticed
            self._serve(lambda: not recorders.is_active)
        if recorders.is_active and self._hurry:
            recorders.hasten()
        elif recorders.is_active:
            self._view.complain(f"the recorder did not stop within {self._programs.drain:g} s and was killed")
        return not recorders.is_active

    def _stop_process(self, name: str, child: Child, reason: str) -> bool:
        """Stop one of our own processes; False when it did not obey."""
        self._channels[name].send(Stop(reason))
        self._serve(lambda: child.ended or bool(self._incidents.stuck), 0.5 * self._programs.stop)
        if self._incidents.stuck and name == "physics":
            child.kill()  # it will not listen
        if not child.ended:
            self._recorders.release()  # it may wait for the recorder
        self._serve(lambda: child.ended, 0.5 * self._programs.stop)
        if not child.ended and not self._hurry:
            self._view.complain(f"the {child.name} did not stop within {self._programs.stop:g} s and was killed")
        return child.ended

    def _report(self, ending: RunOutcome) -> Report:
        physics = self._source_summary or last_summary(self._links.ring, time.monotonic() - self._began)
        host = self._host_summary
        if not self._began or physics is None:
            return Report(ending.code, ending.reason, ending.is_fault)
        # the host knows connections by number, we know our controllers by name
        owners = ({} if host is None else host.owners) | self._controllers.owners
        fired = self._status.get("patience_fired", 0) if host is None else host.patience_fired
        self._following.follow()
        tracks = self._tracks.all() if self._order.options.tracks else {}
        origin = self._order.options.origin
        mode = self._status.get("mode", self._spec.scenario.settings.mode)
        self._command_watch.conclude(mode, None if host is None else host.driven, physics.ticks)
        summary = Summary.of(physics, owners, fired, (0, 0.0) if origin is None else origin.place)
        recording = self._recorders.news
        return Report(
            ending.code, ending.reason, ending.is_fault, summary, tracks, recording, tuple(self._incidents.failures)
        )

    def _reap(self) -> None:
        for child in self._children.values():
            child.reap()
        self._cameras.reap()
        self._recorders.reap()  # before any output, which may be what fails
        self._controllers.reap()
