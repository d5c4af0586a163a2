"""What the two control laws of a transport share: what robots perceive of the load, the target and each other."""

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.controllers.senses import target_slot
from coopsim.controllers.transporting import Carrying
from coopsim.errors import BadArgument
from coopsim.geometry import Floats, pairs

_ROLES = {"leader": "helper", "helper": "leader"}


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
        self._generation, self._slot = -1, -1
        for robot in stepper.robots:
            sim.module(f"/{robot}/target").parameters["robots"] = other_end(robot)

    def view(self, seen: Readings) -> Carrying:
        """Return what the robots perceive in `seen`."""
        if self._target and self._stepper.layout.generation != self._generation:
            self._generation = self._stepper.layout.generation
            self._slot = target_slot(self._sim, self._stepper.robots[0], self._target)
        goal = np.full((len(seen.robots), 2), np.nan)
        if self._target:
            sightings = seen.target.table("targets")[:, self._slot]
            goal = np.where(sightings[:, 2:] > 0.5, sightings[:, :2], np.nan)
        support = seen.support
        return Carrying(
            ranges=seen.sonars.ranges,
            goal=goal,
            mates=_placed(seen.target.table("robots")[:, :1]),
            motion=pairs(seen.motors.v, seen.motors.w),
            angle=support.angle,
            force=pairs(support.force_x, support.force_y),
        )


def _placed(sightings: Floats) -> Floats:
    """Return places x, y in the frames of the robots, NaN = not seen, shape (n, k, 2) [m]."""
    distance, angle, is_seen = np.moveaxis(sightings, -1, 0)
    places = np.stack([distance * np.cos(angle), distance * np.sin(angle)], -1)
    return np.where(is_seen[..., np.newaxis] > 0.5, places, np.nan)
