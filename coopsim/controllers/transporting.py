"""The laws of `transport_leader` and `transport_helper`: two robots carry a load that turns freely on both.

Both are attractor dynamics. The state of each robot is its heading phi and its path velocity v:

    dphi/dt = f_target(phi) + f_obstacles(phi) + f_load(phi)
    dv/dt   = -c (v - V)

The leader's f_target attracts to the target, its f_load repels from where the load points, so that it does not drive
into its helper; V falls with what is ahead and with how hard the load pulls. The helper's f_load attracts to where the
load points, which is where the leader is, so that it follows as a trailer; along the load it gives way as a mass m with
a drag d would:

    m du/dt = F - d u,    v = u cos(a) / max(cos(a)^2, 0.3)

where F is the force of the load along itself, and a its angle from the heading. No robot needs to know where the other
one is, or what it wants: the load tells it.

Source: Soares, Bicho, Machado and Erlhagen, "Object transportation by multiple mobile robots controlled by attractor
dynamics: theory and implementation" (IROS 2007); Bicho, Mallet and Schoener, "Target representation on an autonomous
vehicle with low-level sensors" (IJRR 2000); CoopDynSim, section IV and Fig. 9. The helper's mass and drag are those of
Hogan's impedance control (1985).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.controllers.body import Body
from coopsim.controllers.carrying_rules import (
    PLAIN,
    CarryKnowledge,
    CarryParameters,
    CarryPlan,
    CarryRules,
    HelpParameters,
    LeadParameters,
)
from coopsim.controllers.escaping import Escapes
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter, parameters_of, setting

MANY = 8
"""From so many robots of one role on the rules are compiled."""


@dataclass(frozen=True, slots=True)
class Leading:
    """How to lead a load to a target."""

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


@dataclass(frozen=True, slots=True)
class Helping:
    """How to help to carry a load."""

    attraction: float = setting(2.0, "rad/s", 0.1, 20.0, "strength of the attractor where the load points")
    avoidance: float = setting(2.0, "1/s", 0.0, 100.0, "strength of the repellers")
    range: float = setting(0.35, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.08, "m", 0.0, 2.0, "distance kept from whatever is ahead")
    inertia: float = setting(20.0, "kg", 1.0, 1e4, "mass with which the helper gives way to the load")
    drag: float = setting(15.0, "N s/m", 0.0, 1e4, "resistance with which it gives way")
    fastest: float = setting(0.5, "m/s", 0.05, 5.0, "largest speed along the load")
    rest: float = setting(10.0, "s", 0.5, 1000.0, "it is done when it has stood for this time after it moved")
    rate: float = setting(20.0, "Hz", 1.0, 10000.0, "how often it decides, at most once a tick")


LEADING, HELPING = parameters_of(Leading), parameters_of(Helping)


@dataclass(frozen=True)
class Carrying:
    """What n robots of one role perceive.

    Attributes:
        ranges: What the sonars read, shape (n, m) [m].
        goal: Distance [m] and angle [rad] of the target, NaN = not seen, shape (n, 2).
        mates: Where each sees the robot at the other end, in its own frame, NaN = not seen, shape (n, 1, 2) [m].
        motion: Measured speed [m/s] and rate of turn [rad/s], shape (n, 2).
        angle: Where the load points, shape (n,) [rad].
        force: Of the load on the support, in the frame of each, shape (n, 2) [N].
    """

    ranges: Floats
    goal: Floats
    mates: Floats
    motion: Floats
    angle: Floats
    force: Floats


def tunable(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Return those parameters that may change while a law drives: how often it decides is settled when it begins."""
    return [each for each in parameters if each.name != "rate"]


def rules_for(robots: int) -> CarryRules:
    """Return the rules for so many robots: compiled ones are worth their start where there are many."""
    if robots < MANY:
        return PLAIN
    from coopsim.controllers.carrying_compiled import COMPILED

    return COMPILED


def lead(
    view: Carrying, v: Floats, *, body: Body, law: Leading, escapes: Escapes, dt: float, rules: CarryRules = PLAIN
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
    plan, rows = _blank(view, v, before, rules.rows), rules.rows
    numbers = LeadParameters(law.speed, law.tolerance, law.shyness, law.most_force, law.relaxation)
    rules.lead(_known(view, body, law, rows), plan, numbers, dt)
    return np.array(plan.commands), np.array(plan.speeds), Escapes(*np.array(plan.escapes).T)


def help_carry(
    view: Carrying, u: Floats, *, body: Body, law: Helping, dt: float, rules: CarryRules = PLAIN
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
    plan = _blank(view, u, np.empty((0, 4)), rules.rows)
    numbers = HelpParameters(law.inertia, law.drag, law.fastest)
    rules.help_carry(_known(view, body, law, rules.rows), plan, numbers, dt)
    return np.array(plan.commands), np.array(plan.speeds)


def _known(view: Carrying, body: Body, law: Leading | Helping, rows: Callable[[Floats], Any]) -> CarryKnowledge:
    robots = body.radius, body.half_track, body.fastest, body.reach, body.spread
    numbers = CarryParameters(*robots, law.attraction, law.avoidance, law.range, law.margin)
    seen = view.ranges, view.mates, view.motion, view.goal, view.angle, view.force
    return CarryKnowledge(rows(body.rays), numbers, *map(rows, seen))


def _blank(view: Carrying, speeds: Floats, escapes: Floats, rows: Callable[[Floats], Any]) -> CarryPlan:
    """Return a plan in which nothing is decided yet; the arrays of the last time stay as they are."""
    return CarryPlan(*(rows(each.copy()) for each in (view.ranges, view.motion, speeds, escapes)))
