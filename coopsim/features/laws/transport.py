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

Under a plate, which does not point at the leader, a helper gives way as the wheel of a caster would, l behind its pin:

    m dv/dt = F_x - d v,    dphi/dt = F_y / (d l)

Source: Soares, Bicho, Machado and Erlhagen, "Object transportation by multiple mobile robots controlled by attractor
dynamics: theory and implementation" (IROS 2007); Bicho, Mallet and Schoener, "Target representation on an autonomous
vehicle with low-level sensors" (IJRR 2000); CoopDynSim, section IV and Fig. 9. The helper's mass and drag are those of
Hogan's impedance control (1985); that of a caster is Hirata and Kosuge, "Distributed robot helpers handling a single
object in cooperation with a human" (ICRA 2000).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client.layout import TypeRows
from coopsim.errors import BadArgument
from coopsim.features.laws import transport_rules
from coopsim.features.laws.body import Body
from coopsim.features.laws.senses import target_slot
from coopsim.features.laws.transport_rules import (
    PLAIN,
    TransportInputs,
    TransportNumbers,
    TransportPlan,
    TransportRules,
)
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter
from coopsim.interfaces.target import ROBOT_SLOTS

MANY = 8
"""From so many robots of one role on the rules are compiled."""
_ROLE = re.compile(r"leader|helper\d*")
_SEEN = 0.5  # a reading of 0 or 1 as a number


class SteeringStrengths(Protocol):
    """Parameters that the laws of both roles have."""

    @property
    def attraction(self) -> float:
        """Strength of the attractor of the heading [rad/s]."""

    @property
    def avoidance(self) -> float:
        """Strength of the repellers [1/s]."""

    @property
    def range(self) -> float:
        """Gap at which a repeller has fallen to a third [m]."""

    @property
    def margin(self) -> float:
        """Distance kept from whatever is ahead [m]."""


@dataclass(frozen=True)
class TransportPerception:
    """Perception of n robots of one role.

    Attributes:
        ranges: What the sonars read, shape (n, m) [m].
        goal: Distance [m] and angle [rad] of the target, NaN = not seen, shape (n, 2).
        mates: Where each sees the others of its team, in its own frame, NaN = not seen, shape (n, k, 2) [m].
        motion: Measured speed [m/s] and rate of turn [rad/s], shape (n, 2).
        angle: Where the load points, shape (n,) [rad].
        force: Of the load on the support, in the frame of each, shape (n, 2) [N].
        carriers: How many robots carry its load, shape (n,) [1].
    """

    ranges: Floats
    goal: Floats
    mates: Floats
    motion: Floats
    angle: Floats
    force: Floats
    carriers: Floats


