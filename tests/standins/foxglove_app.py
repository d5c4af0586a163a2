"""The app of Foxglove, as far as a socket goes: a client that speaks its protocol by hand."""

import contextlib
import itertools
import json
import struct
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import connect as open_socket

LIMIT = 15.0
MESSAGE, TIME, RESPONSE = 1, 2, 3
"""Kinds of binary messages."""


class App:
    """The app of Foxglove, as far as a socket goes.

    Source: the protocol "foxglove.sdk.v1".
    """

    def __init__(self, url: str, **options: Any) -> None:
        self._url, self._options = url, {"open_timeout": LIMIT, **options}
        self.channels: dict[str, dict[str, Any]] = {}
        self.services: dict[str, int] = {}
        self.info: dict[str, Any] = {}
        self._numbers = itertools.count(1)
        self._topics: dict[int, str] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        opening = open_socket(self._url, subprotocols=["foxglove.sdk.v1"], **self._options)
        self.socket = self._stack.enter_context(opening)
        while "/robot1/scan" not in self.channels or not self.services or not self.info:
            self.hear(lambda _: True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def hear(self, fits: Callable[[Any], bool]) -> Any:
        """Return the next message that fits: a dictionary, or the kind, topic and bytes of a binary one."""
        while True:
            raw = self.socket.recv(timeout=LIMIT)
            if isinstance(raw, str):
                message = json.loads(raw)
                match message["op"]:
                    case "serverInfo":
                        self.info = message
                    case "advertise":
                        self.channels |= {channel["topic"]: channel for channel in message["channels"]}
                    case "advertiseServices":
                        self.services |= {service["name"]: service["id"] for service in message["services"]}
            elif raw[0] == MESSAGE:
                number, _time = struct.unpack_from("<IQ", raw, 1)
                message = raw[0], self._topics.get(number, ""), raw[13:]
            else:
                message = raw[0], "", raw[1:]
            if fits(message):
                return message

    def subscribe(self, topic: str) -> None:
        """Read a topic from now on."""
        number = next(self._numbers)
        self._topics[number] = topic
        subscription = {"id": number, "channelId": self.channels[topic]["id"]}
        self.socket.send(json.dumps({"op": "subscribe", "subscriptions": [subscription]}))

    def read(self, topic: str) -> bytes:
        """Return the next message of a topic."""
        if topic not in self._topics.values():
            self.subscribe(topic)
        return bytes(
            self.hear(lambda message: message[:2] == (MESSAGE, topic) if isinstance(message, tuple) else False)[2]
        )

    def advertise(self, topic: str) -> int:
        """Say that this program publishes a topic; return the number of its channel."""
        number = next(self._numbers)
        channel = {"id": number, "topic": topic, "encoding": "json", "schemaName": "geometry_msgs/Twist"}
        self.socket.send(json.dumps({"op": "advertise", "channels": [channel]}))
        return number

    def publish(self, number: int, raw: bytes) -> None:
        """Send a message on an own channel."""
        self.socket.send(struct.pack("<BI", 1, number) + raw)

    def ask(self, operation: str, **words: Any) -> dict[str, Any]:
        """Return the values of parameters that are asked for or set."""
        self.socket.send(json.dumps({"op": operation, "id": operation, **words}))
        answer = self.hear(lambda message: isinstance(message, dict) and message.get("id") == operation)
        return {parameter["name"]: parameter["value"] for parameter in answer["parameters"]}

    def call(self, service: str, **words: Any) -> Any:
        """Return the response of a service."""
        head = struct.pack("<BIII", 2, self.services[service], 1, 4) + b"json"
        self.socket.send(head + json.dumps(words).encode())

        def is_answer(message: Any) -> bool:
            is_failure = isinstance(message, dict) and message["op"] == "serviceCallFailure"
            return is_failure or (isinstance(message, tuple) and message[0] == RESPONSE)

        answer = self.hear(is_answer)
        return answer if isinstance(answer, dict) else json.loads(answer[2][16:])
