"""History of a run as it was seen, by simulated time, in bounded memory."""

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from coopsim.features.desktop.poses import between
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import State

_BYTES = 64 << 20  # states of minutes, to scrub back in a live run
# as smooth as scrubbing looks; at 100 Hz it holds three times as long a past
_GAP = 1.0 / 30.0
"""States that are nearer to each other than this are not kept, unless time stands still [s]."""
# between farther states bodies would be drawn gliding along ways that they never went
_APART = 1.0
"""Between states farther from each other than this nothing is known [s]."""


class History:
    """States by simulated time; the oldest ones are given up first.

    Args:
        most_bytes: Memory limit.

    Attributes:
        times: Of the states, ascending [s].
        states: In the order of their times.
        changes: Grows with each state that comes or goes.
    """

    def __init__(self, most_bytes: int = _BYTES) -> None:
        self.times: list[float] = []
        self.states: list[State] = []
        self.changes = 0
        self._most, self._bytes = most_bytes, 0

    def __len__(self) -> int:
        return len(self.times)

    def add(self, state: "State") -> bool:
        """Keep a state in its place; return whether it was kept."""
        place = bisect_left(self.times, state.time)
        near = [self.times[number] for number in (place - 1, place) if 0 <= number < len(self.times)]
        # while the run is paused, people edit: each state shows another scene
        gap = 1e-9 if state.raw.is_paused else _GAP
        if any(abs(state.time - instant) < gap for instant in near):
            return False
        self.times.insert(place, state.time)
        self.states.insert(place, state)
        self._bytes += _size(state)
        self.changes += 1
        self._make_room(place)
        return True

    def clear(self) -> None:
        """Forget everything."""
        self.times.clear()
        self.states.clear()
        self._bytes = 0
        self.changes += 1

    def at(self, seconds: float) -> "State | None":
        """Return the last state at or before a time, the first one before all."""
        if not self.times:
            return None
        return self.states[max(0, bisect_right(self.times, seconds) - 1)]

    def poses_at(self, seconds: float) -> tuple[tuple[str, ...], Floats] | None:
        """Return names and poses of the bodies at a time, None where nothing is known."""
        earlier = self.at(seconds)
        number = bisect_right(self.times, seconds)
        if earlier is None:
            return None
        if number >= len(self.states) or number == 0:
            return earlier.names, earlier.poses
        later = self.states[number]
        length = later.time - earlier.time
        # the rows of another generation belong to other bodies
        if later.raw.generation != earlier.raw.generation or not 0.0 < length < _APART:
            return earlier.names, earlier.poses
        return earlier.names, between(earlier.poses, later.poses, (seconds - earlier.time) / length)

    def since(self, begin: float, end: float) -> "list[State]":
        """Return the states from one time to another."""
        return self.states[bisect_left(self.times, begin) : bisect_right(self.times, end)]

    def _make_room(self, kept: int) -> None:
        """Give the oldest states up; where the newest was put before them, the latest ones."""
        while self._bytes > self._most and len(self.times) > 1:
            # states from before the others are fetched by who scrubs back, and must not push themselves out
            oldest = 0 if kept > 0 else -1
            self.times.pop(oldest)
            self._bytes -= _size(self.states.pop(oldest))


def _size(state: "State") -> int:
    # 1000 bytes for the objects around the arrays, which count where there are few robots
    return int(state.poses.nbytes + state.raw.flat.nbytes) + 1000
