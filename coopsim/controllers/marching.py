"""The law of `formation`: the first robot heads for the target, the others for their places behind it.

Every robot turns by attractor dynamics: its goal attracts, what its sonars see repels, and repels stronger. So the
formation breaks at obstacles and, nothing repelling any longer, comes back. Of two followers that block each other, as
at a gap too narrow for both, the later one backs off.

Source: CoopDynSim, section IV and Fig. 10.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.controllers import marching_rules
from coopsim.controllers.body import Body
from coopsim.controllers.escaping import Escapes
from coopsim.controllers.marching_rows import MarchKnowledge, MarchParameters, MarchPlan
from coopsim.controllers.shapes import Shape
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import parameters_of, setting


@dataclass(frozen=True, slots=True)
class Marching:
    """How to march."""

    shape: str = setting("triangle", "1", summary="triangle, line, column, vee, open_vee, circle or custom")
    spacing: float = setting(0.8, "m", 0.1, 20.0, "distance between neighbours, centre to centre")
    offsets: str = setting(
        "", "1", summary="of the shape custom: x ahead and y left of each follower, seen from the leader, in spacings"
    )
    target: str = setting("red", "1", summary="name of the coloured target to drive to, or of a robot")
    speed: float = setting(0.35, "m/s", 0.05, 5.0, "speed of the leader")
    tolerance: float = setting(0.3, "m", 0.01, 10.0, "the leader is there when it is so near to the target")
    order: float = setting(0.25, "m", 0.01, 10.0, "the formation stands when everybody is so near to its place")
    attraction: float = setting(1.6, "rad/s", 0.1, 20.0, "strength of the attractor of the heading")
    avoidance: float = setting(5.0, "1/s", 0.1, 100.0, "strength of the repellers")
    range: float = setting(0.4, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.1, "m", 0.0, 2.0, "distance kept from whatever is ahead")
    gain: float = setting(0.9, "1/s", 0.05, 10.0, "speed per way to a follower's place")
    leader: int = setting(1, "1", 1, 10000, "which robot leads, counted in their order; another one while it is away")
    gaps: str = setting("close", "1", summary="what the others do with the place of a robot that leaves: close or keep")
    newcomers: str = setting(
        "", "1", summary="names of robots that join the formation when they come, such as `late*` or `extra[1-5]`"
    )


PARAMETERS = parameters_of(Marching)


@dataclass(frozen=True)
class Rules:
    """The functions that decide, and what makes rows for them out of arrays.

    Attributes:
        decide: As `marching_rules.decide`.
        find_mates: As `marching_rules.find_mates`.
        rows: Lists for functions that are not compiled, which are slow on arrays.
    """

    decide: Callable[[MarchKnowledge, MarchPlan, float], None] = marching_rules.decide
    find_mates: Callable[[Any, Any, Any, Any], None] = marching_rules.find_mates
    rows: Callable[[Any], Any] = np.ndarray.tolist


_rules = [Rules()]


def use(rules: Rules) -> None:
    """Let other functions that do the same decide in this process; studies have them compiled."""
    _rules[:] = [rules]


@dataclass(frozen=True, slots=True)
class Perception:
    """What n robots perceive; the first is the leader.

    Attributes:
        ranges: What their sonars read, shape (n, m) [m].
        goal: Distance [m] and angle [rad] at which the leader sees the target, NaN = it does not, shape (2,).
        mates: Where each sees the others, in its own frame, shape (n, n, 2), NaN = it does not [m].
        motion: Measured speed [m/s] and rate of turn [rad/s], shape (n, 2).
    """

    ranges: Floats
    goal: Floats
    mates: Floats
    motion: Floats


@dataclass(frozen=True, slots=True)
class March:
    """What the law decides.

    Attributes:
        commands: Speed [m/s] and rate of turn [rad/s], shape (n, 2).
        disorder: How far each is from its place, shape (n,), infinity = not known [m].
        distance: Of the leader to the target, infinity = not seen [m].
        is_done: Whether the leader is at the target and the formation stands.
    """

    commands: Floats
    disorder: Floats
    distance: float
    is_done: bool


def march(
    view: Perception, *, body: Body, law: Marching, shape: Shape, escapes: Escapes, dt: float
) -> tuple[March, Escapes]:
    """Return what n robots do next and how their escapes go on.

    Args:
        view: What they perceive.
        body: The robots.
        law: The parameters.
        shape: The formation.
        escapes: As returned the last time.
        dt: Simulated time since the last call [s].
    """
    plan = planned(view, body=body, law=law, shape=shape, escapes=escapes, dt=dt)
    disorder, goal = np.array(plan.disorder), float(view.goal[0])
    distance = math.inf if math.isnan(goal) else goal
    is_done = distance <= law.tolerance and bool((disorder <= law.order).all())
    return March(np.array(plan.commands), disorder, distance, is_done), Escapes(*np.array(plan.escapes).T)


def planned(view: Perception, *, body: Body, law: Marching, shape: Shape, escapes: Escapes, dt: float) -> MarchPlan:
    """Return the same with everything that it is made of; takes what `march` takes."""
    rules = _rules[0]
    rows = rules.rows
    fixed = rows(shape.parents), rows(shape.offsets), rows(body.rays), _numbers(body, law)
    known = MarchKnowledge(*fixed, rows(view.ranges), rows(view.mates), rows(view.motion[:, 0]), rows(view.goal))
    robots, sonars = view.ranges.shape
    plan = _blank(robots, sonars, escapes, rows)
    rules.decide(known, plan, dt)
    return plan


def _numbers(body: Body, law: Marching) -> MarchParameters:
    return MarchParameters(
        body.radius,
        body.half_track,
        body.fastest,
        body.reach,
        body.spread,
        law.spacing,
        law.speed,
        law.tolerance,
        law.attraction,
        law.avoidance,
        law.range,
        law.margin,
        law.gain,
    )


def _blank(robots: int, sonars: int, escapes: Escapes, rows: Callable[[Floats], Any]) -> MarchPlan:
    """Return a plan in which nothing is decided yet."""
    headings, disorder = (rows(np.zeros(robots)) for _ in range(2))
    ways, wanted, commands = (rows(np.zeros((robots, 2))) for _ in range(3))
    before = rows(np.array((escapes.still, escapes.turning, escapes.driving, escapes.side)).T)
    return MarchPlan(rows(np.zeros((robots, sonars))), headings, ways, disorder, wanted, commands, before)


def places_seen(sightings: Floats, occupants: Floats, members: Ints) -> Floats:
    """Return where each robot sees each other one, in its own frame, shape (n, n, 2), NaN = not seen [m].

    Args:
        sightings: Distance [m], angle [rad] and seen (0 or 1) of each slot in turn, shape (n, 3 slots).
        occupants: Number of the robot in each slot, -1 = none, shape (n, slots).
        members: Which robot of the team each number is, -1 = none; one more stands for none.
    """
    rules, robots = _rules[0], len(sightings)
    seen = rules.rows(np.empty((robots, robots, 2)))
    rules.find_mates(rules.rows(sightings), rules.rows(occupants), rules.rows(members), seen)
    return np.array(seen)
