"""Capacity of this machine: the largest crowd of a scene's robots that it ticks in time."""

import math
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coopsim.robots import RunSpec
from coopsim.scene import Floor, RobotPlacement, Scenario, World

if TYPE_CHECKING:
    from coopsim.simulation import Simulation

SIZES = (64, 256, 1024)  # each four times the one before: three points show whether a tick grows in proportion
SHARE = 0.8
"""Part of the time of a tick that may be spent, so that it begins on time although some take longer."""
_AREA = 2.0  # m2 of floor for each robot: as dense as the crowds of the benchmarks
_ROOM = 1.6  # of the largest robot
_HEIGHT = 1.0  # m; of what flies, which hovers: what has just landed costs more than what it does in a run
_LONGEST = 0.4
_FEWEST = 15  # ticks that are timed at least; the median of fewer jumps with every other program


def largest(spec: RunSpec, period: float, overhead: float = 0.0, sizes: Sequence[int] = SIZES) -> int | None:
    """Return how many robots a tick has time for and its engine holds; None where the scene has no robots to go by.

    Crowds of the scene's robots, in its shares of types, one per 2 m2, that drive in circles or hover are built in this
    process and ticked without any network.

    Args:
        spec: The scene: its robots, targets, step and engine count.
        period: Real time between two ticks [s].
        overhead: What else a tick of the scene costs: records and messages [s]. Fewer robots cost their share.
        sizes: How many robots are tried; more only while they are in time.
    """
    robots = len(spec.scenario.robots)
    if not robots:
        return None
    budget, most = SHARE * period, math.inf
    # in a scene of few robots nearly all of it is spent whether there is one or none
    points = [(0, 0.0 if robots > sizes[0] else overhead)]
    for size in sizes:
        if size > most:
            break
        cost, most = _cost(spec, size)
        points.append((size, cost + overhead * min(1.0, size / robots)))
        if points[-1][1] > budget:
            break
    return int(min(reached(points, budget), most))


def reached(points: Sequence[tuple[int, float]], budget: float) -> int:
    """Return at how many robots a cost is reached: on the line through the two measured points around it.

    Args:
        points: Numbers of robots and costs of a tick, rising [s].
        budget: The cost [s]. Beyond the last point the line through the last two goes on.
    """
    place = next((k for k in range(1, len(points)) if points[k][1] > budget), len(points) - 1)
    (few, cheap), (many, dear) = points[place - 1], points[place]
    # measuring may say that more robots cost less, where they cost next to nothing
    slope = max((dear - cheap) / (many - few), 1e-9)
    return max(math.floor(few + (budget - cheap) / slope), 0)


def crowd(spec: RunSpec, count: int) -> RunSpec:
    """Return a scene of `count` robots like those of another one, on a lattice."""
    shares = Counter(robot.type for robot in spec.scenario.robots)
    kinds = [kind for kind, number in sorted(shares.items()) for _ in range(number)]
    widest = max(math.hypot(*spec.types[kind].size[:2]) for kind in kinds)
    cell, columns = max(math.sqrt(_AREA), _ROOM * widest), math.ceil(math.sqrt(count))
    middle = cell * (columns - 1) / 2
    heights = {kind: _HEIGHT if spec.types[kind].flies else 0.0 for kind in shares}
    robots = tuple(
        RobotPlacement(
            f"robot{k + 1}",
            # spread evenly, whatever the order in the file
            kinds[(k * len(kinds)) // count],
            (cell * (k % columns) - middle, cell * (k // columns) - middle, heights[kinds[(k * len(kinds)) // count]]),
            (0.0, 0.0, 2.4 * k),
        )
        for k in range(count)
    )
    side = cell * (columns + 1)
    settings, targets = replace(spec.scenario.settings, duration=None), spec.scenario.targets
    scenario = Scenario(World(Floor((side, side, 0.1))), targets, robots, settings=settings)
    return RunSpec(scenario, {kind: spec.types[kind] for kind in shares})


def _cost(spec: RunSpec, count: int) -> tuple[float, float]:
    """Return what a tick of a crowd costs in the middle [s], and how many such robots the engine has room for."""
    from coopsim.simulation import Simulation

    simulation = Simulation(crowd(spec, count))
    _set_off(simulation)
    for _ in range(_FEWEST):
        simulation.tick()
    costs: list[float] = []
    end = time.perf_counter() + _LONGEST
    while time.perf_counter() < end or len(costs) < _FEWEST:
        began = time.perf_counter()
        simulation.tick()
        simulation.state_hash()
        costs.append(time.perf_counter() - began)
    room = getattr(simulation.engine, "most_bodies", math.inf) * count // max(len(simulation.engine.names), 1)
    return statistics.median(costs), room


def _set_off(simulation: "Simulation") -> None:
    """Command every robot to drive in a circle that fits its cell, or to hover."""
    for place in simulation.layout.robots:
        for module in place.type.modules:
            commands = {command.name: command for command in module.interface.commands}
            drive, take_off = commands.get("set_velocity"), commands.get("take_off")
            if drive is not None and [field.name for field in drive.takes[:2]] == ["v", "w"]:
                simulation.command(place.name, module.name, drive.number, (0.25, 1.0))
            elif take_off is not None:
                simulation.command(place.name, module.name, take_off.number, (_HEIGHT,))
