"""Driving robots to goals of their own, for the laws `orca`, `social_force` and `potential`.

The laws here decide velocities of points that may go in any direction at once. On two wheels the point `offset` ahead
of the axle can: the disc of the hull's radius and the offset around it holds the robot, whichever way it turns.

Source of the point ahead: Snape, van den Berg, Guy, Manocha, "Smooth and collision-free navigation for multiple
robots under differential-drive constraints", IROS 2010.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.errors import BadArgument
from coopsim.features.laws import options
from coopsim.features.laws.body import Body
from coopsim.features.laws.nearby import pairs_within
from coopsim.features.laws.needs import GOING
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import body_of, map_poses, need_modules, one_type, wheel_commands
from coopsim.features.laws.speeds import drivable, within_wheels
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Bools, Floats, Ints
from coopsim.interfaces import Parameter, setting

ACROSS = "across"
_BESIDE = 0.12
"""A sonar reading that is so near to the hull of a teammate is that teammate [m]."""
_FEW, _ALL = 64, 1e6
"""Of so many robots all count, however far they are: to leave some out saves nothing [m]."""
_SLOWING = 1.0
"""Speed per distance from the goal [1/s]."""


@dataclass(frozen=True, slots=True)
class GoalParameters:
    """Parameters that all laws of this kind share."""

    goals: str = setting(
        ACROSS, "1", summary="`x y, x y, ...` or `x,y;x,y`, one place for each robot; or `across` the middle of all"
    )
    speed: float = setting(0.3, "m/s", 0.01, 10.0, "largest speed")
    tolerance: float = setting(0.1, "m", 0.01, 10.0, "a robot is there when it is so near to its goal")
    margin: float = setting(0.05, "m", 0.0, 2.0, "distance kept from everything")
    aside: float = setting(0.2, "rad", 0.0, 1.0, "all aim so far to the right, so that who meets head-on does not stop")
    offset: float = setting(0.15, "m", 0.02, 1.0, "of the point that is steered, ahead of the axle")


Parameters = TypeVar("Parameters", bound=GoalParameters)


@dataclass(frozen=True)
class Situation:
    """Positions, velocities and obstacles of n robots, in a common frame.

    Attributes:
        positions: Of the points that are steered, shape (n, 2) [m].
        velocities: Of these points, shape (n, 2) [m/s].
        wanted: Velocities where nothing is in the way, shape (n, 2) [m/s].
        obstacles: What each sees that is no teammate, shape (n, m, 2); NaN = nothing [m].
        radius: Of the disc around a point that holds its robot, and the margin [m].
        fastest: Largest speed of a point [m/s].
    """

    positions: Floats
    velocities: Floats
    wanted: Floats
    obstacles: Floats
    radius: float
    fastest: float


def goal_positions(text: str, starts: Floats) -> Floats:
    """Return the goals that a text says, shape (n, 2) [m].

    Args:
        text: `x y, x y, ...`, or `across`.
        starts: Where the robots stand, shape (n, 2) [m].

    Raises:
        BadArgument: It says neither, or of another number of robots.
    """
    if text.strip() == ACROSS:
        opposite: Floats = 2.0 * starts.mean(axis=0) - starts
        return opposite
    corners = points(text)
    if len(corners) != len(starts):
        raise BadArgument(f"goals: {len(starts)} robots need as many places, got {len(corners)}")
    return corners


def points(text: str) -> Floats:
    """Return the points of `x y, x y, ...`, or without blanks of `x,y;x,y;...`, shape (k, 2) [m].

    Raises:
        BadArgument: It is not of this form.
    """
    pairs = text.split(",") if " " in text.strip() else text.replace(",", " ").split(";")
    try:
        pairs_of_numbers = np.array([[float(word) for word in pair.split()] for pair in pairs])
    except ValueError:
        pairs_of_numbers = np.empty(0)
    if pairs_of_numbers.ndim != 2 or pairs_of_numbers.shape[1] != 2 or not np.isfinite(pairs_of_numbers).all():
        raise BadArgument(f"places are written `x y, x y, ...` in metres, got {text[:80]!r}")
    return pairs_of_numbers


def situation(
    poses: Floats, motion: Floats, ranges: Floats, goals: Floats, body: Body, law: GoalParameters
) -> Situation:
    """Return what the robots know.

    Args:
        poses: x, y [m] and heading [rad] of each, shape (n, 3).
        motion: Speed [m/s], rate of turn [rad/s] and, of robots that slide, speed to the left, shape (n, 2 or 3).
        ranges: What the sonars read, shape (n, m), m may be 0 [m].
        goals: Where each wants to go, shape (n, 2) [m].
        body: The robots.
        law: How to go.
    """
    ahead, left = _axes(poses)
    positions = poses[:, :2] + law.offset * ahead
    slowing = 1.0 if body.slides else float(np.hypot(1.0, body.half_track / law.offset))
    fastest = min(law.speed, body.fastest / slowing)
    return Situation(
        positions,
        motion[:, :1] * ahead + (law.offset * motion[:, 1:2] + motion[:, 2:].sum(axis=1, keepdims=True)) * left,
        towards(positions, goals, fastest, law.aside),
        _obstacles(poses, ranges, body),
        body.around(law.offset) + law.margin,
        fastest,
    )


def towards(positions: Floats, goals: Floats, fastest: float, aside: float) -> Floats:
    """Return velocities that lead to the goals and end there, shape (n, 2) [m/s].

    Args:
        positions: Shape (n, 2) [m].
        goals: Shape (n, 2) [m].
        fastest: Largest speed [m/s].
        aside: Angle to the right of the goals [rad].
    """
    way = goals - positions
    left = np.linalg.norm(way, axis=1, keepdims=True)
    cos, sin = np.cos(aside), np.sin(aside)
    turned = np.column_stack([cos * way[:, 0] + sin * way[:, 1], cos * way[:, 1] - sin * way[:, 0]])
    wanted: Floats = turned / np.maximum(left, 1e-9) * np.minimum(fastest, _SLOWING * left)
    return wanted


def are_there(at: Situation, goals: Floats, tolerance: float) -> Bools:
    """Return which robots are at their goals, shape (n,)."""
    arrived: Bools = np.linalg.norm(at.positions - goals, axis=1) <= tolerance
    return arrived


def commands(velocities: Floats, poses: Floats, law: GoalParameters) -> Floats:
    """Return speed [m/s] and rate of turn [rad/s] by which the points get their velocities, shape (n, 2)."""
    ahead, left = _axes(poses)
    return np.column_stack([(velocities * ahead).sum(axis=1), (velocities * left).sum(axis=1) / law.offset])


def sliding(velocities: Floats, poses: Floats) -> Floats:
    """Return forward speed, no turn, and speed to the left by which middles get their velocities, shape (n, 3)."""
    ahead, left = _axes(poses)
    forward, aside = (velocities * ahead).sum(axis=1), (velocities * left).sum(axis=1)
    return np.column_stack([forward, np.zeros(len(forward)), aside])


def limited(velocities: Floats, fastest: float) -> Floats:
    """Return velocities, the faster ones as fast as may be, shape (n, 2) [m/s]."""
    speeds = np.linalg.norm(velocities, axis=1, keepdims=True)
    slowed: Floats = velocities * np.minimum(1.0, fastest / np.maximum(speeds, 1e-12))
    return slowed


class NearbyRobots(NamedTuple):
    """Robots and things to keep away from, pair by pair, by robot; teammates come before echoes of sonars.

    Attributes:
        whose: Robot that it is near to, shape (p,).
        ways: Where it is seen from its point, shape (p, 2) [m].
        reach: Distance from which it is touched, shape (p,) [m].
        robots: How many there are.
    """

    whose: Ints
    ways: Floats
    reach: Floats
    robots: int

    def sums(self, forces: Floats) -> Floats:
        """Return the sum of what acts on each robot, shape (n, 2)."""
        along = [np.bincount(self.whose, weights=forces[:, axis], minlength=self.robots) for axis in range(2)]
        return np.column_stack(along)


def others(at: Situation, influence: float) -> NearbyRobots:
    """Return what each must keep away from.

    Args:
        at: What robots know.
        influence: Largest distance beyond that of a touch at which anything counts; of few robots all counts [m].
    """
    n = len(at.positions)
    far = _ALL if n <= _FEW else influence + 2.0 * at.radius
    whose, mates = pairs_within(at.positions, at.positions, far)
    is_other = whose != mates
    whose, mates = whose[is_other], mates[is_other]
    ways = at.positions[mates] - at.positions[whose]
    seen = at.obstacles - at.positions[:, np.newaxis]
    rows, places = np.nonzero(np.isfinite(seen).all(axis=-1))
    order = np.argsort(np.concatenate([whose, rows]), kind="stable")
    reach = np.concatenate([np.full(len(whose), 2.0 * at.radius), np.full(len(rows), at.radius)])
    all_ways = np.concatenate([ways, seen[rows, places]])
    return NearbyRobots(np.concatenate([whose, rows])[order], all_ways[order], reach[order], n)


def _axes(poses: Floats) -> tuple[Floats, Floats]:
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.column_stack([cos, sin]), np.column_stack([-sin, cos])


def _obstacles(poses: Floats, ranges: Floats, body: Body) -> Floats:
    """Return where the sonars see something that is no teammate, shape (n, m, 2), NaN = nothing [m]."""
    if not ranges.size:
        return np.empty((len(poses), 0, 2))
    angles = poses[:, 2:] + body.bearings
    distances = np.where(ranges >= body.reach, np.nan, ranges + body.hulls)[..., np.newaxis]
    hits: Floats = poses[:, np.newaxis, :2] + distances * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    near = body.radius + _BESIDE
    places = hits.reshape(-1, 2)
    whose, mates = pairs_within(places, poses[:, :2], near)
    is_mate = (body.away(places[whose], poses[mates]) < _BESIDE) & (mates != whose // hits.shape[1])
    places[whose[is_mate]] = np.nan
    return places.reshape(hits.shape)


def run(
    name: str,
    summary: str,
    law: type[Parameters],
    parameters: Sequence[Parameter],
    decide: Callable[[Situation, Parameters], Floats],
    arguments: Sequence[str] | None,
) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended.

    Args:
        name: Of the law.
        summary: One sentence.
        law: Class of its parameters.
        parameters: As it declares them.
        decide: Returns the velocities of the robots.
        arguments: Of the command line.
    """
    chosen = options.parser(name, summary, parameters).parse_args(arguments)
    tuned = Tuned(name, options.chosen(chosen, law, parameters), parameters)
    return drive(
        name, chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, name, tuned, decide)
    )


