"""`coopsim bench gateways`: what it costs to reach robots through another middleware."""

import contextlib
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from coopsim.client import connect
from coopsim.errors import NoReply
from coopsim.features.files.figures import at_most, show
from coopsim.features.gateways.bench.foxglove_program import FoxgloveProgram
from coopsim.features.gateways.bench.programs import (
    GatewayProgram,
    RosbridgeProgram,
    RosProgram,
    master_of_ros,
    wait_until,
)
from coopsim.features.gateways.bench.ros2_programs import DdsProgram, ZenohProgram
from coopsim.features.gateways.bench.yardsticks import ROBOT, yardstick
from coopsim.features.gateways.bench.yarp_program import YarpProgram
from coopsim.interpreter import module_command
from coopsim.testkit.bench.measuring.cpu import busy_us
from coopsim.testkit.run import Run

ROBOTS, RATE = 20, 50.0
TRIP = 1.5
"""Most times the round trip of two programs of the middleware alone."""
_TURNS: Final = 10
"""Turns in which trips to the gateway and to the yardstick change places: the machine is not always as busy."""
_WARM = 50  # trips before any is measured
_CROWD = "[SIMULATION]\nstep 0.01\n" + "".join(
    f"[ROBOT_{number + 1}]\ntype single\nname robot{number + 1}\nposition {number % 5} {number // 5} 0\n"
    for number in range(ROBOTS)
)
_PROGRAMS: Final[tuple[type[GatewayProgram], ...]] = (
    YarpProgram,
    RosbridgeProgram,
    FoxgloveProgram,
    RosProgram,
    ZenohProgram,
    DdsProgram,
)


@click.command()
@click.option("--trips", default=1000, show_default=True, type=click.IntRange(10), help="Round trips of each kind.")
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(0.5), help="Of scans.")
@click.option("--only", multiple=True, type=click.Choice([program.case for program in _PROGRAMS]), help="These alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def gateways(trips: int, seconds: float, only: tuple[str, ...], as_json: bool) -> None:
    """Measure gateways: a velocity to the wheel and its odometry back in lockstep, and scans of many robots.

    value: median time of a trip [us], raw: of two programs of that middleware alone, by turns with the former, ratio:
    one to the other; cpu, raw cpu: time of a processor that the gateway, and the yardstick, take for a trip [us];
    scans: share of a core that the gateway takes for those of 20 robots at 50 Hz. ros1 needs a roscore here.
    """
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder, master_of_ros(Path(folder)) as master:
        places = {RosProgram.case: master, DdsProgram.case: f"dds:{_domain()}", ZenohProgram.case: "zenoh:0"}
        for program in _PROGRAMS:
            if (only and program.case not in only) or (program is RosProgram and not master):
                continue
            place = places.get(program.case, "")
            rows += [_trip(program, place, trips), *_scans(program, place, seconds)]
    show(rows, as_json=as_json)


def _domain() -> int:
    """Return a domain of ROS 2 that hardly anybody else on this machine is in, nor the one behind it."""
    return 50 + os.getpid() % 150


def _trip(program: type[GatewayProgram], place: str, trips: int) -> dict[str, Any]:
    words = ("single", "--no-controllers", "--mode", "lockstep", "--wait-for", "robot1")
    with (
        yardstick(program.case, _beside(place)) as (alone, alone_pid),
        program(alone, ROBOT) as raw_program,
        Run(*words) as run,
        gateway(program, run.endpoint, place, "--rate", "0") as running,
        program(running.place) as own_program,
    ):
        own, raw = _Trips(own_program, running.pid), _Trips(raw_program, alone_pid)
        for _ in range(_TURNS):
            raw.measure(trips // _TURNS)
            own.measure(trips // _TURNS)
    row = at_most(f"{program.case}: velocity to odometry, a tick between", "us", own.median, TRIP * raw.median)
    ratio = round(own.median / raw.median, 3)
    return row | {"raw": round(raw.median, 1), "ratio": ratio, "bound": TRIP, "cpu": own.cpu, "raw cpu": raw.cpu}


def _beside(place: str) -> str:
    """Return the place of a yardstick: in DDS a domain of its own."""
    middleware, _, domain = place.partition(":")
    return f"dds:{int(domain) + 1}" if middleware == "dds" else place


class _Trips:
    """Round trips of one program.

    Args:
        program: That makes them.
        pid: Process that answers.
    """

    def __init__(self, program: GatewayProgram, pid: int) -> None:
        self._program, self._pid = program, pid
        self._times: list[float] = []
        self._busy = 0.0
        for _ in range(_WARM):
            program.trip()

    @property
    def median(self) -> float:
        """Median time of a trip [us]."""
        return 1e6 * statistics.median(self._times)

    @property
    def cpu(self) -> float:
        """Processor time of a trip in the process that answers [us]."""
        return round(self._busy / len(self._times), 1)

    def measure(self, trips: int) -> None:
        """Make some more trips."""
        before = busy_us(self._pid)
        for _ in range(trips):
            begun = time.perf_counter()
            self._program.trip()
            self._times.append(time.perf_counter() - begun)
        self._busy += busy_us(self._pid) - before


def _scans(kind: type[GatewayProgram], place: str, seconds: float) -> Iterator[dict[str, Any]]:
    with (
        Run(_CROWD, "--no-controllers", "--mode", "real-time") as run,
        gateway(kind, run.endpoint, place) as running,
        kind(running.place) as program,
        connect(run.endpoint) as sim,
    ):
        numbers = sim.module(f"/gateway/{kind.kind}")
        program.read_scans([f"robot{number + 1}" for number in range(ROBOTS)])
        wait_until(lambda: numbers.read().sent > 0.0, "the gateway")
        before, late = _next(numbers), sim.clock.status().overruns
        busy, begun = busy_us(running.pid), time.perf_counter()
        time.sleep(seconds)
        after, passed = _next(numbers), time.perf_counter() - begun
        share = 1e-6 * (busy_us(running.pid) - busy) / passed
        late = sim.clock.status().overruns - late
    per_second = round((after.sent - before.sent) / passed)
    case = f"{kind.case}: scans of {ROBOTS} robots at {RATE:g} Hz"
    yield at_most(case, "core", share, kind.share) | {"per_second": per_second}
    yield at_most(f"{kind.case}: of them dropped", "messages", after.dropped - before.dropped, 0.0)
    yield at_most(f"{kind.case}: ticks that began late meanwhile", "ticks", late, 0.0)


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
def gateway(program: type[GatewayProgram], endpoint: str, place: str, *options: str) -> Iterator[RunningGateway]:
    """Run a gateway to a run.

    Args:
        program: Kind of program that it serves.
        endpoint: Where the run answers.
        place: Where the gateway will be, where that is known before: the master of ROS 1, a domain.
        options: More of `coopsim gateway`.

    Raises:
        NoReply: It does not begin.
    """
    own = [*program.options(place), *options]
    command = module_command("coopsim", "gateway", program.kind, "--endpoint", endpoint, *own)
    variables = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if program is RosProgram:
        variables["ROS_MASTER_URI"] = place
    with _begun(command, variables) as (process, printed):
        yield RunningGateway(process.pid, program.address_in(printed, place))


@contextlib.contextmanager
def _begun(command: Sequence[str], variables: dict[str, str]) -> Iterator[tuple[Any, str]]:
    """Run a gateway; yield it, and what it printed until it served."""
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
                raise NoReply(f"the gateway ended: {''.join(lines)}")
            reader = threading.Thread(target=process.stdout.read)
            reader.start()
            yield process, "".join(lines)
        finally:
            process.terminate()
            process.wait(30.0)
        reader.join()
