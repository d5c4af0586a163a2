"""Rules of the law `formation`, robot by robot, on plain numbers.

Rows are lists in a client, which needs no numba, and arrays where a study compiles these functions. Both do the same
statements in the same order, so the results are equal bit by bit; `math.hypot` is avoided since it is not.
"""

import math
from typing import NamedTuple

from coopsim.features.laws.escaping import STILL
from coopsim.features.laws.steering import BRAKING, LEAST
from coopsim.features.laws.steering_rules import (
    DRIVES,
    SIDE,
    STOOD,
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
    repulsion,
    way_past,
    wrapped,
)

_MATE_DECAY = 0.12  # m; mates keep closer than obstacles do
_MATE_BRAKING = 0.5  # s; a mate moves along, so half of the way is enough
_NEAR_ENOUGH = 0.06  # m; less than a wheel servo swings around its place
_APPROACH = 0.5  # 1/s; slow enough that a place is reached without passing it
_SLACK = 0.12  # m; a mate's echo is hidden although its pose is a tick old
_BLOCKED = 0.5  # s; a mate that stood so long will not make way by itself
_BLOCKED_WAY = 0.5  # openness below which the way to a place counts as blocked
_CLEARLY = 0.3  # of openness that following must gain, or a robot would change its mind in each tick
_ROOM = 0.4  # m between hulls in which a mate ahead counts as in the way
_RETREAT = 0.15  # m/s; backwards robots see less


class FormationNumbers(NamedTuple):
    """Parameters of the law, and of the robots."""

    radius: float
    half_track: float
    fastest: float
    reach: float
    spread: float
    spacing: float
    speed: float
    tolerance: float
    attraction: float
    avoidance: float
    range: float
    margin: float
    gain: float


class FormationInputs(NamedTuple):
    """Inputs of the rules.

    Attributes:
        parents: The robot that each follows, (n,).
        offsets: Its place as seen from there, (n, 2) [m].
        rays: Bearing of each sonar [rad], its cosine and sine, (m, 3).
        numbers: Parameters.
        ranges: Of the sonars, (n, m) [m].
        mates: Where each sees the others, (n, n, 2), NaN = not seen [m].
        speeds: As measured, (n,) [m/s].
        goal: Distance [m] and angle [rad] at which the leader sees the target, NaN = it does not.
    """

    parents: list[int]
    offsets: Rows
    rays: Rows
    numbers: FormationNumbers
    ranges: Rows
    mates: list[Rows]
    speeds: Row
    goal: Row


class FormationPlan(NamedTuple):
    """Decisions of the rules, their intermediate results, and the state of the escapes.

    Attributes:
        gaps: From the hull to what is no teammate, (n, m) [m].
        headings: Of the leader, measured from that of each, (n,), NaN = not known [rad].
        ways: Of each to its place, (n, 2), NaN = not known [m].
        disorder: Their lengths, (n,), infinity = not known [m].
        wanted: Speed [m/s] and bearing [rad] that each wants, (n, 2).
        commands: Speed [m/s] and rate of turn [rad/s], (n, 2).
        escapes: For how long each has stood, may turn and drives off [s], and to which side it turns, (n, 4).
    """

    gaps: Rows
    headings: Row
    ways: Rows
    disorder: Row
    wanted: Rows
    commands: Rows
    escapes: Rows


def decide(inputs: FormationInputs, plan: FormationPlan, dt: float) -> None:
    """Decide what the robots do next.

    Args:
        inputs: Readings and parameters.
        plan: Is filled in; its escapes are those of the last time.
        dt: Simulated time since the last time [s].
    """
    count, worst = len(inputs.parents), 0.0
    for robot in range(count):
        _find_place(robot, inputs, plan)
        hide_mates(robot, inputs, plan, _SLACK)
        if robot > 0:
            worst = max(worst, _follow(robot, inputs, plan))
    _lead(worst, inputs, plan)
    for robot in range(count):
        _move(robot, inputs, plan, dt)
    for robot in range(2, count):
        if must_give_way(robot, inputs, plan):
            plan.commands[robot][0], plan.commands[robot][1] = -_RETREAT, 0.0


