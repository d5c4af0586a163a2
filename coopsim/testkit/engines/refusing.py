"""Checks that wrong input is refused by the right error, and harms nothing."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coopsim.engines import BodySpec, JointSpec, PhysicsEngine, ShapeSpec
from coopsim.errors import BadArgument, CoopsimError, EngineCannot, NoSuchName
from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import DT, robot, row, state, world

_BAD: dict[str, Callable[[BodySpec], BodySpec]] = {
    "a negative mass": lambda body: replace(body, mass=-1.0),
    "a mass that is no number": lambda body: replace(body, mass=math.nan),
    "a place that is no number": lambda body: replace(body, pose=(math.nan, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
    "an orientation of length 0": lambda body: replace(body, pose=(0.0,) * 7),
    "no shape": lambda body: replace(body, shapes=()),
    "an unknown shape": lambda body: replace(body, shapes=(ShapeSpec("teapot", (1.0, 1.0, 1.0)),)),
    "a size of 0": lambda body: replace(body, shapes=(ShapeSpec("box", (0.0, 1.0, 1.0)),)),
}


def _bodies(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0)))
    findings = []
    for what, change in _BAD.items():
        bad = change(robot("bad", 4.0))
        findings.append(_refused(what, "bad.world:3:1: ", EngineCannot, engine.add, bad))
    engine.step(DT)
    return worst(*findings, _unharmed(engine))


def _worlds(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0)))
    bad = world(replace(robot("bad"), mass=-1.0))
    twins = world(robot("twin"), robot("twin", 2.0))
    findings = [
        _refused("a bad body", "bad.world:3:1: ", EngineCannot, engine.rebuild, bad),
        _refused("two of one name", "twin.world:3:1: ", BadArgument, engine.rebuild, twins),
    ]
    engine.step(DT)
    return worst(*findings, _unharmed(engine))


def _names(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0)))
    findings = [
        _refused("to remove what is not there", "", NoSuchName, engine.remove, "ghost"),
        _refused("to add what is there", "robot.world:3:1: ", BadArgument, engine.add, robot("robot", 5.0)),
        _refused("to remove a joint that is not there", "", NoSuchName, engine.remove_joint, "ghost"),
    ]
    return worst(*findings, _unharmed(engine))


def _joints(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0), robot("other", 3.0)))
    good = JointSpec("joint", "pivot", "robot", "other", span=robot("team").span)
    cases = {
        "an unknown kind": (replace(good, kind="glue"), EngineCannot),
        "a joint with an unknown body": (replace(good, b="ghost"), NoSuchName),
        "a joint with itself": (replace(good, b="robot"), BadArgument),
        "an anchor that is no number": (replace(good, anchor=(float("nan"), 0.0, 0.0)), BadArgument),
    }
    findings = []
    for what, (joint, error) in cases.items():
        errors = (error, EngineCannot)  # an engine without joints may say that first
        findings.append(_refused(what, "team.world:3:1: ", errors, engine.add_joint, joint))
    return worst(*findings, _unharmed(engine))


def _states(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0)))
    zeros, nan = np.zeros((1, 6)), np.full((1, 6), np.nan)
    findings = [
        _refused(what, "", BadArgument, engine.set_state, np.array(rows), values)
        for what, rows, values in (
            ("a row that is not there", [3], zeros),
            ("a row below 0", [-1], zeros),
            ("a state that is no number", [0], nan),
            ("a state of five numbers", [0], zeros[:, :5]),
        )
    ]
    return worst(*findings, _unharmed(engine))


def _forces(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0), robot("wild", 3.0)))
    findings = []
    for value in (np.nan, np.inf):
        engine.wrench[row(engine, "wild"), 1] = value
        findings.append(_refused(f"a force of {value}", "", EngineCannot, engine.step, DT))
    engine.step(DT)
    finite = bool(np.isfinite(engine.planar).all())
    return worst(*findings, measured(finite, "the world goes on with numbers"), _unharmed(engine))


def _snapshots(make: Make) -> CheckResult:
    engine = make(world(robot("robot", 1.0)))
    whole = engine.snapshot()
    cases = {"no bytes": b"", "bytes without meaning": b"garbage", "half a snapshot": whole[: len(whole) // 2]}
    findings = [_refused(what, "", EngineCannot, engine.restore, data) for what, data in cases.items()]
    engine.step(DT)
    return worst(*findings, _unharmed(engine))


def _refused(
    what: str,
    begins: str,
    error: type[CoopsimError] | tuple[type[CoopsimError], ...],
    call: Callable[..., object],
    *arguments: object,
) -> CheckResult:
    expected = " or ".join(kind.__name__ for kind in (error if isinstance(error, tuple) else (error,)))
    try:
        call(*arguments)
    except error as problem:
        if str(problem).startswith(begins):
            return measured(True, what)
        return measured(False, f"{what}: the text begins {str(problem)[:20]!r}, expected {begins!r}")
    except Exception as problem:  # a foreign engine may raise anything; the contract names the error it should
        return measured(False, f"{what}: raised {type(problem).__name__}, expected {expected}")
    return measured(False, f"{what}: accepted, expected {expected}")


def _unharmed(engine: PhysicsEngine) -> CheckResult:
    return within("the robot moved by", abs(state(engine, "robot")[0] - 1.0), 1e-3)


CHECKS = (
    Check("bodies that cannot be are refused by the place they came from", _bodies),
    Check("a refused world leaves the old one", _worlds),
    Check("names must be known and used once", _names),
    Check("joints that cannot be are refused by the place they came from", _joints),
    Check("states that cannot be are refused", _states),
    Check("impossible forces are refused once, and the world goes on", _forces),
    Check("bytes that are no snapshot are refused", _snapshots),
)
