"""Lockstep steps of one client that drives a whole crowd, beside the ticks of the same crowd alone."""

import math
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.client import Stepper, connect
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit import Run
from coopsim.testkit.bench.measuring.workload import SET_VELOCITY

_TIMEOUT = 60.0  # s; ten thousand robots are claimed, and listed, in one of these
_SPEED, _TURN = 0.2, 0.5  # m/s, rad/s
_SETTLING = 3  # steps until everybody moves


def scenario(count: int) -> str:
    """Return the text of a scenario: robots of the type `single` on a grid of 1 m, which wait for each other."""
    columns = math.ceil(math.sqrt(count))
    grid = f"grid {columns}x{-(-count // columns)} 1.0"
    return f"[SIMULATION]\nmode lockstep\npatience 0\n[ROBOT_1]\ntype single\nname robot\ncount {count}\n{grid}\n"


def measure(count: int, steps: int, rounds: int) -> tuple[list[float], list[float]]:
    """Return times of a step, as the client sees it, and of a tick, of each round by turns [us]."""
    with tempfile.TemporaryDirectory(prefix="coopsim-bench-") as folder:
        file = Path(folder) / "one_client.scenario"
        file.write_text(scenario(count), encoding="utf-8")
        alone = Simulation(load(file))
    speeds = np.column_stack([np.full(count, _SPEED), np.linspace(-_TURN, _TURN, count)])
    for place, speed in zip(alone.layout.robots, speeds.tolist(), strict=True):
        alone.command(place.name, "motors", SET_VELOCITY, tuple(speed))
    with (
        Run(scenario(count), "--no-controllers", "--wait-for", str(count)) as run,
        connect(run.endpoint, timeout=_TIMEOUT) as sim,
        sim.stepper() as stepper,
    ):
        _steps(stepper, speeds, _SETTLING)
        taken, ticks = [], []
        for _ in range(rounds):
            taken.append(_steps(stepper, speeds, steps))
            ticks.append(_ticks(alone, steps))
    return taken, ticks


def row(count: int, taken: list[float], ticks: list[float], bound: float | None) -> dict[str, Any]:
    """Return the row of a crowd: value is a step, raw a tick, and ratio, at most its bound, the first by the other."""
    ratio = statistics.median(step / tick for step, tick in zip(taken, ticks, strict=True))
    return {
        "case": f"{count} robots in one client",
        "unit": "us",
        "value": round(statistics.median(taken), 1),
        "raw": round(statistics.median(ticks), 1),
        "ratio": round(ratio, 3),
        "bound": bound,
        "ok": None if bound is None else ratio <= bound,
    }


def _steps(stepper: Stepper, speeds: Any, count: int) -> float:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        stepper.step(speeds)
        times.append(time.perf_counter() - began)
    return 1e6 * statistics.median(times)


def _ticks(alone: Simulation, count: int) -> float:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        alone.tick()
        alone.state_hash()
        times.append(time.perf_counter() - began)
    return 1e6 * statistics.median(times)
