"""A driver that has its artifact driven, and read, by nodes of ROS."""

from math import isfinite
from typing import Any

from coopsim.devices.artifacts import Driver
from coopsim.devices.robot_view import DeviceParameters
from coopsim.errors import BadArgument
from coopsim.features.ros1.extension import RosExtension
from coopsim.interfaces import Command, Field, Interface, Parameter

_SLACK = 1e-9  # s


class RosDriver(Driver):
    """Takes `geometry_msgs/Twist` on `/NAME/cmd_vel`, publishes the pose and the readings of sensors.

    `/NAME/pose` is a `geometry_msgs/PoseStamped` in the frame `world`; the readings of each sensor that the parameter
    `sensors` names come as `std_msgs/Float64MultiArray` on `/NAME/SENSOR`. Stamps are simulated time.
    """

    interface = Interface(
        kind="ros",
        summary="Has a robot driven, and read, by nodes of ROS 1.",
        commands=(
            Command(
                10,
                "state",
                "What went over ROS.",
                gives=(
                    Field("received", "1", "Twists that came and were followed"),
                    Field("published", "1", "how often pose and readings were published"),
                ),
            ),
        ),
        parameters=(
            Parameter(
                "rate", float, 10.0, "Hz", 0.0, 1000.0, "how often pose and readings are published; 0 = each tick"
            ),
            Parameter("sensors", str, "", summary="names of sensors whose readings are published"),
            Parameter("motors", str, "motors", summary="device that takes `set_velocity`"),
            Parameter("extension", str, "ros", summary="name of the extension that is the node"),
        ),
    )

    def configure(self, descriptor: DeviceParameters) -> None:
        """Read Twists from now on."""
        self._told, self._wanted, self._received, self._published = descriptor, None, 0, 0
        self._due = self.environment.time
        extension = self.environment.extension(str(descriptor["extension"]))
        if not isinstance(extension, RosExtension):
            raise BadArgument(f"the extension {descriptor['extension']!r} does not speak ROS; name a RosExtension")
        self._ros = extension
        self._ros.subscribe(f"/{self.artifact.name}/cmd_vel", "geometry_msgs/Twist", self._hear)

    _wanted: tuple[float, float] | None

    def _hear(self, values: dict[str, Any]) -> None:
        v, w = values["linear"]["x"], values["angular"]["z"]
        if isfinite(v) and isfinite(w):
            self._wanted = v, w

    def run(self) -> tuple[float, float]:
        """Command the motors as the newest Twist says, and publish what is due."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.artifact.command(str(self._told["motors"]), "set_velocity", *wanted)
            self._received += 1
        if self.environment.time + _SLACK >= self._due:
            self._publish()
        return float(self._received), float(self._published)

    def _publish(self) -> None:
        rate, now = float(self._told["rate"]), self.environment.time
        self._due = now if rate <= 0.0 else now + 1.0 / rate
        self._published += 1
        name, (x, y, z), (w, i, j, k) = self.artifact.name, self.artifact.position, self.artifact.quaternion
        pose = {"position": {"x": x, "y": y, "z": z}, "orientation": {"x": i, "y": j, "z": k, "w": w}}
        header = {"seq": self._published, "stamp": now, "frame_id": "world"}
        self._ros.publish(f"/{name}/pose", "geometry_msgs/PoseStamped", header=header, pose=pose)
        for sensor in str(self._told["sensors"]).split():
            readings = self.artifact.reading(sensor)
            if readings is None:
                raise BadArgument(f"{name} has no sensor {sensor!r}, which `sensors` names")
            self._ros.publish(f"/{name}/{sensor}", "std_msgs/Float64MultiArray", data=readings.tolist())
