"""Checks of joints that are driven: hinges and slides by position, velocity, effort and limits."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coopsim.engines import JointSpec, PhysicsEngine
from coopsim.errors import EngineCannot
from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import DT, exert, launch, robot, row, state, world

_HINGE = JointSpec("joint", "hinge", "a", "b")
_SLIDE = JointSpec("joint", "slide", "a", "b", axis=(0.6, 0.8, 0.0))


def _turn(make: Make) -> CheckResult:
    """Two discs on one axle: an effort turns them against each other."""
    engine = make(world(robot("a"), robot("b", mass=5.0), joints=(_HINGE,)))
    inertia = [engine.inertia[row(engine, name)] for name in ("a", "b")]
    exert(engine, 0.5, 0.2)
    speed = 0.2 * (1.0 / inertia[0] + 1.0 / inertia[1]) * 0.5
    angle = state(engine, "b")[2] - state(engine, "a")[2]
    spin = inertia[0] * state(engine, "a")[5] + inertia[1] * state(engine, "b")[5]
    return worst(
        within("speed wrong by", 100.0 * abs(engine.joint_velocity[0] / speed - 1.0), 5.0, "%"),
        within("angle wrong by", 100.0 * abs(engine.joint_position[0] / (0.25 * speed) - 1.0), 8.0, "%"),
        within("angle told wrong by", abs(engine.joint_position[0] - angle), 0.01, "rad"),
        within("angular momentum made", abs(spin), 0.01, "kg m2/s"),
    )


def _push(make: Make) -> CheckResult:
    engine = make(world(robot("a", -0.3, -0.4), robot("b", 0.3, 0.4, mass=5.0), joints=(_SLIDE,)))
    exert(engine, 0.5, 2.0)
    speed = 2.0 * (1.0 / 20.0 + 1.0 / 5.0) * 0.5
    way = float((state(engine, "b") - state(engine, "a"))[:2] @ (0.6, 0.8)) - 1.0
    momentum = 20.0 * state(engine, "a")[3:5] + 5.0 * state(engine, "b")[3:5]
    return worst(
        within("speed wrong by", 100.0 * abs(engine.joint_velocity[0] / speed - 1.0), 5.0, "%"),
        within("way wrong by", 100.0 * abs(engine.joint_position[0] / (0.25 * speed) - 1.0), 8.0, "%"),
        within("way told wrong by", abs(engine.joint_position[0] - way), 5e-3),
        within("momentum made", float(np.hypot(*momentum)), 0.02, "N s"),
    )


def _stops(make: Make) -> CheckResult:
    findings = []
    for spec, effort in ((_HINGE, 0.5), (_SLIDE, 5.0)):
        joint = replace(spec, lower=-0.1, upper=0.3)
        for way, end in ((1.0, 0.3), (-1.0, -0.1)):
            engine = make(world(robot("a"), robot("b", 0.6, 0.8, mass=5.0), joints=(replace(joint, anchor=_MIDDLE),)))
            limits = engine.joint_limits.tolist()
            exert(engine, 4.0, way * effort)
            findings += [
                measured(limits == [[-0.1, 0.3]], f"limits {limits}, expected [[-0.1, 0.3]]"),
                within(f"{spec.kind} off its stop by", abs(engine.joint_position[0] - end), 0.02, "m or rad"),
            ]
    return worst(*findings)


_MIDDLE = (0.6, 0.8, 0.0)  # 3-4-5: a direction whose length is exact


def _senses(make: Make) -> CheckResult:
    """Whoever of the two bodies carries a joint, and however its axis points: b goes as the effort says."""
    findings = []
    for spec in (_HINGE, _SLIDE):
        for a, b in (("a", "b"), ("b", "a")):
            for sense in (1.0, -1.0):
                x, y, z = spec.axis
                joint = replace(spec, a=a, b=b, axis=(sense * x, sense * y, sense * z))
                engine = make(world(replace(robot("a"), mass=0.0), robot("b"), joints=(joint,)))
                exert(engine, 0.5, 1.0)
                forward = state(engine, "b")[2] if spec.kind == "hinge" else float(state(engine, "b")[:2] @ (0.6, 0.8))
                way = sense if b == "b" else -sense
                text = f"{spec.kind} of {a} and {b} along {sense:g}"
                findings += [
                    measured(way * forward > 0.0, f"{text}: moved by {forward:.3g}"),
                    within(f"{text}: told wrong by", abs(engine.joint_position[0] - way * forward), 0.01, "m or rad"),
                ]
    return worst(*findings)


def _cleared(make: Make) -> CheckResult:
    engine = make(world(robot("a"), robot("b"), joints=(_HINGE,)))
    exert(engine, 0.1, 0.5)
    left = float(engine.joint_effort[0])
    before = float(engine.joint_velocity[0])
    for _ in range(10):
        engine.step(DT)
    engine.joint_effort[0] = math.nan
    refused = _is_refused(engine)
    engine.step(DT)
    return worst(
        measured(left == 0.0, f"effort after a step {left}, expected 0"),
        within("speed without effort changed by", 100.0 * abs(engine.joint_velocity[0] / before - 1.0), 2.0, "%"),
        measured(refused, "an effort that is no number is refused once"),
    )


def _is_refused(engine: PhysicsEngine) -> bool:
    try:
        engine.step(DT)
    except EngineCannot:
        return True
    return False


def _put(make: Make) -> CheckResult:
    """Bodies that are put elsewhere, and come out of a snapshot, have the positions of their joints."""
    engine = make(world(robot("a"), robot("b"), joints=(replace(_HINGE, lower=-1.0, upper=1.0),)))
    launch(engine, "b", w=0.5)
    exert(engine, 0.5, 0.0)
    before = float(engine.joint_position[0]), float(engine.joint_velocity[0])
    copy = make(world())
    copy.restore(engine.snapshot())
    again = float(copy.joint_position[0]), float(copy.joint_velocity[0])
    return worst(
        measured(before[0] > 0.05, f"turned by {before[0]:.3g} rad, at least 0.05 rad"),
        within("out of a snapshot wrong by", max(abs(before[0] - again[0]), abs(before[1] - again[1])), 1e-9, "rad"),
    )


def _rows(make: Make) -> CheckResult:
    """The arrays have a row for each joint, 0 for kinds that have no position."""
    pair = robot("a"), robot("b", 0.6, 0.8)
    engine = make(world(*pair, robot("c", -3.0), joints=(JointSpec("weld", "weld", "a", "c"),)))
    engine.add_joint(replace(_SLIDE, name="slide"))
    names = "joint_position", "joint_velocity", "joint_effort", "joint_inertia"
    two = [getattr(engine, name).shape for name in names]
    engine.remove("c")
    shapes = [getattr(engine, name).shape for name in names]
    return worst(
        measured(two == [(2,)] * 4, f"arrays of two joints of shapes {two}, expected (2,)"),
        measured(shapes == [(1,)] * 4, f"arrays of one joint of shapes {shapes}, expected (1,)"),
        measured(list(engine.joints) == ["slide"], f"joints {list(engine.joints)}, expected ['slide']"),
        within("inertia wrong by", abs(engine.joint_inertia[0] - 10.0), 1e-6, "kg"),
    )


def _check(name: str, run: Callable[[Make], CheckResult]) -> Check:
    return Check(name, run, "motors")


CHECKS = (
    _check("an effort turns a hinge, and nothing else", _turn),
    _check("an effort moves a slide, and nothing else", _push),
    _check("hinges and slides stop at their limits", _stops),
    _check("an effort acts on b against a, along the axis", _senses),
    _check("an effort lasts one step, and must be a number", _cleared),
    _check("joints out of a snapshot are where they were", _put),
    _check("every joint has its row in the arrays", _rows),
)
