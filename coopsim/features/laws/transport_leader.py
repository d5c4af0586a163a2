"""`transport_leader`: leaders of teams drive their end of a load to a coloured target, past obstacles.

python -m coopsim.features.laws.transport_leader --robots team1/leader --target magenta
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws import escaping, options
from coopsim.features.laws.body import Body
from coopsim.features.laws.escaping import Escapes
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
from coopsim.features.laws.transport_rules import PLAIN, LeaderNumbers, TransportRules
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Leaders of teams drive their end of a load to a coloured target."
_AT_REST = 0.02  # m/s; what noise of odometry leaves of standing still


@dataclass(frozen=True, slots=True)
class LeaderParameters:
    """Parameters of the law `transport_leader`."""

    target: str = setting("magenta", "1", summary="name of the coloured target to carry the load to")
    speed: float = setting(0.3, "m/s", 0.05, 5.0, "speed where nothing is near")
    tolerance: float = setting(0.3, "m", 0.01, 10.0, "the leader is there when it is so near to the target")
    attraction: float = setting(1.4, "rad/s", 0.1, 20.0, "strength of the attractor of the heading")
    avoidance: float = setting(5.0, "1/s", 0.1, 100.0, "strength of the repellers")
    range: float = setting(0.55, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.15, "m", 0.0, 2.0, "distance kept from whatever is ahead")
    shyness: float = setting(1.5, "1/s", 0.0, 20.0, "strength of the repeller where the load points")
    most_force: float = setting(60.0, "N", 1.0, 1e4, "pull of the load that stops the leader")
    relaxation: float = setting(4.0, "1/s", 0.1, 100.0, "how fast the speed follows what is wanted")
    wait: float = setting(0.0, "s", 0.0, 1e6, "time before it sets off")
    rate: float = setting(20.0, "Hz", 1.0, 10000.0, "how often it decides, at most once a tick")


PARAMETERS = parameters_of(LeaderParameters)


def lead(
    view: TransportPerception,
    v: Floats,
    *,
    body: Body,
    law: LeaderParameters,
    escapes: Escapes,
    dt: float,
    rules: TransportRules = PLAIN,
) -> tuple[Floats, Floats, Escapes]:
    """Return the commands (v, w) of n leaders, shape (n, 2), their path velocities, and how their escapes go on.

    Args:
        view: What they perceive.
        v: Path velocities, as returned the last time, shape (n,) [m/s].
        body: The robots.
        law: The parameters.
        escapes: As returned the last time.
        dt: Simulated time since the last call [s].
        rules: That decide.
    """
    before = np.array((escapes.still, escapes.turning, escapes.driving, escapes.side)).T
    plan, rows = blank_plan(view, v, before, rules.rows), rules.rows
    numbers = LeaderNumbers(law.speed, law.tolerance, law.shyness, law.most_force, law.relaxation)
    rules.lead(inputs_of(view, body, law, rows), plan, numbers, dt)
    return np.array(plan.commands), np.array(plan.speeds), Escapes(*np.array(plan.escapes).T)


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive leaders to their target; return the exit code: 0 = they are there, or the run has ended."""
    chosen = options.parser("transport_leader", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, LeaderParameters, PARAMETERS)
    tuned = Tuned("transport_leader", law, tunable(PARAMETERS), every=100)
    name, begin = "transport_leader", partial(_make_law, tuned=tuned)
    return drive(name, chosen.robots, chosen.endpoint, begin, law.rate)


def _make_law(sim: Client, stepper: Stepper, tuned: Tuned[LeaderParameters]) -> Law:
    need_modules(stepper, *NEEDS["transport_leader"].modules)
    kind = one_type(stepper, "leaders must be of one type; give the others a controller of their own")
    tuned.offer(sim, stepper.robots)
    clock, body = Clock(sim), body_of(sim, stepper.robots[0])
    observer = TransportObserver(sim, stepper, tuned.at(0).target)
    rules = rules_for(len(stepper.robots))
    v, escapes, waited = np.zeros(len(stepper.robots)), escaping.calm(len(stepper.robots)), 0.0

    def decide(seen: Readings) -> Floats | None:
        nonlocal v, escapes, waited
        dt, view, law = clock.elapsed(seen.tick), observer.perceive(seen), tuned.at(seen.tick)
        waited += dt
        if waited < law.wait:
            return wheel_commands(stepper, kind, np.zeros((len(v), 2)))
        commands, v, escapes = lead(view, v, body=body, law=law, escapes=escapes, dt=dt, rules=rules)
        is_there = view.goal[:, 0] <= law.tolerance
        if is_there.all() and (np.abs(view.motion[:, 0]) < _AT_REST).all():
            names, farthest = ", ".join(stepper.robots), view.goal[:, 0].max()
            sys.stdout.write(f"{names} at {law.target}: {farthest:.2f} m from it, tick {seen.tick}\n")
            return None
        return wheel_commands(stepper, kind, commands)

    return decide


if __name__ == "__main__":
    sys.exit(main())
