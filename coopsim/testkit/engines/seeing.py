"""A check that sensors see bodies where the engine has them."""

import numpy as np

from coopsim.sensing.world import EngineSensingWorld
from coopsim.testkit.engines.report import Check, CheckResult, Make, within, worst
from coopsim.testkit.engines.worlds import DT, RADIUS, launch, push, robot, state, wall, world

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


CHECKS = (Check("rays meet bodies where the engine has them", _rays),)
