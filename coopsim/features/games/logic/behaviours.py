"""The behaviours of squads: step aside, shoot, go, capture, attack, defend, gather.

Source: swarm gaming, section 4.3.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from coopsim.features.games.logic.avoiding import AvoidSquad, FreeSquad
from coopsim.features.games.logic.fighting import FightSquad
from coopsim.features.games.logic.orders import VERBS, RobotCommand, SquadOrder
from coopsim.features.games.logic.repeating import RepeatSquad
from coopsim.features.games.logic.squads import Behaviour, MatchView, SquadIntelligence, position_of
from coopsim.features.games.logic.ways import ACTION_RADIUS, MOST_POINTS, clear_way, leads_to_enemies, send, sequence

_LOOK = 3.0
"""Who carries something looks so often for a way that enemies do not see [s]."""
_PATIENCE = 6.0
"""Attackers who stand, and hit nobody for so long, go to another side [s]."""
_TURN = 2.4
"""By how much the other side is turned: the golden angle, so that no side comes twice soon [rad]."""
_THERE = 0.15
"""A squad whose way ends so near to where it was sent goes there [m]."""
_REPORT = 0.5
"""A camera is asked so often whom it sees [s]."""


class Ordered(ABC):
    """A behaviour that carries out orders whose verb is its name.

    Attributes:
        takes: The words that follow its verb: "nothing", "name", "point" (x and y, perhaps a formation), "maybe_point".
    """

    name = "ordered"
    priority = 10
    takes = "maybe_point"

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether there is a new order of this kind, or the old one is not at its end."""
        if intelligence.order is None or intelligence.order.verb != self.name:
            return False
        return (
            intelligence.is_new
            or (intelligence.is_part and intelligence.is_at_rest(view))
            or self.has_moved(intelligence, view)
        )

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Return the commands of robots for the order of their squad."""
        return [] if intelligence.order is None else self.carry_out(intelligence.order, intelligence, view)

    @abstractmethod
    def carry_out(self, order: SquadOrder, intelligence: SquadIntelligence, view: MatchView, /) -> list[RobotCommand]:
        """Return the commands of robots for an order."""

    def has_moved(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether what the order is about moved out of its action radius."""
        if intelligence.order is None or not intelligence.order.subject or intelligence.planned_for is None:
            return False
        place = position_of(intelligence.order.subject, view)
        if place is None or not place[1]:
            return False
        return float(np.hypot(*(place[0] - intelligence.planned_for))) > ACTION_RADIUS


