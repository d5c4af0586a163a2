"""Quantiles of many values in little memory."""

from collections.abc import Sequence

import numpy as np

from coopsim.geometry import Floats, Ints

EXACT = 2**20
"""Of so many values quantiles are exact."""
_DROPPED = 12
_BINS = 2 ** (31 - _DROPPED)


class Quantiles:
    """Quantiles of values that are not negative: of more than a million of them to 0.05 %.

    From then on values are counted in bins whose width grows with the value: the first bits of its 32-bit float.
    """

    def __init__(self) -> None:
        self._values: list[Floats] = []
        self._count = 0
        self._bins: Ints | None = None

    def __len__(self) -> int:
        return self._count

    def add(self, values: Floats) -> None:
        """Add values."""
        self._values.append(values)
        self._count += len(values)
        if self._count > EXACT:
            counts = np.bincount(_bins(np.concatenate(self._values)), minlength=_BINS)
            self._bins = counts if self._bins is None else self._bins + counts
            self._values = []

    def at(self, shares: Sequence[float]) -> Floats:
        """Return the values that these shares of all values do not exceed."""
        if self._bins is None:
            quantiles: Floats = np.quantile(np.concatenate(self._values), shares)
            return quantiles
        ranks = np.array(shares) * (self._count - 1)
        bins = np.searchsorted(np.cumsum(self._bins), ranks, side="right")
        middle = (bins.astype(np.uint32) << _DROPPED) | (1 << (_DROPPED - 1))
        return middle.astype(np.uint32).view(np.float32).astype(np.float64)


def _bins(values: Floats) -> Ints:
    return (values.astype(np.float32).view(np.uint32) >> _DROPPED).astype(np.int64)
