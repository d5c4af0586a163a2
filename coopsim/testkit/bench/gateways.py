"""`coopsim bench gateways`: what it costs to reach robots through another middleware."""

import contextlib
import os
import re
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from coopsim.client import connect
from coopsim.errors import NoReply
from coopsim.interpreter import module_command
from coopsim.testkit.bench.command import at_most, report
from coopsim.testkit.bench.measuring.cpu import busy_us
from coopsim.testkit.bench.measuring.gateway_programs import (
    GatewayProgram,
    RosbridgeProgram,
    RosProgram,
    master_of_ros,
    wait_until,
    yardstick,
)
from coopsim.testkit.run import Run

ROBOTS, RATE = 20, 50.0
TRIP = 1.5
"""Most times the round trip of two programs of the middleware alone."""
SHARE = 0.15
"""Most of a core for the scans of `ROBOTS` robots at `RATE` [Hz]."""
_WARM = 50  # trips before any is measured
_CROWD = "[SIMULATION]\nstep 0.01\n" + "".join(
    f"[ROBOT_{number + 1}]\ntype single\nname robot{number + 1}\nposition {number % 5} {number // 5} 0\n"
    for number in range(ROBOTS)
)
_PROGRAMS: dict[str, Callable[[str], GatewayProgram]] = {"rosbridge": RosbridgeProgram, "ros1": RosProgram}


@click.command()
@click.option("--trips", default=1000, show_default=True, type=click.IntRange(10), help="Round trips of each kind.")
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(0.5), help="Of scans.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def gateways(trips: int, seconds: float, as_json: bool) -> None:
    """Measure gateways: a velocity to the wheel and its odometry back in lockstep, and scans of many robots.

    value: median time of a trip [us], raw: of two programs of that middleware alone in the same run, ratio: one to the
    other; scans: share of a core that the gateway takes for those of 20 robots at 50 Hz. ros1 needs a roscore here.
    """
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder, master_of_ros(Path(folder)) as master:
        for kind in _PROGRAMS:
            if kind == RosProgram.kind and not master:
                continue
            rows += [_trip(kind, master, trips), *_scans(kind, master, seconds)]
    report(rows, as_json=as_json)


def _trip(kind: str, master: str, trips: int) -> dict[str, Any]:
    with yardstick(kind, master) as place, _PROGRAMS[kind](place) as program:
        raw = _median(program, trips)
    words = ("single", "--no-controllers", "--mode", "lockstep", "--wait-for", "robot1")
    with (
        Run(*words) as run,
        gateway(kind, run.endpoint, master, "--rate", "0") as running,
        _PROGRAMS[kind](running.place) as program,
    ):
        value = _median(program, trips)
    row = at_most(f"{kind}: velocity to odometry, a tick between", "us", value, TRIP * raw)
    return row | {"raw": round(raw, 1), "ratio": round(value / raw, 3), "bound": TRIP}


def _median(program: GatewayProgram, trips: int) -> float:
    """Return the median time of a round trip [us]."""
    times = []
    for _ in range(_WARM + trips):
        begun = time.perf_counter()
        program.trip()
        times.append(time.perf_counter() - begun)
    return 1e6 * statistics.median(times[_WARM:])


def _scans(kind: str, master: str, seconds: float) -> Iterator[dict[str, Any]]:
    with (
        Run(_CROWD, "--no-controllers", "--mode", "real-time") as run,
        gateway(kind, run.endpoint, master) as running,
        _PROGRAMS[kind](running.place) as program,
        connect(run.endpoint) as sim,
    ):
        numbers = sim.module(f"/gateway/{kind}")
        program.read_scans([f"robot{number + 1}" for number in range(ROBOTS)])
        wait_until(lambda: numbers.read().sent > 0.0, "the gateway")
        before, busy, begun = _next(numbers), busy_us(running.pid), time.perf_counter()
        time.sleep(seconds)
        after, passed = _next(numbers), time.perf_counter() - begun
        share = 1e-6 * (busy_us(running.pid) - busy) / passed
    per_second = round((after.sent - before.sent) / passed)
    yield at_most(f"{kind}: scans of {ROBOTS} robots at {RATE:g} Hz", "core", share, SHARE) | {"per_second": per_second}
    yield at_most(f"{kind}: of them dropped", "messages", after.dropped - before.dropped, 0.0)


def _next(numbers: Any) -> Any:
    """Return the numbers of a gateway as soon as it has told them anew; it does once a second."""
    count = numbers.read().count
    wait_until(lambda: numbers.read().count > count, "the gateway")
    return numbers.read()


class RunningGateway(NamedTuple):
    """A gateway that runs.

    Attributes:
        pid: Its process.
        place: Where programs find it.
    """

    pid: int
    place: str


@contextlib.contextmanager
def gateway(kind: str, endpoint: str, master: str, *options: str) -> Iterator[RunningGateway]:
    """Run a gateway to a run.

    Args:
        kind: Of the gateway.
        endpoint: Where the run answers.
        master: Of ROS 1.
        options: More of `coopsim gateway`.

    Raises:
        NoReply: It does not begin.
    """
    command = module_command("coopsim", "gateway", kind, "--endpoint", endpoint, "--port", "0", *options)
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **({"ROS_MASTER_URI": master} if master else {})}
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=variables, **pipes) as process:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        try:
            lines: list[str] = []
            for line in process.stdout:
                lines.append(line)
                if "serving" in line:
                    break
            else:
                raise NoReply(f"the gateway {kind} ended: {''.join(lines)}")
            url = re.search(r"ws://\S+", "".join(lines))
            reader = threading.Thread(target=process.stdout.read)
            reader.start()
            yield RunningGateway(process.pid, url[0] if url else master)
        finally:
            process.terminate()
            process.wait(30.0)
        reader.join()
