"""Nodes of ROS 2 that benchmarks run beside the gateway, over both of its middlewares."""

import queue
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from coopsim.features.gateways.bench.programs import PATIENCE, SPEED, GatewayProgram, wait_until
from coopsim.features.gateways.ros2.cdr import CdrCodec
from coopsim.features.gateways.ros2.codec import all_types
from coopsim.features.gateways.ros2.link import USUAL, LinkEnd, LinkPublisher, RosLink

TWIST, ODOMETRY, SCAN = "geometry_msgs/msg/Twist", "nav_msgs/msg/Odometry", "sensor_msgs/msg/LaserScan"
_HOST = "127.0.0.1"


def codec_of_ros2() -> CdrCodec:
    """Return what reads and writes messages of ROS 2."""
    return CdrCodec(all_types())


class RosNode2(NamedTuple):
    """A node of ROS 2.

    Attributes:
        link: Carries its messages.
        place: Where others find it: `zenoh:7447`, `dds:5`.
    """

    link: RosLink
    place: str

    def publisher(self, topic: str, kind: str) -> LinkPublisher:
        """Publish a topic from now on."""
        return self.link.publisher(topic, kind, USUAL)

    def subscription(self, topic: str, kind: str, received: Callable[[bytes], None]) -> LinkEnd:
        """Receive a topic from now on."""
        return self.link.subscription(topic, kind, received, lambda: None)

    def close(self) -> None:
        """Leave the graph."""
        self.link.close()


def node_of_ros2(name: str, place: str) -> RosNode2:
    """Return a node.

    Args:
        name: Of the node.
        place: `zenoh:PORT`, with port 0 as a router of its own, or `dds:DOMAIN`.
    """
    middleware, _, number = place.partition(":")
    if middleware == "dds":
        from coopsim.features.gateways.ros2.dds_link import DdsLink

        return RosNode2(DdsLink(name, _HOST, int(number), all_types()), place)
    from coopsim.features.gateways.ros2.zenoh_link import ZenohLink

    link = ZenohLink(name, _HOST, int(number), 0, all_types())
    return RosNode2(link, f"zenoh:{link.about.rpartition(':')[2]}")


class Ros2Program(GatewayProgram):
    """A node of ROS 2.

    Args:
        place: As of `node_of_ros2`.
        robot: Whose name is in the topics.
    """

    kind = "ros2"
    share = 0.30

    def __init__(self, place: str, robot: str = "robot1") -> None:
        self._codec, self._node = codec_of_ros2(), node_of_ros2("bench_program", place)
        self._heard: queue.Queue[bytes] = queue.Queue()
        self._odometry = self._node.subscription(f"/{robot}/odom", ODOMETRY, self._heard.put)
        self._commands = self._node.publisher(f"/{robot}/cmd_vel", TWIST)
        self._command = self._codec.encoded(TWIST, SPEED)
        wait_until(lambda: self._commands.readers > 0 and self._odometry.writers > 0, "the other node")

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._commands.publish(self._command)
        self._codec.decoded(ODOMETRY, self._heard.get(timeout=PATIENCE))

    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on."""
        self._odometry.close()
        self._scans = [self._node.subscription(f"/{robot}/scan", SCAN, _pass_over) for robot in robots]
        wait_until(lambda: all(scan.writers for scan in self._scans), "scans")

    def close(self) -> None:
        """Leave the graph."""
        self._node.close()


class ZenohProgram(Ros2Program):
    """A node of ROS 2 over Zenoh."""

    case: ClassVar[str] = "ros2 zenoh"

    @classmethod
    def options(cls, place: str) -> list[str]:  # noqa: ARG003 - its gateway is a router at a free port
        """Return the options of its gateway."""
        return ["--rmw", "zenoh", "--domain", "0", "--port", "0"]

    @classmethod
    def address_in(cls, printed: str, place: str) -> str:  # noqa: ARG003 - the gateway says where it is
        """Return where its gateway is, by what that printed."""
        address: Any = re.search(r"tcp/\S+:(\d+)", printed)
        return f"zenoh:{address[1]}"


class DdsProgram(Ros2Program):
    """A node of ROS 2 over DDS."""

    case: ClassVar[str] = "ros2 dds"

    @classmethod
    def options(cls, place: str) -> list[str]:
        """Return the options of its gateway."""
        return ["--rmw", "dds", "--domain", place.partition(":")[2]]


def _pass_over(_: bytes) -> None:
    """Read a message and forget it."""
