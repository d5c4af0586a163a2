"""Rules of carrying a load, robot by robot, on plain numbers; the equations are those of `transport`.

Rows are lists where few robots carry, and arrays where many do and these functions are compiled.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coopsim.features.laws.escaping import STILL
from coopsim.features.laws.steering import BRAKING, LEAST
from coopsim.features.laws.steering_rules import (
    DRIVES,
    SIDE,
    TURNS,
    Row,
    Rows,
    advance_escape,
    attraction,
    avoidance,
    command,
    free_way,
    hide_mates,
    length,
    openness,
)

_SLACK = 0.15  # m; a mate's echo is hidden although its pose is a tick old
_APPROACH = 0.6  # 1/s; a load swings, so a little faster than alone would overshoot
_CREEP = 0.1  # m/s; what a helper may exceed the leader by to catch up
_UNDER_A_BAR = 2.0  # robots; more carry a plate
_LEAST_DRAG = 1.0  # N s/m; without any a push aside would turn at once
_FLAT = 0.3  # abreast of the load the cosine vanishes, and the quotient would be any speed


class TransportNumbers(NamedTuple):
    """Parameters of both laws, and of the robots."""

    radius: float
    half_track: float
    fastest: float
    reach: float
    spread: float
    attraction: float
    avoidance: float
    range: float
    margin: float


class LeaderNumbers(NamedTuple):
    """Parameters of the law of the leaders alone."""

    speed: float
    tolerance: float
    shyness: float
    most_force: float
    relaxation: float


class HelperNumbers(NamedTuple):
    """Parameters of the law of the helpers alone."""

    inertia: float
    drag: float
    fastest: float
    trail: float


class TransportInputs(NamedTuple):
    """Inputs of the rules for n robots of one role.

    Attributes:
        rays: Bearing of each sonar [rad], its cosine and sine, (m, 3).
        numbers: Parameters.
        ranges: Of the sonars, (n, m) [m].
        mates: Where each sees the others of its team, (n, k, 2), NaN = not seen [m].
        motion: Measured speed [m/s] and rate of turn [rad/s], (n, 2).
        goal: Distance [m] and angle [rad] of the target, NaN = not seen, (n, 2).
        angle: Where the load points, (n,) [rad].
        force: Of the load, (n, 2) [N].
        carriers: How many robots carry the load, (n,) [1].
    """

    rays: Rows
    numbers: TransportNumbers
    ranges: Rows
    mates: list[Rows]
    motion: Rows
    goal: Rows
    angle: Row
    force: Rows
    carriers: Row


class TransportPlan(NamedTuple):
    """Decisions of the rules, and the state of the law.

    Attributes:
        gaps: From the hull to what is no teammate, (n, m) [m].
        commands: Speed [m/s] and rate of turn [rad/s], (n, 2).
        speeds: State of the law, (n,) [m/s].
        escapes: For how long each has stood, may turn and drives off [s], and to which side it turns, (n, 4).
    """

    gaps: Rows
    commands: Rows
    speeds: Row
    escapes: Rows


def lead(inputs: TransportInputs, plan: TransportPlan, law: LeaderNumbers, dt: float) -> None:
    """Decide what leaders do next.

    Args:
        inputs: Readings and parameters.
        plan: Is filled in; its speeds and escapes are those of the last time.
        law: Parameters.
        dt: Simulated time since the last time [s].
    """
    for robot in range(len(inputs.angle)):
        _lead(robot, inputs, plan, law, dt)


def help_carry(inputs: TransportInputs, plan: TransportPlan, law: HelperNumbers, dt: float) -> None:
    """Decide what helpers do next; takes what `lead` takes."""
    for robot in range(len(inputs.angle)):
        _help(robot, inputs, plan, law, dt)


def _lead(robot: int, inputs: TransportInputs, plan: TransportPlan, law: LeaderNumbers, dt: float) -> None:
    distance, bearing, escape = inputs.goal[robot][0], inputs.goal[robot][1], plan.escapes[robot]
    is_seen = not math.isnan(distance)
    is_there, bearing = distance <= law.tolerance, bearing if is_seen else 0.0
    hide_mates(robot, inputs, plan, _SLACK)
    way = free_way(robot, inputs, plan)
    stands = is_seen and not is_there and abs(inputs.motion[robot][0]) < STILL
    advance_escape(robot, way, stands, plan.gaps[robot], inputs, plan, dt)
    wanted, turn = law.speed, avoidance(robot, bearing, inputs, plan) + _shun(inputs.angle[robot], law.shyness)
    if escape[TURNS] <= 0.0 and escape[DRIVES] <= 0.0:
        turn += attraction(bearing, inputs.numbers.attraction) * max(openness(robot, bearing, inputs, plan), LEAST)
        wanted = min(wanted, _APPROACH * distance) if is_seen else wanted
    wanted = wanted * _willingness(robot, inputs, law.most_force) if is_seen and not is_there else 0.0
    v = wanted + (plan.speeds[robot] - wanted) * math.exp(-law.relaxation * dt)
    if escape[TURNS] > 0.0:
        command(robot, 0.0, escape[SIDE], inputs, plan)
    else:
        command(robot, min(v, way / BRAKING), 0.0 if is_there else turn, inputs, plan)
    plan.speeds[robot] = min(v, max(plan.commands[robot][0], 0.0) + _CREEP)


def _willingness(robot: int, inputs: TransportInputs, most_force: float) -> float:
    """Return the part of its speed at which a leader neither drives into its helper nor away from one who lags."""
    pull = length(inputs.force[robot][0], inputs.force[robot][1])
    aside = min(max(1.0 - math.cos(inputs.angle[robot]), _CREEP), 1.0)
    return aside * min(max(1.0 - pull / most_force, 0.0), 1.0)


def _help(robot: int, inputs: TransportInputs, plan: TransportPlan, law: HelperNumbers, dt: float) -> None:
    hide_mates(robot, inputs, plan, _SLACK)
    if inputs.carriers[robot] > _UNDER_A_BAR:
        _help_as_caster(robot, inputs, plan, law, dt)
        return
    angle, force = inputs.angle[robot], inputs.force[robot]
    cosine, sine = math.cos(angle), math.sin(angle)
    along = force[0] * cosine + force[1] * sine
    u = plan.speeds[robot] = _yielding(plan.speeds[robot], along, law, dt)
    v = u * cosine / max(cosine * cosine, _FLAT)
    away = avoidance(robot, angle, inputs, plan) * min(abs(v) / _CREEP, 1.0)
    v = min(v, free_way(robot, inputs, plan) / _FLAT) if v > 0.0 else v
    command(robot, v, attraction(angle, inputs.numbers.attraction) + away, inputs, plan)


def _help_as_caster(robot: int, inputs: TransportInputs, plan: TransportPlan, law: HelperNumbers, dt: float) -> None:
    ahead, aside = inputs.force[robot][0], inputs.force[robot][1]
    v = plan.speeds[robot] = _yielding(plan.speeds[robot], ahead, law, dt)
    away = avoidance(robot, 0.0, inputs, plan) * min(abs(v) / _CREEP, 1.0)
    v = min(v, free_way(robot, inputs, plan) / _FLAT) if v > 0.0 else v
    command(robot, v, aside / (max(law.drag, _LEAST_DRAG) * law.trail) + away, inputs, plan)


def _yielding(speed: float, force: float, law: HelperNumbers, dt: float) -> float:
    """Return the speed of a mass with a drag after a force [m/s]."""
    # the drag taken at the end of the step, so that it is stable for any dt
    u = (speed + force * dt / law.inertia) / (1.0 + law.drag * dt / law.inertia)
    return min(max(u, -law.fastest), law.fastest)


def _shun(angle: float, strength: float) -> float:
    """Return the turn away from where the load points [rad/s]: a repeller as wide as a right angle."""
    return -strength * angle * math.exp(-(angle * angle) / 1.5)


@dataclass(frozen=True)
class TransportRules:
    """The functions that decide, and what makes rows for them out of arrays.

    Attributes:
        lead: As `lead`.
        help_carry: As `help_carry`.
        rows: Lists for functions that are not compiled, which are slow on arrays.
    """

    lead: Callable[[TransportInputs, TransportPlan, LeaderNumbers, float], None] = lead
    help_carry: Callable[[TransportInputs, TransportPlan, HelperNumbers, float], None] = help_carry
    rows: Callable[[Any], Any] = np.ndarray.tolist


PLAIN = TransportRules()
"""Not compiled."""
