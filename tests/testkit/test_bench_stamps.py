"""Times that are noted around methods, and bytes that are sent for comparison."""

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from coopsim.testkit.bench.measuring import bare_echo, socket_clock
from coopsim.testkit.bench.measuring.socket_clock import SocketClock
from coopsim.testkit.own_bench.measuring import stamped_physics
from coopsim.testkit.own_bench.measuring.stamped_physics import (
    KERNELS,
    MOVED,
    PERMITTED,
    POINTS,
    RECORDED,
    SHOWN,
    TickTimes,
)


class Worker:
    """What is looked at."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def part(self, name: str) -> str:
        self.done.append(name)
        return name

    def whole(self) -> None:
        self.part("first")
        self.part("second")


def test_the_first_call_and_the_last_return_of_a_tick_count(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = iter(range(1, 100))
    monkeypatch.setattr(stamped_physics.time, "monotonic_ns", lambda: next(hours))
    monkeypatch.setattr(Worker, "part", Worker.part)  # both are put back in the end
    monkeypatch.setattr(Worker, "whole", Worker.whole)
    times = TickTimes()
    times.around(Worker, "part", KERNELS, MOVED)
    times.around(Worker, "whole", PERMITTED, then=times.end_tick)
    worker = Worker()
    worker.whole()
    worker.whole()
    assert worker.done == ["first", "second"] * 2
    assert worker.part("third") == "third"
    rows = np.array(times.rows).reshape(-1, POINTS)
    assert rows[:, [PERMITTED, KERNELS, MOVED]].tolist() == [[1, 2, 4], [5, 6, 8]]
    assert not rows[:, [SHOWN, RECORDED]].any()


def test_ticks_that_were_not_compiled_are_left_out(tmp_path: Path) -> None:
    np.save(tmp_path / "times.npy", np.array([[1, 2, 3, 4, 5], [6, 0, 0, 7, 8], [9, 10, 11, 12, 13]]))
    assert stamped_physics.read(tmp_path / "times.npy").tolist() == [[1, 2, 3, 4, 5], [9, 10, 11, 12, 13]]


def test_sockets_say_when_they_first_sent_and_last_received(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = iter(range(1, 100))
    near, far = socket.socketpair()
    with near, far, SocketClock() as clock:
        monkeypatch.setattr(socket_clock.time, "monotonic_ns", lambda: next(hours))
        near.sendall(b"one")
        near.send(b"two")
        assert (clock.sent, clock.received) == (1, 0)
        assert [far.recv(3), far.recv(3)] == [b"one", b"two"]
        assert (clock.sent, clock.received) == (1, 3)
        clock.restart()
        far.send(b"three")
        assert (clock.sent, clock.received) == (4, 0)
        assert near.recv_into(bytearray(5)) == 5
        assert clock.received == 5
    assert not {"send", "sendall", "sendmsg", "recv", "recv_into", "recvmsg"} & set(vars(socket.socket))


def test_an_echo_takes_time_at_both_ends() -> None:
    with bare_echo.listen() as server, ThreadPoolExecutor(1) as thread:
        answering = thread.submit(bare_echo.answer, server, 40, 70_000, 5)
        whole, asking = bare_echo.ask(server.getsockname()[1], 40, 70_000, 5)
        assert min(whole, asking, answering.result()) > 0.0


def test_an_echo_that_is_broken_off_is_told() -> None:
    with bare_echo.listen() as server, ThreadPoolExecutor(1) as thread:
        answering = thread.submit(bare_echo.answer, server, 40, 40, 5)
        with pytest.raises((EOFError, ConnectionError)):
            bare_echo.ask(server.getsockname()[1], 40, 40, 6)
        assert answering.result() > 0.0
