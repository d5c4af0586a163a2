"""Checks of determinism and snapshots."""

import numpy as np

from coopsim.engines import WorldSpec
from coopsim.geometry import Floats
from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import crowd, launch, robot, row, stir, wall, world

_COUNT = 16  # bodies; enough that some are listed anew when one leaves


def _repeatable(make: Make) -> CheckResult:
    engine, second = make(world(*crowd(_COUNT))), make(world(*crowd(_COUNT)))
    stir(engine, 150)
    stir(second, 150)
    return _same(engine.planar, second.planar)


def _order(make: Make) -> CheckResult:
    engine, reordered = make(world(*crowd(_COUNT))), make(world(*reversed(crowd(_COUNT))))
    stir(engine, 150)
    stir(reordered, 150)
    return _same(engine.planar, reordered.planar)


def _rebuilding(make: Make) -> CheckResult:
    spec = world(*crowd(_COUNT))
    engine = make(spec)
    stir(engine, 100)
    first = engine.planar.copy()
    engine.remove("body_3")
    engine.add(robot("body_99", -9.0))
    engine.rebuild(spec)
    stir(engine, 100)
    return _same(first, engine.planar)


def _continuing(make: Make) -> CheckResult:
    engine = make(world(*crowd(_COUNT)))
    stir(engine, 100)
    snapshot = engine.snapshot()
    engine.restore(snapshot)
    stir(engine, 100, seed=2)
    restored = make(WorldSpec(()))
    restored.restore(snapshot)
    stir(restored, 100, seed=2)
    if list(engine.names) != list(restored.names):
        return measured(False, f"rows {list(restored.names)}, expected {list(engine.names)}")
    return _same(engine.planar, restored.planar)


def _complete(make: Make) -> CheckResult:
    engine = make(world(robot("a"), wall("wall", 9.0, 0.0, 1.0, 1.0), robot("b", 2.0)))
    launch(engine, "b", 0.1, 0.2, 0.3)
    engine.wrench[row(engine, "b"), 0] = 7.0
    kept, wrench = engine.planar.copy(), engine.wrench.copy()
    snapshot = engine.snapshot()
    engine.remove("a")
    engine.remove("wall")
    engine.restore(snapshot)
    return worst(
        measured(list(engine.names) == ["a", "b"], f"rows {list(engine.names)}, expected ['a', 'b']"),
        within("state off by", float(np.abs(engine.planar - kept).max()), 0.0),
        within("wrench off by", float(np.abs(engine.wrench - wrench).max()), 0.0, "N"),
        measured(engine.snapshot() == snapshot, "a snapshot of what was restored is the same bytes"),
    )


def _undisturbed(make: Make) -> CheckResult:
    engine, second = make(world(*crowd(_COUNT))), make(world(*crowd(_COUNT)))
    for _ in range(10):
        stir(engine, 10)
        stir(second, 10)
        engine.snapshot()
        engine.contacts()
    return _same(engine.planar, second.planar)


def _same(first: Floats, second: Floats) -> CheckResult:
    if first.shape != second.shape:
        return measured(False, f"shapes {first.shape} and {second.shape}")
    return within("states differ by", float(np.abs(first - second).max()), 0.0)


CHECKS = (
    Check("the same pushes give the same motion, bit by bit", _repeatable),
    Check("the order in which a world lists its bodies does not matter", _order),
    Check("rebuild starts again, bit by bit", _rebuilding),
    Check("all continuations of a snapshot are the same, bit by bit", _continuing),
    Check("a snapshot holds state, forces and bodies", _complete),
    Check("looking does not disturb", _undisturbed),
)