def tunable(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Return those parameters that may change while a law drives: how often it decides is settled when it begins."""
    return [parameter for parameter in parameters if parameter.name != "rate"]


def rules_for(robots: int) -> TransportRules:
    """Return the rules for so many robots: compiled ones are worth their start where there are many."""
    return PLAIN if robots < MANY else _compiled_rules()


@cache
def _compiled_rules() -> TransportRules:
    # a client that drives few robots needs no numba
    from coopsim.features.laws.compiling import make_compilable
    from coopsim.kernels import compiled

    make_compilable(transport_rules)
    return TransportRules(compiled(transport_rules.lead), compiled(transport_rules.help_carry), np.ascontiguousarray)


def inputs_of(
    view: TransportPerception, body: Body, law: SteeringStrengths, rows: Callable[[Floats], Any]
) -> TransportInputs:
    """Return the inputs of the rules; `rows` makes their rows out of arrays."""
    robots = body.radius, body.half_track, body.fastest, body.reach, body.spread
    numbers = TransportNumbers(*robots, law.attraction, law.avoidance, law.range, law.margin)
    seen = view.ranges, view.mates, view.motion, view.goal, view.angle, view.force, view.carriers
    return TransportInputs(rows(body.rays), numbers, *map(rows, seen))


def blank_plan(
    view: TransportPerception, speeds: Floats, escapes: Floats, rows: Callable[[Floats], Any]
) -> TransportPlan:
    """Return a plan in which nothing is decided yet; the arrays of the last time stay as they are."""
    return TransportPlan(*(rows(array.copy()) for array in (view.ranges, view.motion, speeds, escapes)))


def mates_of(robot: str, modules: Iterable[str]) -> list[str]:
    """Return the other carriers of a robot's team: of `team1/leader` they are `team1/helper`, `team1/helper2`, ...

    Args:
        robot: Its name.
        modules: Names of all modules of its team, at least.

    Raises:
        BadArgument: The name says no role.
    """
    team, slash, role = robot.rpartition("/")
    if not slash or _ROLE.fullmatch(role) is None:
        raise BadArgument(f"{robot} is no leader or helper of a team, such as team1/leader: nobody carries with it")
    below = {name.removeprefix(f"/{team}/").partition("/")[0] for name in modules if name.startswith(f"/{team}/")}
    return sorted(f"{team}/{mate}" for mate in below - {role} if _ROLE.fullmatch(mate))[:ROBOT_SLOTS]


class TransportObserver:
    """Makes the perception of robots of one role, out of their own modules.

    Args:
        sim: The simulation.
        stepper: The robots; the `target` module of each is told to keep the others of its team in its first slots.
        target: Name of the coloured target, "" = none.
    """

    def __init__(self, sim: Client, stepper: Stepper, target: str = "") -> None:
        self._sim, self._stepper, self._target = sim, stepper, target
        self._generation, self._kind = -1, ""
        mates = [mates_of(robot, sim.names(f"/{robot.rpartition('/')[0]}/")) for robot in stepper.robots]
        self._carriers = np.array([1.0 + len(names) for names in mates])
        self._mates = max(map(len, mates))
        for robot, names in zip(stepper.robots, mates, strict=True):
            sim.module(f"/{robot}/target").parameters["robots"] = " ".join(names)

    def perceive(self, seen: Readings) -> TransportPerception:
        """Return what the robots perceive in `seen`."""
        if self._stepper.layout.generation != self._generation:
            self._find_slots()
        rows, columns = seen.of(self._kind).table, self._columns
        return TransportPerception(
            ranges=rows[:, columns.ranges],
            goal=_seen(rows[:, columns.goal]) if self._target else np.full((len(rows), 2), np.nan),
            mates=np.stack([_positions(rows[:, columns.mates][:, 3 * n : 3 * n + 3]) for n in range(self._mates)], 1),
            motion=rows[:, columns.motion],
            angle=rows[:, columns.angle],
            force=rows[:, columns.force],
            carriers=self._carriers,
        )

    def _find_slots(self) -> None:
        """Find where readings stand in the rows, and the target's slot: both may change with the layout."""
        stepper = self._stepper
        self._kind = stepper.layout.robots[stepper.robots[0]]
        slot = target_slot(self._sim, stepper.robots[0], self._target) if self._target else 0
        self._columns = _columns(stepper.layout.types[self._kind], slot)
        self._generation = stepper.layout.generation


class _CarrierColumns(NamedTuple):
    """Columns of a robot's readings in its row."""

    ranges: slice
    goal: slice
    mates: slice
    motion: slice
    angle: int
    force: slice


def _columns(kind: TypeRows, slot: int) -> _CarrierColumns:
    """Return where readings stand; the target is that of a slot."""
    at = {(column.module, column.field): column for column in kind.gives.columns}
    ranges, targets, robots = at["sonars", "ranges"], at["target", "targets"], at["target", "robots"]
    v, force = at["motors", "v"], at["support", "force_x"]
    goal = targets.offset + 3 * slot
    return _CarrierColumns(
        slice(ranges.offset, ranges.offset + ranges.length),
        slice(goal, goal + 3),
        slice(robots.offset, robots.offset + robots.length),
        slice(v.offset, v.offset + 2),
        at["support", "angle"].offset,
        slice(force.offset, force.offset + 2),
    )


def _seen(sightings: Floats) -> Floats:
    """Return distance and angle out of distance, angle and seen (0 or 1), NaN = not seen, shape (n, 2)."""
    robots_seen = sightings[:, :2].copy()
    robots_seen[sightings[:, 2] <= _SEEN] = np.nan
    return robots_seen


def _positions(sightings: Floats) -> Floats:
    """Return places x, y in the frames of the robots, NaN = not seen, shape (n, 2) [m]."""
    distance, angle = sightings[:, 0], sightings[:, 1]
    places = np.empty((len(sightings), 2))
    places[:, 0], places[:, 1] = distance * np.cos(angle), distance * np.sin(angle)
    places[sightings[:, 2] <= _SEEN] = np.nan
    return places
