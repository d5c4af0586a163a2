"""`formation`: robots drive to a coloured target in formation, break it at obstacles and form it again.

python -m coopsim.features.laws.formation --robots robot1 robot2 robot3 --shape triangle --target red
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.client.layout import RowLayout
from coopsim.features.laws import escaping, options
from coopsim.features.laws.formation_law import (
    PARAMETERS,
    PLAIN,
    FormationDecision,
    FormationLaw,
    FormationParameters,
    FormationPerception,
    FormationRules,
)
from coopsim.features.laws.formation_shapes import CUSTOM, DIRECT, NAMES, Shape, remaining, shape
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, body_of, need_modules, one_type, target_slot, wheel_commands
from coopsim.features.laws.speeds import drivable
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Floats, Ints
from coopsim.suggest import did_you_mean

_UNSEEN = np.full(2, np.nan)
Rows: TypeAlias = slice | Ints
_SUMMARY = "Robots drive to a coloured target in formation; the first one leads."
CLOSE, KEEP = "close", "keep"
GAPS = (CLOSE, KEEP)
_MANY = 48
"""Robots from which on a decision of plain functions takes longer in ten ticks than compiled ones to be read."""


class TeamFormation(NamedTuple):
    """Robots in their order of march.

    Attributes:
        robots: Their names; the first leads.
        shape: Their places, in the same order.
    """

    robots: tuple[str, ...]
    shape: Shape


def current_formation(law: FormationParameters, team: Sequence[str], robots: Sequence[str]) -> TeamFormation:
    """Return the formation of those robots of a team that are there.

    Args:
        law: The parameters.
        team: All that there ever were, in their order.
        robots: Those that are there.
    """
    order = [team[place] for place in order_of_march(len(team), law.leader)]
    own_places = [place for place, robot in enumerate(order) if robot in robots]
    marching = tuple(order[place] for place in own_places)
    if law.gaps == CLOSE and law.shape != CUSTOM:
        return TeamFormation(marching, shape(law.shape, len(marching), law.spacing))
    return TeamFormation(marching, remaining(shape(law.shape, len(team), law.spacing, law.offsets), own_places))


def order_of_march(robots: int, leader: int) -> list[int]:
    """Return the places of robots in their own order as they march: that of the leader, then the others.

    Args:
        robots: How many there are.
        leader: Which of them leads, 1 = the first; if there are not so many, the first one does.
    """
    first = leader - 1 if leader <= robots else 0
    return [first, *(place for place in range(robots) if place != first)]


def places(robots: int, settings: Mapping[str, str]) -> Floats:
    """Return the places that the law's robots keep, in any common frame, shape (n, 2) [m]; studies measure by them.

    Args:
        robots: How many there are.
        settings: Keys of its `[CONTROLLER_n]` section.
    """
    law = FormationParameters()
    name, offsets = settings.get("shape", law.shape), settings.get("offsets", law.offsets)
    kept = shape(name, robots, float(settings.get("spacing", law.spacing)), offsets).places
    leader = int(float(settings.get("leader", law.leader)))
    order_kept: Floats = kept[np.argsort(order_of_march(robots, leader))]
    return order_kept


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their target; return the exit code: 0 = they are there, or the run has ended."""
    return _run(PLAIN, arguments)


def compiled() -> Callable[[Sequence[str] | None], int]:
    """Return `main` with the same decisions, bit by bit, by compiled functions: studies ask for it."""
    from coopsim.features.laws.formation_compiled import RULES  # a process of its own need not wait for the compiler

    return partial(_run, RULES)


def rules_for(robots: int, rules: FormationRules) -> FormationRules:
    """Return functions that decide for so many robots: in a large team each looks at all, and loops are compiled."""
    if robots < _MANY or rules is not PLAIN or find_spec("numba") is None:
        return rules
    from coopsim.features.laws.formation_compiled import RULES

    return RULES


def _run(rules: FormationRules, arguments: Sequence[str] | None) -> int:
    parser = options.parser("formation", _SUMMARY, PARAMETERS)
    chosen = parser.parse_args(arguments)
    law = options.chosen(chosen, FormationParameters, PARAMETERS)
    for name, given, choices in (("shape", law.shape, (*NAMES, CUSTOM)), ("gaps", law.gaps, GAPS)):
        if given not in choices:
            parser.error(f"argument --{name}: {given!r} is none of {', '.join(choices)}{did_you_mean(given, choices)}")
    if law.shape == CUSTOM and law.newcomers:
        parser.error("argument --newcomers: the shape custom has places for --robots alone")
    team, tuned = list(chosen.robots), Tuned("formation", law, PARAMETERS, every=50)

    def joins(robot: str) -> bool:
        return robot in team or fnmatchcase(robot, law.newcomers)

    def begin(sim: Client, stepper: Stepper) -> Law:
        team.extend(robot for robot in stepper.robots if robot not in team)
        return _make_law(sim, stepper, tuned, team, rules_for(len(stepper.robots), rules))

    return drive("formation", chosen.robots, chosen.endpoint, begin, joins=joins)


