"""What the two control laws of a transport share: what robots perceive of the load, the target and each other."""

from typing import NamedTuple

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client.layout import TypeRows
from coopsim.controllers.senses import target_slot
from coopsim.controllers.transporting import Carrying
from coopsim.errors import BadArgument
from coopsim.geometry import Floats

_ROLES = {"leader": "helper", "helper": "leader"}
_SEEN = 0.5


def other_end(robot: str) -> str:
    """Return the name of the robot at the other end: of `team1/leader` it is `team1/helper`.

    Raises:
        BadArgument: The name says no role.
    """
    team, slash, role = robot.rpartition("/")
    if not slash or role not in _ROLES:
        raise BadArgument(f"{robot} is no leader or helper of a team, such as team1/leader: nobody carries with it")
    return f"{team}/{_ROLES[role]}"


class CarryingEyes:
    """What robots of one role perceive, out of their own modules.

    Args:
        sim: The simulation.
        stepper: The robots; the `target` module of each is told to keep the robot at the other end in its first slot.
        target: Name of the coloured target, "" = none.
    """

    def __init__(self, sim: Client, stepper: Stepper, target: str = "") -> None:
        self._sim, self._stepper, self._target = sim, stepper, target
        self._generation, self._kind = -1, ""
        for robot in stepper.robots:
            sim.module(f"/{robot}/target").parameters["robots"] = other_end(robot)

    def view(self, seen: Readings) -> Carrying:
        """Return what the robots perceive in `seen`."""
        if self._stepper.layout.generation != self._generation:
            self._look_up()
        rows, columns = seen.of(self._kind).table, self._columns
        return Carrying(
            ranges=rows[:, columns.ranges],
            goal=_seen(rows[:, columns.goal]) if self._target else np.full((len(rows), 2), np.nan),
            mates=_placed(rows[:, columns.mate])[:, np.newaxis],
            motion=rows[:, columns.motion],
            angle=rows[:, columns.angle],
            force=rows[:, columns.force],
        )

    def _look_up(self) -> None:
        """Find where readings stand in the rows, and the target's slot: both may change with the layout."""
        stepper = self._stepper
        self._kind = stepper.layout.robots[stepper.robots[0]]
        slot = target_slot(self._sim, stepper.robots[0], self._target) if self._target else 0
        self._columns = _columns(stepper.layout.types[self._kind], slot)
        self._generation = stepper.layout.generation


class _Columns(NamedTuple):
    """Where the readings of a robot stand in its row."""

    ranges: slice
    goal: slice
    mate: slice
    motion: slice
    angle: int
    force: slice


def _columns(kind: TypeRows, slot: int) -> _Columns:
    """Return where readings stand; the target is that of a slot."""
    at = {(each.module, each.field): each for each in kind.gives.columns}
    ranges, targets, robots = at["sonars", "ranges"], at["target", "targets"], at["target", "robots"]
    v, force = at["motors", "v"], at["support", "force_x"]
    goal = targets.offset + 3 * slot
    return _Columns(
        slice(ranges.offset, ranges.offset + ranges.length),
        slice(goal, goal + 3),
        slice(robots.offset, robots.offset + 3),
        slice(v.offset, v.offset + 2),
        at["support", "angle"].offset,
        slice(force.offset, force.offset + 2),
    )


def _seen(sightings: Floats) -> Floats:
    """Return distance and angle out of distance, angle and seen (0 or 1), NaN = not seen, shape (n, 2)."""
    found = sightings[:, :2].copy()
    found[sightings[:, 2] <= _SEEN] = np.nan
    return found


def _placed(sightings: Floats) -> Floats:
    """Return places x, y in the frames of the robots, NaN = not seen, shape (n, 2) [m]."""
    distance, angle = sightings[:, 0], sightings[:, 1]
    places = np.empty((len(sightings), 2))
    places[:, 0], places[:, 1] = distance * np.cos(angle), distance * np.sin(angle)
    places[sightings[:, 2] <= _SEEN] = np.nan
    return places
