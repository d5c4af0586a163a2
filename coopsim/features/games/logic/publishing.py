"""Events that a match publishes: its log, the status of robots, and the end."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from coopsim.client import Client
from coopsim.features.games.logic.model import DataModel
from coopsim.features.matches.events import END_TOPIC, LOG_TOPIC, SEATS_TOPIC, STATUS_TOPIC

# Health and ammunition of robots, published to spectators.
_ROBOTS = 50
"""In one event: its text has at most 4096 bytes."""
_ALL_EVERY = 2.0
"""Simulated time after which all is told again, for those who came late [s]."""


class StatusReports:
    """Tells health, power and what is held, of those robots where it changed, and of all now and then.

    Args:
        model: Of the match.
    """

    def __init__(self, model: DataModel) -> None:
        self._model, self._told, self._due = model, dict[str, tuple[float, float, str]](), 0.0

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

    Attributes:
        lines: How many lines of the log were told.
    """

    def __init__(self, sim: Client, model: DataModel) -> None:
        self._sim, self._model, self._status = sim, model, StatusReports(model)
        self.lines = 0
        self._seats: Mapping[str, str] = {}
        self._due = 0.0

    def publish(
        self, result: Mapping[str, Any] | None, seats: Mapping[str, str] | None = None, *, is_referee: bool = True
    ) -> None:
        """Publish what is new; with a result the end of the match, too. What robots have left the referee tells.

        Args:
            result: What came of the match, None = it goes on.
            seats: Who holds the seats of the players of this logic, "" = nobody; None = nothing is told of them.
            is_referee: Whether this logic is the referee.
        """
        new = self._model.log[self.lines :]
        self.lines = len(self._model.log)
        events: list[tuple[str, str, tuple[float, ...]]] = [
            (LOG_TOPIC, f"{event.source}: {event.rule}: {event.text}"[:_MOST_TEXT], (event.time,)) for event in new
        ]
        if result is not None:
            events.append((END_TOPIC, json.dumps(result), (self._model.time,)))
        if is_referee:
            events += self._status.events()
        if seats and (seats != self._seats or self._model.time >= self._due):
            self._seats, self._due = dict(seats), self._model.time + _SEATS_EVERY
            # first, so that who reads in order knows who speaks before what is said
            events.insert(0, (SEATS_TOPIC, json.dumps(self._seats), (self._model.time,)))
        if events:
            self._sim.publish_all(events)
