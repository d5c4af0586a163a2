"""Lockstep driven as programs of others do it: by a socket of libzmq, and messages packed from a pattern."""

from collections.abc import Sequence

import msgpack
import numpy as np
import zmq

from coopsim.errors import NoReply
from coopsim.interfaces import STEP, command_numbers
from coopsim.message import Message, MessageTemplate, TemplateParts, decode, encode

_TARGET = "/sim/step"
_NUMBERS = command_numbers(STEP)


class Stranger:
    """The robots of one connection, claimed.

    Args:
        endpoint: Of ZeroMQ.
        robots: Their names.
        command: Values for each of them.
        seconds: How long answers are waited for.

    Raises:
        NoReply: There is no answer, or a refusal.
    """

    def __init__(self, endpoint: str, robots: Sequence[str], command: Sequence[float], seconds: float) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVTIMEO, round(1000 * seconds))
        self._socket.connect(endpoint)
        self._number = 0
        self._ask(Message(_TARGET, _NUMBERS.claim, tuple(robots)))
        self._data = np.tile(np.array(command, np.float64), len(robots))
        request = Message(_TARGET, _NUMBERS.step, (0, *robots), self._data, id=1, binary=True)
        self._request, self._values = MessageTemplate(request).parts, self._data.tobytes()
        self._reply: TemplateParts | None = None

    def step(self) -> None:
        """Send commands and wait for the readings after the tick."""
        self._number += 1
        request, reply, number = self._request, self._reply, msgpack.packb(self._number)
        tick = b"\0"  # whichever step is next
        self._socket.send(b"".join((request.begin, number, request.head, tick, request.values, self._values)))
        raw = self._receive()
        if reply is None or not raw.startswith(b"".join((reply.begin, number, reply.head))) or reply.values not in raw:
            message = decode(raw)
            _check(message)
            self._reply = MessageTemplate(message).parts

    def release(self) -> None:
        """Give the robots back, and the connection up."""
        self._ask(Message(_TARGET, _NUMBERS.release))
        self._context.destroy(linger=0)

    def _ask(self, request: Message) -> Message:
        self._number += 1
        self._socket.send(encode(request, self._number))
        reply = decode(self._receive())
        _check(reply)
        return reply

    def _receive(self) -> bytes:
        try:
            return self._socket.recv()
        except zmq.Again:
            raise NoReply("the simulation does not answer a client of libzmq") from None


def _check(reply: Message) -> None:
    if reply.error:
        raise NoReply(f"the simulation refuses a step: {reply.params}")