def _make_law(
    sim: Client, stepper: Stepper, tuned: Tuned[FormationParameters], team: Sequence[str], rules: FormationRules
) -> Law:
    need_modules(stepper, *NEEDS["formation"].modules)
    kind = one_type(stepper, "a formation needs robots of one type")
    tuned.offer(sim, team)
    clock, law = Clock(sim), tuned.at(0)
    observer = FormationObserver(sim, stepper, current_formation(law, team, stepper.robots), law.target, rules)
    body = body_of(sim, stepper.robots[0])
    calm = escaping.calm(len(stepper.robots))
    planner = FormationLaw(body, law, observer.shape, calm, rules)

    def decide(seen: Readings) -> Floats | None:
        nonlocal planner, law
        before, law = law, tuned.at(seen.tick)
        if law is not before:
            is_formed_anew = (law.leader, law.spacing) != (before.leader, before.spacing)
            if is_formed_anew:
                observer.watch(current_formation(law, team, stepper.robots))
            escapes = calm if is_formed_anew else planner.escapes
            planner = FormationLaw(body, law, observer.shape, escapes, rules)
        decision = planner.decide(observer.perceive(seen), clock.elapsed(seen.tick))
        if decision.is_done:
            sys.stdout.write(_result(law, decision, seen.tick))
            return None
        commands = decision.commands[observer.ranks]
        return wheel_commands(stepper, kind, drivable(commands, body.gaps(seen.sonars.ranges), body))

    return decide


def _result(law: FormationParameters, decision: FormationDecision, tick: int) -> str:
    robots, metres, worst = len(decision.commands), decision.distance, decision.disorder.max()
    distance_words = f"{law.shape} of {robots} at {law.target}: {metres:.2f} m from it, tick {tick}"
    return f"{distance_words}, places kept within {worst:.2f} m\n"


class _Columns(NamedTuple):
    """Columns of the readings that the law needs, in a row of one robot."""

    ranges: slice
    targets: slice
    robots: slice
    occupants: slice
    motion: slice

    @classmethod
    def of(cls, rows: RowLayout) -> Self:
        """Return the columns of a row."""
        columns = {
            (column.module, column.field): slice(column.offset, column.offset + column.length)
            for column in rows.columns
        }
        targets, robots, occupants = (columns["target", name] for name in ("targets", "robots", "occupants"))
        motion = slice(columns["motors", "v"].start, columns["motors", "w"].stop)
        return cls(columns["sonars", "ranges"], targets, robots, occupants, motion)


class FormationObserver:
    """Makes the perception of the robots, out of their `target` modules.

    Args:
        sim: The simulation.
        stepper: The robots.
        formation: Those that march, all of the stepper's, and which of them must see each other.
        target: Name of the coloured target, or of a robot to go after, which the leader watches.
        rules: Functions that decide.

    Attributes:
        shape: Shape that they drive in.
        ranks: Which one in the order of march each robot of the stepper is.
    """

    def __init__(
        self, sim: Client, stepper: Stepper, formation: TeamFormation, target: str, rules: FormationRules = PLAIN
    ) -> None:
        self._sim, self._stepper, self._target = sim, stepper, target
        self._slot, self._robot = 0, -1
        self._find = rules.mate_finder()
        self.watch(formation)

    def watch(self, formation: TeamFormation) -> None:
        """Let each robot see those that it must, in another formation of the same robots."""
        robots, self.shape = formation
        own, self._robots, self._generation = self._stepper.robots, robots, -1
        self._is_in_order = robots == own
        self.ranks: Rows = slice(None) if self._is_in_order else np.array([robots.index(robot) for robot in own])
        self._rows = np.array([own.index(robot) for robot in robots])
        for robot, watched in zip(robots, watch_lists(self.shape), strict=True):
            names = [robots[neighbour] for neighbour in watched]
            if robot == robots[0] and self._target in self._stepper.layout.robots:
                names = [self._target, *names][:DIRECT]
            self._sim.module(f"/{robot}/target").parameters["robots"] = " ".join(names)

    def perceive(self, seen: Readings) -> FormationPerception:
        """Return what the robots perceive in `seen`, in their order of march."""
        if self._stepper.layout.generation != self._generation:
            self._find_slots()
        table = seen.flat.reshape(len(self._robots), -1)  # robots of one type
        rows = table if self._is_in_order else table[self._rows]
        at = self._columns
        mates = self._find(rows[:, at.robots], rows[:, at.occupants], self._members)
        return FormationPerception(rows[:, at.ranges], self._goal(rows[0]), mates, rows[:, at.motion])

    def _goal(self, row: Floats) -> Floats:
        """Return distance [m] and angle [rad] at which the leader sees what it goes after, NaN = not, shape (2,)."""
        slot = self._slot
        if self._robot >= 0:
            numbers = row[self._columns.occupants].tolist()
            if self._robot not in numbers:
                return _UNSEEN
            slot = numbers.index(self._robot)
        begin = (self._columns.targets if self._robot < 0 else self._columns.robots).start + 3 * slot
        return row[begin : begin + 2] if row[begin + 2] > 0.5 else _UNSEEN

    def _find_slots(self) -> None:
        """Find the target's slot and the numbers of the team's robots: both may change with the layout."""
        stepper, robots = self._stepper, list(self._stepper.layout.robots)
        self._robot = robots.index(self._target) if self._target in robots else -1
        if self._robot < 0:
            self._slot = target_slot(self._sim, self._robots[0], self._target)
        places = {robot: place for place, robot in enumerate(self._robots)}
        self._members = np.array([*(places.get(robot, -1) for robot in stepper.layout.robots), -1], np.int64)
        self._columns = _Columns.of(stepper.layout.types[stepper.layout.robots[stepper.robots[0]]].gives)
        self._generation = stepper.layout.generation


def watch_lists(formation: Shape) -> list[list[int]]:
    """Return the robots that each robot observes, at most 8: its leader, its followers, then the nearest places."""
    return [_watched_by(robot, formation)[:DIRECT] for robot in range(len(formation.parents))]


def _watched_by(robot: int, formation: Shape) -> list[int]:
    away = np.hypot(*(formation.places - formation.places[robot]).T)
    related = (formation.parents == robot) | (np.arange(len(away)) == formation.parents[robot])
    order = np.lexsort((away, ~related)).tolist()
    return [robot_seen for robot_seen in order if robot_seen != robot]


if __name__ == "__main__":
    sys.exit(main())
