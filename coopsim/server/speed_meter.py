"""Speed of simulated time, seen from outside."""

from collections import deque

from coopsim.state import RecordHeader

_SPAN_NS = 1_000_000_000  # a second: steady enough to read, and quick to follow a change


class SpeedMeter:
    """Simulated seconds per real second, over the last second of records.

    Attributes:
        factor: The newest value; 0 while time stands still.
    """

    def __init__(self) -> None:
        self.factor = 0.0
        self._samples: deque[tuple[int, int]] = deque()

    def sample(self, header: RecordHeader, wall_ns: int) -> None:
        """Add the newest record.

        Args:
            header: Of the record.
            wall_ns: Monotonic clock now [ns].
        """
        samples = self._samples
        if samples and header.time_ns < samples[-1][1]:  # the clock was reset
            samples.clear()
        wall = header.wall_ns
        if samples and (wall == samples[-1][0] or header.time_ns == samples[-1][1]):
            wall = max(wall, wall_ns)  # time stands still
        samples.append((wall, header.time_ns))
        while len(samples) > 2 and samples[1][0] <= wall - _SPAN_NS:
            samples.popleft()
        (first_wall, first_time), (last_wall, last_time) = samples[0], samples[-1]
        self.factor = (last_time - first_time) / (last_wall - first_wall) if last_wall > first_wall else 0.0
