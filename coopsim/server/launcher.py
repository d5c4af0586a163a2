"""The host's channel to the launcher: its requests, and reports about the run."""

import select
import time
from typing import assert_never

from coopsim.server.event_delivery import EventFeed
from coopsim.server.listener import Listeners
from coopsim.server.lockstep.barrier import CONTROLLER_PATIENCE
from coopsim.server.modules.controllers import ControllersModule
from coopsim.server.modules.dispatch import Modules
from coopsim.server.modules.recorder import RecorderModule
from coopsim.server.speed_meter import SpeedMeter
from coopsim.transport import Channel
from coopsim.transport.control import (
    AuditLines,
    Configure,
    ControllersAnswer,
    ControllersNews,
    ExpectControllers,
    HostStatus,
    HostToLauncher,
    LastEventsSent,
    LauncherToHost,
    Ready,
    RecordingAnswer,
    RecordingNews,
    SendLastEvents,
    Stop,
)

_FAREWELL = 1.0  # s; at the end, what a launcher does not read is lost
_WORTH_A_WORD = 0.25  # s; who is awaited for less is not reported: of thousands that takes longer than their step


class LauncherLink:
    """Does what the launcher says, and reports to it.

    Args:
        channel: To the launcher.
        modules: What answers clients.
        recorder: Learns what the launcher says of recordings.
        controllers: Learns what the launcher says of control laws.
        pace: Learns of the newest record with each report.
        listeners: Whose connections are counted.
        events: Sends its last ones when the run ends.

    Attributes:
        channel: To the launcher.
        is_stopped: Whether it sent `Stop`, or is gone.
    """

    def __init__(
        self,
        channel: Channel[HostToLauncher, LauncherToHost],
        modules: Modules,
        recorder: RecorderModule,
        controllers: ControllersModule,
        pace: SpeedMeter,
        listeners: Listeners,
        events: EventFeed,
    ) -> None:
        self.channel, self._modules, self._recorder = channel, modules, recorder
        self._controllers, self._events = controllers, events
        self._coordinator, self._pace, self._listeners = modules.coordinator, pace, listeners
        self.is_stopped = False

    def listen(self) -> None:
        """Do what it says."""
        for message in self.channel.receive():
            self._handle(message)
        self.is_stopped |= self.channel.closed

    def _handle(self, message: LauncherToHost) -> None:
        match message:
            case ExpectControllers():
                with self._modules.lock:
                    self._coordinator.barrier.allow(message.robots, CONTROLLER_PATIENCE)
                    if message.is_anew:
                        self._coordinator.barrier.begin_anew(message.robots)
            case ControllersNews() | ControllersAnswer():
                with self._modules.lock:
                    self._controllers.receive(message)
            case RecordingNews() | RecordingAnswer():
                with self._modules.lock:
                    self._recorder.receive(message)
            case SendLastEvents():
                with self._modules.lock:
                    self._events.finish()
                self.channel.send(LastEventsSent())
            case Stop():
                self.is_stopped = True
            case Configure():
                pass  # taken before the host was made
            case _:
                assert_never(message)

    def report(self, now: float) -> None:
        """Send the state of the run, and what clients did; one that does not read needs no more of them.

        Args:
            now: Monotonic clock [s].
        """
        with self._modules.lock:
            status = self._status(now)
        if not self.channel.pending:
            self.channel.send(status)
            self.report_audit()

    def report_audit(self, *, is_last: bool = False) -> None:
        """Send what clients did since the last time.

        Args:
            is_last: Whether there will be no more.
        """
        audit = self._modules.audit
        lines, kept = audit.drain(is_last=is_last), audit.drain_kept()
        if lines or kept:
            self.channel.send(AuditLines(tuple(lines), tuple(kept)))

    def ready(self) -> None:
        """Report that the server is ready."""
        self.channel.send(Ready(self._listeners.ports))

    def say_last(self, message: HostToLauncher) -> None:
        """Send a last message and wait until it is on its way."""
        self.channel.send(message)
        deadline = time.monotonic() + _FAREWELL
        waiter = select.poll()
        if not self.channel.closed:
            waiter.register(self.channel.fileno(), select.POLLOUT)
        while self.channel.pending and not self.channel.closed and time.monotonic() < deadline:
            waiter.poll(10)
            self.channel.flush()

    def _status(self, now: float) -> HostStatus:
        coordinator, record = self._coordinator, self._coordinator.link.record
        header = record.header
        self._pace.sample(header, time.monotonic_ns())
        return HostStatus(
            mode=record.mode,
            paused=header.paused,
            tick=header.tick,
            time=record.time,
            real_time_factor=self._pace.factor,
            overruns=header.overruns,
            max_lateness=header.max_lateness_ns * 1e-9,
            slipped=header.slipped_ns * 1e-9,
            patience_fired=coordinator.barrier.fired,
            awaited=coordinator.awaited(now, _WORTH_A_WORD),
            driven=len(coordinator.ownership.driven),
            patience=coordinator.barrier.patience,
            policy=coordinator.barrier.policy,
            clients=self._listeners.clients,
        )
