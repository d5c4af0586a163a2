"""Ticks of a crowd of one type of robots: on an empty floor, and in a laboratory among objects.

Robots stand on a grid of 1 m, farther apart where they are larger, look anywhere, and drive in curves where they have
wheels. What has an autopilot hovers; its third place is the floor, where it lies without commands. The laboratory has a
box, a pillar and a ball that may be pushed for every thirty of them.
"""

import math
import resource
import statistics
import time

import numpy as np

from coopsim.features.doctor.crowds import engine_of
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.interfaces import MOTORS
from coopsim.kernels.threads import THREADS
from coopsim.robots import RobotBlueprint, RunSpec, load_type
from coopsim.scene import Floor, Object, RobotPlacement, Scenario, World
from coopsim.simulation import Simulation
from coopsim.state.layout import NUMBER, STAMP, VALUES
from coopsim.testkit.bench.measuring.workload import SET_VELOCITY, STEP, CaseCost, cost_of_tick

PLACES = "crowd", "laboratory"
LYING = "floor"
"""Of robots that fly."""
_CELL, _ROOM = 1.0, 1.6  # m; of a robot's length or width, whichever is larger
_PER_OBJECT = 10
_HEIGHT = 1.0  # m; of what flies
_FEWEST = 8  # ticks; the first ones set robots off
_SHAPES = (("box", (0.3, 0.2, 0.4), 0.0), ("cylinder", (0.25, 0.25, 0.5), 0.0), ("sphere", (0.2, 0.2, 0.2), 0.5))
"""Kind, size [m] and mass [kg] of the objects, by turns; without a mass they stand fast."""


def scene(kind: RobotBlueprint, count: int, place: str) -> RunSpec:
    """Return `count` robots of a type in one of `PLACES`, or `LYING`."""
    cell, columns = max(_CELL, _ROOM * max(kind.size[:2])), math.ceil(math.sqrt(count))
    headings = np.random.default_rng(1).uniform(-math.pi, math.pi, count).tolist()
    middle = 0.5 * cell * (columns - 1)
    robots = tuple(
        RobotPlacement(
            f"robot{k + 1}",
            kind.name,
            (
                cell * (k % columns) - middle,
                cell * (k // columns) - middle,
                _HEIGHT if kind.flies and place != LYING else 0.0,
            ),
            (0.0, 0.0, headings[k]),
        )
        for k in range(count)
    )
    objects = tuple(_objects(robots, cell)) if place == "laboratory" else ()
    side = cell * (columns + 2)
    return RunSpec(Scenario(World(Floor((side, side, 0.1)), objects), robots=robots), {kind.name: kind})


def _objects(robots: tuple[RobotPlacement, ...], cell: float) -> list[Object]:
    """Return an object between four robots for every ten of them."""
    objects = []
    for number, robot in enumerate(robots[::_PER_OBJECT]):
        shape, size, mass = _SHAPES[number % len(_SHAPES)]
        x, y, _ = robot.position
        objects.append(Object(f"object_{number}", shape, size, (x + 0.5 * cell, y + 0.5 * cell, 0.0), mass=mass))
    return objects


def measure(name: str, count: int, place: str, seconds: float, threads: int = 1) -> CaseCost:
    """Tick for about so many seconds of CPU time, of several threads in real time, in three parts; return the median.

    Raises:
        EngineCannot: The engine cannot hold so many.
    """
    THREADS.use(threads)
    kind, clock = load_type(name), time.thread_time if threads == 1 else time.perf_counter
    simulation = Simulation(scene(kind, count, place), engine=engine_of(kind), step=STEP, programs=[_set_off])
    if place != LYING:
        _let_hover(simulation, kind)
    for _ in range(_FEWEST):
        simulation.tick()
    before = simulation.engine.planar[:, :2].copy()
    ticks = max(2, int(seconds / 3 / max(1e-6, cost_of_tick(simulation, 2, clock))))
    cost = statistics.median(cost_of_tick(simulation, ticks, clock) for _ in range(3))
    moved = float(np.hypot(*(simulation.engine.planar[:, :2] - before).T).mean())
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return CaseCost(STEP / cost, cost / count * 1e6, rss, moved)


def _let_hover(simulation: Simulation, kind: RobotBlueprint) -> None:
    """Command all that has an autopilot to hover where it is."""
    take_off = AUTOPILOT.command("take_off").number
    autopilots = [device.name for device in kind.devices if device.kind == AUTOPILOT.kind]
    for robot in simulation.scene.robots if autopilots else ():
        simulation.command(robot, autopilots[0], take_off, (_HEIGHT,))


def _set_off(simulation: Simulation) -> None:
    """Command all that has wheels to drive in curves of several widths."""
    for block in simulation.tables.blocks:
        for module in block.layout.modules:
            if module.interface.kind == MOTORS.kind:
                slots = block.slot(module)
                slots[:, STAMP] += 1.0
                slots[:, NUMBER], slots[:, VALUES] = SET_VELOCITY, 0.2
                slots[:, VALUES + 1] = np.linspace(-0.5, 0.5, len(slots))
