"""Checks of joints, each kind between two robots a metre apart."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from coopsim.engines import JointSpec, PhysicsEngine
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats
from coopsim.testkit.engines.report import NOT_OFFERED, Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import launch, push, robot, state, wall, world

_LOOSE = 5e-3  # m
_STIFFNESS = 4000.0


def _whirl(engine: PhysicsEngine) -> CheckResult:
    """Two bodies turn about their joint: it pulls them inward by m v2 / r."""
    launch(engine, "a", 0.0, -0.25, 0.5)
    launch(engine, "b", 0.0, 0.25, 0.5)
    push(engine, 2.0)
    apart = state(engine, "b")[:2] - state(engine, "a")[:2]
    inward = -apart / math.hypot(*apart) * 20.0 * 0.25**2 / 0.5
    joint = engine.joint_state()[0]
    return worst(
        within("came apart by", float(np.hypot(*joint[:2])), _LOOSE),
        within("distance off by", abs(math.hypot(*apart) - 1.0), _LOOSE),
        within("force off by", float(np.hypot(*(joint[3:5] - inward))), 0.25, "N"),
    )


def _free_to_turn(engine: PhysicsEngine) -> CheckResult:
    push(engine, 1.0, ("a", 0.0, 0.0, -0.2), ("b", 0.0, 0.0, 0.2))
    turned = state(engine, "b")[2] - state(engine, "a")[2]
    return measured(turned > 0.05, f"turned against each other by {turned:.3g} rad, at least 0.05 rad")


def _pivot(make: Make, kind: str) -> CheckResult:
    return worst(_whirl(_joined(make, kind)), _free_to_turn(_joined(make, kind)))


def _weld(make: Make, kind: str) -> CheckResult:
    engine = _joined(make, kind)
    push(engine, 1.0, ("a", 0.0, 0.0, 2.0))
    a, b = state(engine, "a"), state(engine, "b")
    middle = float(np.hypot(*(a[:2] + b[:2]))) / 2.0
    ahead = np.array([math.cos(a[2]), math.sin(a[2])])
    # both robots and the way between them turn as one
    expected = 0.5 * 2.0 / (2.0 * (0.5 * 20.0 * 0.25**2 + 20.0 * 0.5**2))
    return worst(
        within("came apart by", float(np.hypot(*(b[:2] - a[:2] - ahead))), 2.0 * _LOOSE),
        within("turned against each other by", abs(b[2] - a[2]), 0.01, "rad"),
        within("went away by", middle, _LOOSE),
        within("turn wrong by", 100.0 * abs(a[2] / expected - 1.0), 5.0, "%"),
    )


def _slide(make: Make, kind: str) -> CheckResult:
    joint = JointSpec("joint", kind, "a", "b", axis=(0.6, 0.8, 0.0), limit=0.3)
    engine = make(world(robot("a", -0.3, -0.4, 0.5), robot("b", 0.3, 0.4), joints=(joint,)))
    apart = ("a", -6.0, -8.0, 0.0), ("b", 6.0, 8.0, 0.0)
    push(engine, 0.5, *apart)
    on_its_way = _along(engine.joint_state()[0], 0.5)
    # each gives way to 10 N
    expected = 2.0 * 0.5 * 10.0 / 20.0 * 0.5**2
    push(engine, 3.5, *apart)
    joint_row = engine.joint_state()[0]
    turned = abs(state(engine, "b")[2] - state(engine, "a")[2] + 0.5)
    return worst(
        within("aside by", abs(on_its_way[1]), _LOOSE),
        within("way wrong by", 100.0 * abs(on_its_way[0] / expected - 1.0), 5.0, "%"),
        within("off its stop by", abs(_along(joint_row, 0.5)[0] - 0.3), 0.01),
        within("turned against each other by", turned, 0.01, "rad"),
        within("force at the stop off by", math.hypot(joint_row[3] + 6.0, joint_row[4] + 8.0), 0.5, "N"),
    )


def _support(make: Make, kind: str) -> CheckResult:
    engine = _joined(make, kind)
    push(engine, 3.0, ("a", -40.0, 0.0, 0.0), ("b", 40.0, 0.0, 0.0))
    sprung = engine.joint_state()[0]
    push(engine, 3.0, ("a", -400.0, 0.0, 0.0), ("b", 400.0, 0.0, 0.0))
    stopped = engine.joint_state()[0]
    expected = 40.0 / _STIFFNESS
    return worst(
        within("spring wrong by", 100.0 * abs(sprung[0] / expected - 1.0), 5.0, "%"),
        within("force wrong by", 100.0 * abs(sprung[3] / -40.0 - 1.0), 5.0, "%"),
        within("off its stop by", abs(stopped[0] - 0.06), _LOOSE),
        within("force at the stop wrong by", 100.0 * abs(stopped[3] / -400.0 - 1.0), 5.0, "%"),
    )


def _spring(make: Make, kind: str) -> CheckResult:
    """Two bodies swing on a spring as analysis says, and meet where it pulls them together."""
    joint = JointSpec("joint", kind, "a", "b", (-0.5, 0.0, 0.2), stiffness=800.0, damping=0.0)
    bodies = robot("a", -0.5), robot("b", 0.5)
    swinging = make(world(*bodies, joints=(replace(joint, far_anchor=(0.5, 0.0, 0.2), length=0.8),)))
    push(swinging, 0.35)
    a, b, spring_row = state(swinging, "a"), state(swinging, "b"), swinging.joint_state()[0]
    length = 0.8 + 0.2 * math.cos(math.sqrt(800.0 / 10.0) * 0.35)
    meeting = make(world(*bodies, joints=(replace(joint, far_anchor=(0.5, 0.0, 0.2), length=0.4, damping=400.0),)))
    push(meeting, 2.0)
    apart = state(meeting, "b")[0] - state(meeting, "a")[0]
    return worst(
        within("length off by", abs(b[0] - a[0] - length), 0.015),
        within("went away by", abs(a[0] + b[0]) / 2.0, 1e-6),
        within("way from end to end wrong by", float(np.hypot(spring_row[0] - length, spring_row[1])), 0.03),
        within("force off by", abs(spring_row[3] + 800.0 * (length - 0.8)), 16.0, "N"),
        within("bodies that meet are too near by", 0.5 - apart, 0.02),
    )


def _held(make: Make, kind: str) -> CheckResult:
    """A body that hangs on a fixed one."""
    joint = JointSpec("joint", kind, "post", "b")
    engine = make(world(wall("post", 0.0, 0.0, 0.2, 0.2), robot("b", 1.0), joints=(joint,)))
    launch(engine, "b", 0.0, 0.5, 0.5)
    push(engine, 2.0)
    x, y = state(engine, "b")[:2].tolist()
    distance = math.hypot(x, y)
    pull = 20.0 * 0.5**2 / 1.0
    joint_row = engine.joint_state()[0]
    return worst(
        within("distance off by", abs(distance - 1.0), _LOOSE),
        within(
            "force off by", math.hypot(joint_row[3] + pull * x / distance, joint_row[4] + pull * y / distance), 0.5, "N"
        ),
    )


def _come_and_go(make: Make, kind: str) -> CheckResult:
    engine = make(world(robot("a", -0.5), robot("b", 0.5), robot("c", 1.5)))
    for name, a, b in (("ab", "a", "b"), ("bc", "b", "c"), ("ac", "a", "c")):
        engine.add_joint(JointSpec(name, kind, a, b, (0.0, 0.0, 0.0)))
    engine.remove_joint("ab")
    two = list(engine.joints)
    engine.remove("c")
    push(engine, 1.0, ("a", -5.0, 0.0, 0.0))
    moved = abs(state(engine, "b")[0] - 0.5)
    return worst(
        measured(two == ["bc", "ac"], f"joints {two}, expected ['bc', 'ac']"),
        measured(not len(engine.joints), f"joints of a body that is gone: {list(engine.joints)}"),
        measured(engine.joint_state().shape == (0, 6), f"joint_state of shape {engine.joint_state().shape}"),
        within("let go, but moved by", moved, 1e-3),
    )


def _apart_together(make: Make, kind: str) -> CheckResult:
    bodies = robot("a"), robot("b", 0.3)
    engine = make(world(*bodies, joints=(JointSpec("joint", kind, "a", "b", (0.15, 0.0, 0.0)),)))
    push(engine, 0.5)
    pairs = engine.contacts().pairs.tolist()
    return worst(
        within("pushed apart by", abs(state(engine, "b")[0] - state(engine, "a")[0] - 0.3), _LOOSE),
        measured(pairs == [], f"contacts {pairs}, expected none"),
    )


def _joined(make: Make, kind: str) -> PhysicsEngine:
    joint = JointSpec("joint", kind, "a", "b", limit=0.06, stiffness=_STIFFNESS)
    return make(world(robot("a", -0.5), robot("b", 0.5), joints=(joint,)))


def _along(joint: Floats, yaw: float) -> tuple[float, float]:
    """Return displacement along and across the slide, given the heading of a."""
    way = math.hypot(joint[0], joint[1])
    angle = math.atan2(joint[1], joint[0]) + yaw - math.atan2(0.8, 0.6)
    return way * math.cos(angle), way * math.sin(angle)


def _if_offered(run: Callable[[Make, str], CheckResult], kind: str, make: Make) -> CheckResult:
    """Decline for an engine that does not claim joints and says so when asked for one."""
    if ("springs" if kind == "spring" else "joints") not in getattr(make, "abilities", ()):
        try:
            _joined(make, kind)
        except EngineCannot:
            return CheckResult(NOT_OFFERED, "")
    return run(make, kind)


def _check(name: str, run: Callable[[Make, str], CheckResult], kind: str) -> Check:
    return Check(name, partial(_if_offered, run, kind))


CHECKS = (
    _check("a pivot holds a point and measures its force", _pivot, "pivot"),
    _check("an upright hinge holds a point and measures its force", _pivot, "hinge"),
    _check("a weld makes one body of two", _weld, "weld"),
    _check("a slide goes along its axis up to its limit", _slide, "slide"),
    _check("a support springs, stops, and measures its force", _support, "support"),
    _check("a spring swings as it should, and lets bodies meet", _spring, "spring"),
    _check("a body can hang on a fixed one", _held, "pivot"),
    _check("joints come and go, and go with their bodies", _come_and_go, "pivot"),
    _check("joined bodies do not collide with each other", _apart_together, "weld"),
)
