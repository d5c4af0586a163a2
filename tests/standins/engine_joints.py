"""Joined bodies for tests of engines."""

import math

import numpy as np
from engine_standins import DT, body

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.scene import Span

SPAN = Span("team.world", 7, 1)
LENGTH = 2.5


def joint(kind, a="a", b="b", anchor=(0.0, 0.0, 0.0), name="joint", **settings):
    return JointSpec(name, kind, a, b, anchor, span=SPAN, **settings)


def pair(kind, engine, **settings):
    """Two discs a metre apart with a joint between them."""
    bodies = body("a", -0.5, mass=20.0), body("b", 0.5, mass=20.0)
    return engine(WorldSpec(bodies, (joint(kind, **settings),)))


def carried_bar(kind="support", **settings):
    """A bar of 5 kg hung from its upper side on two robots of 20 kg, so that it does not roll over."""
    ends = {"robot1": -LENGTH / 2 + 0.1, "robot2": LENGTH / 2 - 0.1}
    pose = (0.0, 0.0, 0.31, 1.0, 0.0, 0.0, 0.0)
    bar = BodySpec("bar", pose, 5.0, (ShapeSpec("box", (LENGTH, 0.08, 0.08)),))
    robots = [
        BodySpec(name, (x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 20.0, (ShapeSpec("cylinder", (0.5, 0.5, 0.3)),), wheeled=True)
        for name, x in ends.items()
    ]
    joints = [
        joint(kind, name, "bar", (x, 0.0, 0.39), f"on_{name}", limit=0.06, **settings) for name, x in ends.items()
    ]
    return WorldSpec((bar, *robots), tuple(joints))


def drive(engine, seconds, slower=0.1, begin=0.0):
    """Let both robots drive a gentle curve, the first one slower than the other between 5 and 10 s."""
    for k in range(round(seconds / DT)):
        t = begin + k * DT
        speed, turn = 0.3 * min(1.0, t / 2.0), 0.15 * math.sin(0.5 * t)
        for name in ("robot1", "robot2"):
            row = list(engine.names).index(name)
            wanted = speed - slower if name == "robot1" and 5.0 < t < 10.0 else speed
            engine.wrench[row] += _wheels(engine.planar[row], engine.inertia[row], wanted, turn)
        engine.step(DT)


def _wheels(state, inertia, speed, turn):
    """Force-limited wheels: 40 N each, tyres hold 117 N aside."""
    cos, sin = math.cos(state[2]), math.sin(state[2])
    forward, aside = state[3] * cos + state[4] * sin, state[4] * cos - state[3] * sin
    push = np.clip(20.0 * (speed - forward) / DT, -80.0, 80.0)
    hold = np.clip(-20.0 * aside / DT, -117.0, 117.0)
    torque = np.clip(inertia * (turn - state[5]) / DT, -15.0, 15.0)
    return push * cos - hold * sin, push * sin + hold * cos, 0.0, 0.0, 0.0, torque
