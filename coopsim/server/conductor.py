"""The one thread that owns the main sockets: requests, records, the launcher and the clock in one poll.

Source: CoopDynSim, section III-A (servers and physics run independently of each other).
"""

import math
import select
import time
from collections.abc import Callable
from typing import Any

from coopsim.server.modules.dispatch import Modules
from coopsim.server.modules.recorder import RecorderModule
from coopsim.server.pace import Pace
from coopsim.server.sockets.gateway import Gateway
from coopsim.server.sockets.robot_threads import RobotThreads
from coopsim.server.sockets.router import Router
from coopsim.server.sockets.stream import Stream
from coopsim.server.subscriptions import Subscriptions
from coopsim.transport import Channel, SourceLink, Wake

CONTROLLER_PATIENCE = 10.0
"""Patience with controllers whose death the launcher sees anyway [s]."""
_STATUS_EVERY = 0.2
_LOOK_EVERY = 0.02
_WATCH, _SECOND_LOOK = 0.001, 0.001
"""A tick is waited for without sleeping so long, and looked for again after a moment [s]."""
_REST = 64
"""After a longer tick, so many are slept through."""
_SOON = 0.002


class Conductor:
    """Polls everything there is to poll, and does what comes.

    While nobody waits for records, outside lockstep, they are looked at only now and then.

    Args:
        link: The source.
        launcher: Channel to the launcher.
        modules: What answers.
        router: The main ZeroMQ socket.
        gateway: Plain TCP.
        threads: The robots' own endpoints.
        pace: Told of new records.
        poller: Where the sockets are registered.
        wake: Rung by other threads that handed a reply over.
        recorder: Told what the launcher says of recordings.
        stream: Told of new records while somebody listens.
        subscriptions: Told of them while somebody listens by TCP.
    """

    def __init__(
        self,
        link: SourceLink,
        launcher: Channel,
        modules: Modules,
        router: Router,
        gateway: Gateway,
        threads: RobotThreads,
        pace: Pace,
        poller: select.epoll,
        wake: Wake,
        recorder: RecorderModule,
        stream: Stream,
        subscriptions: Subscriptions,
    ) -> None:
        self._link, self._launcher, self._modules = link, launcher, modules
        self._router, self._gateway, self._threads, self._pace = router, gateway, threads, pace
        self._poller, self._wake, self._recorder = poller, wake, recorder
        self._stream, self._subscriptions = stream, subscriptions
        self._stepping = modules.stepping
        self._is_over = False
        self._is_stale = True
        self._rest = 0
        self._looked = self._reported = 0.0
        self._requests, monitor = router.register(poller)
        self._handlers: dict[int, Callable[[], object]] = {
            link.woken.reader: self._on_record,
            link.channel.fileno(): self._on_answer,
            launcher.fileno(): self._on_launcher,
            wake.reader: self._on_handed_over,
            monitor: lambda: router.watch(time.monotonic()),
            stream.descriptor: stream.listen,
        }
        poller.register(stream.descriptor, select.EPOLLIN | select.EPOLLET)
        for descriptor in (link.woken.reader, link.channel.fileno(), launcher.fileno(), wake.reader):
            poller.register(descriptor, select.EPOLLIN)

    def run(self) -> None:
        """Serve until the launcher says stop, or it or the source is gone."""
        wait = due = 0.0
        while not self._is_over:
            is_hinted = False
            self._stepping.planned = due
            if self._stepping.barrier.due < due:  # another thread was faster
                wait = 0.0
            for descriptor, events in self._poller.poll(wait):
                handler = self._handlers.get(descriptor)
                if handler is not None:
                    handler()
                elif descriptor == self._requests:
                    is_hinted = True
                else:
                    self._gateway.handle(descriptor, events)
            now = time.monotonic()
            self._stepping.planned = -math.inf
            if now >= due:
                self._on_time(now)
            # last, because it must follow every send
            more = self._router.serve(is_hinted=is_hinted)
            if self._stream.is_wanted:
                self._stream.publish()
            if self._subscriptions.is_wanted:
                self._subscriptions.publish()
            due = self._next_due(now)
            wait = 0.0 if more else min(max(0.0, due - now), self._watch())

    def say_farewell(self, seconds: float) -> None:
        """Tell clients that still ask that the simulation has ended, while there are any."""
        self._modules.refuse_all()
        for descriptor in (self._link.woken.reader, self._link.channel.fileno(), self._launcher.fileno()):
            if descriptor >= 0:
                self._poller.unregister(descriptor)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self._router.clients + self._gateway.clients:
            for descriptor, events in self._poller.poll(min(left, _LOOK_EVERY)):
                if descriptor == self._wake.reader:
                    self._on_handed_over()
                elif descriptor not in self._handlers and descriptor != self._requests:
                    self._gateway.handle(descriptor, events)
            self._router.serve()

    def _watch(self) -> float:
        """Look for the record of a short tick without sleeping; return how long to sleep at most [s]."""
        if not self._stepping.is_running:
            return math.inf
        if self._rest == _REST:  # the second look: the source may have seen that we watched just before we stopped
            self._rest -= 1
            self._modules.look()
            return 0.0
        if self._rest > 0:
            self._rest -= 1
            return math.inf
        if self._link.watch(_WATCH):
            self._modules.look()
            return 0.0
        self._rest = _REST
        return _SECOND_LOOK

    # what comes

    def _on_record(self) -> None:
        if self._stepping.is_lockstep:  # the short way: a layout or an answer is reported by itself
            is_gone = self._link.woken.drain()[1]
            self._modules.look()
            if not is_gone:
                return
        with self._modules.lock:
            self._link.poll()
            if self._stepping.is_awaited:
                self._modules.look()
            else:
                self._is_stale = True
        self._is_over |= self._link.ended

    def _on_answer(self) -> None:
        with self._modules.lock:
            self._link.poll()
            self._modules.look()
        self._is_over |= self._link.ended

    def _on_launcher(self) -> None:
        for message in self._launcher.receive():
            self._obey(message)
        self._is_over |= self._launcher.closed

    def _obey(self, message: dict[str, Any]) -> None:
        if "controllers" in message:
            with self._modules.lock:
                self._stepping.barrier.allow(message["controllers"]["robots"], CONTROLLER_PATIENCE)
        if "recorder" in message:
            with self._modules.lock:
                self._recorder.take(message["recorder"])
        self._is_over |= "stop" in message

    def _on_handed_over(self) -> None:
        self._wake.drain()
        self._router.flush()
        self._gateway.flush()

    # what time brings

    def _on_time(self, now: float) -> None:
        if self._is_stale and now - self._looked >= _LOOK_EVERY:
            self._is_stale, self._looked = False, now
            self._modules.look()
        if now >= self._stepping.barrier.due:
            self._modules.turn(now)
        probe_at = self._router.probe_at
        if probe_at is not None and now >= probe_at:
            self._router.watch(now)
        if now - self._reported >= _STATUS_EVERY:
            self._reported = now
            self._router.watch(now)
            self._gateway.turn(now)
            self._stream.listen()
            self._modules.turn(now)
            self._report(now)
        for channel in (self._link.channel, self._launcher):
            if channel.pending:
                channel.flush()

    def _next_due(self, now: float) -> float:
        """Return when `_on_time` has something to do."""
        until = min(self._reported + _STATUS_EVERY, self._stepping.barrier.due)
        if self._is_stale:
            until = min(until, self._looked + _LOOK_EVERY)
        if self._router.probe_at is not None:
            until = min(until, self._router.probe_at)
        is_behind = self._stream.is_behind or self._subscriptions.is_behind
        if self._link.channel.pending or self._launcher.pending or is_behind:
            until = min(until, now + _SOON)
        return until

    def _report(self, now: float) -> None:
        with self._modules.lock:
            status = self._status(now)
        if not self._launcher.pending:  # a launcher that does not read needs no more of them
            self._launcher.send({"status": status})
            lines = self._modules.audit.take()
            if lines:
                self._launcher.send({"audit": lines})

    def _status(self, now: float) -> dict[str, Any]:
        record, stepping = self._link.record, self._stepping
        header = record.header
        self._pace.sample(header, time.monotonic_ns())
        return {
            "mode": record.mode,
            "paused": header.paused,
            "tick": header.tick,
            "time": record.time,
            "real_time_factor": self._pace.factor,
            "overruns": header.overruns,
            "max_lateness": header.max_lateness_ns * 1e-9,
            "slipped": header.slipped_ns * 1e-9,
            "patience_fired": stepping.barrier.fired,
            "awaited": stepping.awaited(now),
            "driven": len(stepping.ownership.driven),
            "patience": stepping.barrier.patience,
            "policy": stepping.barrier.policy,
            "clients": self._router.clients + self._gateway.clients + self._threads.clients,
        }
