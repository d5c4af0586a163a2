"""The server without manners, by ZeroMQ: a message is a frame, and no connection ever ends."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import zmq

from coopsim.message import Message, decode
from coopsim.testkit.conformance.false_server import RUN, SECONDS, replied

_LOOK_MS = 50  # how late a stop is noticed


class FalseZmqServer:
    """A ROUTER on a port of the loopback interface that answers whoever asked last.

    Attributes:
        run: The number that it tells as that of its run.
    """

    def __init__(self) -> None:
        self.run = RUN
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.linger = 0
        self._port = self._router.bind_to_random_port("tcp://127.0.0.1")
        self._peer = b""

    @property
    def address(self) -> str:
        """Address of the server, as a client of two carriers takes it."""
        return f"zmq://127.0.0.1:{self._port}"

    def accept(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Wait for the next request, unless it is over before one comes."""
        deadline = time.monotonic() + SECONDS
        while not self._router.poll(_LOOK_MS):
            if is_over():
                return False
            if time.monotonic() > deadline:
                raise TimeoutError("the client sent nothing")
        return True

    def next_request(self) -> Message:
        """Return the next request.

        Raises:
            TimeoutError: None came.
            CoopsimError: It is no message.
        """
        self.accept()
        self._peer, raw = self._router.recv_multipart()
        return decode(raw)

    def answer(self, request: Message, *later: Any, **fields: Any) -> None:
        """Answer a request; see `FalseServer.answer`."""
        self.send(replied(request, *later, **fields))

    def send(self, *raws: bytes) -> None:
        """Send messages."""
        for raw in raws:
            self._router.send_multipart([self._peer, raw])

    def close(self) -> None:
        """Listen no longer."""
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
