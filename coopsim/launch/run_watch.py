"""The watch over a run, from the messages of its processes to its outcome."""

import selectors
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, assert_never

from coopsim.launch.addresses import with_cure
from coopsim.launch.audit_log import AuditLog
from coopsim.launch.camera_processes import CameraProcesses
from coopsim.launch.child import Child
from coopsim.launch.config import LaunchConfig
from coopsim.launch.descriptors import ProcessLinks
from coopsim.launch.ending import RunEnd
from coopsim.launch.goal_watch import GoalWatch
from coopsim.launch.incidents import Incidents
from coopsim.launch.outcome import RunOutcome, from_crash, from_problem, from_signal
from coopsim.launch.programs import RunView
from coopsim.launch.recording import Recorders
from coopsim.launch.run_controllers import RunControllers
from coopsim.launch.signals import Signals
from coopsim.launch.tracks import Tracks
from coopsim.launch.watching import CommandWatch, RecordFollower, RingFollowers, RunKeeper, last_record
from coopsim.robots import RunSpec
from coopsim.transport import Channel
from coopsim.transport.control import (
    AuditLines,
    BeginControllers,
    DismissControllers,
    DurationOver,
    Halt,
    HostStatus,
    HostSummary,
    HostToLauncher,
    LastEventsSent,
    ProcessFailed,
    Ready,
    RecorderAwaited,
    RecordingBegins,
    RecordingRefused,
    SourceSummary,
    SourceToLauncher,
    StartCameras,
    StartController,
    StartRecording,
    StopController,
    StopRecording,
)

_TURN = 0.1  # s; how late a run notices what sends no message, as the end of a controller
_SETTLING = 0.3  # s; a process whose neighbour died ends a moment after it


class RunWatch:
    """The processes of one run, what they say, and what comes of it.

    Args:
        spec: What is run, checked.
        order: What its processes are told.
        view: What people see.
        judge: Takes every record; the run ends when it has seen enough.
        is_watched: Returns whether somebody looks on, so that the run stays after its end; None = nobody ever does.
        grace: Seconds that a control law has to end when it is asked to.
        keeper: Keeps what the run can go on from when it dies, None = nobody does.
    """

    _links: ProcessLinks
    _signals: Signals
    _selector: selectors.BaseSelector
    _recorders: Recorders
    _cameras: CameraProcesses
    _following: RingFollowers
    _command_watch: CommandWatch

    def __init__(
        self,
        spec: RunSpec,
        order: LaunchConfig,
        view: RunView,
        judge: RecordFollower | None,
        is_watched: Callable[[], bool] | None,
        grace: float,
        keeper: RunKeeper | None = None,
    ) -> None:
        self._keeper, self._was_recorded = keeper, False
        self._spec, self._order, self._view = spec, order, view
        self._laws = RunControllers(spec, order.options, view, self._time, grace)
        goals = None if is_watched is None else GoalWatch(spec)
        self._end = RunEnd(self._laws, goals, is_watched)
        self._children: dict[str, Child] = {}
        self._channels: dict[str, Channel[Any, Any]] = {}
        self._ready: set[str] = set()
        self._ports: dict[str, int] = {}
        self._status: dict[str, Any] = {}
        self._source_summary: SourceSummary | None = None
        self._host_summary: HostSummary | None = None
        self._has_last_events = False
        self._incidents = Incidents(view)
        self._tracks = Tracks()
        followers = (self._tracks if order.options.tracks else None, judge, goals, keeper)
        self._followers = [follower for follower in followers if follower is not None]
        self._audit = AuditLog(view.audited, order.options.audit)
        self._ending: RunOutcome | None = None
        self._hurry, self._began = False, 0.0

    def _serve(self, done: Callable[[], bool], seconds: float | None = None) -> None:
        """Serve all channels until `done`, or until the time limit [s]; None = without end."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._hurry and not done() and (deadline is None or time.monotonic() < deadline):
            self._turn()

    def _is_over(self) -> bool:
        """Return whether the run has an outcome; the death of a process, or the end of all controllers, is one."""
        if self._ending is None:
            self._find_deaths()
        if self._ending is None and self._end.is_reached:
            self._ending = self._end.outcome()
        elif self._ending is None and self._began and self._laws.are_over:
            self._laws.processes.poll()
            self._conclude("all controllers have ended")
        elif self._ending is None and not self._laws.is_between and self._following.is_over:
            self._conclude("the goals are decided")
        return self._ending is not None

    def _time(self) -> float:
        """Return the simulated time [s]."""
        last = last_record(self._links.ring) if self._began else None
        return 0.0 if last is None else last.time

    def _conclude(self, reason: str) -> None:
        """End the run, or let it stay where somebody looks on."""
        outcome = RunOutcome(0, reason)
        if self._ending is None and self._end.conclude(
            outcome, last_record(self._links.ring), self._laws.processes.failures
        ):
            self._links.physics.send(Halt())
        else:
            self._ending = self._ending or outcome

    def _find_deaths(self) -> None:
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
        self._laws.poll()
        self._laws.watch(self._selector)
        self._following.follow()
        if self._began:
            self._end.report(self._links.host, self._following)
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
                self._note_ready("physics")
            case ProcessFailed():
                self._note_problem("physics", message)
            case SourceSummary():
                self._source_summary = message
            case RecordingBegins() | RecordingRefused():
                self._recorders.start_at(message)
            case RecorderAwaited():
                self._recorders.awaited(is_awaited=message.is_awaited)
            case DurationOver():
                self._conclude("the duration is over")
            case _:
                self._incidents.report(message, has_begun=self._began > 0.0)

    def _hear_host(self, message: HostToLauncher) -> None:
        match message:
            case Ready():
                self._ports = message.ports
                self._note_ready("host")
            case ProcessFailed():
                self._note_problem("host", message)
            case HostStatus():
                self._status = asdict(message)
                if self._began and self._ending is None:
                    self._command_watch.check(self._status)
            case AuditLines():
                self._audit.write(message.lines, message.kept)
            case LastEventsSent():
                self._has_last_events = True
            case HostSummary():
                self._host_summary = message
            case StartRecording() | StopRecording():
                self._recorders.handle(message)
            case StartCameras():
                self._cameras.start()
            case DismissControllers() | BeginControllers() | StartController() | StopController():
                answer = self._laws.handle(message)
                self._end.report(self._links.host, self._following)  # who has the answer can ask how things stand now
                if answer is not None:
                    self._links.host.send(answer)
            case _:
                assert_never(message)

    def _note_ready(self, name: str) -> None:
        self._ready.add(name)
        self._recorders.ready(name)

    def _note_problem(self, name: str, problem: ProcessFailed) -> None:
        self._ending = self._ending or from_problem(self._called(name), with_cure(problem, self._order.options))

    def _called(self, name: str) -> str:
        """Return what people call a process: in a replay, what takes the place of physics is the playback."""
        return "playback" if name == "physics" and self._order.options.playback else name
