"""`coopsim bench artifacts`: what drivers and sensors in plain Python cost."""

import time

import click
import numpy as np

from coopsim.features.files.figures import at_most, show

# the paper's figure; within a millisecond a tick of 10 ms has room for the rest
_ARTIFACTS, _BOUND, _SPACING = 100, 1.0, 4.0


@click.command()
@click.option("--quick", is_flag=True, help="Few ticks: whether it works, not how well.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def artifacts(quick: bool, as_json: bool) -> None:
    """Measure whole ticks of automatic doors, each with a driver and two sensors in plain Python, in CPU time.

    value: the median of a tick in milliseconds; raw: the 99th percentile.
    """
    times = _measure(20 if quick else 1000)
    value, raw = float(np.median(times)), float(np.percentile(times, 99))
    row = at_most(f"{_ARTIFACTS} artifacts, a driver and two sensors each", "ms", value, _BOUND)
    show([{**row, "raw": round(raw, 4)}], as_json=as_json)


def _measure(ticks: int) -> np.ndarray:
    """Return the CPU times of ticks [ms]."""
    from coopsim.robots import RunSpec, load_type
    from coopsim.scene import RobotPlacement, Scenario, Settings, World
    from coopsim.simulation import Simulation

    side = 10
    places = ((_SPACING * (k % side), _SPACING * (k // side), 0.0) for k in range(_ARTIFACTS))
    placed = tuple(RobotPlacement(f"door{k + 1}", "door", place) for k, place in enumerate(places))
    scenario = Scenario(World(), (), placed, settings=Settings(engine="pymunk"))
    simulation = Simulation(RunSpec(scenario, {"door": load_type("door")}))
    times = []
    for _ in range(ticks + 10):
        begin = time.thread_time_ns()
        simulation.tick()
        times.append(1e-6 * (time.thread_time_ns() - begin))
    simulation.close()
    return np.array(times[10:])
