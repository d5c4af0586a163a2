"""Workload W: many robots that drive about and avoid each other, on one core, without a network.

N `bench` robots, one per 2 m2, between four walls, 10 ms steps, 11 rays of 2 m each, wheels by servo, a vectorised
avoidance program on board; no recording and no noise. The `single` case is the same with the full robot.
"""

import math
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.threads import THREADS
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Floor, Object, RobotPlacement, Scenario, World
from coopsim.simulation import Simulation
from coopsim.state.layout import NUMBER, STAMP, VALUES

STEP = 0.01  # s; the usual step
SET_VELOCITY = 10  # its number in the interface `motors`


@dataclass(frozen=True, slots=True)
class CaseCost:
    """Cost of one case.

    Attributes:
        real_time_factor: Simulated seconds per second of CPU time of one core, or of real time on several.
        us_per_robot_step: Microseconds of that time.
        rss_mb: Largest memory of the process.
        moved: Mean way of a robot, which shows that something happened [m].
    """

    real_time_factor: float
    us_per_robot_step: float
    rss_mb: float
    moved: float


def crowd(count: int, robot_type: str = "bench") -> RunSpec:
    """Return a scenario of `count` robots, one per 2 m2, on a square with four walls."""
    side = math.sqrt(2 * count)
    columns = math.ceil(math.sqrt(count))
    cell = side / columns
    random = np.random.default_rng(1)
    index = np.arange(count)
    jitter = 0.5 * max(0.0, cell - 0.6)
    x = -side / 2 + cell * (index % columns + 0.5) + random.uniform(-jitter, jitter, count)
    y = -side / 2 + cell * (index // columns + 0.5) + random.uniform(-jitter, jitter, count)
    yaw = random.uniform(-math.pi, math.pi, count)
    robots = tuple(
        RobotPlacement(f"robot{i + 1}", robot_type, (float(x[i]), float(y[i]), 0.0), (0.0, 0.0, float(yaw[i])))
        for i in range(count)
    )
    half, thick = side / 2, 0.2
    long, place = side + 2 * thick, half + thick / 2
    walls = (
        Object("wall_1", "box", (long, thick, 0.5), (0.0, place, 0.0), is_wall=True),
        Object("wall_2", "box", (long, thick, 0.5), (0.0, -place, 0.0), is_wall=True),
        Object("wall_3", "box", (thick, side, 0.5), (place, 0.0, 0.0), is_wall=True),
        Object("wall_4", "box", (thick, side, 0.5), (-place, 0.0, 0.0), is_wall=True),
    )
    world = World(Floor((side + 1, side + 1, 0.1)), walls)
    blueprint = load_type(robot_type)
    return RunSpec(Scenario(world=world, robots=robots), {blueprint.name: blueprint})


@compiled
def avoid(ranges: Floats, slots: Floats) -> None:
    """Command robots by what they see, shape (n, rays): straight on, or on the spot to the freer side."""
    middle = ranges.shape[1] // 2
    for i in range(ranges.shape[0]):
        right = left = 1e9
        for k in range(middle):
            right = min(right, ranges[i, k])
            left = min(left, ranges[i, ranges.shape[1] - 1 - k])
        near = min(left, right, ranges[i, middle])
        slots[i, STAMP] += 1.0
        slots[i, NUMBER] = SET_VELOCITY
        slots[i, VALUES] = 0.0 if near < 0.6 else 0.4
        slots[i, VALUES + 1] = (1.5 if left > right else -1.5) if near < 0.6 else 0.0


class Avoidance:
    """Drives straight on; turns on the spot to the freer side where something is near."""

    def __init__(self) -> None:
        self._generation = -1

    def __call__(self, simulation: Simulation) -> None:
        """Command every robot."""
        if simulation.layout.generation != self._generation:
            self._find_slots(simulation)
        avoid(self._ranges, self._slots)

    def _find_slots(self, simulation: Simulation) -> None:
        self._generation = simulation.layout.generation
        (block,) = simulation.tables.blocks
        modules = {module.name: module for module in block.layout.modules}
        self._ranges = block.out(modules["sonars"])
        self._slots = block.slot(modules["motors"])


def measure(
    count: int,
    robot_type: str = "bench",
    *,
    engine: str = "pymunk",
    seconds: float = 1.0,
    repeats: int = 5,
    threads: int = 1,
) -> CaseCost:
    """Run the workload for about `seconds` of CPU time per repeat and return the median.

    Args:
        count: How many robots.
        robot_type: `bench` for workload W, `single` for the full robot.
        engine: Name of a registered physics engine.
        seconds: CPU time of one repeat.
        repeats: How many repeats.
        threads: Number of cores; of more than one, real time is measured.
    """
    THREADS.use(threads)
    clock = time.thread_time if threads == 1 else time.perf_counter
    simulation = Simulation(crowd(count, robot_type), engine=engine, step=STEP, programs=[Avoidance()])
    for _ in range(30):
        simulation.tick()
    steps = max(10, int(seconds / max(1e-6, cost_of_tick(simulation, 10, clock))))
    before = simulation.engine.planar[:, :2].copy()
    costs = [cost_of_tick(simulation, steps, clock) for _ in range(repeats)]
    moved = float(np.hypot(*(simulation.engine.planar[:, :2] - before).T).mean())
    cost = statistics.median(costs)
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return CaseCost(STEP / cost, cost / count * 1e6, rss, moved)


def cost_of_tick(simulation: Simulation, steps: int, clock: Callable[[], float]) -> float:
    """Return what one of some ticks took by a clock [s]."""
    began = clock()
    for _ in range(steps):
        simulation.tick()
    return (clock() - began) / steps
