"""The behaviours of squads: shoot, go, capture, attack, defend, gather.

Source: swarm gaming, section 4.3.
"""

import numpy as np

from coopsim.games.orders import RobotCommand
from coopsim.games.squads import Behaviour, MatchView, SquadMind, nearest_enemy, place_of
from coopsim.games.ways import send, sequence

ACTION_RADIUS = 1.0
"""A target that moved no farther is where it was [m]."""


class Ordered:
    """A behaviour that carries out orders of some verb."""

    name = "ordered"
    priority = 10
    verbs: tuple[str, ...] = ()

    def wants(self, mind: SquadMind, view: MatchView) -> bool:
        """Return whether there is a new order of this kind, or the old one is not at its end."""
        if mind.order is None or mind.order.verb not in self.verbs:
            return False
        return mind.is_new or (mind.is_part and mind.is_at_rest(view)) or self.has_moved(mind, view)

    def has_moved(self, mind: SquadMind, view: MatchView) -> bool:
        """Return whether what the order is about moved out of its action radius."""
        found = place_of(mind.order.subject, view) if mind.order is not None and mind.order.subject else None
        if found is None or mind.planned_for is None or not found[1]:
            return False
        return float(np.hypot(*(found[0] - mind.planned_for))) > ACTION_RADIUS


class GatherSquad(Ordered):
    """Robots take their places in a formation, at a point or at the middle of all."""

    name, verbs = "gather", ("gather",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Send every robot to its place."""
        assert mind.order is not None  # noqa: S101 - seen by `wants`
        goal = np.asarray(mind.order.point or view.model.middle(mind.squad))
        return send(mind, view, goal, mind.order.formation or mind.squad.formation)


class GoToSquad(Ordered):
    """The squad goes somewhere as a whole."""

    name, priority, verbs = "go_to", 20, ("go_to",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Send every robot along the way of the squad, at its place."""
        assert mind.order is not None and mind.order.point is not None  # noqa: S101, PT018 - seen by `wants`
        return send(mind, view, np.asarray(mind.order.point), mind.order.formation or mind.squad.formation)


class CaptureSquad(Ordered):
    """The squad goes to a flag, and one of its robots picks it up."""

    name, priority, verbs = "capture", 30, ("capture",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Send all of them; who ends nearest picks up."""
        assert mind.order is not None  # noqa: S101 - seen by `wants`
        return _towards(mind, view, mind.order.formation or mind.squad.formation, takes=mind.order.subject)


class BringSquad(Ordered):
    """The squad goes home; who carries a flag goes to the middle of the base."""

    name, priority, verbs = "bring", 30, ("bring",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Send all of them, then who carries something the whole way."""
        found = _towards(mind, view, mind.squad.formation)
        carriers = [it for it in mind.squad.alive if it.holding and it.name in mind.ways]
        if mind.planned_for is None or mind.is_part:
            return found
        for robot in carriers:
            mind.ways[robot.name] = np.vstack((mind.ways[robot.name][:-1], mind.planned_for))
        homing = [sequence(robot, mind.ways[robot.name]) for robot in carriers]
        return [*(it for it in found if it.robot not in {robot.name for robot in carriers}), *homing]


class AttackSquad(Ordered):
    """The squad surrounds what it attacks by a half circle; it is planned anew when that moves away."""

    name, priority, verbs = "attack", 40, ("attack",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Send every robot to its place around the target."""
        return _towards(mind, view, "half_circle")


class DefendSquad(Ordered):
    """The squad stands in a circle around what it defends, in a half circle before what moves."""

    name, priority, verbs = "defend", 40, ("defend",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Send every robot to its place around it."""
        assert mind.order is not None  # noqa: S101 - seen by `wants`
        found = place_of(mind.order.subject, view)
        return _towards(mind, view, "half_circle" if found is not None and found[1] else "circle")


class StopSquad(Ordered):
    """Robots stand."""

    name, priority, verbs = "stop", 60, ("stop",)

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:  # noqa: ARG002 - a squad needs no map to stand
        """Stop all of them."""
        mind.is_new = False
        mind.ways.clear()
        return [RobotCommand(it.name, "intelligence", "stop") for it in mind.squad.alive]


class ShootSquad:
    """Robots shoot at the nearest enemy within range, without an order; they go on meanwhile."""

    name, priority = "shoot", 50

    def wants(self, mind: SquadMind, view: MatchView) -> bool:
        """Return whether some robot aims at nobody it should aim at."""
        return any(target != mind.aims.get(name, -1) for name, target in self._aims(mind, view).items())

    def act(self, mind: SquadMind, view: MatchView) -> list[RobotCommand]:
        """Let those aim anew whose target changed."""
        before, mind.aims = mind.aims, self._aims(mind, view)
        found = []
        for name, target in mind.aims.items():
            if target != before.get(name, -1):
                values = (float(target),) if target >= 0 else ()
                found.append(RobotCommand(name, "shooter", "shoot" if values else "stop", values))
        return found

    def _aims(self, mind: SquadMind, view: MatchView) -> dict[str, int]:
        enemies = view.model.enemies(mind.squad.player)
        aims = {}
        for robot in mind.squad.alive:
            target = nearest_enemy(robot, enemies, view) if robot.power >= 1.0 else None
            aims[robot.name] = -1 if target is None else target.number
        return aims


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
        StopSquad(),
    ]


def _towards(mind: SquadMind, view: MatchView, formation: str, takes: str = "") -> list[RobotCommand]:
    """Return the way to what the order is about; an order about nothing that is there is forgotten."""
    assert mind.order is not None  # noqa: S101 - seen by `wants`
    found = place_of(mind.order.subject, view)
    if found is None:
        view.model.note(mind.squad.player, "unknown", f"there is nothing called {mind.order.subject}")
        mind.order, mind.is_new = None, False
        return []
    return send(mind, view, found[0], formation, takes)
