"""Same scenes on different physics engines, for benchmarks: simulations in this process."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coopsim.engines import JointSpec
from coopsim.geometry import Floats
from coopsim.robots import RobotBlueprint, RunSpec, load_type
from coopsim.scene import Floor, Object, RobotPlacement, Scenario, World
from coopsim.simulation import Simulation
from coopsim.testkit.bench.measuring.workload import STEP, Avoidance, crowd

_SET_VELOCITY = 10  # its number in the interface `motors`
_LANE = 50.0  # m; between robots that must not meet
_FLOOR = Floor((2000.0, 2000.0, 0.1))
_UNLIMITED = {"max_force": 1e6, "gain": 1e7, "grip": 10.0, "max_speed": 100.0}

Steer = Callable[[Simulation, float], None]
"""Commands the robots at a time [s]."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Cost of exchanges of the engine.

    Attributes:
        seconds: The longest one took, from the first on, which imports the engine.
        moved: The largest change of a position or heading, where the new engine knows tilts also of an orientation.
    """

    seconds: float
    moved: float


def free_motion(engines: Sequence[str], seconds: float, robots: int = 8) -> float:
    """Return how far robots with unlimited motors are apart at most, at any time, on any two engines [m].

    They drive at up to 0.5 m/s and turn at up to 0.2 rad/s, and meet nothing.
    """
    numbers = np.random.default_rng(3)
    count = math.ceil(seconds / 5.0)
    speeds, turns = numbers.uniform(-0.2, 0.5, (count, robots)), numbers.uniform(-0.2, 0.2, (count, robots))

    def steer(simulation: Simulation, at: float) -> None:
        part = min(int(at / 5.0 + 1e-9), count - 1)
        for k, place in enumerate(simulation.layout.robots):
            simulation.command(place.name, "motors", _SET_VELOCITY, (float(speeds[part, k]), float(turns[part, k])))

    names = [f"robot{k + 1}" for k in range(robots)]
    placed = [RobotPlacement(name, "free", (0.0, _LANE * k, 0.0)) for k, name in enumerate(names)]
    spec = _scene((), placed, _with_motors_alone("free", **_UNLIMITED))
    ways = [_ways(Simulation(spec, engine=engine, step=STEP), names, seconds, steer) for engine in engines]
    return max(float(np.abs(way - second_way).max()) for way in ways for second_way in ways)


def one_contact(engines: Sequence[str], seconds: float, pairs: int = 20) -> Floats:
    """Return how far things are apart on two engines after robots drove against crates, shape (2 pairs,) [m].

    Each robot meets one crate, at a place of its own.
    """
    aside = np.linspace(-0.1, 0.1, pairs)
    things = [
        Object(f"crate{k + 1}", "box", (0.4, 0.4, 0.3), (1.0, 4.0 * k + float(aside[k]), 0.0), mass=5.0, friction=0.4)
        for k in range(pairs)
    ]
    robots = [RobotPlacement(f"robot{k + 1}", "pusher", (0.0, 4.0 * k, 0.0)) for k in range(pairs)]

    def steer(simulation: Simulation, _at: float) -> None:
        for place in simulation.layout.robots:
            simulation.command(place.name, "motors", _SET_VELOCITY, (0.2, 0.0))

    spec = _scene(things, robots, _with_motors_alone("pusher"))
    names = [*(thing.name for thing in things), *(robot.name for robot in robots)]
    first, second = (_ways(Simulation(spec, engine=engine, step=STEP), names, seconds, steer)[-1] for engine in engines)
    apart: Floats = np.hypot(*(first - second).T)
    return apart


def carried_bar(engine: str) -> tuple[Floats, Floats]:
    """Return displacements [m] and forces [N] of the two sprung supports under a bar, shape (2,) each.

    Two robots carry it along a gentle curve; the first lags behind, so that both pull at the bar
    (CoopDynSim, section III-D).
    """
    ends = {"robot1": -1.15, "robot2": 1.15}
    bar = Object("bar", "box", (2.5, 0.08, 0.08), (0.0, 0.0, 0.31), mass=5.0, friction=0.0)
    robots = [RobotPlacement(name, "carrier", (x, 0.0, 0.0)) for name, x in ends.items()]
    simulation = Simulation(_scene([bar], robots, _with_motors_alone("carrier")), engine=engine, step=STEP)
    for name, x in ends.items():
        simulation.add_joint(JointSpec(f"on_{name}", "support", name, "bar", (x, 0.0, 0.39), limit=0.06))
    for k in range(round(7.5 / STEP)):
        at = k * STEP
        speed, turn = 0.3 * min(1.0, at / 2.0), 0.15 * math.sin(0.5 * at)
        for name in ends:
            slower = 0.1 if name == "robot1" and at > 5.0 else 0.0
            simulation.command(name, "motors", _SET_VELOCITY, (speed - slower, turn))
        simulation.tick()
    state = simulation.engine.joint_state()
    return np.hypot(*state[:, :2].T), np.hypot(*state[:, 3:5].T)


def exchanged(engines: Sequence[str], robots: int = 100) -> Exchanged:
    """Return what it costs to go on with one engine after the other, while robots drive about."""
    simulation = Simulation(crowd(robots), engine=engines[0], step=STEP, programs=[Avoidance()])
    longest = moved = 0.0
    for engine in (*engines[1:], engines[0]):
        for _ in range(100):
            simulation.tick()
        before = _poses(simulation)
        began = time.perf_counter()
        simulation.exchange(engine)
        longest = max(longest, time.perf_counter() - began)
        seen = 9 if "height" in simulation.engine.abilities else 5
        moved = max(moved, float(np.abs(_poses(simulation) - before)[:, :seen].max()))
    return Exchanged(longest, moved)


def _poses(simulation: Simulation) -> Floats:
    """Return x y z, cosine and sine of the heading, quaternion of every body, shape (n, 9)."""
    poses, yaw = simulation.engine.poses, simulation.engine.planar[:, 2]
    return np.column_stack([poses[:, :3], np.cos(yaw), np.sin(yaw), poses[:, 3:]])


def _ways(simulation: Simulation, names: Sequence[str], seconds: float, steer: Steer) -> Floats:
    """Return x and y of bodies every 0.1 s, shape (k, names, 2) [m], the same instants whatever the engine's lag."""
    lag, ways = simulation.engine.position_lag, []
    rows = [list(simulation.engine.names).index(name) for name in names]
    for k in range(round(seconds / STEP) + lag):
        if k % 10 == 0:
            steer(simulation, k * STEP)
        simulation.tick()
        if k >= lag and (k + 1 - lag) % 10 == 0:
            ways.append(simulation.engine.planar[rows, :2].copy())
    return np.array(ways)


def _scene(things: Sequence[Object], robots: Sequence[RobotPlacement], kind: RobotBlueprint) -> RunSpec:
    return RunSpec(Scenario(World(_FLOOR, tuple(things)), robots=tuple(robots)), {kind.name: kind})


def _with_motors_alone(name: str, **settings: float) -> RobotBlueprint:
    """Return the robot `single` without its sensors, its motors changed."""
    single = load_type("single")
    motors = next(device for device in single.devices if device.name == "motors")
    return replace(single, name=name, devices=(replace(motors, settings={**motors.settings, **settings}),))
