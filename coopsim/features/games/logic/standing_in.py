"""Orders that a squad cannot carry out go to one that can.

Source: swarm gaming, section 6 (tasks are assigned at run time by the functions that robots have).
"""

from dataclasses import replace

import numpy as np

from coopsim.features.games.logic.model import SquadState
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.squads import MatchView, SquadIntelligence, position_of
from coopsim.features.laws.planning import find_path

_NEEDED = {"gather": "go_to", "go_to": "go_to", "attack": "shoot", "defend": "go_to", "capture": "pick_up"}


def inability(squad: SquadState, verb: str) -> str:
    """Return what robots lack that obey, "" where one of them can do what an order takes."""
    needed = _NEEDED.get(verb, "")
    if not needed or any(needed in robot.abilities for robot in squad.obeying):
        return ""
    return f"none of its robots can {needed}"


def stand_in(order: SquadOrder, view: MatchView) -> SquadOrder | None:
    """Return the order for another squad of the player, which can do it and get there; None where there is none.

    Those without an order come first, then the nearest.
    """
    own = view.model.squads[order.squad]
    goal = goal_of(order, view)
    candidates = []
    for squad in view.model.squads.values():
        if squad is own or squad.player != own.player or not squad.obeying or inability(squad, order.verb):
            continue
        middle = view.model.middle(squad)
        if goal is None:
            candidates.append((view.is_busy(squad.name), 0.0, squad.name))
        elif find_path(view.field.grid(swims=squad.swims), (middle[0], middle[1]), goal) is not None:
            candidates.append((view.is_busy(squad.name), float(np.hypot(*(middle - goal))), squad.name))
    return replace(order, squad=min(candidates)[2]) if candidates else None


def helpers_of(name: str, view: MatchView) -> SquadOrder | None:
    """Return the order by which others defend a robot whose player asks for help; None where nobody can come.

    Another squad does, by the rules of `stand_in`; else the rest of its own.

    Args:
        name: Of the robot.
        view: Of its player.
    """
    squad = view.model.squads[view.model.robots[name].squad]
    order = SquadOrder(squad.name, "defend", name)
    comrades = [robot for robot in squad.obeying if robot.name != name]
    return stand_in(order, view) or (order if comrades and not inability(squad, order.verb) else None)


def goal_of(order: SquadOrder, view: MatchView) -> tuple[float, float] | None:
    """Return where an order leads, None where the squad stays."""
    place = position_of(order.subject, view) if order.subject else None
    return order.point if place is None else (float(place[0][0]), float(place[0][1]))


def reassign(intelligence: SquadIntelligence, view: MatchView) -> SquadOrder | None:
    """Return the order of a squad that found no way for another one that has a way; it is logged either way."""
    order, intelligence.is_lost = intelligence.order, False
    if order is None:
        return None
    intelligence.order, intelligence.is_new = None, False
    substitute = stand_in(order, view)
    why = f"{order.squad} has no way there"
    log_reassignment(order, substitute, why, view)
    return substitute


def log_reassignment(order: SquadOrder, other: SquadOrder | None, why: str, view: MatchView) -> None:
    """Log who does what another squad cannot do."""
    player = view.model.squads[order.squad].player
    done = "nobody else can do it" if other is None else f"{other.squad} does it"
    view.model.note(player, "reassigned" if other is not None else "impossible", f"{order}: {why}; {done}")
