"""Mean, maximum and root mean square of values that come piece by piece."""

import numpy as np

from coopsim.geometry import Floats


class Moments:
    """Mean, maximum and root mean square of values that are not negative.

    Attributes:
        count: How many there are so far.
        most: The largest of them.
    """

    def __init__(self) -> None:
        self.count, self.most = 0, 0.0
        self._sum, self._squares = 0.0, 0.0

    def add(self, values: Floats) -> None:
        """Add values."""
        self.count += len(values)
        self._sum += float(values.sum())
        self._squares += float((values**2).sum())
        self.most = max(self.most, float(values.max(initial=0.0)))

    @property
    def mean(self) -> float:
        """Mean of all values; there are some."""
        return self._sum / self.count

    @property
    def rms(self) -> float:
        """Root of the mean of their squares."""
        return float(np.sqrt(self._squares / self.count))
