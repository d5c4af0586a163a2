"""Small worlds in space for tests of the MuJoCo engine."""

import math

import numpy as np

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.features.space.engine import MujocoEngine
from coopsim.geometry import quaternion
from coopsim.scene import Span

DT = 0.01
G = 9.81


def thing(name, x=0.0, y=0.0, z=0.0, *, turn=(0.0, 0.0, 0.0), mass=1.0, kind="box", size=(0.4, 0.4, 0.4), **shape):
    shapes = (ShapeSpec(kind, size, **shape),)
    return BodySpec(name, (x, y, z, *quaternion(*turn)), mass, shapes, span=Span(f"{name}.world", 3, 1))


def robot(name, x=0.0, y=0.0, z=0.0, *, yaw=0.0, mass=20.0, size=(0.5, 0.5, 0.3)):
    pose = (x, y, z, *quaternion(0.0, 0.0, yaw))
    return BodySpec(name, pose, mass, (ShapeSpec("cylinder", size),), wheeled=True)


def engine_of(*bodies, joints=(), floor_friction=1.0, tilt=0.0):
    return MujocoEngine(
        WorldSpec(bodies, tuple(joints), floor_friction=floor_friction, floor_orientation=(0.0, tilt, 0.0))
    )


def run(engine, seconds, *forces, dt=DT):
    """Push bodies, each named with its six numbers, for a while."""
    for _ in range(round(seconds / dt)):
        for name, *force in forces:
            engine.wrench[row(engine, name)] += force
        engine.step(dt)
    engine.fill()


def row(engine, name):
    return list(engine.names).index(name)


def launch(engine, name, vx=0.0, vy=0.0, w=0.0):
    at = row(engine, name)
    engine.set_state(np.array([at]), np.array([[*engine.planar[at, :3], vx, vy, w]]))


def pose(engine, name):
    engine.fill()
    return engine.poses[row(engine, name)]


def speed(engine, name):
    engine.fill()
    return float(np.linalg.norm(engine.twists[row(engine, name), :3]))


def lean(engine, name):
    """Return the angle between a body and the upright [rad]."""
    _, x, y, _ = pose(engine, name)[3:]
    return 2.0 * math.asin(min(1.0, math.hypot(x, y)))
