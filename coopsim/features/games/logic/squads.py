"""The intelligence of a squad: its order, what it last planned, and the arbitrator that activates one behaviour.

Source: swarm gaming, sections 4.1 and 4.3, figure 3.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from coopsim.features.games.logic.field import Battlefield
from coopsim.features.games.logic.model import DataModel, RobotState, SquadState
from coopsim.features.games.logic.nearness import MIDDLE_X, SPAN_WIDTH, aim, find_enemies, measure_spans
from coopsim.features.games.logic.orders import RobotCommand, SquadOrder
from coopsim.features.games.logic.surroundings import Surroundings
from coopsim.features.laws.planning import PlanningGrid
from coopsim.geometry import Bools, Floats, Ints

_FIGHT_LASTS = 2.0
"""A fight is over when for so long no enemy was near [s]."""


@dataclass(frozen=True)
class SquadSpan:
    """Extent of a squad: the box around its robots.

    Attributes:
        row: Of the squad among all.
        robots: Those that take part.
        low: Least x and y [m].
        high: Greatest x and y [m].
        speed: Of their middle [m/s].
    """

    row: int
    robots: list[RobotState]
    low: tuple[float, float]
    high: tuple[float, float]
    speed: float

    def is_near(self, other: "SquadSpan", reach: float) -> bool:
        """Return whether two squads may be nearer to each other than so much [m]."""
        return all(self.low[k] - other.high[k] < reach and other.low[k] - self.high[k] < reach for k in (0, 1))


@dataclass
class MatchView:
    """Match as the intelligence of a squad sees it.

    What follows from places and from who takes part is found once, when it is asked first.

    Attributes:
        doing: Command that each robot carries out, 0 = none, shape (n,).
        steps: Step of the sequence that each is at, shape (n,).
        stuck: Time since each came nearer to where it goes, shape (n,) [s].
        velocities: Of the robots, shape (n, 2) [m/s].
        intelligences: Of all squads, by name.
        surroundings: Devices that belong to no squad.
        truth: Where robots really are where the model has what a player knows, shape (n, 2) [m]; None = the same.
    """

    model: DataModel
    field: Battlefield
    doing: Floats
    steps: Floats
    stuck: Floats
    velocities: Floats
    intelligences: Mapping[str, "SquadIntelligence"] | None = None
    surroundings: Surroundings | None = None
    truth: Floats | None = None

    def seen_by(self, camera: str) -> list[RobotState]:
        """Return the robots that a fixed camera sees, nearest to it first."""
        robots = [] if self.surroundings is None else self.surroundings.seen_by(camera, self.model)
        if self.truth is not None:  # what a camera sees is known
            for robot in robots:
                self.model.positions[robot.index] = self.truth[robot.index]
        return robots

    def is_busy(self, squad: str) -> bool:
        """Return whether a squad has an order."""
        return self.intelligences is not None and self.intelligences[squad].order is not None

    def grid(self, squad: SquadState, fallen: Sequence[RobotState] = (), keep_off: float = 0.0) -> PlanningGrid:
        """Return the map of a squad, with those in the way that are out and stand where they fell.

        Args:
            squad: Whose way it is.
            fallen: Robots that are in the way, too.
            keep_off: How far to keep from these, besides what all keep clear [m].
        """
        around = [(*self.model.position(robot), robot.radius + keep_off) for robot in fallen]
        circles = np.vstack((self._fallen, around)) if around else self._fallen
        return self.field.grid_around(circles, swims=squad.swims)

    @cached_property
    def _fallen(self) -> Floats:
        """Circles of those that are out, shape (k, 3)."""
        discs = [
            (*self.model.position(robot), robot.radius) for robot in self.model.roster.robots if not robot.is_alive
        ]
        return np.array(discs, np.float64).reshape(-1, 3)

    @cached_property
    def alive(self) -> Bools:
        """Robots that take part, and whose place is known, shape (n,)."""
        is_known = np.isfinite(self.model.positions[:, 0])
        return np.array([robot.is_alive for robot in self.model.roster.robots]) & is_known

    @cached_property
    def aims(self) -> list[int]:
        """Number of the enemy that each robot aims at: the nearest in range that it sees, else the nearest, or -1."""
        robots = self.model.roster.robots
        return [robots[at].number if at >= 0 else -1 for at in self._aiming[0].tolist()]

    @property
    def sees(self) -> Bools:
        """Whether each robot sees whom it aims at, shape (n,)."""
        return self._aiming[1]

    @cached_property
    def _aiming(self) -> tuple[Ints, Bools]:
        roster = self.model.roster
        armed = np.array([robot.power >= 1.0 for robot in roster.robots])
        rows = np.empty(len(roster.robots), np.int64), np.empty(len(roster.robots), np.bool_)
        bodies = self.model.positions, roster.radii, self.field.walls
        aim(bodies, roster.players, (self.alive, armed), roster.ranges, rows)
        return rows

    @cached_property
    def enemies(self) -> tuple[Ints, Floats]:
        """Row of the enemy that is nearest to each robot that takes part, -1 = none, and how far away it is [m]."""
        roster = self.model.roster
        nearest, gaps = np.empty(len(roster.robots), np.int64), np.empty(len(roster.robots))
        find_enemies(self.model.positions, roster.players, self.alive, (nearest, gaps))
        return nearest, gaps

    @cached_property
    def short_of(self) -> list[float]:
        """Distance of each robot's nearest enemy beyond the reach of its shots [m]."""
        margins: list[float] = (self.enemies[1] - self.model.roster.ranges).tolist()
        return margins

    @cached_property
    def is_idle(self) -> list[bool]:
        """Whether each robot carries out no command."""
        idle: list[bool] = (self.doing == 0.0).tolist()
        return idle

    @cached_property
    def is_settled(self) -> list[bool]:
        """Whether each robot has no enemy at all, or carries out no command and sees an enemy."""
        is_free: list[bool] = ((self.enemies[0] < 0) | ((self.doing == 0.0) & self.sees)).tolist()
        return is_free

    @cached_property
    def spans(self) -> dict[str, SquadSpan]:
        """Squads of which somebody is left, by name."""
        views = {}
        for row, (squad, values) in enumerate(zip(self.model.squads.values(), self._spans, strict=True)):
            if alive := [robot for robot in squad.alive if self.alive[robot.index]]:
                left, low, right, high, vx, vy, _, _ = values
                views[squad.name] = SquadSpan(row, alive, (left, low), (right, high), math.hypot(vx, vy))
        return views

    @cached_property
    def middles(self) -> dict[str, Floats]:
        """Middle of the robots of each squad that take part, and obey if some do, by name [m]."""
        return {name: np.array(values[MIDDLE_X:]) for name, values in zip(self.model.squads, self._spans, strict=True)}

    @cached_property
    def _spans(self) -> list[list[float]]:
        model, roster = self.model, self.model.roster
        obeying = self.alive & [not robot.is_taken for robot in roster.robots]
        rows = np.empty((len(model.squads), SPAN_WIDTH))
        measure_spans(roster.squads, model.positions, self.velocities, (self.alive, obeying), rows)
        spans: list[list[float]] = rows.tolist()
        return spans


