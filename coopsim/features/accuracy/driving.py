"""Driven robots: rotors with their lag and drag, and wheels on circles."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from coopsim.features.accuracy.rows import GRAVITY, SPACE, Row
from coopsim.features.space.devices.wind import wave_sum, waves
from coopsim.features.space.wind_interface import WIND
from coopsim.geometry import Floats
from coopsim.interfaces import MOTORS, ROTORS, Value, command_numbers
from coopsim.robots import RobotBlueprint, RunSpec, load_type
from coopsim.robots.blueprint import DeviceBlueprint
from coopsim.scene import Floor, RobotPlacement, Scenario, World
from coopsim.simulation import Simulation

_THRUSTS, _VELOCITY = command_numbers(ROTORS).set_thrusts, command_numbers(MOTORS).set_velocity
_LAG = 0.03
_HIGH = 50.0
_FAR, _PLACES = 1e5, 20_011  # lengths, and places over which gusts are averaged; no wave fits between them


def driving() -> Iterator[Row]:
    """Yield rows of robots that drive or fly."""
    for engine in SPACE:
        for step in (0.01, 0.02, 0.05):
            yield hover(engine, step)
        for step in (0.005, 0.02):
            yield drop(engine, step)
            yield blown(engine, step)
    yield from gusts()
    for engine in ("pymunk", "mujoco", "kinematic"):
        yield circle(engine)


def hover(kind: str, step: float) -> Row:
    """Return by how much rotors that begin to hover are off the speed that their lag costs."""

    def measure() -> float:
        run = robot_alone(robot_with("quadrotor", "rotors", drag=0.0, lag=_LAG), kind, step)
        weight = float(run.engine.mass[0]) * GRAVITY
        for _ in range(round(1.0 / step)):
            run.command("robot", "rotors", _THRUSTS, (0.25 * weight,) * 4)
            run.tick()
        true = -GRAVITY * _LAG * (1.0 - math.exp(-1.0 / _LAG))
        return 100.0 * (float(run.engine.twists[0, 2]) / true - 1.0)

    return Row(kind, f"rotors that begin to hover, lag 30 ms, at {1e3 * step:g} ms: speed lost", "%", measure, 1e-3)


def drop(kind: str, step: float) -> Row:
    """Return by how far a quadrotor whose rotors stand still is off a fall of a second with drag."""
    drag = 0.3

    def measure() -> float:
        run = robot_alone(robot_with("quadrotor", "rotors", drag=drag), kind, step)
        for _ in range(round(1.0 / step)):
            run.command("robot", "rotors", _THRUSTS, (0.0,) * 4)
            run.tick()
        lasts = float(run.engine.mass[0]) / drag
        way = GRAVITY * lasts * (1.0 - lasts * (1.0 - math.exp(-1.0 / lasts)))
        return _HIGH - float(run.engine.poses[0, 2]) - way

    return Row(kind, f"quadrotor that falls with drag, 1 s at {1e3 * step:g} ms", "m", measure, 1e-3)


def blown(kind: str, step: float) -> Row:
    """Return by how much a body that a steady wind takes along is off its speed after a second."""
    wind, drag = 8.0, 0.5

    def measure() -> float:
        run = robot_alone(_windy(x=wind, drag=drag), kind, step)
        for _ in range(round(1.0 / step)):
            run.tick()
        true = wind * (1.0 - math.exp(-drag / float(run.engine.mass[0])))
        return 100.0 * (float(run.engine.twists[0, 0]) / true - 1.0)

    return Row(kind, f"body that a steady wind takes along, 1 s at {1e3 * step:g} ms: speed", "%", measure, 1e-3)


def gusts() -> Iterator[Row]:
    """Yield by how much variance and correlation of gusts are off those of Dryden, a length apart along the wind."""
    for axis, words, true in ((0, "along", math.exp(-1.0)), (1, "across", 0.5 * math.exp(-1.0))):
        case = f"gusts {words} the wind"
        yield Row("flight", f"{case}: variance", "%", partial(_variance_error, axis), 1.0)
        yield Row("flight", f"{case}: correlation a length apart", "1", partial(_correlation_error, axis, true), 0.02)


def _variance_error(axis: int) -> float:
    gusts_at, _ = _gusts_apart(axis)
    return 100.0 * (float(np.mean(gusts_at * gusts_at)) - 1.0)


def _correlation_error(axis: int, true: float) -> float:
    gusts_at, gusts_ahead = _gusts_apart(axis)
    return float(np.mean(gusts_at * gusts_ahead)) - true


@cache
def _gusts_apart(axis: int) -> tuple[Floats, Floats]:
    """Return gusts of an axis at many places, and a length ahead of each."""
    field, apart = waves(1), np.linspace(0.0, _FAR, _PLACES)
    gusts_at, gusts_ahead = (np.array([wave_sum(field[axis], x + way, 0.0, 0.0) for x in apart]) for way in (0.0, 1.0))
    return gusts_at, gusts_ahead


def circle(kind: str) -> Row:
    """Return by how much a robot on wheels is off the radius v / w, measured over a quarter turn."""

    def measure() -> float:
        motors = {"max_force": 1e6, "gain": 1e7, "grip": 10.0, "max_speed": 100.0}
        run = robot_alone(robot_with("single", "motors", **motors), kind, 0.01, height=0.0)
        speed, turn = 0.4, 0.2
        quarter = 0.5 * math.pi / turn
        for _ in range(round(quarter / 0.01) + run.engine.position_lag):
            run.command("robot", "motors", _VELOCITY, (speed, turn))
            run.tick()
        x, y = run.engine.planar[0, :2].tolist()
        heading = turn * round(quarter / 0.01) * 0.01
        true = speed / turn * math.sin(heading), speed / turn * (1.0 - math.cos(heading))
        return 100.0 * (math.dist((x, y), true) / (speed / turn))

    return Row(kind, "robot on wheels, a quarter of a circle of 2 m: place", "%", measure, 0.5)


def _windy(**settings: float) -> RobotBlueprint:
    """Return a quadrotor's body that has wind alone."""
    whole = load_type("quadrotor")
    values: dict[str, Value] = {parameter.name: parameter.default for parameter in WIND.parameters}
    return replace(whole, name="kind", devices=(DeviceBlueprint("wind", "wind", {**values, **settings}),))


def robot_with(kind: str, module: str, **settings: float) -> RobotBlueprint:
    """Return a type of robot with one module alone, its settings changed."""
    whole = load_type(kind)
    device = next(device for device in whole.devices if device.name == module)
    return replace(whole, name="kind", devices=(replace(device, settings={**device.settings, **settings}),))


def robot_alone(kind: RobotBlueprint, engine: str, step: float, height: float = _HIGH) -> Any:
    """Return a simulation of one robot."""
    placed = RobotPlacement("robot", kind.name, (0.0, 0.0, height))
    scenario = Scenario(World(Floor((200.0, 200.0, 0.1)), ()), robots=(placed,))
    return Simulation(RunSpec(scenario, {kind.name: kind}), engine=engine, step=step)
