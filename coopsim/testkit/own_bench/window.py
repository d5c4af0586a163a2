"""`coopsim bench window`: frames of the window, picking, what a viewer costs a run."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from coopsim.features.files.figures import at_least, at_most, show
from coopsim.interpreter import module_command
from coopsim.testkit import Run
from coopsim.testkit.bench.measuring.cpu import kept_apart
from coopsim.testkit.bench.measuring.first_frame import seconds_from_shell
from coopsim.testkit.own_bench.measuring.window_parts import STANDING, scene

INTERVAL_BOUND, PYTHON_BOUND = 17.5, 3.0
"""99 of 100 frames at 60 per second come within this [ms], and cost this without the graphics driver [ms]."""
RATE_BOUNDS = {10: 25.0, 1000: 20.0, 10_000: 5.0}
"""Frames per second that a processor draws, by robots."""
FIRST_BOUND, SHELL_BOUND = 1.5, 3.0  # s; longer, and people start a second one
PICKING_BOUND, COST_BOUND = 1.0, 5.0  # ms within an image of 16; a viewer must not slow the run that it shows
_FEW = 10  # robots; a usual scene, which the processor draws at 60 per second
_TURNS = 3
"""Runs with and without a viewer, by turns; the least of each counts: one pair differed by 25 % from another one."""
_NO_DRIVER = {"GALLIUM_NOOP": "1"}
_WORKER = "coopsim.testkit.own_bench.measuring.window_parts"

Row = dict[str, Any]


@click.command()
@click.option("--seconds", default=2.5, show_default=True, type=click.FloatRange(0.5), help="Length of each part.")
@click.option("--quick", is_flag=True, help="Only show that it works.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def window(seconds: float, *, quick: bool, as_json: bool) -> None:
    """Measure the window, drawn in memory: frames, picking, and what a viewer costs a run.

    Rows `no driver` run with Mesa's driver that draws nothing, so that they show what the program itself costs; the
    run is kept on one processor and the window on another, since a tick goes before a frame. For figures that mean
    something the machine must have nothing else to do.
    """
    seconds = 0.5 if quick else seconds
    rows = _streamed(seconds)
    for robots in (10,) if quick else RATE_BOUNDS:
        with Run(scene(robots, STANDING), "--no-controllers") as run:
            outcome = part("rate", seconds, run.endpoint)
        rows.append(at_least(f"software GL, {robots} robots", "frames/s", outcome["rate"], RATE_BOUNDS[robots]))
        if robots == _FEW:
            case = f"software GL, {robots} robots: between frames, 99 of 100"
            rows.append(at_most(case, "ms", outcome["p99"], INTERVAL_BOUND))
    rows.append(at_most("first frame, after imports", "s", part("first")["first"], FIRST_BOUND))
    rows += _from_shell()
    rows.append(at_most("picking among 1000 entities", "ms", part("picking", seconds)["picking"], PICKING_BOUND))
    rows += _cost(seconds)
    show(rows, as_json=as_json)


def _streamed(seconds: float) -> list[Row]:
    """Return how regular frames are that follow 1000 robots at 100 Hz, and what each costs."""
    with Run(scene(1000), "--no-controllers") as run:
        outcome = part("stream", seconds, run.endpoint, beside=run.launcher, environment=_NO_DRIVER)
    case = "no driver, 1000 robots at 100 Hz"
    return [
        at_most(f"{case}: between frames, 99 of 100", "ms", outcome["interval"], INTERVAL_BOUND),
        at_most(f"{case}: Python in a frame", "ms", outcome["cost"], PYTHON_BOUND),
    ]


def _from_shell() -> list[Row]:
    if shutil.which("Xvfb") is None:
        return []
    return [at_most("coopsim gui, from the shell to the first frame", "s", seconds_from_shell("gui"), SHELL_BOUND)]


def _cost(seconds: float) -> list[Row]:
    """Return how much more the physics of 100 robots at 100 Hz works with a viewer, and how late its ticks are."""
    shares: dict[bool, list[float]] = {False: [], True: []}
    late: dict[bool, list[float]] = {False: [], True: []}
    for is_watched in (False, True) * _TURNS:
        with Run(scene(100), "--no-controllers", "--json") as run:
            before, began = _worked(run.physics), time.perf_counter()
            kind = "stream" if is_watched else "idle"
            part(kind, seconds, run.endpoint, beside=run.launcher, environment=_NO_DRIVER)
            shares[is_watched].append((_worked(run.physics) - before) / (time.perf_counter() - began))
            run.stop()
            late[is_watched].append(1000.0 * run.summary["lateness_p99"])
    more = 100.0 * (min(shares[True]) / min(shares[False]) - 1.0)
    return [
        at_most("what a viewer costs: processor time of 100 robots' physics", "%", more, COST_BOUND),
        {
            "case": "what a viewer costs: ticks late, p99",
            "unit": "ms",
            "value": round(min(late[True]), 4),
            "raw": round(min(late[False]), 4),
        },
    ]


def _worked(pid: int) -> float:
    """Return how long the threads of a process have kept processors busy [s]; `stat` counts in 10 ms alone."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0]) for task in tasks) / 1e9


def part(
    name: str, *values: object, beside: int | None = None, environment: Mapping[str, str] = MappingProxyType({})
) -> dict[str, float]:
    """Measure one part in a process of its own, without a display.

    Args:
        name: Of the part.
        values: That it takes.
        beside: Process of a run that is kept off the processor of this one: its ticks go before a window.
        environment: Variables beside our own.
    """
    words = module_command(_WORKER, name, *map(str, values))
    whole = {key: value for key, value in os.environ.items() if key != "DISPLAY"} | dict(environment)
    with contextlib.ExitStack() as stack:
        worker = stack.enter_context(subprocess.Popen(words, env=whole, stdout=subprocess.PIPE, text=True))
        if beside is not None:
            stack.enter_context(kept_apart(beside, worker.pid))
        printed, _ = worker.communicate()
    if worker.returncode:
        raise subprocess.CalledProcessError(worker.returncode, words)
    outcome: dict[str, float] = json.loads(printed.splitlines()[-1])
    return outcome
