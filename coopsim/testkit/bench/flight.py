"""`coopsim bench flight`: how many quadrotors fly faster than real time on one core."""

import json
import os
import subprocess
import sys
from typing import Any

import click

from coopsim.features.files.figures import at_least, show

BOUNDS = (("mujoco", 90, (), 60.0), ("flight", 1000, ("range",), 8.0), ("flight", 10_000, ("range",), 0.8))
"""Engine, quadrotors, devices that are left out, smallest real-time factor."""
_ONE_CORE = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_CODE = """
import json, sys, time
import numpy as np
from coopsim.features.studies.realtime import STEP, measure
count, samples, engine, *without = sys.argv[1:]
times = measure(int(count), int(samples), engine, without, time.thread_time_ns).milliseconds
print(json.dumps([1e3 * STEP / float(times.mean()), float(np.median(times))]))
"""


@click.command()
@click.option("--quick", is_flag=True, help="Few quadrotors and ticks: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def flight(quick: bool, as_json: bool) -> None:
    """Measure ticks of quadrotors with sensors, flight control and formation control, in CPU time of one core.

    Steps of 20 ms, as in SwarmSimX, section 3.2. value: how much faster than real time, by the mean of all ticks, which
    is at least its bound; raw: the median of a tick in milliseconds. Crowds on `flight` see their neighbours and no
    objects.
    """
    rows = []
    for engine, count, without, bound in BOUNDS:
        robots = min(count, 20) if quick else count
        factor, median = _apart(robots, 20 if quick else max(60, 90_000 // count), engine, without)
        case = f"{engine}, {robots} quadrotors at 50 Hz"
        rows.append({**at_least(case, "x real time", factor, bound), "raw": round(median, 4)})
    show(rows, as_json=as_json)


def _apart(count: int, samples: int, engine: str, without: tuple[str, ...]) -> tuple[float, float]:
    """Measure in a process of its own, which has one core."""
    arguments = [sys.executable, "-c", _CODE, str(count), str(samples), engine, *without]
    environment = {**os.environ, **_ONE_CORE}
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise click.ClickException(f"the measuring process failed:\n{done.stderr[-2000:]}")
    outcome: Any = json.loads(done.stdout.splitlines()[-1])
    return float(outcome[0]), float(outcome[1])
