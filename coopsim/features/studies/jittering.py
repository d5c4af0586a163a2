"""Places near those of a file, by chance, where robots stand in nothing that they do not stand in there."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from coopsim.features.studies.job import Jitter
from coopsim.robots import RunSpec
from coopsim.robots.scattering import Room
from coopsim.scene import RobotPlacement, by_name

_TRIES = 100
"""Places that are tried for a robot that would stand in something; it then stays where its file puts it."""
_STREAM = 1
"""Of the chance of further tries, so that one robot more of them moves no other robot."""


def with_jitter(spec: RunSpec, jitter: Jitter, seed: int) -> RunSpec:
    """Return a run whose robots begin somewhere near the places in their file.

    No robot comes nearer to another one, or to a wall, than their hulls allow, unless the file has them nearer.

    Args:
        spec: What is run.
        jitter: How far.
        seed: The same seed gives the same places.
    """
    if not (jitter.distance or jitter.angle):
        return spec
    chance, robots = np.random.default_rng(seed), spec.scenario.robots
    room = _RoomAround(spec)
    moved: dict[str, RobotPlacement] = {}
    for robot in sorted(robots, key=lambda robot: by_name(robot.name)):
        away, way, turn = chance.random(3).tolist()
        tried = _nearby_positions(robot, jitter, (away, way), seed)
        x, y = next((place for place in tried if room.has(robot, place)), robot.position[:2])
        room.stand(robot, (x, y))
        phi, psi, theta = robot.orientation
        heading = theta + jitter.angle * (2.0 * turn - 1.0)
        moved[robot.name] = replace(robot, position=(x, y, robot.position[2]), orientation=(phi, psi, heading))
    return replace(spec, scenario=replace(spec.scenario, robots=tuple(moved[robot.name] for robot in robots)))


def _nearby_positions(
    robot: RobotPlacement, jitter: Jitter, first: tuple[float, float], seed: int
) -> Iterator[tuple[float, float]]:
    """Go through places near that of a robot [m]."""
    x, y, _ = robot.position
    again = np.random.default_rng([seed, _STREAM, *robot.name.encode()])
    for attempt in range(_TRIES):
        away, way = again.random(2).tolist() if attempt else first
        radius, bearing = jitter.distance * math.sqrt(away), 2.0 * math.pi * way
        yield x + radius * math.cos(bearing), y + radius * math.sin(bearing)


class _RoomAround:
    """Free room for the robots of a run: those that were moved where they are now, all others where the file has them.

    Args:
        spec: What is run.
    """

    def __init__(self, spec: RunSpec) -> None:
        world, robots = spec.scenario.world, spec.scenario.robots
        self._room = Room(world.floor, world.objects, spec.types, 0)
        self._rows = {robot.name: row for row, robot in enumerate(robots)}
        self._file = np.array([robot.position[:2] for robot in robots]).reshape(-1, 2)
        self._now, self._radii = self._file.copy(), np.array([self._room.radius(robot) for robot in robots])

    def has(self, robot: RobotPlacement, place: Sequence[float]) -> bool:
        """Return whether a robot stands free at a place, or no worse than in its file."""
        row = self._rows[robot.name]
        before = np.hypot(*(self._file - self._file[row]).T)
        gaps = np.hypot(*(self._now - place).T)
        allowed = np.minimum(self._radii + self._radii[row], before)
        allowed[row] = 0.0
        if (gaps < allowed).any():
            return False
        return self._is_clear(robot, place) or not self._is_clear(robot, self._file[row])

    def stand(self, robot: RobotPlacement, place: Sequence[float]) -> None:
        """Let a robot stand at a place."""
        self._now[self._rows[robot.name]] = place

    def _is_clear(self, robot: RobotPlacement, place: Sequence[float]) -> bool:
        return self._room.is_clear(robot, np.array([place]))
