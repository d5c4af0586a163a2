"""`coopsim bench lockstep`: what a lockstep step costs beyond its round trip and its physics."""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from typing import Any

import click
import zmq

from coopsim.app.bench import report
from coopsim.app.running import running

BOUND = 0.55
_SCENARIO = "single"
_REQUEST, _REPLY = bytes(80), bytes(480)


@click.command()
@click.option("--steps", default=4000, show_default=True, type=click.IntRange(100), help="Steps of each of two rounds.")
@click.option("--json", "as_json", is_flag=True, help="Last line of the output as JSON.")
def lockstep(steps: int, as_json: bool) -> None:
    """Compare a lockstep step of one robot by one client with a bare round trip of the same sockets plus the tick.

    value: microseconds of a step; raw: of a bare round trip plus the CPU time of a tick; ratio: raw / value.
    """
    from coopsim.client import connect

    tick = _tick_cost()
    with (
        _echo() as echo,
        running(_SCENARIO, ["--mode", "lockstep", "--wait-for", "1", "--duration", "1e6"]) as endpoint,
        connect(endpoint) as simulation,
        simulation.stepper(["robot1"]) as stepper,
    ):
        commands = [(0.1, 0.2)]
        rounds = [(_median(echo, steps), _median(lambda: stepper.step(commands), steps)) for _ in range(2)]
    raw = statistics.mean(bare for bare, _ in rounds) + tick
    full = statistics.mean(whole for _, whole in rounds)
    row: dict[str, Any] = {"case": "1 robot, 1 client, ZeroMQ", "robots": 1, "tick_us": round(tick, 1)}
    row |= {"value": round(full, 1), "raw": round(raw, 1), "ratio": round(raw / full, 3), "bound": BOUND}
    report([{**row, "ok": raw / full >= BOUND}], as_json=as_json)


def _median(exchange: Callable[[], object], count: int) -> float:
    """Return the median time of an exchange [us]."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        exchange()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def _tick_cost() -> float:
    """Return the CPU time of a tick of the same scenario in process [us]."""
    from coopsim.robots import load
    from coopsim.simulation import Simulation

    simulation = Simulation(load(_SCENARIO))
    times = []
    for _ in range(2000):
        began = time.thread_time()
        simulation.tick()
        times.append(time.thread_time() - began)
    return statistics.median(times) * 1e6


class _echo:  # noqa: N801 - used as a context manager, like a function
    """A bare ROUTER in another process and a DEALER here: one exchange per call."""

    def __enter__(self) -> Callable[[], object]:
        here, there = multiprocessing.Pipe()
        spawn = multiprocessing.get_context("spawn")
        self._process = spawn.Process(target=_serve, args=(there,), daemon=True)
        self._process.start()
        there.close()
        self._context: zmq.Context[Any] = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.RCVTIMEO, 5000)
        self._socket.connect(here.recv())
        return self._exchange

    def _exchange(self) -> object:
        self._socket.send(_REQUEST)
        return self._socket.recv()

    def __exit__(self, *_: object) -> None:
        self._socket.send(b"")
        self._context.destroy(linger=1000)
        self._process.join(10)


def _serve(there: Any) -> None:
    context: zmq.Context[Any] = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    there.send(f"tcp://127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}")
    there.close()
    while True:
        route, body = socket.recv_multipart()
        if not body:
            break
        socket.send_multipart([route, _REPLY])
    context.destroy(linger=0)
