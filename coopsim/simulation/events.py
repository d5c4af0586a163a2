"""Timed events of a scenario.

Source: AMSA, section V (scenarios of timed parameter events).
"""

from collections.abc import Sequence
from typing import Any

from coopsim.scene import Event

NEVER = 1 << 62


class Agenda:
    """The events that are still to come, by time.

    Attributes:
        next_ns: Simulated time of the next one.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = sorted(events, key=lambda event: event.at)
        self.rearm()

    def rearm(self) -> None:
        """Begin again at time 0."""
        self._next = 0
        self._look()

    def due(self, time_ns: int) -> list[dict[str, Any]]:
        """Return the edits of the events that are due by now; each is returned once until `rearm`."""
        edits = []
        while time_ns >= self.next_ns:
            event = self._events[self._next]
            self._next += 1
            self._look()
            edits += edits_of(event)
        return edits

    def _look(self) -> None:
        waiting = self._next < len(self._events)
        self.next_ns = round(self._events[self._next].at * 1e9) if waiting else NEVER


def edits_of(event: Event) -> list[dict[str, Any]]:
    """Return an event as edits."""
    edits: list[dict[str, Any]] = [{"edit": "reset"}] if event.reset else []
    for path, value in event.set:
        robot, module, name = path.rsplit(".", 2)
        edits.append({"edit": "set_parameter", "robot": robot, "module": module, "name": name, "value": value})
    return edits