class GatherSquad(Ordered):
    """Robots take their places in a formation, at a point or at the middle of all."""

    name = "gather"

    def carry_out(self, order: SquadOrder, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send every robot to its place."""
        goal, is_new = np.asarray(order.point or view.model.middle(intelligence.squad), np.float64), intelligence.is_new
        commands = send(intelligence, view, goal, order.formation or intelligence.squad.formation)
        if is_new and order.point is not None and intelligence.path is not None:
            x, y = intelligence.path[-1].tolist()
            if math.hypot(x - goal[0], y - goal[1]) > _THERE:
                name = intelligence.squad.name
                text = f"{goal[0]:g} {goal[1]:g} is in the way of things: {name} goes to {x:.2f} {y:.2f}"
                view.model.note(name, "elsewhere", text)
        return commands


class GoToSquad(GatherSquad):
    """The squad goes somewhere as a whole, every robot at its place."""

    name, priority, takes = "go_to", 20, VERBS["go_to"]


class CaptureSquad(Ordered):
    """The squad goes to a flag, and one of its robots picks it up."""

    name, priority, takes = "capture", 30, VERBS["capture"]

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether there is a new order, or another robot must pick up in the place of one that is out."""
        return super().wants(intelligence, view) or bool(self._lost(intelligence))

    def carry_out(self, order: SquadOrder, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send all of them; of those that can pick up the one that ends nearest does."""
        lost = self._lost(intelligence)
        commands = _towards(
            order, intelligence, view, order.formation or intelligence.squad.formation, takes=order.subject
        )
        if lost and intelligence.tasks:
            text = f"{', '.join(intelligence.tasks)} picks up {order.subject} in the place of {lost}"
            view.model.note(intelligence.squad.player, "reassigned", text)
        return commands

    def _lost(self, intelligence: SquadIntelligence) -> str:
        """Return the robot that was to pick up and is out, "" where there is none."""
        if intelligence.order is None or intelligence.order.verb != self.name:
            return ""
        obeying = {robot.name for robot in intelligence.squad.obeying}
        return next((name for name in intelligence.tasks if name not in obeying), "")


class BringSquad(Ordered):
    """The squad goes home, out of the range of enemies where it can; who carries a flag goes to the base's middle."""

    name, priority, takes = "bring", 30, VERBS["bring"]

    def carry_out(self, order: SquadOrder, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send all of them, then who carries something the whole way."""
        commands = _towards(order, intelligence, view, intelligence.squad.formation)
        carriers = [robot for robot in intelligence.squad.obeying if robot.holding and robot.name in intelligence.ways]
        if intelligence.planned_for is None or intelligence.is_part:
            return commands
        grid = view.grid(intelligence.squad)
        for robot in carriers:
            points = np.vstack((intelligence.ways[robot.name][:-1], intelligence.planned_for))
            way = clear_way(grid, view.model.position(robot), points)
            intelligence.ways[robot.name] = way[:MOST_POINTS]
            intelligence.is_part |= len(way) > MOST_POINTS
        homing = [sequence(robot, intelligence.ways[robot.name]) for robot in carriers]
        return [*(command for command in commands if command.robot not in {robot.name for robot in carriers}), *homing]

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether there is something new, or enemies have come to where the way leads."""
        if super().wants(intelligence, view):
            return True
        is_due = (
            intelligence.order is not None
            and intelligence.order.verb == self.name
            and view.model.time - intelligence.planned_at > _LOOK
        )
        return is_due and leads_to_enemies(intelligence, view)


class AttackSquad(Ordered):
    """The squad surrounds what it attacks by a half circle.

    It is planned anew when that moves away, and from another side where nobody has hit anything for a while.
    """

    name, priority, takes = "attack", 40, VERBS["attack"]

    def carry_out(self, order: SquadOrder, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send every robot to its place around the target."""
        if self._sees_nobody(intelligence, view):
            intelligence.turned = math.remainder((intelligence.turned or 0.0) + _TURN, math.tau)
        return _towards(order, intelligence, view, "half_circle")

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether there is something new, or the squad stands where it hits nobody, and fights nobody yet."""
        if intelligence.is_fighting(view):
            return False
        return super().wants(intelligence, view) or self._sees_nobody(intelligence, view)

    def _sees_nobody(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        if intelligence.order is None or intelligence.order.verb != self.name or intelligence.planned_for is None:
            return False
        last = max(robot.shot_at for robot in intelligence.squad.obeying)
        is_armed = any(robot.power >= 1.0 for robot in intelligence.squad.obeying)
        since = view.model.time - max(last, intelligence.planned_at)
        return is_armed and since > _PATIENCE and intelligence.is_at_rest(view)


class DefendSquad(Ordered):
    """The squad stands in a circle around what it defends, in a half circle before what moves.

    Where that is a camera, it goes out to the enemy that the camera sees, and comes back when there is none.
    """

    name, priority, takes = "defend", 40, VERBS["defend"]

    def __init__(self) -> None:
        self._intruder, self._asked = "", -math.inf

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether there is something new, or a camera sees somebody else, or who it sees has moved."""
        if super().wants(intelligence, view):
            return True
        if not self._has_camera(intelligence, view) or view.model.time - self._asked < _REPORT:
            return False
        self._asked, before = view.model.time, self._intruder
        self._watch_camera(intelligence, view)
        if self._intruder != before or not self._intruder or intelligence.planned_for is None:
            return self._intruder != before
        away = view.model.position(view.model.robots[self._intruder]) - intelligence.planned_for
        return float(np.hypot(*away)) > ACTION_RADIUS

    def carry_out(self, order: SquadOrder, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send every robot to its place around it, or around who was seen."""
        if intelligence.is_new:
            self._intruder = ""
        if self._intruder and self._has_camera(intelligence, view):
            return send(intelligence, view, view.model.position(view.model.robots[self._intruder]), "half_circle")
        place = position_of(order.subject, view)
        return _towards(order, intelligence, view, "half_circle" if place is not None and place[1] else "circle")

    def _has_camera(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        order = intelligence.order
        return order is not None and order.verb == self.name and order.subject in view.model.cameras

    def _watch_camera(self, intelligence: SquadIntelligence, view: MatchView) -> None:
        """Ask the camera whom it sees; it stays with an enemy as long as that is seen."""
        camera = intelligence.order.subject if intelligence.order is not None else ""
        seen = [
            robot.name for robot in view.seen_by(camera) if robot.is_alive and robot.player != intelligence.squad.player
        ]
        if self._intruder in seen:
            return
        if not seen and not self._intruder:
            return
        self._intruder = seen[0] if seen else ""
        text = (
            f"{camera} sees {self._intruder}: {intelligence.squad.name} goes there"
            if seen
            else f"{camera} sees no enemy"
        )
        view.model.note(intelligence.squad.player, "sees", text)  # whom it leads where is a secret of that player


class StopSquad(Ordered):
    """Robots stand."""

    name, priority, takes = "stop", 60, VERBS["stop"]

    def carry_out(self, _order: SquadOrder, intelligence: SquadIntelligence, _view: MatchView, /) -> list[RobotCommand]:
        """Stop all of them."""
        intelligence.is_new = False
        intelligence.ways.clear()
        intelligence.tasks.clear()
        return [RobotCommand(robot.name, "intelligence", "stop") for robot in intelligence.squad.obeying]


class ShootSquad:
    """Robots shoot at the nearest enemy within range, without an order; they go on meanwhile."""

    name, priority = "shoot", 50

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether some robot aims at nobody it should aim at."""
        return any(target != intelligence.aims.get(name, -1) for name, target in self._aims(intelligence, view).items())

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Let those aim anew whose target changed."""
        before, intelligence.aims = intelligence.aims, self._aims(intelligence, view)
        commands = []
        for name, target in intelligence.aims.items():
            if target != before.get(name, -1):
                values = (float(target),) if target >= 0 else ()
                commands.append(RobotCommand(name, "shooter", "shoot" if values else "stop", values))
        return commands

    def _aims(self, intelligence: SquadIntelligence, view: MatchView) -> dict[str, int]:
        return {robot.name: view.aims[robot.index] for robot in intelligence.squad.alive}


def standard() -> list[Behaviour]:
    """Return the behaviours that every squad has."""
    return [
        GatherSquad(),
        GoToSquad(),
        CaptureSquad(),
        BringSquad(),
        AttackSquad(),
        DefendSquad(),
        ShootSquad(),
        FightSquad(),
        StopSquad(),
        AvoidSquad(),
        FreeSquad(),
        RepeatSquad(),
    ]


def _towards(
    order: SquadOrder, intelligence: SquadIntelligence, view: MatchView, formation: str, takes: str = ""
) -> list[RobotCommand]:
    """Return the way to what the order is about; an order about nothing that is there is forgotten."""
    place = position_of(order.subject, view)
    if place is None:
        view.model.note(intelligence.squad.player, "unknown", f"there is nothing called {order.subject}")
        intelligence.order, intelligence.is_new = None, False
        return []
    return send(intelligence, view, place[0], formation, takes)
