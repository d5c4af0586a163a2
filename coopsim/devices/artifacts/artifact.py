"""An artifact as its driver and its sensors see it."""

from collections.abc import Sequence
from math import isfinite

from coopsim.devices.artifacts.environment import Callback, Environment, Order
from coopsim.devices.robot_view import RobotView
from coopsim.errors import BadArgument
from coopsim.geometry import Floats

_ZERO = (0.0, 0.0, 0.0)  # shared: a default is made once and never changed
Asked = tuple[Order, tuple[float, ...]]
Listening = tuple[str, str, Callback]


class Artifact(RobotView):
    """The artifact that a driver or sensor belongs to.

    Attributes:
        asked: Commands of this tick that are not given yet: where they go, and their values.
        pushed: Forces and torques of this tick that do not act yet, world frame [N, N m].
        listening: Sensors that it listens to, and what is called with their readings.
    """

    __slots__ = ("asked", "environment", "listening", "pushed")

    def begin(self, environment: Environment) -> None:
        """Belong to an environment."""
        self.environment = environment
        # no lists: ten thousand artifacts share the empty tuple
        self.asked: tuple[Asked, ...] = ()
        self.pushed: tuple[tuple[float, ...], ...] = ()
        self.listening: tuple[Listening, ...] = ()

    @property
    def position(self) -> tuple[float, float, float]:
        """Position of the base of its body, world frame [m]."""
        x, y, z = self.environment.bodies.poses[self.body, :3].tolist()
        return x, y, z

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """Orientation of its body, w x y z."""
        w, x, y, z = self.environment.bodies.poses[self.body, 3:7].tolist()
        return w, x, y, z

    def reading(self, sensor: str) -> Floats | None:
        """Return the newest readings of another sensor of this artifact, None if it has no such sensor."""
        return self.environment.reading(self.name, sensor)

    def command(self, device: str, command: str, *values: float, artifact: str = "") -> None:
        """Command a device for this tick, of this artifact or of another one.

        Raises:
            BadArgument: There is no such device or command, or the values do not fit.
        """
        if not self.environment.is_driving:
            raise BadArgument("commands are given in `run` of a driver, not by sensors and callbacks")
        order = self.environment.order(artifact or self.name, device, command)
        if len(values) != order.takes or not all(map(isfinite, values)):
            raise BadArgument(f"{command} of {device} takes {order.takes} finite numbers, got {values!r}")
        if order.check is not None:
            order.check(values)
        self.asked += ((order, values),)

    def push(self, force: Sequence[float] = _ZERO, torque: Sequence[float] = _ZERO) -> None:
        """Apply a force and a torque to its body in this tick, world frame [N, N m].

        Raises:
            BadArgument: Not in `run` of a driver.
        """
        if not self.environment.is_driving:
            raise BadArgument("forces are applied in `run` of a driver, not by sensors and callbacks")
        self.pushed += ((*force, *torque),)

    def listen(self, artifact: str, sensor: str, callback: Callback) -> bool:
        """Have `callback(readings)` called in each tick after a sensor of any artifact has read.

        Returns:
            Whether there is such a sensor now. If it comes later, the driver is configured again.
        """
        self.listening += ((artifact, sensor, callback),)
        return self.environment.reading(artifact, sensor) is not None
