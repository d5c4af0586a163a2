"""`coopsim bench step`: where the time of a lockstep step goes, part by part."""

import os
import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click
import numpy as np

from coopsim.features.files.figures import show
from coopsim.geometry import Ints
from coopsim.testkit.bench.lockstep import BATCHED, GROUPS, Row, RunSize, Yardstick
from coopsim.testkit.bench.measuring.bare_echo import EchoTimes
from coopsim.testkit.bench.measuring.cpu import CpuMeter
from coopsim.testkit.bench.measuring.workers import WorkerPool
from coopsim.testkit.own_bench.measuring import stamped_physics
from coopsim.testkit.own_bench.measuring.stamped_physics import KERNELS, MOVED, PERMITTED, RECORDED, SHOWN
from coopsim.testkit.own_bench.measuring.stamped_run import StampedRun
from coopsim.testkit.own_bench.measuring.step_parts import StepParts

_CLIENTS = (1, 10)
_BEGAN, _SENT, _ANSWERED, _ENDED = range(4)
_CLIENT, _HOST, _PHYSICS = "a client", "host", "physics"
_REST = "physics: hash and rest of the record"
_TICK = {
    "physics: until its kernels begin": (PERMITTED, KERNELS),
    "physics: kernels of the tick": (KERNELS, MOVED),
    "physics: readings shown": (MOVED, SHOWN),
    _REST: (SHOWN, RECORDED),
}
_PATH = (
    "client: until it sends",
    "sockets, host: until the tick is permitted",
    *(name for name in _TICK if name != _REST),
    "host, sockets: until the answer is there",
    "client: reads the answer",
)


