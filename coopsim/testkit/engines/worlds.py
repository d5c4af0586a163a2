"""Small worlds for the checks of an engine, and what one does in them."""

import math

import numpy as np

from coopsim.engines import BodySpec, JointSpec, PhysicsEngine, ShapeSpec, WorldSpec
from coopsim.geometry import Floats
from coopsim.scene import Span

DT = 0.01  # s; the usual step
RADIUS = 0.25  # m; a usual robot


def robot(name: str, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, mass: float = 20.0) -> BodySpec:
    """Return a body on wheels that nothing brakes: an upright cylinder of half a metre."""
    shape = ShapeSpec("cylinder", (2.0 * RADIUS, 2.0 * RADIUS, 0.3))
    return BodySpec(name, _pose(x, y, 0.0, yaw), mass, (shape,), wheeled=True, span=_span(name))


def crate(name: str, x: float, y: float = 0.0, mass: float = 5.0) -> BodySpec:
    """Return a box that the floor brakes with a coefficient of 0.3."""
    return BodySpec(name, _pose(x, y, 0.0), mass, (ShapeSpec("box", (0.4, 0.4, 0.2), 0.5),), 0.3, span=_span(name))


def wall(name: str, x: float, y: float, length: float, width: float, z: float = 0.0) -> BodySpec:
    """Return a fixed box half a metre high."""
    return BodySpec(name, _pose(x, y, z), 0.0, (ShapeSpec("box", (length, width, 0.5)),), span=_span(name))


def world(*bodies: BodySpec, joints: tuple[JointSpec, ...] = ()) -> WorldSpec:
    """Return a world with a floor of 20 m."""
    return WorldSpec(bodies, joints)


def crowd(count: int) -> tuple[BodySpec, ...]:
    """Return robots and crates that touch as soon as they move, in four walls."""
    side = math.ceil(math.sqrt(count))
    size, middle = 0.6 * side + 0.2, 0.3 * (side - 1)
    bodies = [
        crate(f"body_{k}", 0.6 * (k % side), 0.6 * (k // side))
        if k % 3 == 0
        else robot(f"body_{k}", 0.6 * (k % side), 0.6 * (k // side), 0.1 * k)
        for k in range(count)
    ]
    places = ((-0.5, 0.0, 0.1, size), (0.5, 0.0, 0.1, size), (0.0, -0.5, size, 0.1), (0.0, 0.5, size, 0.1))
    walls = [
        wall(f"wall_{k}", middle + x * size, middle + y * size, length, width)
        for k, (x, y, length, width) in enumerate(places)
    ]
    return (*bodies, *walls)


def row(engine: PhysicsEngine, name: str) -> int:
    """Return the row of a body."""
    return list(engine.names).index(name)


def state(engine: PhysicsEngine, name: str) -> Floats:
    """Return x y yaw vx vy w of a body as a copy."""
    return np.array(engine.planar[row(engine, name)], np.float64)


def launch(engine: PhysicsEngine, name: str, vx: float = 0.0, vy: float = 0.0, w: float = 0.0) -> None:
    """Give a body a velocity where it is."""
    at = state(engine, name)
    at[3:] = vx, vy, w
    engine.set_state(np.array([row(engine, name)]), at[np.newaxis])


def push(engine: PhysicsEngine, seconds: float, *forces: tuple[str, float, float, float]) -> None:
    """Advance while constant forces x, y and torques act on bodies."""
    for _ in range(round(seconds / DT)):
        for name, x, y, torque in forces:
            engine.wrench[row(engine, name), [0, 1, 5]] += x, y, torque
        engine.step(DT)


def exert(engine: PhysicsEngine, seconds: float, effort: float) -> None:
    """Advance while an effort acts in the first joint."""
    for _ in range(round(seconds / DT)):
        engine.joint_effort[0] = effort
        engine.step(DT)


def stir(engine: PhysicsEngine, steps: int, seed: int = 1) -> None:
    """Push the bodies of a crowd about with forces that depend on seed and name alone."""
    generator = np.random.default_rng(seed)
    numbers = np.array([int(name.rpartition("_")[2]) for name in engine.names])
    for k in range(steps):
        if k % 10 == 0:
            forces = generator.normal(size=(int(numbers.max()) + 1, 2)) * 60.0
        engine.wrench[:, :2] += forces[numbers]
        engine.step(DT)


def energy(engine: PhysicsEngine) -> float:
    """Return the kinetic energy of level motion [J]."""
    vx, vy, w = engine.planar[:, 3:].T
    return float(0.5 * (engine.mass * (vx * vx + vy * vy) + engine.inertia * w * w).sum())


def _pose(x: float, y: float, z: float, yaw: float = 0.0) -> tuple[float, float, float, float, float, float, float]:
    return x, y, z, math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0)


def _span(name: str) -> Span:
    return Span(f"{name}.world", 3, 1)
