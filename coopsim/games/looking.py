"""What the robots of a match tell: those that this logic drives itself, the others as other logics say."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client.team import form
from coopsim.geometry import Floats

_WIDTH = 9
_HOLDING = 6


class RobotLookout:
    """Reads all robots of a match into rows.

    Columns: x and y, command, step, shots, target, thing, time stuck, commands finished.

    Args:
        sim: The run.
        stepper: Of the robots that this logic drives.
        others: Robots of other logics.

    Attributes:
        robots: In the order of the rows: those of one type together.
    """

    def __init__(self, sim: Client, stepper: Stepper, others: Collection[str] = ()) -> None:
        self._stepper = stepper
        self.robots = form(stepper.layout, (*stepper.robots, *others)).robots if others else stepper.robots
        self._last: dict[str, tuple[int, Floats]] = {}
        self._speeds: dict[str, Floats] = {}
        for entity in sim.scene().entities if others else ():
            if entity.name in others:
                row = np.zeros(_WIDTH)
                row[:2], row[_HOLDING] = entity.pose[:2], -1.0
                self._last[entity.name] = 0, row

    def look(self, seen: Readings) -> Floats:
        """Return the rows of the robots that this logic drives, shape (n, 9)."""
        kinds = dict.fromkeys(self._stepper.layout.robots[robot] for robot in self._stepper.robots)
        return np.concatenate([_block(seen.of(kind)) for kind in kinds])

    def joined(self, own: Mapping[str, Floats], told: Mapping[str, tuple[int, Floats]], tick: int) -> Floats:
        """Return the rows of all robots, shape (n, 9).

        Logics look at the same ticks in lockstep. In other modes what others say is a little older or newer, and their
        robots are taken to be where their speeds bring them.

        Args:
            own: Rows of those that this logic drives, by name.
            told: When other logics read those of theirs, and the rows, by name.
            tick: When this one did.
        """
        for name, (when, row) in told.items():
            before, last = self._last.get(name, (when, row))
            if when > before:
                self._speeds[name] = (row[:2] - last[:2]) / (when - before)
                self._last[name] = when, row
        rows = []
        for name in self.robots:
            if name in own:
                rows.append(own[name])
                continue
            when, row = self._last[name]
            moved = row.copy()
            if when != tick and name in told:
                moved[:2] += np.clip(tick - when, -_OLDEST, _OLDEST) * self._speeds.get(name, 0.0)
            rows.append(moved)
        return np.array(rows)


_OLDEST = 20
"""Robots of a logic that is silent longer stay where they were [ticks]."""


def _block(rows: Any) -> Floats:
    """Return the rows of the robots of a type, shape (n, 9)."""
    brain, none = rows.intelligence, np.zeros(len(rows.robots))
    has_gun = "shooter" in dir(rows)
    shots, targets = (rows.shooter.shots, rows.shooter.target) if has_gun else (none, none - 1.0)
    told = brain.doing, brain.step, shots, targets, brain.holding, brain.stuck, brain.finished
    return np.column_stack((rows.pose.position[:, :2], *told))
