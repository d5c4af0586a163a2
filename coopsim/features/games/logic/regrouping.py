"""Squads that players divide and join in a match: `a split NAME ROBOT ...` and `a merge SQUAD`.

Both count at once, and robots go on as they were told: a new squad has the order of the one that it came from.

Source: swarm gaming, section 5 (squad division).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from coopsim.features.games.logic.model import DataModel, SquadState
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.squads import Arbitrator, SquadIntelligence
from coopsim.scene import values
from coopsim.suggest import listed

REGROUPING = ("split", "merge")
"""Verbs that change who is in a squad."""
MOST_SQUADS = 100
"""Of a player: each is planned for by itself, and a match has at most a hundred robots in a squad."""


class Regrouping:
    """Divides and joins the squads of a match.

    Args:
        model: Of the match; its squads change.
        intelligences: Of all squads, by name.
        arbitrators: Of all squads, by name.
        make: Returns the arbitrator of a new squad, by its name and that of the squad of the scenario it came from.

    Attributes:
        changed: Squads that are planned anew, until the match has done so.
        members: Players and robots of the squads that are not as the scenario has them; merged ones have none.
    """

    def __init__(
        self,
        model: DataModel,
        intelligences: dict[str, SquadIntelligence],
        arbitrators: dict[str, Arbitrator],
        make: Callable[[str, str], Arbitrator],
    ) -> None:
        self._model, self._intelligences, self._arbitrators, self._make = model, intelligences, arbitrators, make
        self._origin = {name: name for name in model.squads}
        self.changed: set[str] = set()
        self.members: dict[str, tuple[str, tuple[str, ...]]] = {}

    def origin(self, squad: str) -> str:
        """Return the squad of the scenario that a squad came from."""
        return self._origin.get(squad, squad)

    def refusal(self, order: SquadOrder) -> str:
        """Return why squads cannot be changed so, "" where they can; the order is for a squad of its player."""
        squad = self._model.squads[order.squad]
        return self._split_refusal(squad, order) if order.verb == "split" else self._merge_refusal(squad, order)

    def apply(self, order: SquadOrder) -> None:
        """Change the squads as an order says that was not refused, and log it."""
        squad = self._model.squads[order.squad]
        if order.verb == "split":
            self._split(squad, order)
            text = f"{listed(order.robots)} of {squad.name} form squad {order.subject}"
        else:
            self._merge(squad, self._model.squads[order.subject])
            text = f"{order.subject} is part of {squad.name}"
        self._model.forget_roster()
        self._model.note(squad.player, order.verb, text)

    def restore(self, members: Mapping[str, tuple[str, tuple[str, ...]]], origin: Callable[[str], str]) -> None:
        """Divide and join the squads of a scenario as those of a match were that goes on.

        Args:
            members: Of the match before, see `members`.
            origin: Returns where each of its squads came from.
        """
        for name, (player, robots) in members.items():
            present = [self._model.robots[robot] for robot in robots if robot in self._model.robots]
            if present and name not in self._model.squads:
                source = self._model.squads.get(origin(name)) or next(
                    squad for squad in self._model.squads.values() if squad.player == player
                )
                self._add(name, source)
            if name in self._model.squads:
                self._model.squads[name].robots = present
                for robot in present:
                    robot.squad = name
                if not present:
                    self._remove(name)
        self.members |= members
        self._model.forget_roster()

    def _split_refusal(self, squad: SquadState, order: SquadOrder) -> str:
        model = self._model
        if isinstance(values.name([order.subject]), values.Flaw):
            return f"a squad cannot be called {order.subject!r}: take letters, digits and _"
        if order.subject in {*model.squads, *model.robots, *model.flags, *model.bases.values()}:
            return f"there is something called {order.subject} already"
        own = [robot.name for robot in squad.alive]
        strangers = [name for name in order.robots if name not in own]
        if strangers:
            return f"{strangers[0]} is not in squad {squad.name}, or is out; {listed(own)}"
        if len(order.robots) == len(own):
            return f"{squad.name} would have nobody left"
        if sum(other.player == squad.player for other in model.squads.values()) >= MOST_SQUADS:
            return f"a player has at most {MOST_SQUADS} squads"
        return ""

    def _merge_refusal(self, squad: SquadState, order: SquadOrder) -> str:
        joining = self._model.squads.get(order.subject)
        if joining is None:
            return f"there is no squad {order.subject}"
        if joining is squad:
            return f"{squad.name} cannot join itself"
        return "" if joining.player == squad.player else f"squad {joining.name} is {joining.player}'s"

    def _split(self, squad: SquadState, order: SquadOrder) -> None:
        new = self._add(order.subject, squad)
        new.robots = [robot for robot in squad.robots if robot.name in order.robots]
        squad.robots = [robot for robot in squad.robots if robot.name not in order.robots]
        for robot in new.robots:
            robot.squad = new.name
        before = self._intelligences[squad.name].order
        if before is not None:
            self._intelligences[new.name].accept(replace(before, squad=new.name))
        self._note_members(squad, new)

    def _add(self, name: str, source: SquadState) -> SquadState:
        """Return a new squad, with nobody in it yet, that is like another one."""
        new = replace(source, name=name, robots=[])
        self._model.squads[name] = new
        self._intelligences[name] = SquadIntelligence(new)
        self._origin[name] = self.origin(source.name)
        self._arbitrators[name] = self._make(name, self._origin[name])
        return new

    def _merge(self, squad: SquadState, joining: SquadState) -> None:
        for robot in joining.robots:
            robot.squad = squad.name
        squad.robots, joining.robots = [*squad.robots, *joining.robots], []
        self._remove(joining.name)
        for intelligence in self._intelligences.values():
            if intelligence.order is not None and intelligence.order.subject == joining.name:
                intelligence.order = replace(intelligence.order, subject=squad.name)
        self._note_members(squad, joining)

    def _remove(self, name: str) -> None:
        for table in (self._model.squads, self._intelligences, self._arbitrators):
            del table[name]

    def _note_members(self, *squads: SquadState) -> None:
        for squad in squads:
            self.members[squad.name] = squad.player, tuple(robot.name for robot in squad.robots)
            if squad.name in self._intelligences:
                self.changed.add(squad.name)
