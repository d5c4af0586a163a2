"""Programs of other middlewares that a gateway serves, and their yardsticks: two such programs that talk alone."""

import contextlib
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from websockets.sync.client import ClientConnection, connect

from coopsim.errors import NoReply
from coopsim.features.gateways import messages
from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.ros1.node import RosNode
from coopsim.features.ros1.topics import PublishedTopic

PATIENCE = 60.0
"""Seconds for each thing that is waited for, on a busy machine."""
_PAUSE = 0.02  # s, between two looks
_TWIST, _ODOMETRY, _SCAN = "geometry_msgs/Twist", "nav_msgs/Odometry", "sensor_msgs/LaserScan"
# any numbers, with all digits: JSON is longer then
_POSE, SPEED = messages.flat_pose(0.123, 0.456, 0.789), messages.twist((0.2, 0.0, 0.0), (0.0, 0.0, 0.1))
ANSWER = messages.odometry(1.0, ("robot1/odom", "robot1/base_link"), _POSE, SPEED)
"""What a yardstick answers: as large as what a gateway does."""


class GatewayProgram(ABC):
    """A program that commands `/robot1/cmd_vel`, hears `/robot1/odom`, and may read scans.

    Attributes:
        case: What it is called in rows.
        kind: Of its gateway.
        share: Most of a core that the gateway may take for its scans.
    """

    case: ClassVar[str]
    kind: ClassVar[str]
    share: ClassVar[float] = 0.15

    @abstractmethod
    def __init__(self, place: str, robot: str = "robot1") -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @classmethod
    def options(cls, place: str) -> list[str]:  # noqa: ARG003 - most gateways listen at a free port
        """Return the options of its gateway, whose place may be known before."""
        return ["--port", "0"]

    @classmethod
    def address_in(cls, printed: str, place: str) -> str:
        """Return where its gateway is: the URL that it prints, else the place that was known before."""
        url = re.search(r"ws://\S+", printed)
        return url[0] if url else place

    @abstractmethod
    def trip(self) -> None:
        """Send a velocity and wait for odometry."""

    @abstractmethod
    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on, in threads of its own."""

    @abstractmethod
    def close(self) -> None:
        """Part."""


class RosbridgeProgram(GatewayProgram):
    """A program that speaks rosbridge.

    Args:
        place: URL where the gateway, or the yardstick, listens.
        robot: Whose name is in the topics.
    """

    case = kind = "rosbridge"

    def __init__(self, place: str, robot: str = "robot1") -> None:
        self._open = contextlib.ExitStack()
        connecting = connect(place, open_timeout=PATIENCE, max_queue=None)
        self._socket: ClientConnection = self._open.enter_context(connecting)
        self._command = json.dumps({"op": "publish", "topic": f"/{robot}/cmd_vel", "msg": SPEED})
        self._socket.send(json.dumps({"op": "subscribe", "topic": f"/{robot}/odom"}))

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._socket.send(self._command)
        json.loads(self._socket.recv(PATIENCE))

    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on; the library's thread keeps what comes."""
        self._socket.send(json.dumps({"op": "unsubscribe", "topic": "/robot1/odom"}))
        for robot in robots:
            self._socket.send(json.dumps({"op": "subscribe", "topic": f"/{robot}/scan"}))

    def close(self) -> None:
        """Part."""
        self._open.close()


class RosProgram(GatewayProgram):
    """A node of ROS 1.

    Args:
        place: Of the master of its graph.
        robot: Whose name is in the topics.
    """

    case = kind = "ros1"

    def __init__(self, place: str, robot: str = "robot1") -> None:
        self._types = gateway_types()
        self._heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self._node = RosNode(f"bench_program_{robot}", place, self._types, self._decode)
        self._commands: PublishedTopic = self._node.advertise(f"/{robot}/cmd_vel", _TWIST)
        self._odometry = f"/{robot}/odom"
        self._node.subscribe(self._odometry, _ODOMETRY, self._heard.put)
        self._command = self._types.encoded(_TWIST, SPEED)
        wait_until(lambda: self._commands.readers > 0 and self._node.publishers(self._odometry) > 0, "the other node")

    def _decode(self, received: Any, kind: str, raw: bytes) -> None:
        received(self._types.decoded(kind, raw))

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._commands.publish(self._command)
        self._heard.get(timeout=PATIENCE)

    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on."""
        self._node.unsubscribe(self._odometry)
        for robot in robots:
            self._node.subscribe(f"/{robot}/scan", _SCAN, lambda _: None)
        wait_until(lambda: all(self._node.publishers(f"/{robot}/scan") for robot in robots), "scans")

    def close(self) -> None:
        """Part."""
        self._node.close()


def wait_until(is_so: Any, what: str) -> None:
    """Wait until something is so.

    Raises:
        NoReply: It does not become so.
    """
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise NoReply(f"{what} did not answer within {PATIENCE:g} s")
        time.sleep(_PAUSE)


@contextlib.contextmanager
def master_of_ros(folder: Path) -> Iterator[str]:
    """Run a `roscore`; yield where it answers, "" where there is none on this machine."""
    program = shutil.which("roscore")
    if program is None:
        yield ""
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    uri = f"http://127.0.0.1:{port}"
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "ROS_IP": "127.0.0.1", "ROS_MASTER_URI": uri}
    silent: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    # the Python of the system, which its packages of ROS belong to
    core = subprocess.Popen(["/usr/bin/python3", program, "-p", str(port)], env=variables, **silent)
    try:
        wait_until(partial(_is_open, port), "roscore")
        yield uri
    finally:
        os.killpg(core.pid, signal.SIGTERM)
        core.wait(PATIENCE)


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
