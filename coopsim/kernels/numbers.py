"""Numbers that kernels bound, as motors and steps do with what is asked of them."""

import math

from coopsim.kernels.compiled import inlined


@inlined
def bounded(value: float, limit: float) -> float:
    """Return a value within `-limit` and `limit`."""
    return min(limit, max(-limit, value))


@inlined
def finite(value: float) -> float:
    """Return a commanded value, 0 where it is no number."""
    return value if math.isfinite(value) else 0.0
