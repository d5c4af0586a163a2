"""Checks of cloths: one that is stretched draws itself together, and falls as anything does."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from coopsim.engines import BodySpec, PhysicsEngine, ShapeSpec, is_spatial
from coopsim.errors import EngineCannot
from coopsim.geometry import UNTURNED, Floats
from coopsim.kernels.constants import GRAVITY
from coopsim.scene import SoftNode, Span
from coopsim.testkit.engines.report import Check, CheckResult, Make, measured, within, worst
from coopsim.testkit.engines.worlds import world

_COLUMNS, _ROWS, _BETWEEN, _BALL, _HIGH = 5, 3, 0.1, 0.03, 5.0  # m; high above the floor, so that it never touches it
_STEP, _STEPS = 0.002, 300  # s; small for stiff lattices


def cloth(stretch: float = 1.0) -> tuple[BodySpec, ...]:
    """Return the nodes of a level cloth of 0.4 m by 0.2 m, 5 m above the floor, longer than at rest by a factor."""
    bodies = []
    for i, j in product(range(1, _COLUMNS + 1), range(1, _ROWS + 1)):
        rest = (_BETWEEN * i, _BETWEEN * j, 0.0)
        node = SoftNode("cloth", (i, j, 1), rest, 2e4, 0.0, 0.01, 0.005)
        shape = ShapeSpec("sphere", (_BALL, _BALL, _BALL))
        pose = (stretch * rest[0], rest[1], _HIGH, *UNTURNED)
        bodies.append(BodySpec(f"cloth_{i}_{j}", pose, 0.02, (shape,), span=Span("cloth.world", 3, 1), soft=node))
    return tuple(bodies)


def _length(engine: PhysicsEngine) -> float:
    ends = [[f"cloth_{column}_{row}" for row in range(1, _ROWS + 1)] for column in (1, _COLUMNS)]
    first, last = (engine.poses[[list(engine.names).index(name) for name in names], 0].mean() for names in ends)
    return float(last - first)


def _stretched(make: Make) -> CheckResult:
    engine = make(world(*cloth(stretch=1.1)))
    assert is_spatial(engine)  # noqa: S101 - what is soft needs room
    heights = []
    for _ in range(_STEPS):
        engine.step(_STEP)
        heights.append(float(engine.poses[:, 2].mean()))
    fallen = 0.5 * GRAVITY * (_STEP * _STEPS) ** 2
    return worst(
        within("length off by", abs(_length(engine) - _BETWEEN * (_COLUMNS - 1)), 2e-3),
        within("fallen wrong by", 100.0 * abs((_HIGH - heights[-1]) / fallen - 1.0), 1.0, "%"),
        within("went aside by", float(np.abs(engine.poses[:, 1].mean() - _BETWEEN * 2)), 1e-6),
    )


def _same(make: Make) -> CheckResult:
    """Whatever the order in which nodes are given, and after a snapshot, it is the same run."""
    nodes = cloth(stretch=1.05)
    runs = [_gone_on(make, order) for order in (nodes, nodes[::-1])]
    apart = float(np.abs(runs[0] - runs[1]).max())
    return measured(apart == 0.0, f"runs differ by {apart:.3g} m")


def _gone_on(make: Make, nodes: Sequence[BodySpec]) -> Floats:
    engine = make(world(*nodes))
    engine.step(_STEP, 20)
    kept = engine.snapshot()
    engine.step(_STEP, 20)
    engine.restore(kept)
    engine.step(_STEP, 20)
    return engine.poses.copy()


def _refused(make: Make) -> CheckResult:
    engine, node = make(world()), cloth()[0]
    try:
        engine.add(node)
    except EngineCannot as problem:
        return measured(str(problem).startswith("cloth.world:3:1: "), f"refused by: {problem}")
    return measured(False, "took a node of a cloth, and has no ability `soft`")


CHECKS = (
    Check("a cloth that is stretched draws itself together and falls", _stretched, needs="soft"),
    Check("a cloth moves in the same way whatever the order of its nodes", _same, needs="soft"),
    Check("nodes of cloths and soft bodies are refused", _refused, unless="soft"),
)
