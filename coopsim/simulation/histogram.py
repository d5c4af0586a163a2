"""Histogram of durations, in constant memory."""

_FINE = 3  # bits kept below the highest one: a duration is known to 1/16 of itself
_SLOTS = (64 - _FINE) << _FINE  # for all durations of 64 bits: 488 numbers, however long a run is


class Histogram:
    """Counts whole nanoseconds in slots that grow with the duration.

    Attributes:
        count: How many durations there are.
    """

    def __init__(self) -> None:
        self.count = 0
        self._slots = [0] * _SLOTS

    def add(self, ns: int) -> None:
        """Count a duration; one below 0 is 0."""
        self.count += 1
        ns = max(ns, 0)
        # slots grow like floating numbers: three bits of fraction, so that long and short ones are known equally well
        above = max(ns.bit_length() - 1 - _FINE, 0)
        self._slots[(above << _FINE) + (ns >> above)] += 1

    def quantile(self, share: float) -> float | None:
        """Return the duration that a share of all does not exceed, the middle of its slot [ns]; None without any."""
        rank, seen = share * self.count, 0
        for slot, number in enumerate(self._slots):
            seen += number
            if number and seen >= rank:
                return _middle(slot)
        return None


def _middle(slot: int) -> float:
    above = max((slot >> _FINE) - 1, 0)
    lowest = slot - (above << _FINE)
    return (lowest + 0.5) * (1 << above) - 0.5
