"""`coopsim bench lockstep`: what a lockstep step costs beyond the messages it needs and its physics."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from coopsim.features.files.figures import at_most, show
from coopsim.testkit import Run, memory_of
from coopsim.testkit.bench.measuring import one_client
from coopsim.testkit.bench.measuring.cpu import CpuMeter
from coopsim.testkit.bench.measuring.workers import COMMAND, WAYS, WorkerPool

BATCHED, PLAIN, NAIVE, STRANGER = WAYS
ONE_BOUND, PLAIN_BOUND, NAIVE_BOUND, STRANGER_BOUND = 0.8, 0.95, 0.35, 0.4
"""Of rates, against bare messages and, for plain TCP, against ZeroMQ: both go the same way in C."""
BUSY_BOUND = 3.0
"""How many times as long a step may take beside a process that does not rest."""
MEMORY_BOUND = 80.0
"""Of the host [MB]."""
_SHORTEST = 10  # steps; fewer are noise
_TICKS = 200  # until caches and branch predictors have settled
_SET_VELOCITY = 10  # its number in the interface `motors`

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunSize:
    """Robots that are driven in one run.

    Attributes:
        type: Of the robots.
        robots: How many.
        processes: How many clients drive them, each its share.
        ways: How.
        bound: Of the ratio of the first way.
        effort: Part of the steps that are asked for, since a raw step takes as much longer.
        is_disturbed: Whether a step is measured beside a busy process, too, and the memory of the host.
    """

    type: str
    robots: int
    processes: int
    ways: tuple[str, ...]
    bound: float
    effort: float
    is_disturbed: bool = False

    @property
    def name(self) -> str:
        """Name for people."""
        processes = f"{self.processes} process{'es' if self.processes > 1 else ''}"
        return f"{self.robots} robot{'s' if self.robots > 1 else ''} in {processes}"

    @property
    def scenario(self) -> str:
        """The text of its scenario: robots in a row, 2 m apart, that wait for each other without end."""
        places = (f"type {self.type}\nname robot{n}\nposition {2 * n} 0 0\n" for n in range(1, self.robots + 1))
        sections = (f"[ROBOT_{n}]\n{place}" for n, place in enumerate(places, 1))
        return f"[SIMULATION]\nmode lockstep\npatience 0\n{''.join(sections)}"

    @property
    def shares(self) -> list[list[str]]:
        """The robots of each process."""
        names = [f"robot{n}" for n in range(1, self.robots + 1)]
        return [names[first :: self.processes] for first in range(self.processes)]


GROUPS = (
    RunSize("single", 1, 1, WAYS, ONE_BOUND, 1.0, is_disturbed=True),
    RunSize("single", 10, 10, WAYS, ONE_BOUND, 0.4),
    RunSize("bench", 100, 2, (BATCHED,), 6.0, 0.1),
    RunSize("bench", 500, 1, (BATCHED,), 15.0, 0.02),
)
CROWDS: dict[int, float | None] = {1000: None, 10_000: 1.5}
"""Robots that one client drives, and how many times as long as its tick a step may take."""
_FEW_STEPS = 0.01  # of the steps of one robot: a step of a crowd takes as much longer
_SIZES = [str(group.robots) for group in GROUPS] + [str(count) for count in CROWDS]


@click.command()
@click.option("--robots", type=click.Choice(_SIZES), multiple=True, help="Default: all.")
@click.option("--steps", default=1000, show_default=True, type=click.IntRange(100), help="Of one robot, a round.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Each has all that is compared.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def lockstep(robots: tuple[str, ...], steps: int, rounds: int, as_json: bool) -> None:
    """Compare lockstep steps with bare messages of the same sockets plus the tick, by turns in one run.

    value: median microseconds of a step, as clients see it; raw: of one bare message to each robot and one back,
    each robot with a socket of its own, plus the CPU time of a tick; over plain TCP: of a step over ZeroMQ; ratio:
    raw / value, the median of all rounds. Clients of libzmq are what programs of others are: a socket of that library
    and a packed message. Beside a busy process, which wants a core for itself, raw is a step without it, and ratio
    value / raw, at most its bound. Of crowds in one client, raw is the time of a tick, and ratio value / raw, too.
    The rows of processor time say who works for how long in a step over ZeroMQ;
    those who wait for each other at the same time do not add up to the step.
    """
    chosen = [group for group in GROUPS if not robots or str(group.robots) in robots]
    rows = [row for group in chosen for row in measured(group, steps, rounds)]
    for count, bound in CROWDS.items():
        if not robots or str(count) in robots:
            taken, ticks = one_client.measure(count, max(_SHORTEST, round(steps * _FEW_STEPS)), rounds)
            rows.append(one_client.row(count, taken, ticks, bound))
    show(rows, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Round:
    """Times of one round [us].

    Attributes:
        raw: Bare messages.
        tick: CPU time of a tick.
        steps: A step, by way.
        busy: Processor time of a process in a batched step, by what the process is.
        disturbed: A batched step beside a busy process; 0 = not measured.
    """

    raw: float
    tick: float
    steps: dict[str, float]
    busy: dict[str, float] = field(default_factory=dict)
    disturbed: float = 0.0


def measured(group: RunSize, steps: int, rounds: int) -> list[Row]:
    """Return the rows of a group.

    Raises:
        NoReply: The simulation or a client ended.
    """
    count = max(_SHORTEST, round(steps * group.effort))
    yardstick = Yardstick(group)
    with (
        Run(group.scenario, "--no-controllers", "--wait-for", str(group.robots)) as run,
        WorkerPool((run.endpoint, run.plain), group.shares, yardstick.readings, yardstick.command) as crew,
    ):
        processes = {"a client": crew.processes, "the host": [run.host], "physics": [run.physics]}
        measured_rounds = [_round(group, crew, yardstick, count, CpuMeter(processes)) for _ in range(rounds + 1)]
        memory = memory_of(run.host)
    rows = rows_of(group, measured_rounds[1:])  # the first one warms up
    if group.is_disturbed:
        rows.append(at_most(f"{group.name}: memory of the host", "MB", memory, MEMORY_BOUND))
    return rows


def _round(group: RunSize, crew: WorkerPool, yardstick: "Yardstick", count: int, meter: CpuMeter) -> Round:
    raw, tick = crew.raw(count), yardstick.tick()
    steps = {way: crew.drive(way, count, meter if way == BATCHED else None) for way in group.ways}
    disturbed = _disturbed(crew, count) if group.is_disturbed else 0.0
    return Round(raw, tick, steps, {who: spent / count for who, spent in meter.spent.items()}, disturbed)


def _disturbed(crew: WorkerPool, count: int) -> float:
    """Return the time of a batched step while another process keeps a core busy [us]."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            return crew.drive(BATCHED, count)
        finally:
            busy.kill()


