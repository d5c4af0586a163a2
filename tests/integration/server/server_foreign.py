"""A module that lives elsewhere: a real gripper's driver, as somebody would write it with `coopsim.message` and zmq."""

import socket
import struct
import threading
from types import TracebackType
from typing import Self

import zmq

from coopsim.errors import CoopsimError, NoSuchName
from coopsim.interfaces import Command, Field, Interface
from coopsim.message import Message, decode, encode, failure

GRIPPER = Interface(
    "gripper",
    "Holds things.",
    (
        Command(10, "close", takes=(Field("force", "N"),)),
        Command(11, "state", gives=(Field("force", "N", "force now"),)),
    ),
)
REGISTER = 12


class Gripper:
    """Serves `/arm/gripper` over ZeroMQ and plain TCP, in threads.

    Attributes:
        asked: Targets of all requests.
        endpoints: ZeroMQ, plain TCP.
    """

    def __init__(self, name: str = "/arm/gripper") -> None:
        self.name, self.force = name, 0.0
        self.asked: list[str] = []
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.linger = 0
        port = self._router.bind_to_random_port("tcp://127.0.0.1")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.02)
        self.endpoints = (f"tcp://127.0.0.1:{port}", f"tcp://127.0.0.1:{self._listener.getsockname()[1]}")
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=serve, daemon=True) for serve in (self._serve, self._serve_plainly)]
        for thread in self._threads:
            thread.start()

    def registration(self, *, number: int = 1) -> Message:
        """Return the message that makes it known."""
        return Message("/sim/names", REGISTER, (self.name, *self.endpoints), id=number)

    def respond(self, raw: bytes) -> bytes:
        """Return the reply to a request."""
        try:
            request = decode(raw)
            self.asked.append(request.target)
            if request.target != self.name:
                raise NoSuchName(f"there is no {request.target} here")
            match request.command:
                case 0:
                    return encode(request.reply((GRIPPER.kind,), (0.0, 0.0)))
                case 1:
                    return encode(request.reply((GRIPPER.to_json(),)))
                case 10:
                    self.force = float(request.data[0])
                    return encode(request.reply())
                case 11:
                    return encode(request.reply((), (self.force,)))
            GRIPPER.command(request.command)
        except CoopsimError as problem:
            return encode(failure(problem) if problem.request else request.refusal(problem))
        raise AssertionError(request)

    def close(self) -> None:
        """End everything."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(5.0)
        self._router.close()
        self._listener.close()
        self._context.term()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self) -> None:
        while not self._is_over.is_set():
            if self._router.poll(20):
                *route, raw = self._router.recv_multipart()
                self._router.send_multipart([*route, self.respond(raw)])

    def _serve_plainly(self) -> None:
        while not self._is_over.is_set():
            try:
                client, _ = self._listener.accept()
            except TimeoutError:
                continue
            with client:
                client.settimeout(5.0)
                while head := client.recv(4, socket.MSG_WAITALL):
                    reply = self.respond(client.recv(*struct.unpack(">I", head), socket.MSG_WAITALL))
                    client.sendall(struct.pack(">I", len(reply)) + reply)
