"""Health and ammunition of robots, published to spectators."""

import json
from collections.abc import Iterator

from coopsim.client.match_events import STATUS_TOPIC
from coopsim.features.games.logic.model import DataModel

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
        for begin in range(0, len(new), _ROBOTS):
            yield STATUS_TOPIC, json.dumps({"robots": new[begin : begin + _ROBOTS], "flags": flags}), (model.time,)
