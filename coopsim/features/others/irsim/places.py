"""Places drawn by chance where nothing stands, as scripts of learning ask for them before each episode."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from coopsim.errors import BadArgument
from coopsim.geometry import Floats

_TRIES = 1000  # for one place; a floor that is half full has one within ten


class Standing(Protocol):
    """Something that takes room."""

    @property
    def radius(self) -> float:
        """Of the circle around it [m]."""
        ...

    @property
    def state(self) -> Floats:
        """x, y and heading, a column."""
        ...

    @property
    def line(self) -> Floats | None:
        """Corners where it is a line and no circle stands for it, shape (2, n) [m]."""
        ...


def row_of(state: Any, what: str) -> Floats:
    """Return x, y and an angle, 0 where there is none, shape (3,).

    Raises:
        BadArgument: They are no numbers.
    """
    try:
        values = np.asarray(state, float).ravel()
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.size < 2 or not np.isfinite(values).all():
        raise BadArgument(f"{what}: expected x, y and an angle, got {str(state)[:60]!r}")
    return np.array([*values[:2], values[2] if values.size > 2 else 0.0])


def free_place(low: Any, high: Any, radius: float, taken: Sequence[Standing]) -> Floats:
    """Return a place within bounds that keeps away from all that stands, shape (3,).

    It is drawn from the generator of numpy, whose seed is the script's.

    Args:
        low: Smallest x, y and angle.
        high: Largest ones.
        radius: Room that it needs [m].
        taken: Whatever stands.

    Raises:
        BadArgument: Bounds are no numbers, or there is no room.
    """
    bounds = row_of(low, "range_low"), row_of(high, "range_high")
    for _ in range(_TRIES):
        place = np.random.uniform(*bounds)  # noqa: NPY002 - the generator that scripts seed
        if all(_gap(place[:2], thing) > radius for thing in taken):
            return place
    raise BadArgument(
        f"there is no room for a circle of {radius:g} m within {bounds[0].tolist()} and {bounds[1].tolist()}"
    )


def _gap(place: Floats, thing: Standing) -> float:
    """Return the distance of a place from the circle around a thing, or from a line [m]."""
    if thing.line is None:
        return float(np.hypot(*(thing.state[:2, 0] - place))) - thing.radius
    begins, ends = thing.line.T[:-1], thing.line.T[1:]
    ways = ends - begins
    shares = ((place - begins) * ways).sum(axis=1) / np.maximum((ways * ways).sum(axis=1), 1e-12)
    nearest = begins + np.clip(shares, 0.0, 1.0)[:, np.newaxis] * ways
    return float(np.hypot(*(nearest - place).T).min())
