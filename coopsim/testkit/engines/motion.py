"""Checks of free motion, forces and the floor."""

import math

import numpy as np

from coopsim.engines import BodySpec, ShapeSpec
from coopsim.kernels.constants import GRAVITY
from coopsim.sensing.world import EngineSensingWorld
from coopsim.testkit.engines import worlds
from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import DT, RADIUS, launch, push, robot, state, wall, world


def _coasting(make: Make) -> CheckResult:
    engine = make(world(robot("robot", yaw=0.5)))
    launch(engine, "robot", 0.3, -0.2, 0.7)
    push(engine, 1.0)
    off = np.abs(state(engine, "robot") - (0.3, -0.2, 1.2, 0.3, -0.2, 0.7))
    return worst(within("off by", off[:2].max(), 1e-3), within("turned wrong by", off[2], 1e-3, "rad"))


def _forces(make: Make) -> CheckResult:
    engine = make(world(robot("robot", mass=4.0)))
    engine.wrench[0] = 2.0, -1.0, 0.0, 0.0, 0.0, 0.05
    engine.step(DT)
    moment = 4.0 * worlds.RADIUS**2 / 2.0
    expected = np.array([0.5, -0.25, 0.05 / moment]) * DT
    off = float(np.abs(state(engine, "robot")[3:] / expected - 1.0).max())
    left = float(np.abs(engine.wrench).max())
    return worst(within("wrong by", 100.0 * off, 1.0, "%"), within("left in wrench", left, 0.0, "N"))


def _masses(make: Make) -> CheckResult:
    shapes = (ShapeSpec("box", (0.2, 0.2, 0.2)), ShapeSpec("box", (0.2, 0.2, 0.2), position=(0.6, 0.0, 0.0)))
    bar = BodySpec("bar", (3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 2.0, shapes)
    engine = make(world(bar, robot("robot")))
    moments = np.array([2.0 * (0.08 / 12.0 + 0.09), 20.0 * worlds.RADIUS**2 / 2.0])
    off = float(np.abs(engine.inertia / moments - 1.0).max())
    return worst(
        measured(engine.mass.tolist() == [2.0, 20.0], f"mass {engine.mass.tolist()}, expected [2.0, 20.0]"),
        within("inertia wrong by", 100.0 * off, 1.0, "%"),
    )


def _substeps(make: Make) -> CheckResult:
    engine, fine = make(world(robot("robot"))), make(world(robot("robot")))
    engine.wrench[0, 0] = fine.wrench[0, 0] = 10.0
    engine.step(DT)
    fine.step(DT, substeps=4)
    whole, parts = state(engine, "robot")[3], state(fine, "robot")[3]
    return within("velocity differs by", 100.0 * abs(parts / whole - 1.0), 1.0, "%")


def _lag(make: Make) -> CheckResult:
    engine = make(world(robot("robot")))
    engine.wrench[0, 0] = 20.0
    engine.step(DT)
    expected = 0.0 if engine.position_lag else DT * DT
    return within(f"with position_lag {engine.position_lag} off by", abs(state(engine, "robot")[0] - expected), 1e-6)


def _braking(make: Make) -> CheckResult:
    engine = make(world(worlds.crate("crate", 0.0)))
    launch(engine, "crate", 1.0)
    push(engine, 0.2)
    lost = 1.0 - state(engine, "crate")[3]
    expected = 0.3 * GRAVITY * 0.2
    push(engine, 0.5)
    rest = state(engine, "crate")
    return worst(
        within("deceleration wrong by", 100.0 * abs(lost / expected - 1.0), 10.0, "%"),
        within("speed after it should have stopped", float(np.hypot(*rest[3:5])), 1e-2, "m/s"),
    )


def _holding(make: Make) -> CheckResult:
    engine = make(world(worlds.crate("crate", 0.0)))
    push(engine, 1.0, ("crate", 0.5 * 0.3 * GRAVITY * 5.0, 0.0, 0.0))
    return within("crept", abs(state(engine, "crate")[0]), 5e-3)


def _filling(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0, 2.0, math.pi / 2.0)))
    launch(engine, "robot", 0.1, 0.2, 0.3)
    half = math.sqrt(0.5)
    pose = float(np.abs(engine.poses[0] - (1.0, 2.0, 0.0, half, 0.0, 0.0, half)).max())
    twist = float(np.abs(engine.twists[0] - (0.1, 0.2, 0.0, 0.0, 0.0, 0.3)).max())
    return worst(within("pose off by", pose, 5e-3), within("twist off by", twist, 5e-3, "m/s"))


def _falling(make: Make) -> CheckResult:
    ball = BodySpec("ball", (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), 1.0, (ShapeSpec("sphere", (0.2, 0.2, 0.2)),))
    engine = make(world(ball))
    push(engine, 0.2)
    fallen = 1.0 - float(engine.height[0])
    push(engine, 2.0)
    return worst(
        within("fall wrong by", abs(fallen - 0.5 * GRAVITY * 0.04), 0.03),
        within("off the floor by", abs(float(engine.height[0])), 0.02),
    )


# A check that sensors see bodies where the engine has them.
_REACH = 5.0


def _rays(make: Make) -> CheckResult:
    spec = world(robot("robot"), robot("other", 0.0, 2.0), wall("wall", 3.0, 0.0, 0.2, 6.0))
    engine = make(spec)
    sight = EngineSensingWorld(
        engine, spec.bodies, (), np.zeros((0, 3)), ("other", "robot"), np.array([0, 1]), np.full(2, RADIUS)
    )
    launch(engine, "robot", 0.3)
    launch(engine, "other", 0.3)
    push(engine, 1.0)
    sight.begin_tick(100, DT)
    out = np.empty((1, 3))
    rows = np.array([list(engine.names).index("robot")])
    sight.cast_rays(rows, np.array([-np.pi, 0.0, np.pi / 2.0]), np.array([_REACH]), out)
    to_wall = 2.9 - state(engine, "robot")[0] - RADIUS
    return worst(
        within("wall off by", abs(out[0, 1] - to_wall), 1e-6),
        within("wall off its true place by", abs(out[0, 1] - 2.35), 5e-3),
        within("other robot off by", abs(out[0, 2] - 1.5), 5e-3),
        within("saw nothing at", abs(out[0, 0] - _REACH), 0.0),
    )


CHECKS = (
    Check("a free body keeps its velocity", _coasting),
    Check("forces accelerate by mass and inertia, for one step", _forces),
    Check("mass and moment of inertia are those of the shapes", _masses),
    Check("substeps make the same of a force", _substeps),
    Check("positions follow velocities as position_lag says", _lag),
    Check("the floor brakes what slides, to a stop", _braking),
    Check("the floor holds what is pushed too softly", _holding),
    Check("poses and twists are those of the plane", _filling),
    Check("what is above the floor falls on it", _falling, "height"),
    Check("rays meet bodies where the engine has them", _rays),
)
