"""Another way into a run is one file and one line: the conductor knows its listeners by one contract."""

import json
import math
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from json_lines import JsonLines
from server_running import Running

from coopsim.interfaces import CLOCK, MOTORS, SONARS, STEP
from coopsim.message import Message, decode, encode
from coopsim.server.listener import Listener
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller

DEADLINE = 10.0


class JsonClient:
    """The other end of `JsonLines`."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(DEADLINE)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")

    def post(self, target: str, command: int, *params: Any, data: tuple[float, ...] = (), number: int = 1) -> None:
        request = {"target": target, "command": command, "params": params, "data": data, "id": number}
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        return dict(json.loads(self._lines.readline()))

    def ask(self, *request: Any, **more: Any) -> dict[str, Any]:
        self.post(*request, **more)
        return self.receive()

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


@pytest.fixture
def dial(tmp_path: Path) -> Iterator[Callable[[], JsonClient]]:
    """Return what connects to a run with one more listener."""
    path = tmp_path / "run.sock"
    run = Running("lockstep", more=(partial(JsonLines, path),))
    clients: list[JsonClient] = []
    try:
        run.ready()

        def connect() -> JsonClient:
            clients.append(JsonClient(path))
            return clients[-1]

        connect.run = run
        yield connect
    finally:
        for client in clients:
            client.close()
        run.close()


def test_a_listener_of_ones_own_serves_requests_at_once_and_after_a_tick(dial: Any) -> None:
    client = dial()
    ranges = client.ask("/robot1/sonars", SONARS.command("ranges").number)
    assert (ranges["error"], ranges["data"]) == (0, [0.0, 0.0, 0.0])
    token = client.ask("/sim/step", STEP.command("claim").number, "robot1")["params"]
    assert len(token) == 1
    stepped = client.ask("/sim/step", STEP.command("step").number, 1, "robot1", data=(0.3, 0.1), number=7)
    assert (stepped["error"], stepped["tick"], stepped["id"]) == (0, 1, 7)
    assert stepped["data"][:2] == [0.3, 0.1]


class Watching(Listener):
    """Notes what the conductor asks of it."""

    def __init__(self, _modules: Modules, poller: Poller) -> None:
        self.poller = poller
        self.turned, self.flushed, self.served = threading.Event(), threading.Event(), 0
        self.has_served = threading.Event()
        self.robots: list[set[str]] = []
        self.is_closed = False

    def due(self, now: float, /) -> float:
        return math.inf if self.turned.is_set() else now

    def turn(self, _now: float, /) -> None:
        self.turned.set()

    def serve(self) -> bool:
        self.served += 1
        if self.served == 5:
            self.has_served.set()
        return self.served < 5

    def flush(self) -> None:
        self.flushed.set()

    def follow(self, robots: Collection[str]) -> None:
        self.robots.append(set(robots))

    def close(self) -> None:
        self.is_closed = True


def test_the_conductor_asks_a_listener_what_its_contract_says() -> None:
    listeners: list[Watching] = []

    def make(modules: Modules, poller: Poller) -> Watching:
        listeners.append(Watching(modules, poller))
        return listeners[-1]

    run = Running("real-time", more=(make,))
    try:
        run.ready()
        (watching,) = listeners
        assert watching.turned.wait(DEADLINE)
        watching.poller.wake()
        assert watching.flushed.wait(DEADLINE)
        assert watching.has_served.wait(DEADLINE)
        assert watching.robots == [{"robot1", "robot2", "plain1"}]
    finally:
        run.close()
    assert watching.is_closed


class Failing(Listener):
    """Raises whenever the conductor asks anything of it."""

    def __init__(self, _modules: Modules, _poller: Poller) -> None:
        self._pipe = os.pipe()
        os.write(self._pipe[1], b"x")

    def register(self, poller: Poller) -> None:
        poller.register(self._pipe[0], select.EPOLLIN, self._fail)

    def _fail(self, *_: object) -> None:
        os.read(self._pipe[0], 1)
        raise ZeroDivisionError

    def serve(self) -> bool:
        raise LookupError

    def turn(self, _now: float, /) -> None:
        raise ValueError

    def due(self, _now: float, /) -> float:
        raise TypeError

    def flush(self) -> None:
        raise AttributeError

    def close(self) -> None:
        for end in self._pipe:
            os.close(end)


@pytest.mark.parametrize("mode", ["real-time", "lockstep"])
def test_a_listener_that_fails_in_every_way_is_noted_and_the_run_goes_on(mode: str) -> None:
    run = Running(mode, more=(Failing,))
    try:
        run.ready()
        client = run.dealer()
        kinds, end = 0, time.monotonic() + DEADLINE
        while kinds < 5 and time.monotonic() < end:
            run.modules.coordinator._hooks.wake()
            client.send(encode(Message("/sim/info", 10, id=3)))
            kinds = len(json.loads(str(decode(client.recv()).params[0])).get("faults", {}))
        assert kinds == 5, "handler, serve, turn, due, flush"
        client.send(encode(Message("/robot1/sonars", SONARS.command("ranges").number, id=4)))
        assert decode(client.recv()).error == 0
    finally:
        run.close()
    assert run.code == 0


def test_its_clients_are_counted_and_own_robots_until_they_are_gone(dial: Any) -> None:
    client, zeromq = dial(), dial.run.dealer()
    client.ask("/robot1/motors", MOTORS.command("set_velocity").number, data=(0.3, 0.0))

    def ask(target: str, command: int, *params: Any) -> Message:
        zeromq.send(encode(Message(target, command, params, id=3)))
        return decode(zeromq.recv())

    assert ask("/sim/step", STEP.command("claim").number, "robot1").error == 204
    status = CLOCK.command("status")
    place = [field.name for field in status.gives if field.place == "data"].index("clients")
    assert ask("/sim/clock", status.number).data[place] == 2
    client.close()
    while ask("/sim/clock", status.number).data[place] == 2:
        pass
    assert ask("/sim/step", STEP.command("claim").number, "robot1").error == 0
