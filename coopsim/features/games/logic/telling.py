"""Events that a match publishes: its log, the status of robots, and the end."""

import json
from collections.abc import Mapping
from typing import Any

from coopsim.client import Client
from coopsim.client.match_events import END_TOPIC, LOG_TOPIC, SEATS_TOPIC
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.status import StatusReports

_MOST_TEXT = 4000
_SEATS_EVERY = 2.0
"""Simulated time after which it is told again who holds which seat, for those who came late [s]."""


class MatchTeller:
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

    def tell(
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
            events.insert(0, (SEATS_TOPIC, json.dumps(self._seats), (self._model.time,)))
        if events:
            self._sim.publish_all(events)
