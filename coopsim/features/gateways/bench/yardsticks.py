"""Yardsticks of gateways: processes of a middleware alone that answer each velocity with odometry."""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from coopsim.features.gateways.bench.programs import ANSWER, PATIENCE
from coopsim.features.gateways.bench.ros2_programs import ODOMETRY, TWIST, codec_of_ros2, node_of_ros2
from coopsim.features.gateways.bench.yarp_program import ODOMETER
from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.gateways.ros2.codec import all_types
from coopsim.features.gateways.yarp import bottle, wire
from coopsim.features.ros1.node import RosNode
from coopsim.interpreter import module_command

ROBOT: Final = "alone"
"""In the names of topics, so that a yardstick and a gateway may be in one graph."""


@contextlib.contextmanager
def yardstick(case: str, place: str) -> Iterator[tuple[str, int]]:
    """Run a yardstick in a process of its own; yield where it is, and its process.

    Args:
        case: Which one.
        place: The master of ROS 1, the domain of DDS.
    """
    command = module_command(__name__, case, place)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.stdin.close()
            process.wait(PATIENCE)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _answer_rosbridge(_: str) -> None:
    """Answer each message with odometry over a WebSocket, until stdin ends."""
    from websockets.sync.server import ServerConnection, serve

    answer = json.dumps({"op": "publish", "topic": f"/{ROBOT}/odom", "msg": ANSWER})

    def serve_program(socket: ServerConnection) -> None:
        for raw in socket:
            if json.loads(raw)["op"] == "publish":
                socket.send(answer)

    with serve(serve_program, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _say(f"ws://127.0.0.1:{server.socket.getsockname()[1]}")
        sys.stdin.read()
        server.shutdown()


def _answer_ros1(master: str) -> None:
    """Answer each velocity with odometry as a node of ROS 1, until stdin ends."""
    types = gateway_types()

    def decode(received: Any, kind: str, raw: bytes) -> None:
        received(types.decoded(kind, raw))

    node = RosNode("bench_yardstick", master, types, decode)
    odometry = node.advertise(f"/{ROBOT}/odom", "nav_msgs/Odometry")

    def answer(_: Any) -> None:
        odometry.publish(types.encoded("nav_msgs/Odometry", ANSWER))

    node.subscribe(f"/{ROBOT}/cmd_vel", "geometry_msgs/Twist", answer)
    _say(master)
    sys.stdin.read()
    node.close()


def _answer_ros2(place: str) -> None:
    """Answer each velocity with odometry as a node of ROS 2, until stdin ends."""
    link, codec = node_of_ros2("bench_yardstick", place), codec_of_ros2()
    odometry = link.publisher(f"/{ROBOT}/odom", ODOMETRY)

    def answer(raw: bytes) -> None:
        codec.decoded(TWIST, raw)
        odometry.publish(codec.encoded(ODOMETRY, ANSWER))

    link.subscription(f"/{ROBOT}/cmd_vel", TWIST, answer)
    _say(link.place)
    sys.stdin.read()
    link.close()


def _answer_yarp(_: str) -> None:
    """Answer each velocity with odometry between two ports of YARP, until stdin ends."""

    async def serve_program(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(*wire.PROBLEMS):
            connection = await wire.accept(reader, writer, await reader.readexactly(8), 0)
            while connection is not None and (await connection.read()).values is not None:
                writer.write(wire.framed(bottle.packed(ODOMETER), wire.DATA, "1 0.01"))

    async def work() -> None:
        server = await asyncio.start_server(serve_program, "127.0.0.1", 0)
        _say(str(server.sockets[0].getsockname()[1]))
        await asyncio.to_thread(sys.stdin.read)
        server.close()

    asyncio.run(work())


def _answer_foxglove(_: str) -> None:
    """Answer each velocity with odometry by Foxglove's own server, until stdin ends."""
    import foxglove
    from foxglove import Channel, Context, Schema
    from foxglove.websocket import Capability, ServerListener

    types = codec_of_ros2()
    context = Context()
    definition = all_types().text(ODOMETRY).encode()
    schema = Schema(name=ODOMETRY, encoding="ros2msg", data=definition)
    odometry = Channel(f"/{ROBOT}/odom", schema=schema, message_encoding="cdr", context=context)

    class YardstickListener(ServerListener):
        def on_message_data(self, client: Any, client_channel_id: int, data: bytes) -> None:  # noqa: ARG002
            json.loads(data)
            odometry.log(types.encoded(ODOMETRY, ANSWER))

    capabilities = [Capability.ClientPublish, Capability.Parameters]
    server = foxglove.start_server(
        name="yardstick",
        host="127.0.0.1",
        port=0,
        capabilities=capabilities,
        server_listener=YardstickListener(),
        supported_encodings=["json"],
        context=context,
    )
    _say(f"ws://127.0.0.1:{server.port}")
    sys.stdin.read()
    server.stop()


_ANSWERS: Final[Mapping[str, Callable[[str], None]]] = {
    "rosbridge": _answer_rosbridge,
    "ros1": _answer_ros1,
    "yarp": _answer_yarp,
    "foxglove": _answer_foxglove,
    "ros2 zenoh": _answer_ros2,
    "ros2 dds": _answer_ros2,
}


if __name__ == "__main__":
    _ANSWERS[sys.argv[1]](sys.argv[2])