def find_mates(sightings: Rows, occupants: Rows, members: list[int], mates: list[Rows]) -> None:
    """Write into `mates` where each robot sees the others, in its own frame, (n, n, 2), NaN = not seen [m].

    Args:
        sightings: Distance [m], angle [rad] and seen (0 or 1) of each slot in turn, (n, 3 slots).
        occupants: Number of the robot in each slot, -1 = none, (n, slots).
        members: Which robot of the team each number is, -1 = none; the last one stands for none.
        mates: Is filled in.
    """
    for robot in range(len(mates)):
        seen, positions = sightings[robot], mates[robot]
        for mate in range(len(positions)):
            positions[mate][0] = positions[mate][1] = math.nan
        for slot in range(len(occupants[robot])):
            member = members[int(occupants[robot][slot])]
            if member >= 0 and seen[3 * slot + 2] > 0.5:
                distance, angle = seen[3 * slot], seen[3 * slot + 1]
                positions[member][0], positions[member][1] = distance * math.cos(angle), distance * math.sin(angle)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


# what robots know of their places


def _find_place(robot: int, inputs: FormationInputs, plan: FormationPlan) -> None:
    """Find the leader's heading and the way to a robot's place, without any common frame.

    If I see you at b and you see me at c, you head b + pi - c from my heading; from one to the next up to the leader.
    Without the heading of the leader a robot takes it for its own.
    """
    way = plan.ways[robot]
    if robot == 0:
        plan.headings[0] = way[0] = way[1] = plan.disorder[0] = 0.0
        return
    leads = inputs.parents[robot]
    seen, back = inputs.mates[robot][leads], inputs.mates[leads][robot]
    angle = math.atan2(seen[1], seen[0]) + math.pi - math.atan2(back[1], back[0])
    plan.headings[robot] = angle + plan.headings[leads]
    along = _heading(robot, plan) + _or_zero(inputs.goal[1])
    x, y = inputs.offsets[robot][0], inputs.offsets[robot][1]
    cosine, sine = math.cos(along), math.sin(along)
    way[0], way[1] = seen[0] + (cosine * x - sine * y), seen[1] + (sine * x + cosine * y)
    plan.disorder[robot] = math.inf if math.isnan(way[0]) else length(way[0], way[1])


def _heading(robot: int, plan: FormationPlan) -> float:
    """Return the heading of the leader, measured from that of a robot; 0 where it is not known [rad]."""
    heading = plan.headings[robot]
    return 0.0 if math.isnan(heading) else wrapped(heading)


# where they want to go


def _follow(robot: int, inputs: FormationInputs, plan: FormationPlan) -> float:
    """Find the velocity that a follower wants: the leader's, and what brings it to its place.

    Returns:
        How far it is from where it goes; infinity = not known [m].
    """
    x, y = _goal_of(robot, inputs, plan)
    away = math.inf if math.isnan(x) else length(x, y)
    heading, leading, gain = _heading(robot, plan), max(inputs.speeds[0], 0.0), inputs.numbers.gain
    ahead = math.cos(heading) * leading + gain * _or_zero(x)
    aside = math.sin(heading) * leading + gain * _or_zero(y)
    # small errors at rest are not worth turning for
    rests, wanted = away < _NEAR_ENOUGH and leading < STILL, plan.wanted[robot]
    wanted[0] = 0.0 if rests else min(length(ahead, aside), inputs.numbers.fastest)
    wanted[1] = 0.0 if rests else math.atan2(aside, ahead)
    return away


def _goal_of(robot: int, inputs: FormationInputs, plan: FormationPlan) -> tuple[float, float]:
    """Return where a follower goes: to its place, or where the way is blocked, to the robot that it follows [m]."""
    way, leader = plan.ways[robot], inputs.mates[robot][inputs.parents[robot]]
    placed = openness(robot, math.atan2(_or_zero(way[1]), _or_zero(way[0])), inputs, plan)
    if placed < _BLOCKED_WAY and length(leader[0], leader[1]) > 4.0 * inputs.numbers.radius:
        behind = openness(robot, math.atan2(leader[1], leader[0]), inputs, plan)
        if behind > placed + _CLEARLY:
            return leader[0], leader[1]
    return way[0], way[1]


