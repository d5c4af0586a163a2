"""The rules of marching, robot by robot, on plain numbers.

Rows are lists in a client, which needs no numba, and arrays where a study compiles these functions. Both do the same
statements in the same order, so the results are equal bit by bit; `math.hypot` is avoided since it is not.
"""

import math

from coopsim.controllers.escaping import STILL
from coopsim.controllers.marching_rows import MarchKnowledge, MarchPlan
from coopsim.controllers.steering import BRAKING, LEAST
from coopsim.controllers.steering_rules import (
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

_MATE_DECAY = 0.12
_MATE_BRAKING = 0.5
_NEAR_ENOUGH = 0.06
_APPROACH = 0.5
_SLACK = 0.12
_BLOCKED = 0.5
_BLOCKED_WAY = 0.5
_CLEARLY = 0.3
_ROOM = 0.4
_RETREAT = 0.15


def decide(known: MarchKnowledge, plan: MarchPlan, dt: float) -> None:
    """Decide what the robots do next.

    Args:
        known: What the law knows.
        plan: Is filled in; its escapes are those of the last time.
        dt: Simulated time since the last time [s].
    """
    count, worst = len(known.parents), 0.0
    for robot in range(count):
        _find_place(robot, known, plan)
        hide_mates(robot, known, plan, _SLACK)
        if robot > 0:
            worst = max(worst, _follow(robot, known, plan))
    _lead(worst, known, plan)
    for robot in range(count):
        _move(robot, known, plan, dt)
    for robot in range(2, count):
        if must_give_way(robot, known, plan):
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
        seen, found = sightings[robot], mates[robot]
        for other in range(len(found)):
            found[other][0] = found[other][1] = math.nan
        for slot in range(len(occupants[robot])):
            member = members[int(occupants[robot][slot])]
            if member >= 0 and seen[3 * slot + 2] > 0.5:
                distance, angle = seen[3 * slot], seen[3 * slot + 1]
                found[member][0], found[member][1] = distance * math.cos(angle), distance * math.sin(angle)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


# what robots know of their places


def _find_place(robot: int, known: MarchKnowledge, plan: MarchPlan) -> None:
    """Find the leader's heading and the way to a robot's place, without any common frame.

    If I see you at b and you see me at c, you head b + pi - c from my heading; from one to the next up to the leader.
    Without the heading of the leader a robot takes it for its own.
    """
    way = plan.ways[robot]
    if robot == 0:
        plan.headings[0] = way[0] = way[1] = plan.disorder[0] = 0.0
        return
    leads = known.parents[robot]
    seen, back = known.mates[robot][leads], known.mates[leads][robot]
    angle = math.atan2(seen[1], seen[0]) + math.pi - math.atan2(back[1], back[0])
    plan.headings[robot] = angle + plan.headings[leads]
    along = _heading(robot, plan) + _or_zero(known.goal[1])
    x, y = known.offsets[robot][0], known.offsets[robot][1]
    cosine, sine = math.cos(along), math.sin(along)
    way[0], way[1] = seen[0] + (cosine * x - sine * y), seen[1] + (sine * x + cosine * y)
    plan.disorder[robot] = math.inf if math.isnan(way[0]) else length(way[0], way[1])


def _heading(robot: int, plan: MarchPlan) -> float:
    """Return the heading of the leader, measured from that of a robot; 0 where it is not known [rad]."""
    heading = plan.headings[robot]
    return 0.0 if math.isnan(heading) else wrapped(heading)


# where they want to go


def _follow(robot: int, known: MarchKnowledge, plan: MarchPlan) -> float:
    """Find the velocity that a follower wants: the leader's, and what brings it to its place.

    Returns:
        How far it is from where it goes; infinity = not known [m].
    """
    x, y = _goal_of(robot, known, plan)
    away = math.inf if math.isnan(x) else length(x, y)
    heading, leading, gain = _heading(robot, plan), max(known.speeds[0], 0.0), known.numbers.gain
    ahead = math.cos(heading) * leading + gain * _or_zero(x)
    aside = math.sin(heading) * leading + gain * _or_zero(y)
    # small errors at rest are not worth turning for
    rests, wanted = away < _NEAR_ENOUGH and leading < STILL, plan.wanted[robot]
    wanted[0] = 0.0 if rests else min(length(ahead, aside), known.numbers.fastest)
    wanted[1] = 0.0 if rests else math.atan2(aside, ahead)
    return away


def _goal_of(robot: int, known: MarchKnowledge, plan: MarchPlan) -> tuple[float, float]:
    """Return where a follower goes: to its place, or where the way is blocked, to the robot that it follows [m]."""
    way, leader = plan.ways[robot], known.mates[robot][known.parents[robot]]
    placed = openness(robot, math.atan2(_or_zero(way[1]), _or_zero(way[0])), known, plan)
    if placed < _BLOCKED_WAY and length(leader[0], leader[1]) > 4.0 * known.numbers.radius:
        behind = openness(robot, math.atan2(leader[1], leader[0]), known, plan)
        if behind > placed + _CLEARLY:
            return leader[0], leader[1]
    return way[0], way[1]


def _lead(worst: float, known: MarchKnowledge, plan: MarchPlan) -> None:
    """Find the velocity of the leader: to the target, slower near it and while the formation is broken."""
    numbers, distance, wanted = known.numbers, _or_zero(known.goal[0]), plan.wanted[0]
    wanted[0] = wanted[1] = 0.0
    if distance > 0.7 * numbers.tolerance:
        patience = min(max(1.4 - min(worst, 10.0 * numbers.spacing) / numbers.spacing, 0.3), 1.0)
        wanted[0] = numbers.speed * min(patience, (distance + 0.1) * _APPROACH / numbers.speed)
        wanted[1] = wrapped(known.goal[1])


# how they get there


def _move(robot: int, known: MarchKnowledge, plan: MarchPlan, dt: float) -> None:
    """Turn by what attracts and what repels, brake before what is ahead, or escape."""
    numbers, escape = known.numbers, plan.escapes[robot]
    pace, bearing = plan.wanted[robot][0], plan.wanted[robot][1]
    way = min(free_way(robot, known, plan), way_to_mates(robot, known))
    wants = pace > STILL and not _must_wait(robot, known, plan)
    stands = wants and abs(known.speeds[robot]) < STILL
    advance_escape(robot, way, stands, known.ranges[robot], known, plan, dt)
    v, turn = numbers.speed, 0.0
    if escape[TURNS] <= 0.0 and escape[DRIVES] <= 0.0:
        fade = max(openness(robot, bearing, known, plan), LEAST)
        turn = attraction(bearing, numbers.attraction) * fade * min(pace / 0.1, 1.0)
        v = pace * max(math.cos(bearing), 0.0)
    turn += avoidance(robot, bearing, known, plan) + _avoidance_of_mates(robot, known)
    v, turn = min(v, way / BRAKING), turn if pace > 0.0 else 0.0
    if escape[TURNS] > 0.0:
        v, turn = 0.0, escape[SIDE]
    command(robot, v, turn, known, plan)


def way_to_mates(robot: int, known: MarchKnowledge) -> float:
    """Return how far it can go before it touches a teammate, before which it brakes later [m]."""
    mates, radius, margin, way = known.mates[robot], known.numbers.radius, known.numbers.margin, math.inf
    for other in range(len(mates)):
        if not math.isnan(mates[other][0]):
            way = min(way, way_past(mates[other][0], mates[other][1], 2.0 * radius, margin))
    return way * BRAKING / _MATE_BRAKING


def _avoidance_of_mates(robot: int, known: MarchKnowledge) -> float:
    mates, turn = known.mates[robot], 0.0
    for other in range(len(mates)):
        x, y = mates[other][0], mates[other][1]
        if not math.isnan(x):
            gap = length(x, y) - 2.0 * known.numbers.radius
            turn -= repulsion(math.exp(-gap / _MATE_DECAY), math.atan2(y, x), gap, known.numbers)
    return turn


# who is stuck, and who lets others go first


def _is_in_the_way(mate: Row, radius: float) -> bool:
    """Return whether a robot has a teammate close ahead."""
    x, y = mate[0], mate[1]
    return x > 0.0 and abs(y) < 2.2 * radius and length(x, y) - 2.0 * radius < _ROOM


def _must_wait(robot: int, known: MarchKnowledge, plan: MarchPlan) -> bool:
    """Return whether a robot that wants to move must wait for one that goes before it."""
    for other in range(robot):
        if plan.wanted[other][0] > STILL and _is_in_the_way(known.mates[robot][other], known.numbers.radius):
            return True
    return False


def must_give_way(robot: int, known: MarchKnowledge, plan: MarchPlan) -> bool:
    """Return whether a robot backs off: it is in the way of a follower that stands and goes before it.

    Of two followers that block each other the one with the lower number goes first. Nobody backs into a teammate.
    """
    radius, mates, blocks = known.numbers.radius, known.mates[robot], False
    for other in range(1, robot):
        if plan.escapes[other][STOOD] > _BLOCKED and _is_in_the_way(known.mates[other][robot], radius):
            blocks = True
    for other in range(len(mates)):
        x, y = mates[other][0], mates[other][1]
        if x < -radius and length(x, y) - 2.0 * radius < _ROOM / 2.0:
            return False
    return blocks
