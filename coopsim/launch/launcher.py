"""Starts, watches and stops the processes of one run."""

import contextlib
import selectors
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from coopsim.errors import CoopsimError
from coopsim.launch.addresses import append_outcome, forget_ready, write_ready_file
from coopsim.launch.camera_processes import CameraProcesses
from coopsim.launch.child import Child
from coopsim.launch.config import LaunchConfig
from coopsim.launch.descriptors import ProcessLinks
from coopsim.launch.options import RunOptions, awaited_robots, check_record, overlay
from coopsim.launch.outcome import RunOutcome, from_problem
from coopsim.launch.programs import Programs, RunView
from coopsim.launch.recording import Recorders
from coopsim.launch.recording.info import recorded_run
from coopsim.launch.recording.process import recorder_start
from coopsim.launch.report import Report, Summary
from coopsim.launch.ring_room import create_ring
from coopsim.launch.run_watch import RunWatch
from coopsim.launch.signals import Signals
from coopsim.launch.stopping import RunStopper
from coopsim.launch.watching import CommandWatch, RecordFollower, RingFollowers, RunKeeper, last_summary
from coopsim.robots import RunSpec
from coopsim.transport import remove_abandoned_rings
from coopsim.transport.control import ProcessFailed, SendLastEvents, Start

_COMPILING = 5.0  # times as long may a process take to be ready that compiles kernels
# a host with thousands of clients answers within some tenths; one that hangs must not hold up the end
_LAST_EVENTS = 1.0
"""Time in which the host sends the last events [s]."""


class Launcher(RunWatch):
    """A run, from the first process to the last.

    Who dies, what happens: physics or host - the other is stopped, exit code 3; a controller - it is reported, the
    others go on, exit code 1 in the end; the recorder - the run goes on, exit code 3 in the end; this process - all
    others see the end of their channels and stop.

    Args:
        spec: What to run, checked.
        options: What the command line decided.
        view: What people see.
        programs: What is started; tests start stand-ins.
        judge: Takes every record; the run ends when it has seen enough.
        is_watched: Returns whether somebody looks on, so that the run stays after its end; None = nobody ever does.
        keeper: Keeps what the run can go on from when it dies, None = nobody does.

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
        is_watched: Callable[[], bool] | None = None,
        keeper: RunKeeper | None = None,
    ) -> None:
        checked = overlay(spec, options)
        check_record(options)
        if options.ready is not None:
            forget_ready(options.ready)
        order = LaunchConfig(checked, options, awaited_robots(spec, options))
        self._programs = programs or Programs()
        self._patience = self._programs.start
        super().__init__(checked, order, view, judge, is_watched, self._programs.grace, keeper)

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
            self._channels = {"physics": self._links.physics, "host": self._links.host}
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
                report = self._report(self._stop(self._ending or self._never_ready()))
                append_outcome(self._order, report.exit_code, report.reason, self._recorded_end(report))
                return report
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

    def _never_ready(self) -> RunOutcome:
        missing = " and ".join(self._missing)
        return RunOutcome(3, f"the {missing} process was not ready after {self._patience:g} s", is_fault=True)

    def _begin(self) -> None:
        links, ports = self._links, self._ports
        self._command_watch = CommandWatch(len(self._laws.robots), self._view.complain)
        links.physics.send(Start())
        access = self._order.options.access
        endpoint = f"tcp://{access.address}:{ports['zmq']}"
        self._ending = write_ready_file(self._order, ports)
        self._view.note(access.describe(ports))
        if self._spec.scenario.settings.mode == "lockstep" and not self._laws.commands and not self._order.wait_for:
            self._view.note(
                "lockstep: waiting until a client claims or commands a robot; see --wait-for and [CONTROLLER_n]"
            )
        self._began = time.monotonic()
        self._laws.start(endpoint, access.environment, links.host.send)
        self._laws.watch(self._selector)

    # stop

    def _stop(self, ending: RunOutcome) -> RunOutcome:
        """Stop controllers, events, physics, host and recorder, in this order; return how the run ended in the end."""
        if ending.is_fault:
            self._view.complain(ending.reason)
        self._was_recorded = self._recorders.is_recording
        self._laws.stop(self._serve)
        self._await_last_events()
        stopping = RunStopper(self._links, self._recorders, self._incidents, self._view, self._programs)
        obeyed = [
            stopping.stop(self._channels[name], name, child, ending.reason, self._serve, is_hurried=self._is_hurried)
            for name, child in self._children.items()
        ]
        self._listen()
        obeyed.append(stopping.stop_recorder(ending.reason, self._serve, is_hurried=self._is_hurried))
        if not all(obeyed) and not self._hurry:
            ending = replace(ending, code=ending.code or 3)
        failures = [*self._laws.processes.failures, *self._incidents.failures, *self._cameras.failures]
        return stopping.with_failures(self._end.final(ending), failures)

    def _await_last_events(self) -> None:
        """Have the host send physics the events that were published and are in no record yet."""
        if not self._began:
            return
        self._links.host.send(SendLastEvents())
        self._serve(
            lambda: self._has_last_events or any(child.ended for child in self._children.values()), _LAST_EVENTS
        )

    def _recorded_end(self, report: Report) -> Mapping[str, Any]:
        """Return the recording that a window offers to go on from: its own, or one of what was kept of a dead run."""
        if self._keeper is None or not report.is_fault or self._was_recorded or self._order.options.ready is None:
            return report.recording
        # the scene may have been loaded since the run began, with laws of its own
        path, about = self._order.options.ready, recorded_run(replace(self._order, spec=self._laws.spec))
        return self._keeper.save(path.with_name(f"{path.name}.last.mcap"), about.metadata, about.attachments)

    def _is_hurried(self) -> bool:
        return self._hurry

    def _report(self, ending: RunOutcome) -> Report:
        physics = self._source_summary or last_summary(self._links.ring, time.monotonic() - self._began)
        host = self._host_summary
        if not self._began or physics is None:
            return Report(ending.code, ending.reason, ending.is_fault)
        # the host knows connections by number, we know our controllers by name
        owners = ({} if host is None else host.owners) | self._laws.processes.owners
        fired = self._status.get("patience_fired", 0) if host is None else host.patience_fired
        self._following.follow()
        tracks = self._tracks.all() if self._order.options.tracks else {}
        origin = self._order.options.origin
        mode = self._status.get("mode", self._spec.scenario.settings.mode)
        self._command_watch.conclude(mode, None if host is None else host.driven, physics.ticks)
        summary = Summary.of(physics, owners, fired, (0, 0.0) if origin is None else origin.start)
        recording = self._recorders.news
        return Report(
            ending.code, ending.reason, ending.is_fault, summary, tracks, recording, tuple(self._incidents.failures)
        )

    def _reap(self) -> None:
        for child in self._children.values():
            child.reap()
        self._cameras.reap()
        self._recorders.reap()  # before any output, which may be what fails
        self._laws.processes.reap()