def _lead(worst: float, inputs: FormationInputs, plan: FormationPlan) -> None:
    """Find the velocity of the leader: to the target, slower near it and while the formation is broken."""
    numbers, distance, wanted = inputs.numbers, _or_zero(inputs.goal[0]), plan.wanted[0]
    wanted[0] = wanted[1] = 0.0
    if distance > 0.7 * numbers.tolerance:
        patience = min(max(1.4 - min(worst, 10.0 * numbers.spacing) / numbers.spacing, 0.3), 1.0)
        wanted[0] = numbers.speed * min(patience, (distance + 0.1) * _APPROACH / numbers.speed)
        wanted[1] = wrapped(inputs.goal[1])


# how they get there


def _move(robot: int, inputs: FormationInputs, plan: FormationPlan, dt: float) -> None:
    """Turn by what attracts and what repels, brake before what is ahead, or escape."""
    numbers, escape = inputs.numbers, plan.escapes[robot]
    pace, bearing = plan.wanted[robot][0], plan.wanted[robot][1]
    way = min(free_way(robot, inputs, plan), way_to_mates(robot, inputs))
    wants = pace > STILL and not _must_wait(robot, inputs, plan)
    stands = wants and abs(inputs.speeds[robot]) < STILL
    advance_escape(robot, way, stands, inputs.ranges[robot], inputs, plan, dt)
    v, turn = numbers.speed, 0.0
    if escape[TURNS] <= 0.0 and escape[DRIVES] <= 0.0:
        fade = max(openness(robot, bearing, inputs, plan), LEAST)
        turn = attraction(bearing, numbers.attraction) * fade * min(pace / 0.1, 1.0)
        v = pace * max(math.cos(bearing), 0.0)
    turn += avoidance(robot, bearing, inputs, plan) + _avoidance_of_mates(robot, inputs)
    v, turn = min(v, way / BRAKING), turn if pace > 0.0 else 0.0
    if escape[TURNS] > 0.0:
        v, turn = 0.0, escape[SIDE]
    command(robot, v, turn, inputs, plan)


def way_to_mates(robot: int, inputs: FormationInputs) -> float:
    """Return how far it can go before it touches a teammate, before which it brakes later [m]."""
    mates, radius, margin, way = inputs.mates[robot], inputs.numbers.radius, inputs.numbers.margin, math.inf
    for mate in range(len(mates)):
        if not math.isnan(mates[mate][0]):
            way = min(way, way_past(mates[mate][0], mates[mate][1], 2.0 * radius, margin))
    return way * BRAKING / _MATE_BRAKING


def _avoidance_of_mates(robot: int, inputs: FormationInputs) -> float:
    mates, turn = inputs.mates[robot], 0.0
    for mate in range(len(mates)):
        x, y = mates[mate][0], mates[mate][1]
        if not math.isnan(x):
            gap = length(x, y) - 2.0 * inputs.numbers.radius
            turn -= repulsion(math.exp(-gap / _MATE_DECAY), math.atan2(y, x), gap, inputs.numbers)
    return turn


# who is stuck, and who lets others go first


def _is_in_the_way(mate: Row, radius: float) -> bool:
    """Return whether a robot has a teammate close ahead."""
    x, y = mate[0], mate[1]
    return x > 0.0 and abs(y) < 2.2 * radius and length(x, y) - 2.0 * radius < _ROOM


def _must_wait(robot: int, inputs: FormationInputs, plan: FormationPlan) -> bool:
    """Return whether a robot that wants to move must wait for one that goes before it."""
    for mate in range(robot):
        if plan.wanted[mate][0] > STILL and _is_in_the_way(inputs.mates[robot][mate], inputs.numbers.radius):
            return True
    return False


def must_give_way(robot: int, inputs: FormationInputs, plan: FormationPlan) -> bool:
    """Return whether a robot backs off: it is in the way of a follower that stands and goes before it.

    Of two followers that block each other the one with the lower number goes first. Nobody backs into a teammate.
    """
    radius, mates, blocks = inputs.numbers.radius, inputs.mates[robot], False
    for mate in range(1, robot):
        if plan.escapes[mate][STOOD] > _BLOCKED and _is_in_the_way(inputs.mates[mate][robot], radius):
            blocks = True
    for mate in range(len(mates)):
        x, y = mates[mate][0], mates[mate][1]
        if x < -radius and length(x, y) - 2.0 * radius < _ROOM / 2.0:
            return False
    return blocks
