"""The mind of a squad: its order, what it last planned, and the arbitrator that activates exactly one behaviour.

Source: swarm gaming, sections 4.1 and 4.3, figure 3.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from coopsim.games.field import Battlefield
from coopsim.games.model import DataModel, RobotState, SquadState
from coopsim.games.orders import RobotCommand, SquadOrder
from coopsim.geometry import Floats, Ints


@dataclass(frozen=True)
class SquadSpan:
    """Where the robots of a squad are.

    Attributes:
        robots: Those that take part.
        rows: Of theirs in all arrays, shape (k,).
        low: Least x and y [m].
        high: Greatest x and y [m].
        speed: Of their middle [m/s].
    """

    robots: list[RobotState]
    rows: Ints
    low: Floats
    high: Floats
    speed: float

    def is_near(self, other: "SquadSpan", reach: float) -> bool:
        """Return whether two squads may be nearer to each other than so much [m]."""
        return bool((self.low - other.high < reach).all() and (other.low - self.high < reach).all())


@dataclass
class MatchView:
    """What the intelligence of a squad knows of the match.

    Attributes:
        doing: Command that each robot carries out, 0 = none, shape (n,).
        steps: Step of the sequence that each is at, shape (n,).
        stuck: Time since each came nearer to where it goes, shape (n,) [s].
        velocities: Of the robots, shape (n, 2) [m/s].
    """

    model: DataModel
    field: Battlefield
    doing: Floats
    steps: Floats
    stuck: Floats
    velocities: Floats

    @cached_property
    def gaps(self) -> Floats:
        """Distances of all robots from each other, shape (n, n) [m]."""
        x, y = self.model.positions.T.copy()
        found: Floats = np.sqrt((x[:, np.newaxis] - x) ** 2 + (y[:, np.newaxis] - y) ** 2)
        return found

    @cached_property
    def spans(self) -> dict[str, SquadSpan]:
        """Squads of which somebody is left, by name."""
        found = {}
        for squad in self.model.squads.values():
            alive = squad.alive
            if alive:
                rows = np.array([it.index for it in alive])
                places, speeds = self.model.positions[rows], self.velocities[rows]
                low, high, (vx, vy) = places.min(axis=0), places.max(axis=0), speeds.mean(axis=0).tolist()
                found[squad.name] = SquadSpan(alive, rows, low, high, math.hypot(vx, vy))
        return found


@dataclass
class SquadMind:
    """What a squad has in mind.

    Attributes:
        order: The last one of its player.
        is_new: Whether nothing was planned for it yet.
        planned_for: Where the way leads that was planned last, None = nowhere.
        is_part: Whether that way ends before it is there.
        ways: Points that each robot was sent along, by name, shape (k, 2) [m].
        tasks: What a robot does at the end of its way: where, and the flag that it picks up, by name.
        avoided: When it last stepped aside [s].
        freed: When ways around what blocks robots were last planned [s].
        aims: Robot that each shoots at, by name, -1 = none.
        active: Name of the behaviour that was active last, "" = none.
    """

    squad: SquadState
    order: SquadOrder | None = None
    is_new: bool = False
    planned_for: Floats | None = None
    is_part: bool = False
    ways: dict[str, Floats] = field(default_factory=dict)
    tasks: dict[str, tuple[Floats, int]] = field(default_factory=dict)
    avoided: float = -math.inf
    freed: float = -math.inf
    aims: dict[str, int] = field(default_factory=dict)
    active: str = ""

    def take(self, order: SquadOrder) -> None:
        """Take an order; it takes the place of the one before."""
        self.order, self.is_new, self.planned_for, self.is_part = order, True, None, False

    def is_at_rest(self, view: MatchView) -> bool:
        """Return whether no robot of it carries out a command."""
        return not any(view.doing[it.index] > 0.0 for it in self.squad.obeying)


class Behaviour(Protocol):
    """A behaviour of squads: implement this, and register it under its name, or give it to an `Arbitrator`.

    Each squad has an object of its own, made without arguments. Who carries out orders derives from
    `coopsim.games.behaviours.Ordered`, which has `takes` and `wants` already.

    Attributes:
        name: As it is registered; the verb of orders for it.
        priority: The highest that wants to act is activated.
    """

    name: str
    priority: int

    def wants(self, mind: SquadMind, view: MatchView) -> bool:
        """Return whether it wants to act now."""
        ...

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Return the commands of robots."""
        ...


class Arbitrator:
    """Activates one behaviour at a time: of those that want to act the one of the highest priority.

    Args:
        behaviours: In any order; of equal priorities the first counts.
    """

    def __init__(self, behaviours: Sequence[Behaviour]) -> None:
        self._behaviours = sorted(behaviours, key=lambda it: -it.priority)

    def add(self, behaviour: Behaviour) -> None:
        """Take one more behaviour."""
        self._behaviours = sorted([*self._behaviours, behaviour], key=lambda it: -it.priority)

    def decide(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Return what the robots of a squad are commanded now, and note which behaviour says so."""
        mind.active = ""
        if not mind.squad.obeying:
            return []
        for behaviour in self._behaviours:
            if behaviour.wants(mind, view):
                mind.active = behaviour.name
                return behaviour.act(mind, view)
        return []


def place_of(name: str, view: MatchView) -> tuple[Floats, bool] | None:
    """Return where a robot, flag or area is, and whether it may move; None if there is none of this name."""
    model = view.model
    if name in model.robots:
        return model.place(model.robots[name]), True
    if name in model.squads:
        return model.middle(model.squads[name]), True
    if name in model.flags:
        flag = model.flags[name]
        return np.asarray(flag.place), bool(flag.carrier)
    middle = view.field.middle_of(name)
    return None if middle is None else (np.asarray(middle), False)


def nearest_enemies(robots: Sequence[RobotState], enemies: Sequence[RobotState], view: MatchView) -> list[int]:
    """Return the number of the enemy that is nearest to each robot, -1 where none is within its range."""
    if not enemies or not robots:
        return [-1] * len(robots)
    gaps = view.gaps[np.ix_([it.index for it in robots], [it.index for it in enemies])]
    best = np.argmin(gaps, axis=1)
    return [
        enemies[at].number if gap[at] <= robot.range else -1
        for robot, gap, at in zip(robots, gaps, best.tolist(), strict=True)
    ]
