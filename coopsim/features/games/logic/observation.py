"""Robot states of a match: read from its own robots, and reported by other logics for the rest."""

from collections.abc import Collection, Mapping

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client.team import form
from coopsim.features.games.logic.rows import COLUMN, robot_rows, row_at
from coopsim.geometry import Floats

_PLACE = [COLUMN.x, COLUMN.y]
_OLDEST = 20
"""Robots of a logic that is silent longer stay where they were [ticks]."""


class RobotLookout:
    """Reads all robots of a match into rows, whose columns `rows.COLUMNS` names.

    Args:
        sim: The run.
        stepper: Of the robots that this logic drives.
        other_robots: Robots of other logics.

    Attributes:
        robots: In the order of the rows: those of one type together.
    """

    def __init__(self, sim: Client, stepper: Stepper, other_robots: Collection[str] = ()) -> None:
        self._stepper = stepper
        self.robots = form(stepper.layout, (*stepper.robots, *other_robots)).robots if other_robots else stepper.robots
        self._last: dict[str, tuple[int, Floats]] = {}
        self._speeds: dict[str, Floats] = {}
        for entity in sim.scene().entities if other_robots else ():
            if entity.name in other_robots:
                self._last[entity.name] = 0, row_at(*entity.pose[:2])

    def observe(self, seen: Readings) -> Floats:
        """Return the rows of the robots that this logic drives, shape (n, WIDTH)."""
        kinds = dict.fromkeys(self._stepper.layout.robots[robot] for robot in self._stepper.robots)
        return np.concatenate([robot_rows(seen.of(kind)) for kind in kinds])

    def joined(self, own: Mapping[str, Floats], rows_by_robot: Mapping[str, tuple[int, Floats]], tick: int) -> Floats:
        """Return the rows of all robots, shape (n, WIDTH).

        Logics look at the same ticks in lockstep. In other modes what others say is a little older or newer, and their
        robots are taken to be where their speeds bring them.

        Args:
            own: Rows of those that this logic drives, by name.
            rows_by_robot: When other logics read those of theirs, and the rows, by name.
            tick: When this one did.
        """
        for name, (when, row) in rows_by_robot.items():
            before, last = self._last.get(name, (when, row))
            if when > before:
                self._speeds[name] = (row[_PLACE] - last[_PLACE]) / (when - before)
                self._last[name] = when, row
        rows = []
        for name in self.robots:
            if name in own:
                rows.append(own[name])
                continue
            when, row = self._last[name]
            moved = row.copy()
            if when != tick and name in rows_by_robot:
                moved[_PLACE] += np.clip(tick - when, -_OLDEST, _OLDEST) * self._speeds.get(name, 0.0)
            rows.append(moved)
        return np.array(rows)