def _make_law(
    sim: Client,
    stepper: Stepper,
    name: str,
    tuned: Tuned[Parameters],
    choose: Callable[[Situation, Parameters], Floats],
) -> Law:
    need_modules(stepper, *GOING)
    kind = one_type(stepper, "robots that go to places of their own must be of one type")
    body, starts = body_of(sim, stepper.robots[0]), map_poses(sim, stepper.robots)
    tuned.offer(sim, stepper.robots)
    goals = goal_positions(tuned.at(0).goals, starts[:, :2])

    def decide(seen: Readings) -> Floats | None:
        law = tuned.at(seen.tick)
        poses = np.column_stack([seen.odometry.x, seen.odometry.y, seen.odometry.heading])
        motion = np.column_stack([seen.motors.v, seen.motors.w, *([seen.motors.u] if body.slides else [])])
        steered, arrived = steer(poses, motion, seen.sonars.ranges, goals, body, law, choose)
        if arrived.all():
            sys.stdout.write(f"{name}: {len(goals)} at their goals, tick {seen.tick}\n")
            return None
        return wheel_commands(stepper, kind, steered)

    return decide


def steer(
    poses: Floats,
    motion: Floats,
    ranges: Floats,
    goals: Floats,
    body: Body,
    law: Parameters,
    choose: Callable[[Situation, Parameters], Floats],
) -> tuple[Floats, Bools]:
    """Return what motors are asked for, shape (n, 2), of robots that slide (n, 3), and which robots are there.

    Args:
        poses: x, y [m] and heading [rad] of each, shape (n, 3).
        motion: Speed [m/s], rate of turn [rad/s] and, of robots that slide, speed to the left, shape (n, 2 or 3).
        ranges: What the sonars read, shape (n, m) [m].
        goals: Where each wants to go, shape (n, 2) [m].
        body: The robots.
        law: How to go.
        choose: Returns the velocities of the robots.
    """
    if body.slides:
        # its middle goes in any direction: no point ahead of it is needed
        law = replace(law, offset=0.0)
    now = situation(poses, motion, ranges, goals, body, law)
    arrived = are_there(now, goals, law.tolerance)
    if arrived.all():
        return np.zeros((len(poses), motion.shape[1])), arrived
    velocities = choose(now, law)
    if body.slides:
        return sliding(velocities, poses), arrived
    v, w = commands(velocities, poses, law).T
    within = within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
    return drivable(within, body.gaps(ranges), body), arrived
