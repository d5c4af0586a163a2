"""Events that a match publishes: its log, the status of robots, and the end."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from coopsim.client import Client
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.secrecy import Event, Secrecy, line_of
from coopsim.features.matches.events import END_TOPIC, LOG_TOPIC, SEATS_TOPIC, STATUS_TOPIC

# Health and ammunition of robots, published to spectators.
_ROBOTS = 50
"""In one event: its text has at most 4096 bytes."""
Members: TypeAlias = tuple[str, tuple[str, ...]]
"""Player and robots of a squad."""
_ALL_EVERY = 2.0
"""Simulated time after which all is told again, for those who came late [s]."""


class StatusReports:
    """Tells health, power and what is held, of those robots where it changed, and of all now and then.

    Args:
        model: Of the match.
    """

    def __init__(self, model: DataModel) -> None:
        self._model, self._told, self._due = model, dict[str, tuple[float, float, str]](), 0.0
        self._told_changes: dict[tuple[str, str], object] = {}

    def repeat(self) -> None:
        """Tell everything again at the next occasion."""
        self._due = self._model.time

    def changes(
        self, members: Mapping[str, Members], seen: Mapping[str, list[str]], lobby: str = ""
    ) -> Iterator[tuple[str, str, tuple[float]]]:
        """Yield whom players see, who is in squads that were divided or joined, and why the match has not begun.

        Call it before `events`.
        """
        if self._model.time >= self._due:
            self._told_changes = {}
        flags = {flag.name: [*flag.place, flag.carrier] for flag in self._model.flags.values()}
        rows = {("squads", name): row for name, row in members.items()}
        now: dict[tuple[str, str], object] = {**rows, **{("seen", player): names for player, names in seen.items()}}
        for (kind, name), row in now.items():
            # one squad, or player, in an event: its text is limited
            if self._told_changes.get((kind, name)) != row:
                facts = {"robots": [], "flags": flags, kind: {name: row}}
                yield STATUS_TOPIC, json.dumps(facts), (self._model.time,)
        if lobby and self._told_changes.get(("lobby", "")) != lobby:
            yield STATUS_TOPIC, json.dumps({"robots": [], "flags": flags, "lobby": lobby}), (self._model.time,)
        self._told_changes = {**now, ("lobby", ""): lobby}

    def events(self) -> Iterator[tuple[str, str, tuple[float]]]:
        """Yield what is to be published now: topic, text and time."""
        model = self._model
        if model.time >= self._due:
            self._due = model.time + _ALL_EVERY
            self._told.clear()
        now = {robot.name: (robot.health, robot.power, robot.holding) for robot in model.robots.values()}
        new = [[name, *state] for name, state in now.items() if self._told.get(name) != state]
        self._told = now
        flags = {flag.name: [*flag.place, flag.carrier] for flag in model.flags.values()}
        # an event's text is limited, and a large match does not fit one
        for begin in range(0, len(new), _ROBOTS):
            yield STATUS_TOPIC, json.dumps({"robots": new[begin : begin + _ROBOTS], "flags": flags}), (model.time,)


_MOST_TEXT = 4000  # letters; an event's text may hold no more
_SEATS_EVERY = 2.0
"""Simulated time after which it is told again who holds which seat, for those who came late [s]."""


class MatchPublisher:
    """Publishes what is new since the last time.

    Args:
        sim: The run.
        model: Of the match.
        secrecy: Of the match, None = everybody hears everything.

    Attributes:
        lines: How many lines of the log were told.
    """

    def __init__(self, sim: Client, model: DataModel, secrecy: Secrecy | None = None) -> None:
        self._sim, self._model, self._status = sim, model, StatusReports(model)
        self._secrecy = secrecy
        self.lines = 0
        self._seats: Mapping[str, str] = {}
        self._due = 0.0

    def repeat(self) -> None:
        """Tell everything but the log again with the next `publish`."""
        self._due = self._model.time
        self._status.repeat()
        if self._secrecy is not None:
            self._secrecy.repeat_key()

    def publish(
        self,
        result: Mapping[str, Any] | None,
        seats: Mapping[str, str] | None = None,
        members: Mapping[str, Members] | None = None,
        seen: Mapping[str, list[str]] | None = None,
        *,
        is_referee: bool = True,
        lobby: str = "",
    ) -> None:
        """Publish what is new; with a result the end of the match, too. What robots have left the referee tells.

        Args:
            result: What came of the match, None = it goes on.
            seats: Who holds the seats of the players of this logic, "" = nobody; None = nothing is told of them.
            members: Players and robots of the squads that are not as the scenario has them.
            seen: Enemies that each player sees, of a match with fog.
            is_referee: Whether this logic is the referee.
            lobby: Why the match has not begun, "" = it has.
        """
        new = self._model.log[self.lines :]
        self.lines = len(self._model.log)
        events: list[Event] = []
        if self._secrecy is None:
            events += [(LOG_TOPIC, line_of(event)[:_MOST_TEXT], (event.time,)) for event in new]
        else:
            events += self._secrecy.key_events()
            events += self._secrecy.events(new, seats or {}, is_over=result is not None)
        if result is not None:
            events.append((END_TOPIC, json.dumps(result), (self._model.time,)))
        if is_referee:
            events += [*self._status.changes(members or {}, seen or {}, lobby), *self._status.events()]
        if seats and (seats != self._seats or self._model.time >= self._due):
            self._seats, self._due = dict(seats), self._model.time + _SEATS_EVERY
            # first, so that who reads in order knows who speaks before what is said
            events.insert(0, (SEATS_TOPIC, json.dumps(self._seats), (self._model.time,)))
        if events:
            self._sim.publish_all(events)
