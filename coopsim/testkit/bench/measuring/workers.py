"""Client processes that drive robots in lockstep, or answer bare messages for comparison, by turns. For benchmarks."""

import contextlib
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self

import numpy as np
import zmq

from coopsim.errors import NoReply
from coopsim.geometry import Ints
from coopsim.interfaces import Common
from coopsim.testkit.bench.measuring import bare_echo
from coopsim.testkit.bench.measuring.bare_echo import EchoTimes
from coopsim.testkit.bench.measuring.socket_clock import SocketClock
from coopsim.testkit.bench.measuring.stranger import Stranger

WAYS = ("batched", "batched, plain TCP", "naive", "libzmq")
COMMAND = (0.1, 0.2)
"""v and w: every robot drives a circle of its own [m/s, rad/s]."""
_SPAWN = multiprocessing.get_context("spawn")
_SECONDS = 60.0  # s; a worker that is silent for longer has died
_MOST_SOCKETS = 4096  # each has two descriptors


class WorkerPool:
    """Some client processes, each with a share of the robots; a context manager that ends them.

    Driving and bare messages never run at the same time, so that the one does not cost the other.

    Args:
        endpoints: Of the simulation: ZeroMQ, plain TCP.
        shares: Robots of each process; each robot also gets a bare socket of its own.
        request: Length of a bare message to a robot, as long as its readings are.
        reply: Length of its answer, as long as its command is.
    """

    def __init__(self, endpoints: tuple[str, str], shares: Sequence[Sequence[str]], request: int, reply: int) -> None:
        self._endpoints, self._shares, self._request = endpoints, shares, bytes(request)
        self._reply = reply
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._workers: list[tuple[Any, Connection[Any, Any]]] = []

    def __enter__(self) -> Self:
        """Start the processes, and return when all their sockets are connected.

        Raises:
            NoReply: One of them died, or does not connect.
        """
        _allow_many_sockets(self._context)
        self._router = self._context.socket(zmq.ROUTER)
        self._router.setsockopt(zmq.RCVTIMEO, round(1000 * _SECONDS))
        port = self._router.bind_to_random_port("tcp://127.0.0.1")
        for share in self._shares:
            own_end, far_end = _SPAWN.Pipe()
            about = (far_end, f"tcp://127.0.0.1:{port}", self._endpoints, tuple(share), self._reply)
            process = _SPAWN.Process(target=_work, args=about, daemon=True)
            process.start()
            far_end.close()
            self._workers.append((process, own_end))
        try:
            self._routes = [self._receive()[0] for share in self._shares for _ in share]
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process, pipe in self._workers:
            pipe.close()
            process.join(10.0)
            process.kill()
        self._context.destroy(linger=0)

    def raw(self, count: int) -> float:
        """Send every robot a bare message and collect all answers, `count` times; return the median time [us].

        Raises:
            NoReply: A process died.
        """
        times = []
        with self._all_do("answer", count):
            for _ in range(count):
                began = time.perf_counter()
                for route in self._routes:
                    self._router.send_multipart((route, self._request))
                for _ in self._routes:
                    self._receive()
                times.append(time.perf_counter() - began)
        return 1e6 * statistics.median(times)

    @property
    def processes(self) -> list[int]:
        """Ids of the client processes."""
        return [process.pid for process, _ in self._workers]

    def drive(self, way: str, count: int, meter: AbstractContextManager[object] | None = None) -> float:
        """Make `count` lockstep steps; return the median time of one, as the clients see it [us].

        Args:
            way: One of `WAYS`.
            count: How many steps.
            meter: Entered while the steps are made.

        Raises:
            NoReply: A process died.
        """
        with self._all_do("claim", way):
            pass  # none may begin before all have claimed their robots
        with meter or contextlib.nullcontext(), self._all_do("step", count) as medians:
            pass
        with self._all_do("give"):
            pass
        return 1e6 * float(statistics.median(medians))

    def follow(self, count: int, meter: AbstractContextManager[object]) -> list[Ints]:
        """Make `count` batched steps; return their times, see `_Worker.follow`, for each process.

        Args:
            count: How many steps.
            meter: Entered while the steps are made.

        Raises:
            NoReply: A process died.
        """
        with self._all_do("claim", WAYS[0]):
            pass
        with meter, self._all_do("follow", count) as replies:
            pass
        with self._all_do("give"):
            pass
        return replies

    def ping(self, count: int, meter: AbstractContextManager[object]) -> None:
        """Ask the host `count` times for nothing.

        Args:
            count: How many times.
            meter: Entered while it is asked.

        Raises:
            NoReply: A process died.
        """
        with meter, self._all_do("ping", count):
            pass

    def echo(self, count: int) -> EchoTimes:
        """Send bare bytes from the only process and back by TCP, as many as those of a step.

        Raises:
            NoReply: The process died.
        """
        with bare_echo.listen() as server:
            sizes = self._reply, len(self._request)
            with self._all_do("echo", server.getsockname()[1], *sizes, count) as replies:
                answering = bare_echo.answer(server, *sizes, count)
        whole, asking = replies[0]
        return EchoTimes(whole, asking, answering)

    @contextlib.contextmanager
    def _all_do(self, *order: Any) -> Iterator[list[Any]]:
        """Run a request in all processes; in the end the list holds their answers."""
        answers: list[Any] = []
        for worker in self._workers:
            with _death_is_told(worker[0]):
                worker[1].send(order)
        yield answers
        for process, pipe in self._workers:
            with _death_is_told(process):
                if not pipe.poll(_SECONDS):
                    raise NoReply(f"a client of the benchmark does not {order[0]} within {_SECONDS:g} s")
                answers.append(pipe.recv())

    def _receive(self) -> list[bytes]:
        try:
            return self._router.recv_multipart()
        except zmq.Again:
            raise NoReply(f"a client of the benchmark does not answer within {_SECONDS:g} s") from None


