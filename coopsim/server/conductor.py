"""The one thread that owns the main sockets: requests, records, the launcher and the clock in one poll.

Source: CoopDynSim, section III-A (servers and physics run independently of each other).
"""

import math
import select
import time
from collections.abc import Iterable

from coopsim.server.lane.lane import Lane
from coopsim.server.launcher import LauncherLink
from coopsim.server.listener import SOON, Listener
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.transport import SourceLink

_STATUS_EVERY = 0.2
_LOOK_EVERY = 0.02
_WATCH, _SECOND_LOOK = 0.001, 0.001
"""Time for which a tick is waited for without sleeping, and after which it is looked for again [s]."""
_REST = 64
"""Number of turns that sleep after a tick that took longer."""


class Conductor:
    """Polls everything there is to poll, and does what comes.

    Outside lockstep, records that no client waits for are read only now and then.

    Args:
        source: Where records come from.
        launcher: Who started the run.
        modules: What answers.
        listeners: Ways in for clients.
        poller: Where all of them are waited for.
        lane: Does steps that need no Python; None = there is none.
    """

    def __init__(
        self,
        source: SourceLink,
        launcher: LauncherLink,
        modules: Modules,
        listeners: Iterable[Listener],
        poller: Poller,
        lane: Lane | None = None,
    ) -> None:
        self._source, self._launcher, self._modules, self._poller = source, launcher, modules, poller
        self._listeners, self._lane = tuple(listeners), lane
        self._dues = [each.due for each in self._listeners if type(each).due is not Listener.due]
        self._coordinator = modules.coordinator
        self._is_stale = True
        self._rest = 0
        self._looked = self._reported = 0.0
        poller.register(source.woken.reader, select.EPOLLIN, self._on_record)
        poller.register(source.channel.fileno(), select.EPOLLIN, self._on_answer)
        poller.register(launcher.channel.fileno(), select.EPOLLIN, lambda *_: launcher.listen())
        poller.on_wake(self._on_handed_over)
        for each in self._listeners:
            each.register(poller)

    def run(self) -> None:
        """Serve until the launcher says stop, or it or the source is gone."""
        poll, handlers, coordinator = self._poller.poll, self._poller.handlers, self._coordinator
        serves = [each.serve for each in self._listeners if type(each).serve is not Listener.serve]
        wait, due, is_more = 0.0, 0.0, False
        while not (self._launcher.is_stopped or self._source.ended):
            coordinator.planned = due
            if coordinator.barrier.due < due:  # another thread was faster
                wait = 0.0
            # requests that wait for their turn would wait for the lane, too
            lane = None if is_more else self._lane
            others = lane.run(min(due, coordinator.barrier.due), self._listeners) if lane is not None else None
            for descriptor, events in others or ():
                handle = handlers.get(descriptor)
                if handle is not None:
                    handle(descriptor, events)
            if others is not None:
                wait = 0.0
            for descriptor, events in poll(wait):
                handle = handlers.get(descriptor)  # None: closed by one before it
                if handle is not None:
                    handle(descriptor, events)
            now = time.monotonic()
            coordinator.planned = -math.inf
            if now >= due:
                self._on_time(now)
            # last, because it must follow every send
            is_more = False
            for serve in serves:
                is_more |= serve()
            due = self._next_due(now)
            wait = 0.0 if is_more else min(max(0.0, due - now), self._watch())

    def say_farewell(self, seconds: float) -> None:
        """Answer late requests with `SimulationEnded`, while there are clients."""
        self._modules.refuse_all()
        source, poller, listeners = self._source, self._poller, self._listeners
        for descriptor in (source.woken.reader, source.channel.fileno(), self._launcher.channel.fileno()):
            if descriptor >= 0:
                poller.unregister(descriptor)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and any(each.clients for each in listeners):
            for descriptor, events in poller.poll(min(left, _LOOK_EVERY)):
                handle = poller.handlers.get(descriptor)
                if handle is not None:
                    handle(descriptor, events)
            for each in listeners:
                each.serve()

    def _watch(self) -> float:
        """Poll for the record of a short tick; return how long to sleep at most [s]."""
        if not self._coordinator.is_running:
            return math.inf
        if self._rest == _REST:  # the second look: the source may have seen that we watched just before we stopped
            self._rest -= 1
            self._modules.look()
            return 0.0
        if self._rest > 0:
            self._rest -= 1
            return math.inf
        if self._source.watch(_WATCH):
            self._modules.look()
            return 0.0
        self._rest = _REST
        return _SECOND_LOOK

    # what comes

    def _on_record(self, _descriptor: int, _events: int) -> None:
        if self._coordinator.is_lockstep:  # the short way: an answer is reported by itself
            is_gone = self._source.woken.drain()[1]
            self._modules.look()
            if not is_gone:
                return
        with self._modules.lock:
            self._source.poll()
            if self._coordinator.is_awaited:
                self._modules.look()
            else:
                self._is_stale = True

    def _on_answer(self, _descriptor: int, _events: int) -> None:
        with self._modules.lock:
            self._source.poll()
            self._modules.look()

    def _on_handed_over(self) -> None:
        for each in self._listeners:
            each.flush()

    # what time brings

    def _on_time(self, now: float) -> None:
        if self._is_stale and now - self._looked >= _LOOK_EVERY:
            self._is_stale, self._looked = False, now
            self._modules.look()
        if now >= self._coordinator.barrier.due:
            self._modules.turn(now)
        is_report_due = now - self._reported >= _STATUS_EVERY
        for each in self._listeners:
            if is_report_due or now >= each.due(now):
                each.turn(now)
        if is_report_due:
            self._reported = now
            self._modules.turn(now)
            self._launcher.report(now)
        for channel in (self._source.channel, self._launcher.channel):
            if channel.pending:
                channel.flush()

    def _next_due(self, now: float) -> float:
        """Return when `_on_time` has something to do."""
        until = min(self._reported + _STATUS_EVERY, self._coordinator.barrier.due)
        if self._is_stale:
            until = min(until, self._looked + _LOOK_EVERY)
        for due in self._dues:
            until = min(until, due(now))
        if self._source.channel.pending or self._launcher.channel.pending:
            until = min(until, now + SOON)
        return until
