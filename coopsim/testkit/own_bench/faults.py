"""`coopsim bench faults`: what others notice of clients that die, hang, or send nonsense."""

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from coopsim.features.files.figures import show
from coopsim.testkit import Driver, Run, descriptors_of, memory_of
from coopsim.testkit.own_bench.measuring.misbehaving import (
    LatencyProbe,
    Subprocess,
    come_and_go,
    flood,
    malform,
    never_read,
    polite_flood,
)

PATIENCE = 0.5  # s; short, so that the benchmark waits no longer than it must
KILLED_BOUND = 50.0  # ms until a robot is free again
OTHERS_BOUND = 2.0  # times; a neighbour's fault may double what others wait
MEMORY_BOUND = 10.0  # MB; queues have limits
LEAK_BOUND, LEAK_BOUND_LONG = 10.0, 2.0  # MB; in a long run caches have settled before it is measured
_MARGIN = 1.05  # for the clock of the machine that measures
_DELAYED = 50.0  # ms; the scheduler of a busy machine alone takes less
_ROBOTS = "".join(f"[ROBOT_{n}]\ntype bench\nname robot{n}\nposition {2 * n} 0 0\n" for n in (1, 2, 3))
_SCENE = f"[SIMULATION]\nmode {{mode}}\npatience {PATIENCE}\n{_ROBOTS}"

Row = dict[str, Any]


