"""Small worlds for tests of engines."""

import math

import numpy as np

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.scene import Span

DT = 0.01


def body(name, x=0.0, y=0.0, yaw=0.0, *, mass=1.0, kind="cylinder", size=(0.5, 0.5, 0.3), z=0.0, rolling=0.0, **shape):
    pose = (x, y, z, math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    shapes = (ShapeSpec(kind, size, **shape),)
    return BodySpec(name, pose, mass, shapes, rolling, span=Span(f"{name}.world", 3, 1))


def wall(name, x, y, length, width, *, z=0.0, height=0.5):
    return body(name, x, y, mass=0.0, kind="box", size=(length, width, height), z=z)


def engine_of(*bodies):
    return PymunkEngine(WorldSpec(tuple(bodies)))


def launch(engine, name, *, vx=0.0, vy=0.0, w=0.0):
    row = list(engine.names).index(name)
    state = engine.planar[row].copy()
    state[3:] = vx, vy, w
    engine.set_state(np.array([row]), state[np.newaxis])


def steps(engine, count):
    for _ in range(count):
        engine.step(DT)


def where(engine, name):
    return engine.planar[list(engine.names).index(name)]


def crowd(count, seed=1):
    """Discs and boxes on a grid, close enough to touch when they move, in four walls."""
    generator = np.random.default_rng(seed)
    side = math.ceil(math.sqrt(count))
    bodies = [
        body(
            f"body_{k}",
            (k % side) * 0.55 + generator.uniform(-0.05, 0.05),
            (k // side) * 0.55 + generator.uniform(-0.05, 0.05),
            generator.uniform(-3, 3),
            mass=generator.uniform(1, 20),
            kind="box" if k % 3 == 0 else "cylinder",
            size=(0.4, 0.4, 0.3),
            rolling=0.2 if k % 4 == 0 else 0.0,
        )
        for k in range(count)
    ]
    middle, length = (side - 1) * 0.275, side * 0.55 + 0.4
    walls = [
        wall("wall_1", middle - length / 2, middle, 0.1, length),
        wall("wall_2", middle + length / 2, middle, 0.1, length),
        wall("wall_3", middle, middle - length / 2, length, 0.1),
        wall("wall_4", middle, middle + length / 2, length, 0.1),
    ]
    return bodies + walls


def push_about(engine, count, seed=2):
    """Push all bodies about with forces that depend on their names alone; return how often two touched."""
    generator = np.random.default_rng(seed)
    numbers = np.array([int(name.rpartition("_")[2]) for name in engine.names])
    touched = 0
    for k in range(count):
        forces = generator.normal(size=(int(numbers.max()) + 1, 3)) * 40.0
        if k % 10:
            forces *= 0.2
        engine.wrench[:, :2] += forces[numbers, :2]
        engine.wrench[:, 5] += forces[numbers, 2] * 0.1
        engine.step(DT)
        touched += len(engine.contacts().pairs)
    return touched
