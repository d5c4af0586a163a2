"""World of drivers and sensors beyond their own artifact: the state of all bodies, readings, commands, callbacks."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from coopsim.devices.artifacts.extensions import SimulationExtension, extension
from coopsim.devices.contract import Bodies, SensingWorld
from coopsim.devices.far_ports import Board
from coopsim.devices.program import ValueCheck
from coopsim.errors import BadArgument
from coopsim.geometry import Floats
from coopsim.state.layout import NUMBER, STAMP, VALUES
from coopsim.suggest import hint

Callback: TypeAlias = Callable[[Floats], None]
"""Called with the readings of a sensor, a view that must not be kept and cannot be written."""


class Order(NamedTuple):
    """Destination of a command of one device.

    Attributes:
        slot: Stamp, number and values of the device.
        number: Of the command.
        takes: How many values it takes.
        is_of_program: Whether the device is an on-board program, which runs after drivers have decided.
        check: Holds values to the limits that clients are held to; None = all numbers are taken.
    """

    slot: Floats
    number: int
    takes: int
    is_of_program: bool = False
    check: ValueCheck | None = None

    def give(self, values: tuple[float, ...], tick: int) -> None:
        """Command the device for the present tick; a watchdog is content with it."""
        slot, number, takes, *_ = self
        slot[STAMP] = -1.0 - tick  # of no client, and another one in each tick
        slot[NUMBER] = number
        for k, value in enumerate(values, VALUES):
            slot[k] = value
        if slot.size > VALUES + takes:
            slot[VALUES + takes :] = 0.0


class Environment:
    """All artifacts of a run (SwarmSimX, Fig. 2); made anew whenever artifacts come or go.

    Args:
        world: What can be sensed.
        board: Readings and commands of all artifacts, by name.
        readings: Returns where a sensor's readings stand, None if there is no such sensor.
        clock: Returns the simulated time [s].

    Attributes:
        time: Simulated time [s].
    """

    def __init__(
        self,
        world: SensingWorld,
        board: Board,
        readings: Callable[[str, str], Floats | None],
        clock: Callable[[], float],
    ) -> None:
        self.world, self._board, self._readings, self._clock = world, board, readings, clock
        self.is_driving, self.time = False, clock()
        self._orders: dict[tuple[str, str, str], Order] = {}
        self._rows = {name: row for row, name in enumerate(world.bodies.names)}

    def refresh(self) -> None:
        """Note the simulated time."""
        self.time = self._clock()

    @property
    def bodies(self) -> Bodies:
        """Poses, velocities and joints of all bodies that move: the global state, as the engine keeps it."""
        return self.world.bodies

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Names of all robots."""
        return self.world.robot_names

    def body(self, name: str) -> int:
        """Return the row of a body that moves: a robot, a link `robot1.arm`, or an object.

        Raises:
            BadArgument: There is none.
        """
        if name not in self._rows:
            raise BadArgument(f"no body {name!r} moves here{hint(name, self._rows)}")
        return self._rows[name]

    def position(self, name: str) -> tuple[float, float, float]:
        """Return where the base of a body is, world frame [m]."""
        x, y, z = self.bodies.poses[self.body(name), :3].tolist()
        return x, y, z

    def reading(self, artifact: str, sensor: str) -> Floats | None:
        """Return the newest readings of a sensor, a view that cannot be written; None if there is no such sensor."""
        view = self._readings(artifact, sensor)
        if view is not None:
            view = view.view()
            view.flags.writeable = False
        return view

    def order(self, artifact: str, device: str, command: str) -> Order:
        """Return where a command goes.

        Raises:
            BadArgument: There is no such device or command.
        """
        key = artifact, device, command
        order = self._orders.get(key)
        if order is None:
            port = self._board.port(artifact, device)
            if port is None:
                raise BadArgument(f"{artifact} has no device {device!r} that takes commands")
            number, takes = port.number(command)
            if number < 0:
                raise BadArgument(f"{device} of {artifact} knows no command {command!r} that sets")
            order = self._orders[key] = Order(port.slots[0], number, takes, port.is_of_program, port.check(command))
        return order

    def extension(self, name: str) -> SimulationExtension:
        """Return an extension that was started with the run.

        Raises:
            BadArgument: None of this name runs.
        """
        return extension(name)