@click.command()
@click.option("--steps", default=2000, show_default=True, type=click.IntRange(100), help="Of which medians are taken.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def step(steps: int, as_json: bool) -> None:
    """Show where the time of a lockstep step goes, for robots of type `single` with a client each.

    First of a step as it is, of one client: what comes one after the other; ratio: its share of the step. Beside it:
    what is done when the client is answered, and what a part of the way there and back takes by itself. Then what
    processors do in a step of ten clients; ratio: its share of all processors. Last the parts of Python by themselves
    in one process, as without the lane of the host, for all robots together; ratio: a part's share of all.
    """
    shares = [StepShares(group, steps) for group in GROUPS if group.robots in _CLIENTS]
    rows = [row for share in shares for row in (path_rows(share) if share.clients == 1 else work_rows(share))]
    show([*rows, *(row for count in _CLIENTS for row in rows_of(count, steps))], as_json=as_json)


class StepShares:
    """Steps of a run whose clients each drive a robot.

    Args:
        group: What runs.
        count: How many steps.

    Attributes:
        name: What people call it.
        clients: How many there are.
        step: Median time of a step, as clients see it [us].
        mean: The mean [us].
        path: What a step consists of, see `path_of`; of one client.
        tick: Median times of the parts of a tick [us].
        busy: Processor time of a process in a step, by what the process is [us].
        echo: What bare bytes take; of one client.
        ping: Processor time of the host for a message without a step [us]; of one client.

    Raises:
        NoReply: The simulation or a client ended.
    """

    def __init__(self, group: RunSize, count: int) -> None:
        self.name, self.clients, yardstick = group.name, group.processes, Yardstick(group)
        with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
            file = Path(folder) / "times.npy"
            with (
                StampedRun(group.scenario, group.robots, file) as run,
                WorkerPool((run.endpoint, run.plain), group.shares, yardstick.readings, yardstick.command) as crew,
            ):
                processes = {_CLIENT: crew.processes, _HOST: [run.host], _PHYSICS: [run.physics]}
                times = self._measure(crew, max(10, round(count * group.effort)), processes)
            ticks = stamped_physics.read(file)
        begin, end = min(time[0, _BEGAN] for time in times), max(time[-1, _ENDED] for time in times)
        ticks = ticks[(ticks[:, PERMITTED] > begin) & (ticks[:, RECORDED] < end)]
        self.tick = {name: _median_us([ticks[:, to] - ticks[:, since]]) for name, (since, to) in _TICK.items()}
        self.step = _median_us(time[:, _ENDED] - time[:, _BEGAN] for time in times)
        self.mean = 1e-3 * float(end - begin) / len(times[0])
        self.path = path_of(times[0], ticks) if self.clients == 1 else {}

    def _measure(self, crew: WorkerPool, count: int, processes: Mapping[str, Sequence[int]]) -> list[Ints]:
        """Make steps; return when they began and ended, for each client."""
        crew.drive(BATCHED, count)  # warms up
        meter, pinging = CpuMeter(processes), CpuMeter(processes)
        times = crew.follow(count, meter)
        self.busy = {who: spent / count for who, spent in meter.spent.items()}
        self.echo, self.ping = EchoTimes(0.0, 0.0, 0.0), 0.0
        if self.clients == 1:
            crew.ping(count, pinging)
            self.echo, self.ping = crew.echo(count), pinging.spent[_HOST] / count
        return times


def path_rows(times: StepShares) -> list[Row]:
    """Return what a step of one client consists of, then what stands beside it."""
    beside = {
        _REST: times.tick[_REST],
        "bare bytes there and back, by two processes that sleep": times.echo.whole,
        "processor time of the host for a message": times.ping,
    }
    return [
        *_shares(f"{times.name}, a step: ", {**times.path, "all of it": times.step}, times.step),
        *(
            {"case": f"{times.name}, beside it: {what}", "unit": "us", "value": round(spent, 1)}
            for what, spent in beside.items()
        ),
    ]


def path_of(steps: Ints, ticks: Ints) -> Mapping[str, float]:
    """Return the medians of what a client's steps consist of, in their order [us].

    Args:
        steps: When each began, sent, had the answer, ended, shape (n, 4) [ns].
        ticks: Times of ticks, as `stamped_physics.read` returns them.
    """
    rows_of_steps = np.searchsorted(ticks[:, PERMITTED], steps[:, _BEGAN])
    is_there = rows_of_steps < len(ticks)
    steps, ticks = steps[is_there], ticks[rows_of_steps[is_there]]
    outside, inside = steps.T, ticks.T
    marks = np.array([*outside[:_ANSWERED], *inside[:RECORDED], *outside[_ANSWERED:]])
    spent = np.diff(marks[:, ticks[:, SHOWN] < steps[:, _ENDED]], axis=0)  # others were not compiled
    return dict(zip(_PATH, (1e-3 * np.median(spent, axis=1)).tolist(), strict=True))


def work_rows(times: StepShares) -> list[Row]:
    """Return what processors do in a step."""
    cores = len(os.sched_getaffinity(0))
    parts = {
        f"{times.clients} clients": times.clients * times.busy[_CLIENT],
        "host": times.busy[_HOST],
        **times.tick,
        "physics: waits for permission": max(0.0, times.busy[_PHYSICS] - sum(times.tick.values())),
    }
    whole = cores * times.mean
    parts |= {"nothing, or other programs": whole - sum(parts.values()), f"all {cores} of them": whole}
    return _shares(f"{times.name}, processors: ", parts, whole)


def rows_of(robots: int, steps: int) -> list[Row]:
    """Return a row for each part of a step of so many robots in Python, and one for all."""
    group = next(candidate for candidate in GROUPS if candidate.robots == robots)
    parts = StepParts(group.scenario).measure(steps)
    whole = sum(parts.values())
    of = f"{robots} robot{'s' if robots > 1 else ''}"
    return _shares(f"{of}, ", {**parts, "all of these": whole}, whole)


def _shares(of: str, parts: Mapping[str, float], whole: float) -> list[Row]:
    return [
        {"case": f"{of}{part}", "unit": "us", "value": round(spent, 1), "ratio": round(spent / whole, 3)}
        for part, spent in parts.items()
    ]


def _median_us(times: Iterable[Ints]) -> float:
    return 1e-3 * statistics.median(int(duration) for some in times for duration in some)
