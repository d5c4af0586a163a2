"""Rows of numbers that a logic knows of robots: columns by the names that the interfaces of their modules give them."""

from collections import namedtuple
from typing import Any

import numpy as np

from coopsim.geometry import Floats

_BRAIN = ("doing", "step", "holding", "stuck", "finished")
_GUN = ("shots", "target")
_UNARMED = {"shots": 0.0, "target": -1.0}
COLUMNS = ("x", "y", *_BRAIN, *_GUN)
"""Names of the numbers of a row, in order: where the robot is [m], then readings of its intelligence and shooter."""
COLUMN: Any = namedtuple("RobotColumns", COLUMNS)(*range(len(COLUMNS)))
"""Number of each column: `rows[:, COLUMN.doing]`."""
WIDTH = len(COLUMNS)


def robot_rows(seen: Any) -> Floats:
    """Return the rows of the robots of a type, shape (n, WIDTH).

    Args:
        seen: Their readings, module by module, as `coopsim.client.Readings.of` gives them.
    """
    rows = np.empty((len(seen.robots), WIDTH))
    rows[:, [COLUMN.x, COLUMN.y]] = seen.pose.position[:, :2]
    for name in _BRAIN:
        rows[:, getattr(COLUMN, name)] = getattr(seen.intelligence, name)
    is_armed = "shooter" in dir(seen)
    for name in _GUN:
        rows[:, getattr(COLUMN, name)] = getattr(seen.shooter, name) if is_armed else _UNARMED[name]
    return rows


def row_at(x: float, y: float) -> Floats:
    """Return the row of a robot that is somewhere [m], does nothing, and holds nothing."""
    row = np.zeros(WIDTH)
    row[COLUMN.x], row[COLUMN.y] = x, y
    row[COLUMN.holding] = row[COLUMN.target] = -1.0
    return row
