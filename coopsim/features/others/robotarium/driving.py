"""Ways to drive the robots of a script: in the same process by arrays, or through a client by messages."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import numpy as np

from coopsim.errors import NoSuchName, SimulationEnded
from coopsim.features.others.robotarium.kernels import write_commands, write_poses
from coopsim.geometry import Floats
from coopsim.inprocess import DirectSource
from coopsim.state.layout import VALUES

if TYPE_CHECKING:
    from coopsim.client import Client, Readings

TRACKER = "tracker"
"""Name of the module that says where a robot is."""
_MOTORS = "motors"


class RobotDrive(Protocol):
    """Robots of a script, by number."""

    @property
    def poses(self) -> Floats:
        """x, y [m] and heading [rad] of each, shape (3, n)."""
        ...

    def step(self, velocities: Floats) -> Floats:
        """Drive all robots for a step; return where they are then, shape (3, n).

        Args:
            velocities: Ahead [m/s] and around [rad/s], shape (2, n).

        Raises:
            SimulationEnded: The run is over.
        """
        ...


class LocalRobots:
    """Robots of a simulation in this process that nobody else drives: no messages, a tick as soon as it is asked for.

    Args:
        source: Of the simulation.
        robots: Their names.
    """

    def __init__(self, source: DirectSource, robots: Sequence[str]) -> None:
        self._source = source
        places = [source.layout.robot[name] for name in robots]
        kind = places[0].type
        motors, tracker = kind.module(_MOTORS), kind.module(TRACKER)
        assert motors is not None and tracker is not None  # noqa: S101, PT018 - a gternal has both
        setting = motors.interface.setting
        assert setting is not None and motors.interface.setting_width == VALUES  # noqa: S101, PT018 - as above
        self._number = float(setting.number)
        self._slots = np.array([place.command_offset + motors.command_offset for place in places])
        self._columns = np.array([place.reading_offset + tracker.reading_offset for place in places])

    @property
    def poses(self) -> Floats:
        """x, y [m] and heading [rad] of each, shape (3, n)."""
        poses = np.empty((3, self._columns.size))
        write_poses(self._source.record.readings, self._columns, poses)
        return poses

    def step(self, velocities: Floats) -> Floats:
        """Drive all robots for a step; return where they are then, shape (3, n)."""
        source = self._source
        if source.ended:
            raise SimulationEnded("the simulation has ended")
        with source.writing() as (_, rows):
            write_commands(velocities, self._slots, self._number, rows)
        source.grant_tick()
        source.work()
        return self.poses


class SteppedRobots:
    """Robots of a run that goes on elsewhere, or is shown.

    Args:
        sim: A client of it.
        robots: Names of the robots, which have trackers.
        stack: Gives them back.

    Raises:
        NoSuchName: They are of several types.
    """

    def __init__(self, sim: "Client", robots: Sequence[str], stack: ExitStack) -> None:
        # a person may look at a paused run for as long as they like
        self._stepper = stack.enter_context(sim.stepper(robots, timeout=float("inf")))
        readings = self._stepper.readings
        if len(readings.types) != 1:
            raise NoSuchName(f"the script drives robots of one type; at the endpoint are {', '.join(readings.types)}")

    @property
    def poses(self) -> Floats:
        """x, y [m] and heading [rad] of each, shape (3, n)."""
        return _poses(self._stepper.readings)

    def step(self, velocities: Floats) -> Floats:
        """Drive all robots for a step; return where they are then, shape (3, n)."""
        return _poses(self._stepper.step(np.ascontiguousarray(velocities.T)))


def _poses(readings: "Readings") -> Floats:
    tracker = getattr(readings, TRACKER)
    position, (w, x, y, z) = tracker.position, tracker.orientation.T
    heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.stack([position[:, 0], position[:, 1], heading]).astype(np.float64)
