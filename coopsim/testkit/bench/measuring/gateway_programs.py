"""Programs of other middlewares that a gateway serves, and their yardsticks: two such programs that talk alone."""

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

from coopsim.errors import NoReply
from coopsim.features.gateways import messages
from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.ros1.node import RosNode
from coopsim.features.ros1.topics import PublishedTopic
from coopsim.interpreter import module_command

_PATIENCE = 60.0
"""Seconds for each thing that is waited for, on a busy machine."""
_PAUSE = 0.02  # s, between two looks
_TWIST, _ODOMETRY, _SCAN = "geometry_msgs/Twist", "nav_msgs/Odometry", "sensor_msgs/LaserScan"
# any numbers, with all digits: JSON is longer then
_POSE, _SPEED = messages.flat_pose(0.123, 0.456, 0.789), messages.twist((0.2, 0.0, 0.0), (0.0, 0.0, 0.1))
_ANSWER = messages.odometry(1.0, ("robot1/odom", "robot1/base_link"), _POSE, _SPEED)
"""What a yardstick answers: as large as what a gateway does."""


class GatewayProgram(ABC):
    """A program that commands `/robot1/cmd_vel`, hears `/robot1/odom`, and may read scans.

    Attributes:
        kind: Of its gateway.
    """

    kind: ClassVar[str]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        url: Where the gateway, or the yardstick, listens.
    """

    kind = "rosbridge"

    def __init__(self, url: str) -> None:
        self._open = contextlib.ExitStack()
        connecting = connect(url, open_timeout=_PATIENCE, max_queue=None)
        self._socket: ClientConnection = self._open.enter_context(connecting)
        self._command = json.dumps({"op": "publish", "topic": "/robot1/cmd_vel", "msg": _SPEED})
        self._socket.send(json.dumps({"op": "subscribe", "topic": "/robot1/odom"}))

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._socket.send(self._command)
        json.loads(self._socket.recv(_PATIENCE))

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
        master: Of its graph.
    """

    kind = "ros1"

    def __init__(self, master: str) -> None:
        self._types = gateway_types()
        self._heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self._node = RosNode("bench_program", master, self._types, self._decode)
        self._commands: PublishedTopic = self._node.advertise("/robot1/cmd_vel", _TWIST)
        self._node.subscribe("/robot1/odom", _ODOMETRY, self._heard.put)
        self._command = self._types.encoded(_TWIST, _SPEED)
        wait_until(lambda: self._commands.readers > 0 and self._node.publishers("/robot1/odom") > 0, "the other node")

    def _decode(self, received: Any, kind: str, raw: bytes) -> None:
        received(self._types.decoded(kind, raw))

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._commands.publish(self._command)
        self._heard.get(timeout=_PATIENCE)

    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on."""
        self._node.unsubscribe("/robot1/odom")
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
    deadline = time.monotonic() + _PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise NoReply(f"{what} did not answer within {_PATIENCE:g} s")
        time.sleep(_PAUSE)


@contextlib.contextmanager
def yardstick(kind: str, place: str) -> Iterator[str]:
    """Run the yardstick of a kind in a process of its own; yield where it is.

    Args:
        kind: Of gateway.
        place: The master of ROS 1.
    """
    command = module_command(__name__, kind, place)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(_PATIENCE)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _answer_rosbridge() -> None:
    """Answer each message with odometry over a WebSocket, until stdin ends."""
    answer = json.dumps({"op": "publish", "topic": "/robot1/odom", "msg": _ANSWER})

    def serve_program(socket: ServerConnection) -> None:
        for raw in socket:
            if json.loads(raw)["op"] == "publish":
                socket.send(answer)

    with serve(serve_program, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _say(f"ws://127.0.0.1:{server.socket.getsockname()[1]}")
        sys.stdin.read()
        server.shutdown()


def _answer_ros(master: str) -> None:
    """Answer each velocity with odometry as a node of ROS 1, until stdin ends."""
    types = gateway_types()

    def decode(received: Any, kind: str, raw: bytes) -> None:
        received(types.decoded(kind, raw))

    node = RosNode("bench_yardstick", master, types, decode)
    odometry = node.advertise("/robot1/odom", _ODOMETRY)
    node.subscribe("/robot1/cmd_vel", _TWIST, lambda _: odometry.publish(types.encoded(_ODOMETRY, _ANSWER)))
    _say(master)
    sys.stdin.read()
    node.close()


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
        core.wait(_PATIENCE)


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    if sys.argv[1] == RosProgram.kind:
        _answer_ros(sys.argv[2])
    else:
        _answer_rosbridge()
