"""Devices written for one robot at a time, in plain Python: easy to write, and slow.

A device on arrays (`devices.Device`) serves a thousand robots in the time that this one needs for a dozen.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from coopsim.devices.checking import check_method, code_location
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.devices.robot_view import DeviceParameters, Memory, Moment, RobotView
from coopsim.devices.sampled import Sampled
from coopsim.errors import PluginFailed
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Command, width
from coopsim.interfaces.sampling import FIX_FIELDS
from coopsim.state.layout import NUMBER, VALUES


class PerRobot(Sampled):
    """A device that is asked robot by robot.

    A sensor overrides `read`, an actuator `drive`; a device with commands that edit overrides `carry_out`. A sensor
    whose parameters end with `sampling_parameters()` has a rate, a delay and losses like all others. The
    instance serves every robot of a type: what belongs to one robot and must outlive the tick goes into its `memory`.

    Attributes:
        remembers: Numbers kept for each robot between ticks, by name, with what they begin as.
    """

    remembers: ClassVar[Mapping[str, float]] = {}

    def __init__(self, context: DeviceContext) -> None:
        names = {field.count for field in self.interface.readings if isinstance(field.count, str)}
        counts = {name: int(context.settings[name]) for name in sorted(names) if name in context.settings}
        measured = tuple(field for field in self.interface.readings if field not in FIX_FIELDS)
        super().__init__(context, width(measured, counts))
        for method in ("read", "drive", "carry_out"):
            check_method(f"device {type(self).__name__}", type(self), PerRobot, method)
        n = len(context.robots)
        self.memory |= {name: np.full(n, float(start)) for name, start in self.remembers.items()}
        self.counts = counts
        self._robots = [
            RobotView(context, row, DeviceParameters(context, self.parameters, row), Memory(self.memory, row))
            for row in range(n)
        ]
        self._moment = Moment()
        for robot in self._robots:
            robot.share(self._moment)
        self._takes = {command.number: _width(command) for command in self.interface.commands}

    def read(self, robot: RobotView) -> float | Sequence[float]:
        """Return the readings of one robot after the step, in the order of the interface's READ commands."""
        raise NotImplementedError(f"{type(self).__name__} gives readings, so it needs a method read(self, robot)")

    def drive(self, robot: RobotView, command: str, values: tuple[float, ...]) -> tuple[float, float, float] | None:
        """Return the force that moves one robot in this tick.

        Args:
            robot: It.
            command: Name of the SET command that came last; "" = none came.
            values: What it brought.

        Returns:
            Force forward, force to the left, torque to the left [N, N, N m]; None = none.
        """

    def carry_out(self, robot: RobotView, command: str, values: Sequence[float]) -> None:
        """Carry out an EDIT command."""
        raise NotImplementedError(f"{type(self).__name__} has the command {command}, so it needs a method carry_out")

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the readings, if there are any."""
        if out.shape[1]:
            super().sense(world, tick, out)

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Ask `read` for each robot."""
        self._moment.sense(world, tick)
        for place, row in enumerate((self.every if rows is None else rows).tolist()):
            robot = self._robots[row]
            out[place] = self._fitting(robot, self.read(robot), out.shape[1])

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Ask `drive` for each robot."""
        self._moment.act(bodies, dt)
        for row, robot in enumerate(self._robots):
            number = int(commands[row, NUMBER])
            values = tuple(commands[row, VALUES : VALUES + self._takes.get(number, 0)].tolist())
            force = self.drive(robot, self.interface.command(number).name if number else "", values)
            if force is not None:
                _push(wrench[robot.body], bodies.planar[robot.body, 2], *force)

    def edit(self, row: int, command: int, data: Sequence[float]) -> None:
        """Ask `carry_out` for the robot."""
        self.carry_out(self._robots[row], self.interface.command(command).name, data)

    def _fitting(self, robot: RobotView, given: Any, width: int) -> Floats:
        values: Floats = np.atleast_1d(np.asarray(given, np.float64)).ravel()
        if values.size != width:
            names = ", ".join(field.name for field in self.interface.readings)
            place = code_location(type(self).read)
            raise PluginFailed(f"{place}: read gave {values.size} values for {robot.name}, not {width}: {names}")
        return values


def _width(command: Command) -> int:
    return sum(field.count for field in command.takes if isinstance(field.count, int))


def _push(wrench: Floats, heading: float, forward: float, left: float, torque: float) -> None:
    wrench[0] += forward * math.cos(heading) - left * math.sin(heading)
    wrench[1] += forward * math.sin(heading) + left * math.cos(heading)
    wrench[5] += torque