def rows_of(group: RunSize, rounds: Sequence[Round]) -> list[Row]:
    """Return a row for each way of driving."""
    rows = []
    bounds = {BATCHED: group.bound, PLAIN: PLAIN_BOUND, NAIVE: NAIVE_BOUND, STRANGER: STRANGER_BOUND}
    words = {
        BATCHED: "ZeroMQ",
        PLAIN: "plain TCP against ZeroMQ",
        NAIVE: "ZeroMQ, three exchanges",
        STRANGER: "clients of libzmq",
    }
    for way in group.ways:
        raws = [
            measured_round.steps[BATCHED] if way == PLAIN else measured_round.raw + measured_round.tick
            for measured_round in rounds
        ]
        values = [measured_round.steps[way] for measured_round in rounds]
        ratio = statistics.median(raw / value for raw, value in zip(raws, values, strict=True))
        tick = statistics.median(measured_round.tick for measured_round in rounds)
        rows.append(
            {
                "case": f"{group.name}, {words[way]}",
                "unit": "us",
                "value": round(statistics.median(values), 1),
                "raw": round(statistics.median(raws), 1),
                "ratio": round(ratio, 3),
                "bound": bounds[way],
                "ok": ratio >= bounds[way],
                "tick_us": round(tick, 1),
            }
        )
    return rows + _disturbed_rows(group, rounds) + _busy_rows(group, rounds)


def _disturbed_rows(group: RunSize, rounds: Sequence[Round]) -> list[Row]:
    """Return how much longer a step takes beside a busy process, if that was measured."""
    if not all(measured_round.disturbed for measured_round in rounds):
        return []
    ratio = statistics.median(measured_round.disturbed / measured_round.steps[BATCHED] for measured_round in rounds)
    return [
        {
            "case": f"{group.name}, ZeroMQ, beside a busy process",
            "unit": "us",
            "value": round(statistics.median(measured_round.disturbed for measured_round in rounds), 1),
            "raw": round(statistics.median(measured_round.steps[BATCHED] for measured_round in rounds), 1),
            "ratio": round(ratio, 3),
            "bound": BUSY_BOUND,
            "ok": ratio <= BUSY_BOUND,
        }
    ]


def _busy_rows(group: RunSize, rounds: Sequence[Round]) -> list[Row]:
    """Return a row for each kind of process: how long it works in a step over ZeroMQ."""
    return [
        {
            "case": f"{group.name}: processor time of {who} in a step",
            "unit": "us",
            "value": round(statistics.median(measured_round.busy[who] for measured_round in rounds), 1),
        }
        for who in rounds[0].busy
    ]


class Yardstick:
    """The same scenario in this process: what its tick costs, and how long its messages are.

    Attributes:
        command: Bytes of a request with the command of one robot.
        readings: Bytes of the reply.
    """

    def __init__(self, group: RunSize) -> None:
        from coopsim.robots import load
        from coopsim.simulation import Simulation

        with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
            file = Path(folder) / "lockstep.scenario"
            file.write_text(group.scenario, encoding="utf-8")
            self._simulation = Simulation(load(file))
        self.command, self.readings = self._lengths()
        for place in self._simulation.layout.robots:
            self._simulation.command(place.name, "motors", _SET_VELOCITY, COMMAND)

    def _lengths(self) -> tuple[int, int]:
        from coopsim.message import Message, encode

        width = self._simulation.layout.robots[0].type.reading_width
        request = Message("/sim/step", 11, (1, "robot1"), COMMAND, 1, id=1, binary=True)
        reply = Message("/sim/step", 11, (1,), (0.0,) * width, 1, id=1, binary=True)
        return len(encode(request)), len(encode(reply))

    def tick(self) -> float:
        """Return the median CPU time of a tick [us]."""
        times = []
        for _ in range(_TICKS):
            began = time.thread_time()
            self._simulation.tick()
            times.append(time.thread_time() - began)
        return 1e6 * statistics.median(times)
