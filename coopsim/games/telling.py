"""What a match tells everybody by events: its log, what robots have left, and the end."""

import json
from collections.abc import Mapping
from typing import Any

from coopsim.client import Client
from coopsim.client.match_events import END_TOPIC, LOG_TOPIC
from coopsim.games.model import DataModel
from coopsim.games.status import StatusReports

_MOST_TEXT = 4000


class MatchTeller:
    """Publishes what is new since the last time.

    Args:
        sim: The run.
        model: Of the match.
    """

    def __init__(self, sim: Client, model: DataModel) -> None:
        self._sim, self._model, self._status = sim, model, StatusReports(model)
        self._lines = 0

    def tell(self, result: Mapping[str, Any] | None, *, is_referee: bool = True) -> None:
        """Publish what is new; with a result the end of the match, too. What robots have left the referee tells."""
        new = self._model.log[self._lines :]
        self._lines = len(self._model.log)
        events: list[tuple[str, str, tuple[float, ...]]] = [
            (LOG_TOPIC, f"{it.source}: {it.rule}: {it.text}"[:_MOST_TEXT], (it.time,)) for it in new
        ]
        if result is not None:
            events.append((END_TOPIC, json.dumps(result), (self._model.time,)))
        if is_referee:
            events += self._status.events()
        if events:
            self._sim.publish_all(events)
