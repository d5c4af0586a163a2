"""Clients in processes of their own, for benchmarks: one that behaves and is timed, and some that do not behave."""

import contextlib
import multiprocessing
import random
import socket
import statistics
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self, TypeVar

import zmq

from coopsim.errors import CoopsimError, NoReply

_READING, _PAUSE = ("/robot1/sonars", 10), 0.0005  # two thousand requests a second
T = TypeVar("T")
_SPAWN = multiprocessing.get_context("spawn")


class LatencyProbe:
    """A polite client in a process of its own that asks for a reading about a thousand times a second.

    Args:
        endpoint: Of the simulation.
    """

    def __init__(self, endpoint: str) -> None:
        self._here, child_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_ask_on, args=(endpoint, child_end), daemon=True)
        self._process.start()
        child_end.close()
        self._here.recv()

    def p50(self, seconds: float) -> float:
        """Return the median time of its exchanges in the `seconds` that follow [us]."""
        return self.during(partial(time.sleep, seconds))[0]

    def during(self, act: Callable[[], T]) -> tuple[float, T]:
        """Return the median time of its exchanges while `act` is done [us], and what `act` returned."""
        self._here.send("begin")
        result = act()
        self._here.send("end")
        if not self._here.poll(60.0):
            raise NoReply("the polite client is not served any more")
        times: list[float] = self._here.recv()
        if not times:
            raise NoReply("the polite client was not served once")
        return statistics.median(times) * 1e6, result

    def __enter__(self) -> Self:
        self.p50(0.2)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._here.close()
        self._process.join(10.0)
        self._process.kill()


def _ask_on(endpoint: str, end: "Connection[Any, Any]") -> None:
    from coopsim.message import Message
    from coopsim.testkit import RawClient

    request = Message(*_READING)
    times: list[float] = []
    with RawClient(endpoint, timeout=30.0) as client, contextlib.suppress(EOFError, OSError):
        client.ask(request)
        end.send("ready")
        while True:
            while end.poll(_PAUSE):
                if end.recv() == "end":
                    end.send(times)
                times = []
            began = time.perf_counter()
            client.ask(request)
            times.append(time.perf_counter() - began)


class Subprocess:
    """A function in a process of its own that begins on request, not before everything is imported.

    Args:
        work: What it does.
        arguments: What it is given.
    """

    def __init__(self, work: Callable[..., Any], *arguments: Any) -> None:
        self._name = work.__name__
        self._here, far_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_work, args=(far_end, work, arguments), daemon=True)
        self._process.start()
        far_end.close()
        self._receive()

    def __call__(self) -> Any:
        """Start the function, and return its result.

        Raises:
            NoReply: It died.
        """
        self._here.send("go")
        try:
            return self._receive()
        finally:
            self._process.join()
            self._here.close()

    def _receive(self) -> Any:
        try:
            return self._here.recv()
        except EOFError:
            raise NoReply(f"the process that does {self._name} died") from None


def _work(end: "Connection[Any, Any]", work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    import coopsim.testkit  # noqa: F401 - so that it is there when the work begins

    end.send("ready")
    end.recv()
    end.send(work(*arguments))
    end.close()


def flood(endpoint: str, count: int, seed: int, window: int = 20) -> int:
    """Send random payloads, several at a time; return how many were not answered by exactly one error."""
    from coopsim.testkit import RawClient

    chance, wrong = random.Random(seed), 0  # noqa: S311 - to be repeatable
    with RawClient(endpoint) as client:
        for first in range(0, count, window):
            size = min(window, count - first)
            for _ in range(size):
                client.send(chance.randbytes(chance.randint(0, 200)))
            replies = [client.receive(5.0) for _ in range(size)]
            wrong += sum(reply is None or not reply.error for reply in replies)
        return wrong + (client.receive(0.2) is not None)


def polite_flood(endpoint: str, count: int, window: int = 20) -> int:
    """Send as many well-formed requests in the same way; return how many were not answered."""
    from coopsim.message import Message
    from coopsim.testkit import RawClient

    wrong = 0
    with RawClient(endpoint) as client:
        for first in range(0, count, window):
            size = min(window, count - first)
            for _ in range(size):
                client.post(Message(*_READING))
            wrong += sum(client.receive(5.0) is None for _ in range(size))
    return wrong


def malform(endpoint: str) -> int:
    """Send every malformed message; return how many were not answered by exactly one error."""
    from coopsim.message import Message
    from coopsim.testkit import MALFORMED, RawClient

    wrong = 0
    with RawClient(endpoint) as client:
        for raw in MALFORMED.values():
            client.send(raw)
            number = client.post(Message(*_READING))
            errors = 0
            while (reply := client.receive()) is not None and (reply.id != number or reply.error):
                errors += reply.error > 0
            wrong += errors != 1
    return wrong


def never_read(endpoint: str, count: int, seconds: float) -> int:
    """Send requests with large replies without reading one, then keep the connection; return how many were taken."""
    from coopsim.client.endpoints import parse
    from coopsim.message import Message, encode

    place, raw = parse(endpoint), encode(Message("/sim/step", 1))
    end = time.monotonic() + seconds
    if place.is_plain:
        taken = _never_read_plain(place.host, place.port, raw, count, end)
    else:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        deaf = context.socket(zmq.DEALER)
        deaf.rcvhwm, deaf.sndtimeo = 1, 500
        deaf.connect(place.address)
        taken = 0
        with contextlib.suppress(zmq.Again):
            while taken < count and time.monotonic() < end:
                deaf.send(raw)
                taken += 1
        time.sleep(max(0.0, end - time.monotonic()))
        context.destroy(linger=0)
    return taken


def _never_read_plain(host: str, port: int, raw: bytes, count: int, end: float) -> int:
    taken = 0
    with socket.create_connection((host, port), 10.0) as deaf, contextlib.suppress(OSError):
        deaf.settimeout(0.5)
        while taken < count and time.monotonic() < end:
            deaf.sendall(len(raw).to_bytes(4, "big") + raw)
            taken += 1
        time.sleep(max(0.0, end - time.monotonic()))
    return taken


def come_and_go(endpoints: tuple[str, str], seconds: float, seed: int) -> tuple[int, int]:
    """Connect, ask, claim, command and leave, often without a word; return how many visits, and how many failed."""
    from coopsim.message import Message
    from coopsim.testkit import RawClient

    chance, visits, failed = random.Random(seed), 0, 0  # noqa: S311 - to be repeatable
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        visits += 1
        try:
            with RawClient(chance.choice(endpoints), timeout=5.0) as guest:
                failed += guest.ask(Message(*_READING)).error > 0
                if chance.random() < 0.3:
                    guest.ask(Message("/sim/step", 13, ("robot2",)))
                if chance.random() < 0.3:
                    guest.post(Message("/sim/step", 11, (0, "robot2"), (0.1, 0.0)))
        except CoopsimError:
            failed += 1
    return visits, failed