@click.command()
@click.option("--long", "is_long", is_flag=True, help="Ten minutes of clients that come and go instead of 20 s.")
@click.option("--quick", is_flag=True, help="A tenth of everything: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def faults(is_long: bool, quick: bool, as_json: bool) -> None:
    """Measure what others notice of controllers that die or hang, of garbage, and of connections without end.

    Times of steps in ms: value is the longest after the fault, raw the longest before; a bound of patience is kept up
    to a twentieth more. Times of exchanges in us: value is the median during the fault, raw that of the same client
    before; their ratio has the bound.
    """
    scale = 0.1 if quick else 1.0
    rows = _controllers(1 if quick else 3)
    with Run(_SCENE.format(mode="real-time"), "--no-controllers") as run, LatencyProbe(run.endpoint) as neighbours:
        rows += _payloads(run, neighbours, round(20_000 * scale))
        rows += _deaf(run, neighbours, round(20_000 * scale))
        rows += _connections(run, neighbours, round(500 * scale))
    with Run(_SCENE.format(mode="real-time"), "--no-controllers") as run:
        rows += _churn(run, 600.0 if is_long else 20.0 * scale, LEAK_BOUND_LONG if is_long else LEAK_BOUND)
    show(rows, as_json=as_json)


def _row(case: str, unit: str, value: float, bound: float, raw: float | None = None, **more: Any) -> Row:
    """Return a row of a value that must not be larger than its bound."""
    row = {"case": case, "unit": unit, "value": round(value, 3), "raw": None, "ratio": None}
    if raw is not None:
        row |= {"raw": round(raw, 3), "ratio": round(value / raw, 3) if raw else None}
    return row | {"bound": bound, "ok": value <= bound} | more


def _others(case: str, before: float, during: float) -> Row:
    """Return the row of others' exchanges, whose ratio has the bound."""
    row = _row(f"others' p50, {case}", "us", during, OTHERS_BOUND, before)
    return {**row, "ok": during <= OTHERS_BOUND * before}


# controllers that end


def _controllers(rounds: int) -> list[Row]:
    with Run(_SCENE.format(mode="lockstep"), "--no-controllers") as run:
        return [
            _delay(run, rounds, "a controller killed (SIGKILL)", KILLED_BOUND, lambda driver: driver.kill()),
            _delay(run, rounds, "a controller stopped (SIGSTOP)", 1e3 * PATIENCE, lambda driver: driver.stop()),
            _delay(run, rounds, "a controller loops without commands", 1e3 * PATIENCE, None),
        ]


def _delay(run: Run, rounds: int, case: str, bound: float, act: Callable[[Driver], None] | None) -> Row:
    """Return the longest step of another client after a controller ended in some way [ms]."""
    delays = [_delayed(run, act) for _ in range(rounds)]
    worst = max(max(after) for _, after in delays)
    usual = max(max(before) for before, _ in delays)
    often = max(sum(delay > _DELAYED for delay in after) for _, after in delays)
    row = _row(f"{case}: others' longest step", "ms", worst, bound, usual, delayed=often)
    # patience is over a moment before the step is
    return {**row, "ok": worst <= (bound if bound == KILLED_BOUND else _MARGIN * bound) and often <= 1}


def _delayed(run: Run, act: Callable[[Driver], None] | None) -> tuple[list[float], list[float]]:
    from coopsim.client import connect

    with (
        Driver(run.endpoint, "robot2", silent_after=None if act else 500) as driver,
        connect(run.endpoint, timeout=10.0) as simulation,
        simulation.stepper(["robot1"]) as stepper,
    ):
        driver.until("driving")

        def steps(until: Callable[[], bool]) -> list[float]:
            times = []
            while not until():
                began = time.perf_counter()
                stepper.step([(0.1, 0.1)])
                times.append(1e3 * (time.perf_counter() - began))
            return times

        before = steps(_after(0.5))
        if act is not None:
            act(driver)
            return before, steps(_after(1.2))
        before += steps(lambda: "silent" in driver.printed)
        # the report that it is silent may come before or after the delay
        whole = before[-50:] + steps(_after(1.2))
        return before[:-50], whole


def _after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


# bytes and connections


def _payloads(run: Run, probe: LatencyProbe, count: int) -> list[Row]:
    rows = []
    for name, endpoint in (("ZeroMQ", run.endpoint), ("plain TCP", run.plain)):
        attack, good = Subprocess(flood, endpoint, count, 1), Subprocess(polite_flood, endpoint, count)
        before = probe.p50(1.0)
        during, wrong = probe.during(attack)
        polite, _ = probe.during(good)
        rows += [
            _row(f"{count} random payloads by {name}: without one error reply", "replies", wrong, 0),
            {**_others(f"random payloads by {name}", before, during), "good requests instead": round(polite, 1)},
            _row(
                f"malformed messages by {name}: without one error reply", "replies", Subprocess(malform, endpoint)(), 0
            ),
        ]
    return rows


def _deaf(run: Run, probe: LatencyProbe, count: int) -> list[Row]:
    rows = []
    for name, endpoint in (("ZeroMQ", run.endpoint), ("plain TCP", run.plain)):
        attack = Subprocess(never_read, endpoint, count, 3.0)
        before, memory = probe.p50(1.0), memory_of(run.host)
        with _peak(run.host) as peak:
            during, _ = probe.during(attack)
        rows += [
            _row(f"a client that never reads, {name}: memory grows", "MB", peak[0] - memory, MEMORY_BOUND),
            # while it sends as fast as it can, the others share the host with it: that they are served is the promise
            {**_others(f"a client that never reads, {name}", before, during), "bound": None, "ok": None},
        ]
    return rows


@contextlib.contextmanager
def _peak(pid: int) -> Iterator[list[float]]:
    """Watch the memory of a process [MB]."""
    peak, over = [memory_of(pid)], threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            peak[0] = max(peak[0], memory_of(pid))

    watching = threading.Thread(target=watch)
    watching.start()
    yield peak
    over.set()
    watching.join()


def _connections(run: Run, probe: LatencyProbe, count: int) -> list[Row]:
    rows = []
    for name, endpoint, stream in (
        (f"{count} silent connections to the ZeroMQ port", run.endpoint, ()),
        (f"{count} silent connections to the TCP port", run.plain, ()),
        # the length of a message that never comes to its end
        (f"{count} trickling connections to the TCP port", run.plain, (0, 16, 0, 0)),
    ):
        words = itertools.chain(stream, itertools.repeat(0)) if stream else None
        before, open_before = probe.p50(1.0), descriptors_of(run.host)
        with _connected(endpoint, count) as ends:
            during, _ = probe.during(partial(_trickle, ends, words, 2.0))
            left = _settled(run.host, open_before, partial(_trickle, ends, words, 0.2))
        closed = _settled(run.host, open_before, partial(time.sleep, 0.1))
        rows += [
            _others(name, before, during),
            _row(f"{name}: descriptors kept", "files", left, 0, **{"after they close": closed}),
        ]
    return rows


@contextlib.contextmanager
def _connected(endpoint: str, count: int) -> Iterator[list[socket.socket]]:
    from coopsim.client.endpoints import parse

    place = parse(endpoint)
    with contextlib.ExitStack() as opened:
        yield [opened.enter_context(socket.create_connection((place.host, place.port), 10.0)) for _ in range(count)]


def _trickle(ends: list[socket.socket], words: Iterator[int] | None, seconds: float) -> None:
    """Send the next byte on every connection, ten times a second; without words nothing is sent."""
    is_over = _after(seconds)
    while not is_over():
        word = b"" if words is None else bytes([next(words)])
        for end in ends if word else ():
            with contextlib.suppress(OSError):
                end.send(word)
        time.sleep(0.1)


def _settled(pid: int, before: int, wait: Callable[[], object]) -> int:
    """Return how many descriptors more than before a process has when their number no longer falls."""
    is_over = _after(10.0)
    while descriptors_of(pid) > before and not is_over():
        wait()
    return max(0, descriptors_of(pid) - before)


def _churn(run: Run, seconds: float, bound: float) -> list[Row]:
    """Connect and disconnect clients; return what is left: in the last three fifths memory may grow by `bound` [MB]."""
    visits = [0, 0]

    def go(duration: float, seed: int) -> None:
        connected, failed = Subprocess(come_and_go, (run.endpoint, run.plain), duration, seed)()
        visits[0] += connected
        visits[1] += failed

    # idle connections are remembered, up to a number that the first part fills in ten minutes, not in twenty seconds
    _both(go, 0.4 * seconds, 1)
    memory, files = memory_of(run.host), descriptors_of(run.host)
    _both(go, 0.6 * seconds, 3)
    grown = memory_of(run.host) - memory
    left = _settled(run.host, files, partial(time.sleep, 0.1))
    case = f"clients come and go for {seconds:g} s"
    return [
        _row(f"{case}: memory grows", "MB", grown, bound, visits=visits[0]),
        _row(f"{case}: descriptors kept", "files", left, 0),
        _row(f"{case}: visits that failed", "visits", visits[1], 0),
    ]


def _both(go: Callable[[float, int], None], duration: float, seed: int) -> None:
    threads = [threading.Thread(target=go, args=(duration, seed + which)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