@dataclass
class SquadIntelligence:
    """Intelligence of one squad.

    Attributes:
        order: The last one of its player.
        is_new: Whether nothing was planned for it yet.
        planned_for: Where the way leads that was planned last, None = nowhere.
        path: Of its middle on that way, cell by cell, shape (k, 2) [m].
        is_part: Whether that way ends before it is there.
        is_lost: Whether there is no way for its order, which another squad may take.
        ways: Points that each robot was sent along, by name, shape (k, 2) [m].
        tasks: What a robot does at the end of its way: where, and the flag that it picks up, by name.
        turned: Heading of its formation where nobody was hit from the usual one [rad], None = as the way leads.
        planned_at: When it was last planned for [s].
        avoided: When it last stepped aside [s].
        freed: When ways around what blocks robots were last planned [s].
        repeated: When something was last said again [s].
        aims: Robot that each shoots at, by name, -1 = none.
        fought: When enemies were near last [s].
        active: Name of the behaviour that was active last, "" = none.
    """

    squad: SquadState
    order: SquadOrder | None = None
    is_new: bool = False
    planned_for: Floats | None = None
    path: Floats | None = None
    is_part: bool = False
    is_lost: bool = False
    ways: dict[str, Floats] = field(default_factory=dict)
    tasks: dict[str, tuple[Floats, int]] = field(default_factory=dict)
    turned: float | None = None
    planned_at: float = -math.inf
    avoided: float = -math.inf
    freed: float = -math.inf
    repeated: float = -math.inf
    aims: dict[str, int] = field(default_factory=dict)
    fought: float = -math.inf
    active: str = ""

    def accept(self, order: SquadOrder) -> None:
        """Take an order; it takes the place of the one before."""
        self.order, self.is_new, self.planned_for, self.is_part = order, True, None, False
        self.turned = self.path = None

    def attacks_squad(self, view: MatchView) -> bool:
        """Return whether its order is to attack a squad."""
        return self.order is not None and self.order.verb == "attack" and self.order.subject in view.model.squads

    def is_fighting(self, view: MatchView) -> bool:
        """Return whether it attacks a squad, and has met enemies: who is near comes first."""
        return view.model.time - self.fought <= _FIGHT_LASTS and self.attacks_squad(view)

    def is_at_rest(self, view: MatchView) -> bool:
        """Return whether no robot of it carries out a command."""
        return all(view.is_idle[robot.index] for robot in self.squad.obeying)


