"""`coopsim bench serve`: what a served robot costs, and how well real time is kept."""

import os
import signal
import time
from typing import Any

import click
import numpy as np

from coopsim.features.files.figures import show
from coopsim.geometry import Floats
from coopsim.testkit import Run, descriptors_of, memory_of
from coopsim.testkit.own_bench.measuring.event_fan_out import fan_out
from coopsim.testkit.own_bench.measuring.misbehaving import Subprocess
from coopsim.testkit.own_bench.measuring.pacing import STEP_NS, pace

ROBOT_BOUND = 0.15
LATE_BOUND, LATE_PRIORITY_BOUND = 0.2, 0.1
RECOVERY_BOUND = 20
STALL = 0.15
EVENT_BOUND, EVENTS, LISTENERS = 20_000, 100_000, 10
_ONE = "[ROBOT_1]\ntype bench\nname robot1\n"
_MORE = 15
_REALTIME = "--realtime-priority"
_POLICY = 0xF

Row = dict[str, Any]


@click.command()
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(2.0), help="Length of each run.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def serve(seconds: float, as_json: bool) -> None:
    """Measure the memory of a robot's thread and socket, the lateness of ticks at 100 Hz without clients, and events.

    Lateness in ms, on an absolute schedule; raw is that of nothing but a sleep. For figures that mean something the
    machine must have nothing else to do.
    """
    rows = _robots()
    rows += _pacing(seconds)
    rows.append(_events())
    show(rows, as_json=as_json)


def _row(case: str, unit: str, value: float, bound: float, raw: float | None = None, **more: Any) -> Row:
    """Return a row of a value that must not be larger than its bound."""
    row = {"case": case, "unit": unit, "value": round(value, 4), "raw": None, "ratio": None}
    if raw is not None:
        row |= {"raw": round(raw, 4), "ratio": round(value / raw, 3) if raw else None}
    return row | {"bound": bound, "ok": value <= bound} | more


def _events() -> Row:
    """Publish as fast as one client can, to ten that listen."""
    with Run(_ONE, "--no-controllers") as run:
        rate, lost = fan_out(run.endpoint, LISTENERS, EVENTS)
    row = {
        "case": f"events to {LISTENERS} that listen",
        "unit": "1/s",
        "value": round(rate),
        "raw": None,
        "ratio": None,
    }
    return row | {"bound": EVENT_BOUND, "ok": rate >= EVENT_BOUND and not lost, "lost": lost}


# memory


def _robots() -> list[Row]:
    """Insert robots one by one, each with a thread and a socket of its own, and look at the host."""
    from coopsim.client import connect

    with Run(_ONE, "--no-controllers", "--mode", "lockstep") as run, connect(run.endpoint) as simulation:
        simulation.robot("robot1", own_endpoint=True).sonars.ranges()
        memory, files, threads = memory_of(run.host), descriptors_of(run.host), _threads_of(run.host)
        for number in range(2, _MORE + 2):
            simulation.world.insert(f"[ROBOT_{number}]\ntype bench\nname robot{number}\nposition {2 * number} 0 0\n")
        more = _threads_of(run.host) - threads
        grown, opened = memory_of(run.host) - memory, descriptors_of(run.host) - files
    case = "a robot's thread and socket"
    return [
        _row(f"{case}: memory", "MB", grown / _MORE, ROBOT_BOUND, threads=more / _MORE),
        {**_without_bound(f"{case}: descriptors", opened / _MORE), "unit": "files"},
    ]


