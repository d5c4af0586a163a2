"""Decisions of the law `formation`: the first robot heads for the target, the others for their places behind it.

Every robot turns by attractor dynamics: its goal attracts, what its sonars see repels, and repels stronger. So the
formation breaks at obstacles and, nothing repelling any longer, comes back. Of two followers that block each other, as
at a gap too narrow for both, the later one backs off.

Source: CoopDynSim, section IV and Fig. 10.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from coopsim.features.laws import formation_rules
from coopsim.features.laws.body import Body
from coopsim.features.laws.escaping import Escapes
from coopsim.features.laws.formation_rules import FormationInputs, FormationNumbers, FormationPlan
from coopsim.features.laws.formation_shapes import Shape
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import parameters_of, setting


@dataclass(frozen=True, slots=True)
class FormationParameters:
    """Parameters of the law `formation`."""

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


PARAMETERS = parameters_of(FormationParameters)


class FormationConstants(NamedTuple):
    """Inputs that stay the same while a team drives, as in `FormationInputs`, and the escapes as they begin."""

    parents: Ints
    offsets: Floats
    rays: Floats
    numbers: FormationNumbers
    escapes: Floats


class FormationPlanner(Protocol):
    """Decides what a team does, reading by reading."""

    @property
    def escapes(self) -> Any:
        """Escapes of the robots, as in `FormationPlan`."""

    def __call__(self, view: "FormationPerception", dt: float, /) -> FormationPlan:
        """Return what the robots do next; the plan counts until the next call."""


class PlainPlanner:
    """Decides on lists, which are faster than arrays for functions that are not compiled.

    Args:
        fixed: What stays the same.
    """

    def __init__(self, fixed: FormationConstants) -> None:
        self._fixed = fixed.parents.tolist(), fixed.offsets.tolist(), fixed.rays.tolist(), fixed.numbers
        self.escapes = fixed.escapes.tolist()

    def __call__(self, view: "FormationPerception", dt: float, /) -> FormationPlan:
        """Return what the robots do next."""
        sensed = view.ranges.tolist(), view.mates.tolist(), view.motion[:, 0].tolist(), view.goal.tolist()
        robots, sonars = view.ranges.shape
        ways, wanted, commands = _blank(robots, 2), _blank(robots, 2), _blank(robots, 2)
        plan = FormationPlan(
            _blank(robots, sonars), [0.0] * robots, ways, [0.0] * robots, wanted, commands, self.escapes
        )
        formation_rules.decide(FormationInputs(*self._fixed, *sensed), plan, dt)
        return plan


def _blank(rows: int, columns: int) -> list[list[float]]:
    return [[0.0] * columns for _ in range(rows)]


MateFinding: TypeAlias = Callable[[Floats, Floats, Ints], Floats]
"""Form of `positions_seen`. Each team has its own function, whose result is valid until the next call."""


def _find_mates(sightings: Floats, occupants: Floats, members: Ints) -> Floats:
    robots = len(sightings)
    seen = [_blank(robots, 2) for _ in range(robots)]
    formation_rules.find_mates(sightings.tolist(), occupants.tolist(), members.tolist(), seen)
    return np.array(seen)


@dataclass(frozen=True)
class FormationRules:
    """Functions that decide.

    Attributes:
        planner: Makes the planner of a team.
        mate_finder: Makes the function that returns the positions of teammates.
    """

    planner: Callable[[FormationConstants], FormationPlanner] = PlainPlanner
    mate_finder: Callable[[], MateFinding] = lambda: _find_mates


PLAIN = FormationRules()
"""Functions on lists; `formation_compiled.RULES` has compiled ones with the same bits."""


class FormationPerception(NamedTuple):
    """Perception of n robots; the first is the leader.

    Attributes:
        ranges: Readings of the sonars, shape (n, m) [m].
        goal: Distance [m] and angle [rad] at which the leader sees the target, NaN = it does not, shape (2,).
        mates: Where each sees the others, in its own frame, shape (n, n, 2), NaN = it does not [m].
        motion: Measured speed [m/s] and rate of turn [rad/s], shape (n, 2).
    """

    ranges: Floats
    goal: Floats
    mates: Floats
    motion: Floats


class FormationDecision(NamedTuple):
    """Decision of the law.

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


class FormationLaw:
    """Law of one team; everything that stays the same between two readings is computed once.

    Args:
        body: The robots.
        law: The parameters.
        shape: The formation.
        escapes: How the robots are getting on.
        rules: Functions that decide.

    Attributes:
        plan: Planner behind `decide`.
    """

    def __init__(
        self, body: Body, law: FormationParameters, shape: Shape, escapes: Escapes, rules: FormationRules = PLAIN
    ) -> None:
        self._law = law
        states = np.array((escapes.still, escapes.turning, escapes.driving, escapes.side)).T
        self.plan = rules.planner(
            FormationConstants(shape.parents, shape.offsets, body.rays, _numbers(body, law), states)
        )

    @property
    def escapes(self) -> Escapes:
        """Escapes of the robots now."""
        return Escapes(*np.array(self.plan.escapes).T)

    def decide(self, view: FormationPerception, dt: float) -> FormationDecision:
        """Return what the robots do next.

        Args:
            view: What they perceive.
            dt: Simulated time since the last call [s].
        """
        plan, law = self.plan(view, dt), self._law
        disorder, goal = np.asarray(plan.disorder), float(view.goal[0])
        distance = math.inf if math.isnan(goal) else goal
        is_done = distance <= law.tolerance and bool((disorder <= law.order).all())
        return FormationDecision(np.asarray(plan.commands), disorder, distance, is_done)


def _numbers(body: Body, law: FormationParameters) -> FormationNumbers:
    return FormationNumbers(
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


def positions_seen(sightings: Floats, occupants: Floats, members: Ints) -> Floats:
    """Return where each robot sees each other one, in its own frame, shape (n, n, 2), NaN = not seen [m].

    Args:
        sightings: Distance [m], angle [rad] and seen (0 or 1) of each slot in turn, shape (n, 3 slots).
        occupants: Number of the robot in each slot, -1 = none, shape (n, slots).
        members: Which robot of the team each number is, -1 = none; one more stands for none.
    """
    return PLAIN.mate_finder()(sightings, occupants, members)
