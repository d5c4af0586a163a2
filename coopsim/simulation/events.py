"""Timed events of a scenario.

Source: AMSA, section V (scenarios of timed parameter events).
"""

from collections.abc import Sequence

from coopsim.scene import Event
from coopsim.state.edits import Reset, SceneEdit, SetParameter

NEVER = 1 << 62  # ns; 146 years, and still a number of 64 bits


class Agenda:
    """The events that are still to come, by time.

    Attributes:
        next_ns: Simulated time of the next one.
        done: How many were carried out.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = sorted(events, key=lambda event: event.at)
        self.rearm()

    def rearm(self) -> None:
        """Begin again at time 0."""
        self.skip(0)

    def skip(self, done: int) -> None:
        """Go on after a number of events."""
        self.done = done
        self._schedule_next()

    def due(self, time_ns: int) -> list[SceneEdit]:
        """Return the edits of the events that are due by now; each is returned once until `rearm`."""
        edits: list[SceneEdit] = []
        while time_ns >= self.next_ns:
            event = self._events[self.done]
            self.done += 1
            self._schedule_next()
            edits += edits_of(event)
        return edits

    def _schedule_next(self) -> None:
        waiting = self.done < len(self._events)
        # whole nanoseconds: sums of a step that is no power of two would miss an event by rounding
        self.next_ns = round(self._events[self.done].at * 1e9) if waiting else NEVER


def edits_of(event: Event) -> list[SceneEdit]:
    """Return an event as edits."""
    edits: list[SceneEdit] = [Reset(event.reset, event.seed)] if event.reset else []
    for path, value in event.set:
        robot, module, name = path.rsplit(".", 2)
        edits.append(SetParameter(robot, module, name, value))
    return edits