@contextlib.contextmanager
def _death_is_told(process: BaseProcess) -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        process.join(_SECONDS)
        raise NoReply(f"a client of the benchmark ended with code {process.exitcode}") from None


def _allow_many_sockets(context: "zmq.Context[zmq.Socket[bytes]]") -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _MOST_SOCKETS if hard == resource.RLIM_INFINITY else min(hard, 2 * _MOST_SOCKETS)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    context.set(zmq.MAX_SOCKETS, _MOST_SOCKETS)


# in a client process


def _work(
    pipe: "Connection[Any, Any]", router: str, endpoints: tuple[str, str], robots: tuple[str, ...], reply: int
) -> None:
    """Do what is asked for until the other end of the pipe is closed."""
    with (
        _bare_sockets(router, len(robots)) as sockets,
        _Worker(endpoints, robots) as worker,
        contextlib.suppress(EOFError),
    ):
        while True:
            word, *arguments = pipe.recv()
            if word == "answer":
                _answer(sockets, bytes(reply), *arguments)
                pipe.send(None)
            else:
                pipe.send(getattr(worker, word)(*arguments))


@contextlib.contextmanager
def _bare_sockets(router: str, count: int) -> Iterator[list["zmq.Socket[bytes]"]]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    _allow_many_sockets(context)
    sockets = [context.socket(zmq.DEALER) for _ in range(count)]
    for socket in sockets:
        socket.setsockopt(zmq.RCVTIMEO, round(1000 * _SECONDS))
        socket.connect(router)
        socket.send(b"")
    yield sockets
    context.destroy(linger=0)


def _answer(sockets: Sequence["zmq.Socket[bytes]"], reply: bytes, count: int) -> None:
    """Answer each bare message; in turn, since all of them get one: to poll hundreds would cost more."""
    for _ in range(count):
        for socket in sockets:
            socket.recv()
            socket.send(reply)


class _Worker:
    """The client of one process.

    Args:
        endpoints: Of the simulation: ZeroMQ, plain TCP.
        robots: What it drives.
    """

    def __init__(self, endpoints: tuple[str, str], robots: tuple[str, ...]) -> None:
        from coopsim.client import connect

        self._robots, self._endpoint = list(robots), endpoints[0]
        self._simulations = [connect(endpoint, timeout=_SECONDS) for endpoint in endpoints]
        self._step: Callable[[], object] = lambda: None
        self._release: Callable[[], object] = lambda: None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for simulation in self._simulations:
            simulation.close()

    def claim(self, way: str) -> None:
        """Claim the robots."""
        simulation = self._simulations[way == WAYS[1]]
        if way == WAYS[2]:
            claims = simulation.module("/sim/step")
            claims.call("claim", self._robots)
            self._release = lambda: claims.call("release", self._robots)
            self._step = _naive([simulation.robot(robot) for robot in self._robots])
        elif way == WAYS[3]:
            stranger = Stranger(self._endpoint, self._robots, COMMAND, _SECONDS)
            self._release, self._step = stranger.release, stranger.step
        else:
            stepper = simulation.stepper(self._robots)
            commands = np.tile(COMMAND, (len(self._robots), 1))
            self._release = stepper.release
            self._step = lambda: stepper.step(commands)

    def step(self, count: int) -> float:
        """Make some steps; return the median time of one [s]."""
        times = []
        before = time.perf_counter()
        for _ in range(count):
            self._step()
            now = time.perf_counter()
            times.append(now - before)
            before = now
        return statistics.median(times)

    def follow(self, count: int) -> Ints:
        """Make some steps; return when each began, sent, had the answer and ended, shape (count, 4) [ns]."""
        times, now = [], time.monotonic_ns
        with SocketClock() as clock:
            for _ in range(count):
                clock.restart()
                began = now()
                self._step()
                ended = now()
                times.append((began, clock.sent or began, clock.received or ended, ended))
        return np.array(times, np.int64)

    def ping(self, count: int) -> None:
        """Ask for nothing, one time after the other."""
        clock = self._simulations[0].module("/sim/clock")
        for _ in range(count):
            clock.call(Common.PING)

    def echo(self, *about: int) -> tuple[float, float]:
        """Send bare bytes and wait for others; see `bare_echo.ask`."""
        return bare_echo.ask(*about)

    def give(self) -> None:
        """Give the robots back."""
        self._release()


def _naive(robots: Sequence[Any]) -> Callable[[], object]:
    """Return what reads two modules and sets one, of each robot: three exchanges."""

    def step() -> None:
        for robot in robots:
            robot.sonars.ranges()
            robot.motors.state()
        for robot in robots:
            robot.motors.set_velocity(*COMMAND)

    return step
