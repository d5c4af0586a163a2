"""Threads that serve robots at endpoints of their own.

Source: CoopDynSim, section III-A (every robot inserted spawns a dedicated thread).
"""

import contextlib
import logging
import math
import select
import threading
import time
from collections.abc import Iterable

import zmq

from coopsim.errors import PortTaken
from coopsim.server.listener import SOON, Listener
from coopsim.server.modules.dispatch import Modules
from coopsim.server.sockets.listening import LOCAL, ListenOptions
from coopsim.server.sockets.router import Router
from coopsim.transport import Notifier

_log = logging.getLogger(__name__)
# each has a stack and a socket; beyond, switching between them costs more than it wins
MOST_THREADS = 16
"""Largest number of threads; more robots than this share them."""


class RobotThread:
    """A thread with a ROUTER on a free port.

    Attributes:
        robots: Names of the robots that are looked up here.
        port: Its TCP port.
    """

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", modules: Modules, name: str, listen: ListenOptions
    ) -> None:
        self.robots: set[str] = set()
        self._stopping, self._modules = False, modules
        with contextlib.ExitStack() as opened:  # where descriptors run out, those of this robot are given back
            self._reader, self._writer = Notifier.pair()
            opened.callback(self._writer.close)
            opened.callback(self._reader.close)
            self._poller = select.epoll()
            opened.callback(self._poller.close)
            self._router = Router(context, 0, modules, self._writer.notify, f" of {name}'s endpoint", listen)
            opened.pop_all()
        self.port = self._router.port
        self._thread = threading.Thread(target=self._run, name=f"robot {name}", daemon=True)
        self._thread.start()

    @property
    def clients(self) -> int:
        """Number of connections."""
        return self._router.clients

    def stop(self) -> None:
        """Ask the thread to end."""
        self._stopping = True
        self._writer.notify()

    def join(self) -> None:
        """Wait for the end of the thread."""
        self._thread.join(5.0)
        self._writer.close()

    @property
    def has_ended(self) -> bool:
        """Whether the thread is over."""
        return not self._thread.is_alive()

    def _run(self) -> None:
        router, poller = self._router, self._poller
        try:
            router.adopt()
            for descriptor in router.descriptors:
                poller.register(descriptor, select.EPOLLIN | select.EPOLLET)
            poller.register(self._reader.reader, select.EPOLLIN)
            wait: float | None = 0.0
            while not self._stopping:
                if any(descriptor == self._reader.reader for descriptor, _ in poller.poll(wait)):
                    self._reader.drain()
                wait = self._guarded_turn()
        except Exception:
            _log.exception("the endpoint of %s failed; they are still served at the main one", sorted(self.robots))
        finally:
            poller.close()
            router.close()
            self._reader.close()

    def _guarded_turn(self) -> float | None:
        """Do a turn; one that fails is noted, and the next one comes soon."""
        try:
            return self._turn()
        except zmq.ZMQError:  # the socket itself is gone
            raise
        except Exception as problem:
            self._modules.faults.note("the endpoint of a robot", problem)
            return SOON

    def _turn(self) -> float | None:
        """Do what there is to do; return how long nothing else is expected [s]."""
        router, now = self._router, time.monotonic()
        router.flush()
        router.turn(now)
        if router.serve():
            return 0.0
        due = router.due(now)
        return None if due == math.inf else max(0.0, due - now)


class RobotThreads(Listener):
    """Threads that serve robots; they follow robots that come and go.

    Args:
        context: Where sockets are made.
        modules: What answers.
        most: How many threads there may be, 0 = none.
        listen: Where to listen, and who gets in.
    """

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        modules: Modules,
        most: int,
        listen: ListenOptions = LOCAL,
    ) -> None:
        self._context, self._modules, self._most, self._listen = context, modules, most, listen
        self._lock = threading.Lock()
        self._thread_of: dict[str, RobotThread] = {}
        self._threads: list[RobotThread] = []
        self._ended: list[RobotThread] = []

    @property
    def clients(self) -> int:
        """Number of connections at all endpoints."""
        return sum(thread.clients for thread in self._threads)

    def port_of(self, robot: str, /) -> int:
        """Return the port of a robot's own endpoint, 0 if it has none."""
        thread = self._thread_of.get(robot)
        return thread.port if thread is not None and not thread.has_ended else 0

    def follow(self, robots: Iterable[str]) -> None:
        """Give new robots an endpoint, take it from those that are gone."""
        if not self._most:
            return
        with self._lock:
            wanted = dict.fromkeys(robots)
            self._bury()
            for robot in [robot for robot in self._thread_of if robot not in wanted]:
                self._remove(robot)
            for robot in wanted:
                if robot not in self._thread_of:
                    self._insert(robot)

    def close(self) -> None:
        """End all threads; replies that are on their way are still sent."""
        with self._lock:
            threads, self._threads = self._threads + self._ended, []
            self._thread_of = {}
        for thread in threads:
            thread.stop()
        for thread in threads:
            thread.join()

    def _insert(self, robot: str) -> None:
        if len(self._threads) < self._most:
            try:
                thread = RobotThread(self._context, self._modules, robot, self._listen)
            except (PortTaken, zmq.ZMQError, OSError) as problem:
                _log.warning("%s has no endpoint of its own: %s", robot, problem)
                return
            self._threads.append(thread)
        else:
            thread = min(self._threads, key=lambda thread: len(thread.robots))
        thread.robots.add(robot)
        self._thread_of[robot] = thread

    def _remove(self, robot: str) -> None:
        thread = self._thread_of.pop(robot)
        thread.robots.discard(robot)
        if not thread.robots:
            self._threads.remove(thread)
            self._ended.append(thread)
            thread.stop()

    def _bury(self) -> None:
        for thread in [thread for thread in self._ended if thread.has_ended]:
            self._ended.remove(thread)
            thread.join()
