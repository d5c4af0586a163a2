"""Behaviours of squads that plugins bring: made for each squad that names them, switched off where they fail."""

from collections.abc import Iterable, Mapping
from typing import Any

from coopsim import plugins
from coopsim.errors import PluginFailed, SimulationEnded
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.squads import Behaviour, MatchView, SquadIntelligence
from coopsim.plugins import blame, blamed


class OwnBehaviours:
    """Behaviours that the squads of a match have besides the standard ones.

    Args:
        squads: Facts of the squads, as `/sim/info` tells them.
        model: Takes the log.

    Attributes:
        verbs: What each squad understands besides, and the words that follow, by squad.
        failures: What behaviours were switched off for.

    Raises:
        NoSuchPlugin: One is not registered in this process.
        PluginFailed: One cannot be made.
    """

    def __init__(self, squads: Iterable[Mapping[str, Any]], model: DataModel) -> None:
        self._model = model
        self._made: dict[str, list[Behaviour]] = {}
        self._failed: set[str] = set()
        self.verbs: dict[str, dict[str, str]] = {}
        self.failures: list[str] = []
        for squad in squads:
            own_behaviours = [_made(name) for name in squad.get("behaviours", ())]
            self._made[squad["name"]] = [GuardedBehaviour(behaviour, self) for behaviour in own_behaviours]
            takes = {behaviour.name: getattr(behaviour, "takes", None) for behaviour in own_behaviours}
            self.verbs[squad["name"]] = {name: words for name, words in takes.items() if words is not None}

    def of(self, squad: str) -> list[Behaviour]:
        """Return those of a squad."""
        return self._made.get(squad, [])

    def make_for(self, squad: str, origin: str) -> list[Behaviour]:
        """Return the behaviours of a new squad: objects of its own of those that the squad has that it came from."""
        behaviours: list[Behaviour] = [GuardedBehaviour(_made(own.name), self) for own in self.of(origin)]
        self._made[squad], self.verbs[squad] = behaviours, self.verbs.get(origin, {})
        return behaviours

    def is_off(self, name: str) -> bool:
        """Return whether a behaviour was switched off."""
        return name in self._failed

    def switch_off(self, name: str, problem: Exception) -> None:
        """Let a behaviour act no more in this match, for no squad."""
        text = str(blame(f"behaviour {name}", problem))
        self._failed.add(name)
        self.failures.append(text)
        self._model.note(name, "switched off", text)


class GuardedBehaviour:
    """A behaviour of a plugin whose faults do not end the match.

    Args:
        own: What the plugin made.
        match: All of those.
    """

    def __init__(self, own: Behaviour, match: OwnBehaviours) -> None:
        self._own, self._match = own, match
        self.name, self.priority = own.name, own.priority

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether it wants to act now; False where it was switched off, or fails."""
        if self._match.is_off(self.name):
            return False
        try:
            return bool(self._own.wants(intelligence, view))
        except SimulationEnded:
            raise
        except Exception as problem:  # foreign code may raise anything, and the match goes on without it
            self._match.switch_off(self.name, problem)
            return False

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Return the commands of robots; none where it fails."""
        try:
            return _checked(self.name, self._own.act(intelligence, view))
        except SimulationEnded:
            raise
        except Exception as problem:  # the same
            self._match.switch_off(self.name, problem)
            return []


def _made(name: str) -> Behaviour:
    kind = plugins.load("behaviours", name)
    with blamed(f"behaviour {name}"):
        behaviour: Behaviour = kind()
    return behaviour


def _checked(name: str, commands: Any) -> list[RobotCommand]:
    if isinstance(commands, list) and all(isinstance(command, RobotCommand) for command in commands):
        return commands
    place = plugins.registered("behaviours")[name].places[0]
    raise PluginFailed(
        f"{place}: behaviour {name}: act(intelligence, view) must return a list of RobotCommand, "
        f"got {str(commands)[:80]}"
    )
