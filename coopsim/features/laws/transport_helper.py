"""`transport_helper`: helpers of teams carry their end of a load after their leaders, by what the support tells them.

python -m coopsim.features.laws.transport_helper --robots team1/helper
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws import escaping, options
from coopsim.features.laws.body import Body
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, body_of, need_modules, one_type, wheel_commands
from coopsim.features.laws.transport import (
    TransportObserver,
    TransportPerception,
    blank_plan,
    inputs_of,
    rules_for,
    tunable,
)
from coopsim.features.laws.transport_rules import PLAIN, HelperNumbers, TransportRules
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Helpers of teams carry their end of a load after their leaders."


@dataclass(frozen=True, slots=True)
class HelperParameters:
    """Parameters of the law `transport_helper`."""

    attraction: float = setting(2.0, "rad/s", 0.1, 20.0, "strength of the attractor where the load points")
    avoidance: float = setting(2.0, "1/s", 0.0, 100.0, "strength of the repellers")
    range: float = setting(0.35, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.08, "m", 0.0, 2.0, "distance kept from whatever is ahead")
    inertia: float = setting(20.0, "kg", 1.0, 1e4, "mass with which the helper gives way to the load")
    drag: float = setting(15.0, "N s/m", 0.0, 1e4, "resistance with which it gives way")
    fastest: float = setting(0.5, "m/s", 0.05, 5.0, "largest speed along the load")
    trail: float = setting(0.25, "m", 0.05, 5.0, "under a plate: so far it follows its support as a caster's wheel")
    rest: float = setting(10.0, "s", 0.5, 1000.0, "it is done when it has stood for this time after it moved")
    rate: float = setting(20.0, "Hz", 1.0, 10000.0, "how often it decides, at most once a tick")


PARAMETERS = parameters_of(HelperParameters)


def help_carry(
    view: TransportPerception, u: Floats, *, body: Body, law: HelperParameters, dt: float, rules: TransportRules = PLAIN
) -> tuple[Floats, Floats]:
    """Return the commands (v, w) of n helpers, shape (n, 2), and their speeds along the load.

    Args:
        view: What they perceive.
        u: Speeds along the load, as returned the last time, shape (n,) [m/s].
        body: The robots.
        law: The parameters.
        dt: Simulated time since the last call [s].
        rules: That decide.
    """
    plan = blank_plan(view, u, np.empty((0, 4)), rules.rows)
    numbers = HelperNumbers(law.inertia, law.drag, law.fastest, law.trail)
    rules.help_carry(inputs_of(view, body, law, rules.rows), plan, numbers, dt)
    return np.array(plan.commands), np.array(plan.speeds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Help to carry; return the exit code: 0 = all have come to rest, or the run has ended."""
    chosen = options.parser("transport_helper", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, HelperParameters, PARAMETERS)
    tuned = Tuned("transport_helper", law, tunable(PARAMETERS), every=100)
    name, begin = "transport_helper", partial(_make_law, tuned=tuned)
    return drive(name, chosen.robots, chosen.endpoint, begin, law.rate)


def _make_law(sim: Client, stepper: Stepper, tuned: Tuned[HelperParameters]) -> Law:
    need_modules(stepper, *NEEDS["transport_helper"].modules)
    kind = one_type(stepper, "helpers must be of one type; give the others a controller of their own")
    tuned.offer(sim, stepper.robots)
    clock, body, observer = Clock(sim), body_of(sim, stepper.robots[0]), TransportObserver(sim, stepper)
    rules = rules_for(len(stepper.robots))
    u, still, has_moved = np.zeros(len(stepper.robots)), 0.0, False

    def decide(seen: Readings) -> Floats | None:
        nonlocal u, still, has_moved
        dt, view, law = clock.elapsed(seen.tick), observer.perceive(seen), tuned.at(seen.tick)
        commands, u = help_carry(view, u, body=body, law=law, dt=dt, rules=rules)
        moves = bool((np.abs(view.motion[:, 0]) > escaping.STILL).any())
        has_moved, still = has_moved or moves, 0.0 if moves else still + dt
        return None if has_moved and still > law.rest else wheel_commands(stepper, kind, commands)

    return decide


if __name__ == "__main__":
    sys.exit(main())
