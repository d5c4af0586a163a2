"""The one thread that owns the main sockets: requests, records, the launcher and the clock in one poll.

Source: CoopDynSim, section III-A (servers and physics run independently of each other).
"""

import math
import select
import time
from collections.abc import Callable, Iterable

from coopsim.server.lane.lane import Lane
from coopsim.server.launcher import LauncherLink
from coopsim.server.listener import SOON, Listener
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.transport import SourceLink

_STATUS_EVERY = 0.2  # s; as often as a terminal's line is renewed
_LOOK_EVERY = 0.02  # s; a state that nobody asks for may be that old
_WATCH, _SECOND_LOOK = 0.001, 0.001
"""Time for which a tick is waited for without sleeping, and after which it is looked for again [s]."""
_REST = 64
"""Number of turns that sleep after a tick that took longer."""


class Conductor:
    """Polls everything there is to poll, and does what comes.

    Outside lockstep, records that no client waits for are read only now and then. Nothing that a handler raises ends
    the run: it is noted, and all others are called as before.

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
        self._dues = [listener.due for listener in self._listeners if type(listener).due is not Listener.due]
        self._coordinator, self._faults = modules.coordinator, modules.faults
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
        poll, coordinator = self._poller.poll, self._coordinator
        serves = [listener.serve for listener in self._listeners if type(listener).serve is not Listener.serve]
        wait, due, is_more = 0.0, 0.0, False
        while not (self._launcher.is_stopped or self._source.ended):
            coordinator.planned = due
            if coordinator.barrier.due < due:  # another thread was faster
                wait = 0.0
            # requests that wait for their turn would wait for the lane, too
            lane_outcome = None if is_more else self._run_lane(min(due, coordinator.barrier.due))
            if lane_outcome is not None:
                self._handle_all(lane_outcome)
                wait = 0.0
            self._handle_all(poll(wait))
            now = time.monotonic()
            coordinator.planned = -math.inf
            if now >= due:
                self._guard("what time brings", self._on_time, now)
            # last, because it must follow every send
            is_more = self._serve_all(serves)
            due = self._next_due(now)
            try:
                wait = 0.0 if is_more else min(max(0.0, due - now), self._watch())
            except Exception as problem:
                self._note("the watch for records", problem)
                wait = 0.0

    def say_farewell(self, seconds: float) -> None:
        """Answer late requests with `SimulationEnded`, while there are clients."""
        self._modules.refuse_all()
        source, poller, listeners = self._source, self._poller, self._listeners
        for descriptor in (source.woken.reader, source.channel.fileno(), self._launcher.channel.fileno()):
            if descriptor >= 0:
                poller.unregister(descriptor)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and any(listener.clients for listener in listeners):
            self._handle_all(poller.poll(min(left, _LOOK_EVERY)))
            self._serve_all([listener.serve for listener in listeners])

    # nothing of what is called here ends the run

    def _guard(self, where: str, do: Callable[..., object], *arguments: object) -> None:
        """Do something that may fail."""
        try:
            do(*arguments)
        except Exception as problem:
            self._note(where, problem)

    def _due_of(self, due: Callable[[float], float], now: float) -> float:
        """Return when a listener has something to do; one that cannot say it is asked five times a second."""
        try:
            return due(now)
        except Exception as problem:
            self._note("what is due next", problem)
            return now + _STATUS_EVERY

    def _note(self, where: str, problem: Exception) -> None:
        self._faults.note(where, problem)
        time.sleep(SOON)  # what fails again and again must not keep the processor to itself

    def _handle_all(self, events: Iterable[tuple[int, int]]) -> None:
        handlers = self._poller.handlers
        for descriptor, mask in events:
            handle = handlers.get(descriptor)  # None: closed by one before it
            if handle is None:
                continue
            try:
                handle(descriptor, mask)
            except Exception as problem:
                self._note("a handler of sockets", problem)

    def _serve_all(self, serves: Iterable[Callable[[], bool]]) -> bool:
        """Let listeners do what is due at the end of a turn; return whether there may be more at once."""
        is_more = False
        for serve in serves:
            try:
                is_more |= serve()
            except Exception as problem:
                self._note("what listeners serve", problem)
                is_more = True  # it did not come to its end
        return is_more

    def _run_lane(self, until: float) -> list[tuple[int, int]] | None:
        """Do steps in the lane; where that fails, it stays closed, and Python answers."""
        if self._lane is None:
            return None
        try:
            return self._lane.run(until, self._listeners)
        except Exception as problem:
            self._lane = None
            self._note("the lane", problem)
            return []

    def _watch(self) -> float:
        """Poll for the record of a short tick; return how long to sleep at most [s]."""
        if not self._coordinator.is_running:
            return math.inf
        if self._rest == _REST:  # the second look: the source may have seen that we watched just before we stopped
            self._rest -= 1
            self._modules.poll()
            return 0.0
        if self._rest > 0:
            self._rest -= 1
            return math.inf
        if self._source.watch(_WATCH):
            self._modules.poll()
            return 0.0
        self._rest = _REST
        return _SECOND_LOOK

    # what comes

    def _on_record(self, _descriptor: int, _events: int) -> None:
        if self._coordinator.is_lockstep:  # the short way: an answer is reported by itself
            is_gone = self._source.woken.drain()[1]
            self._modules.poll()
            if not is_gone:
                return
        with self._modules.lock:
            self._source.poll()
            if self._coordinator.is_awaited:
                self._modules.poll()
            else:
                self._is_stale = True

    def _on_answer(self, _descriptor: int, _events: int) -> None:
        with self._modules.lock:
            self._source.poll()
            self._modules.poll()

    def _on_handed_over(self) -> None:
        for listener in self._listeners:
            self._guard("replies of other threads", listener.flush)

    # what time brings

    def _on_time(self, now: float) -> None:
        if self._is_stale and now - self._looked >= _LOOK_EVERY:
            self._is_stale, self._looked = False, now
            self._guard("the newest record", self._modules.poll)
        is_report_due = now - self._reported >= _STATUS_EVERY
        if is_report_due or now >= self._coordinator.barrier.due:
            self._guard("patience", self._modules.turn, now)
        for listener in self._listeners:
            if is_report_due or now >= self._due_of(listener.due, now):
                self._guard("the turn of a listener", listener.turn, now)
        if is_report_due:
            self._reported = now
            self._guard("the report", self._launcher.report, now)
        for channel in (self._source.channel, self._launcher.channel):
            if channel.pending:
                channel.flush()

    def _next_due(self, now: float) -> float:
        """Return when `_on_time` has something to do."""
        until = min(self._reported + _STATUS_EVERY, self._coordinator.barrier.due)
        if self._is_stale:
            until = min(until, self._looked + _LOOK_EVERY)
        for due in self._dues:
            until = min(until, self._due_of(due, now))
        if self._source.channel.pending or self._launcher.channel.pending:
            until = min(until, now + SOON)
        return until