class Behaviour(Protocol):
    """A behaviour of squads: implement this, and register it under its name, or give it to an `Arbitrator`.

    Each squad has an object of its own, made without arguments. Who carries out orders derives from
    `coopsim.features.games.logic.behaviours.Ordered`, which has `takes` and `wants` already.

    Attributes:
        name: As it is registered; the verb of orders for it.
        priority: The highest that wants to act is activated.
    """

    name: str
    priority: int

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether it wants to act now."""
        ...

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Return the commands of robots."""
        ...


class Arbitrator:
    """Activates one behaviour at a time: of those that want to act the one of the highest priority.

    Args:
        behaviours: In any order; of equal priorities the first counts.
    """

    def __init__(self, behaviours: Sequence[Behaviour]) -> None:
        self._behaviours = sorted(behaviours, key=lambda behaviour: -behaviour.priority)

    def add(self, behaviour: Behaviour) -> None:
        """Take one more behaviour."""
        self._behaviours = sorted([*self._behaviours, behaviour], key=lambda behaviour: -behaviour.priority)

    def decide(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Return what the robots of a squad are commanded now, and note which behaviour says so."""
        intelligence.active = ""
        if not intelligence.squad.obeying:
            return []
        for behaviour in self._behaviours:
            if behaviour.wants(intelligence, view):
                intelligence.active = behaviour.name
                return behaviour.act(intelligence, view)
        return []


def position_of(name: str, view: MatchView) -> tuple[Floats, bool] | None:
    """Return where a robot, flag or area is, and whether it may move; None if there is none of this name.

    In fog nobody is where nobody knows of anybody.
    """
    model = view.model
    if name in model.robots or name in model.squads:
        place = model.position(model.robots[name]) if name in model.robots else view.middles[name]
        return (place, True) if np.isfinite(place).all() else None
    if name in model.flags:
        flag = model.flags[name]
        return np.asarray(flag.place), bool(flag.carrier)
    if name in model.cameras:
        return np.asarray(model.cameras[name]), False
    middle = view.field.middle_of(name)
    return None if middle is None else (np.asarray(middle), False)
