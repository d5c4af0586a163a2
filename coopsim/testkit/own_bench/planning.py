"""`coopsim bench planning`: how long squads take to find their ways, all at once."""

import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np

from coopsim.features.files.figures import at_most, show
from coopsim.features.laws.planning import PlanningGrid, plan_squad, rectangle

SQUADS, ROBOTS = 20, 10  # twice the players of a large match
BOUND = 100.0
"""Of all squads [ms]."""
_SIDE, _CELL = 50.0, 0.1  # m; the largest built-in field, in cells of half a robot


@click.command()
@click.option("--repeats", default=20, show_default=True, type=click.IntRange(1), help="The median counts.")
@click.option("--quick", is_flag=True, help="Only show that it works.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def planning(repeats: int, *, quick: bool, as_json: bool) -> None:
    """Measure how long 20 squads of 10 robots take to plan, on 500 x 500 cells with 40 discs and a wall across them.

    Real time is what a game feels; CPU time is that of this process alone.
    """
    plan, repeats = _squads(), 1 if quick else repeats
    plan()
    seconds, cpu = zip(*(_timed(plan) for _ in range(repeats)), strict=True)
    show(_rows(1e3 * float(np.median(seconds)), 1e3 * float(np.median(cpu))), as_json=as_json)


def _rows(seconds: float, cpu: float) -> list[dict[str, Any]]:
    case = f"{SQUADS} squads of {ROBOTS} plan"
    return [at_most(case, "ms", seconds, BOUND), at_most(f"{case}: CPU", "ms", cpu, BOUND)]


def _timed(plan: Callable[[], None]) -> tuple[float, float]:
    begin, cpu = time.perf_counter(), time.process_time()
    plan()
    return time.perf_counter() - begin, time.process_time() - cpu


def _squads() -> Callable[[], None]:
    """Return what plans for all squads: from places by chance to others."""
    noise = np.random.default_rng(1)
    grid = _grid(noise)
    robots = noise.uniform(-22.0, 22.0, (SQUADS, 1, 2)) + noise.uniform(-2.0, 2.0, (SQUADS, ROBOTS, 2))
    goals = noise.uniform(-24.0, 24.0, (SQUADS, 2))

    def plan() -> None:
        for squad, (x, y) in zip(robots, goals, strict=True):
            plan_squad(grid, squad, (float(x), float(y)), "wedge", 0.8)

    return plan


def _grid(noise: np.random.Generator) -> PlanningGrid:
    half = _SIDE / 2.0
    grid = PlanningGrid.covering((-half, -half), (half, half), _CELL)
    for x, y, radius in noise.uniform((-22.0, -22.0, 0.3), (22.0, 22.0, 1.5), (40, 3)):
        grid.block_disc(x, y, radius)
    grid.block_polygon(rectangle(0.0, -5.0, 0.0, 0.4, 38.0), 0.3)
    return grid