def _threads_of(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


# pace


def _pacing(seconds: float) -> list[Row]:
    with Run(_ONE, "--no-controllers") as run:
        published = _lateness(run, seconds)
        stalled = _stalled(run)
    begun, bare = _apart(seconds, has_priority=False)
    rows = [
        _row("100 Hz: a tick begins late, p50", "ms", _quantile(begun, 0.5), LATE_BOUND, _quantile(bare, 0.5)),
        _without_bound("100 Hz: a tick begins late, p99", _quantile(begun, 0.99), _quantile(bare, 0.99)),
        _without_bound("100 Hz: its record is there late, p50", _quantile(published, 0.5)),
        _without_bound("100 Hz: its record is there late, p99", _quantile(published, 0.99)),
        _row("a stall of 150 ms: steps until punctual again", "steps", stalled, RECOVERY_BOUND),
    ]
    return rows + _with_priority(seconds)


def _with_priority(seconds: float) -> list[Row]:
    """Measure with real-time priority: that of the option where there is one, otherwise given from outside."""
    from coopsim.app.run import run as command

    has_option = any(_REALTIME in parameter.opts for parameter in command.params)
    begins, arrives = (f"100 Hz, {_REALTIME}: {what} late, p99" for what in ("a tick begins", "its record is there"))
    try:
        begun, bare = _apart(seconds, has_priority=True)
        with Run(_ONE, "--no-controllers", *([_REALTIME] if has_option else [])) as run:
            if not has_option:
                os.sched_setscheduler(run.physics, os.SCHED_FIFO, os.sched_param(10))
            if os.sched_getscheduler(run.physics) & _POLICY != os.SCHED_FIFO:
                raise PermissionError
            published = _lateness(run, seconds)
    except PermissionError:
        return [{**_without_bound(case, None), "note": "not permitted here"} for case in (begins, arrives)]
    return [
        _row(begins, "ms", _quantile(begun, 0.99), LATE_PRIORITY_BOUND, _quantile(bare, 0.99)),
        _without_bound(arrives, _quantile(published, 0.99)),
    ]


def _without_bound(case: str, value: float | None, raw: float | None = None) -> Row:
    values = {name: None if number is None else round(number, 4) for name, number in (("value", value), ("raw", raw))}
    return {"case": case, "unit": "ms", **values, "ratio": None, "bound": None, "ok": None}


def _quantile(lateness: Floats, share: float) -> float:
    return float(np.quantile(lateness, share))


def _apart(seconds: float, *, has_priority: bool) -> tuple[Floats, Floats]:
    """Return the lateness of ticks and that of a bare sleep, both in a process of its own [ms].

    Raises:
        PermissionError: It may not have real-time priority.
    """
    begun, bare, is_permitted = Subprocess(pace, seconds, has_priority)()
    if not is_permitted:
        raise PermissionError
    return begun, bare


def _lateness(run: Run, seconds: float) -> Floats:
    """Return by how much the record of each tick of a run in real time was late, shape (n,) [ms].

    The schedule is the one on which the most punctual records lie.
    """
    time.sleep(0.5)
    first = _published(run)[-1][0]
    time.sleep(seconds)
    ticks, walls = np.array([message for message in _published(run) if message[0] > first], np.float64).T
    return _behind(walls - ticks * STEP_NS)


def _published(run: Run) -> list[tuple[int, int]]:
    """Return tick and time of the records that are still in the ring [ns]."""
    from coopsim.state import RecordHeader
    from coopsim.transport import Ring

    headers = [RecordHeader.unpack(raw) for raw in Ring.attach(run.ring).following(0)[0]]
    return [(header.tick, header.wall_ns) for header in headers]


def _behind(offsets: Floats) -> Floats:
    """Return how far behind the schedule of the most punctual percent each is [ms]."""
    return np.maximum(0.0, (offsets - np.quantile(offsets, 0.01)) * 1e-6)


def _stalled(run: Run) -> int:
    """Stop the physics process for a moment; return how many ticks were late before one was punctual again."""
    os.kill(run.physics, signal.SIGSTOP)
    time.sleep(STALL)
    os.kill(run.physics, signal.SIGCONT)
    time.sleep(1.0)
    ticks, walls = np.array(_published(run)[-150:], np.float64).T
    late = _behind(walls - ticks * STEP_NS)
    begin = int(np.argmax(late > STALL * 0.5e3))
    punctual = late[begin:] < 0.1 * STEP_NS * 1e-6
    return int(np.argmax(punctual)) if punctual.any() else len(punctual)
