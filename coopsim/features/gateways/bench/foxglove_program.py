"""A program that speaks Foxglove's protocol by hand, which benchmarks run beside the gateway."""

import contextlib
import itertools
import json
import struct
import threading
from collections.abc import Sequence
from typing import Any, Final

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from coopsim.features.gateways.bench.programs import PATIENCE, SPEED, GatewayProgram

_PROTOCOL: Final = "foxglove.sdk.v1"
_MESSAGE: Final = 1
"""First byte of a message of a channel, in both directions."""
_SETTLED: Final = "settled"
"""Name of a parameter that is asked for behind subscriptions: what is asked later is answered later."""


class FoxgloveProgram(GatewayProgram):
    """A program that is connected as Foxglove's app is.

    Args:
        place: URL where the gateway, or the yardstick, listens.
        robot: Whose name is in the topics.
    """

    case = kind = "foxglove"

    def __init__(self, place: str, robot: str = "robot1") -> None:
        self._open = contextlib.ExitStack()
        connecting = connect(place, open_timeout=PATIENCE, max_queue=None, subprotocols=[_PROTOCOL])  # type: ignore[list-item]
        self._socket: ClientConnection = self._open.enter_context(connecting)
        self._channels: dict[str, int] = {}
        self._numbers = itertools.count(1)
        self._odometry = f"/{robot}/odom"
        while self._odometry not in self._channels:
            self._hear()
        command = next(self._numbers)
        channel = {"id": command, "topic": f"/{robot}/cmd_vel", "encoding": "json", "schemaName": "geometry_msgs/Twist"}
        self._socket.send(json.dumps({"op": "advertise", "channels": [channel]}))
        self._command = struct.pack("<BI", _MESSAGE, command) + json.dumps(SPEED).encode()
        self._subscription = self._subscribe(self._odometry)
        self._socket.send(json.dumps({"op": "getParameters", "parameterNames": [_SETTLED], "id": _SETTLED}))
        while not (isinstance(heard := self._hear(), dict) and heard["op"] == "parameterValues"):
            pass

    def trip(self) -> None:
        """Send a velocity and wait for odometry."""
        self._socket.send(self._command)
        while True:
            raw = self._hear()
            if (
                isinstance(raw, bytes)
                and raw[0] == _MESSAGE
                and struct.unpack_from("<I", raw, 1)[0] == self._subscription
            ):
                return

    def read_scans(self, robots: Sequence[str]) -> None:
        """Read the scans of robots from now on, in a thread of its own."""
        self._socket.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [self._subscription]}))
        for robot in robots:
            while f"/{robot}/scan" not in self._channels:
                self._hear()
            self._subscribe(f"/{robot}/scan")
        threading.Thread(target=self._read_all, daemon=True).start()

    def close(self) -> None:
        """Part."""
        self._open.close()

    def _read_all(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                self._socket.recv()

    def _subscribe(self, topic: str) -> int:
        number = next(self._numbers)
        subscription = {"id": number, "channelId": self._channels[topic]}
        self._socket.send(json.dumps({"op": "subscribe", "subscriptions": [subscription]}))
        return number

    def _hear(self) -> Any:
        """Return the next message: a dictionary or bytes; learn channels."""
        raw = self._socket.recv(PATIENCE)
        if isinstance(raw, bytes):
            return raw
        message: dict[str, Any] = json.loads(raw)
        if message["op"] == "advertise":
            self._channels |= {channel["topic"]: channel["id"] for channel in message["channels"]}
        return message
