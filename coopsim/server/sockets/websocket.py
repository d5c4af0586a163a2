"""A way in for pages in browsers: the same messages, each a binary frame of a WebSocket.

Pages of any site can connect to a port of this machine, so the server looks at the origin of a page. Specification:
docs/protocol.md, "WebSocket".
"""

import contextlib
import struct
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from coopsim.message import MAX_BYTES
from coopsim.server.sockets.connection import TcpConnection
from coopsim.server.sockets.gateway import Gateway
from coopsim.suggest import quoted

_LOCAL = {"localhost", "127.0.0.1", "::1"}
_NO_TEXT = 1003
"""Status with which a connection ends that sends text: messages are binary."""


class WebSocketEnd:
    """A connection: bytes of a WebSocket in, messages behind their length out, and the other way round.

    Args:
        origins: Of pages that may connect, besides those of this machine.

    Attributes:
        is_open: Whether the handshake is over.
    """

    def __init__(self, origins: Collection[str]) -> None:
        self._origins = origins
        self._protocol = ServerProtocol(max_size=MAX_BYTES)
        self._parts = bytearray()
        self.is_open = False

    def unwrap(self, raw: bytes) -> bytes:
        """Return the messages in some bytes from the network, each behind its length.

        Raises:
            ConnectionRefusedError: It is no WebSocket, or of a page that may not connect; `alert` has what to tell it.
        """
        plain = bytearray()
        while raw:
            part, raw = (raw, b"") if self.is_open else _first_line(raw)
            self._protocol.receive_data(part)
            for event in self._protocol.events_received():
                if isinstance(event, Request):
                    self._shake_hands(event)
                elif isinstance(event, Frame):
                    plain += self._message(event)
            if self._protocol.handshake_exc is not None:
                raise ConnectionRefusedError(f"expected a handshake of WebSocket: {self._protocol.handshake_exc}")
        return bytes(plain)

    def seal(self, message: bytes) -> bytes:
        """Return what to send so that the client reads the message that stands here behind its length."""
        with contextlib.suppress(InvalidState):  # the client has said goodbye
            self._protocol.send_binary(message[4:])
        return self.pending()

    def pending(self) -> bytes:
        """Return, and forget, what the WebSocket itself has to send, such as pongs."""
        return b"".join(self._protocol.data_to_send())

    def alert(self) -> bytes:
        """Return what to send to a refused client."""
        return self.pending()

    @property
    def is_over(self) -> bool:
        """Whether all was said: after goodbyes, the server is to end the connection."""
        return self._protocol.close_expected()

    def certificate(self) -> bytes:
        """Return b"": pages show none."""
        return b""

    def _shake_hands(self, request: Request) -> None:
        origins = request.headers.get_all("Origin")
        origin = origins[0] if len(origins) == 1 else None
        if len(origins) > 1:
            response = self._protocol.reject(400, f"a page has one origin, not {len(origins)}\n")
        elif origin is not None and not self._is_welcome(origin):
            response = self._protocol.reject(403, f"pages of {quoted(origin)} may not connect; see --origin\n")
        else:
            response = self._protocol.accept(request)
        self._protocol.send_response(response)
        if self._protocol.state is not State.OPEN:
            raise ConnectionRefusedError(f"{response.status_code} {response.reason_phrase}, origin {origins[:2]}")
        self.is_open = True

    def _is_welcome(self, origin: str) -> bool:
        return origin in self._origins or _host_of(origin) in _LOCAL

    def _message(self, frame: Frame) -> bytes:
        if frame.opcode is Opcode.TEXT:
            self._protocol.fail(_NO_TEXT, "messages are binary")
        if frame.opcode not in {Opcode.BINARY, Opcode.CONT}:
            return b""
        self._parts += frame.data
        if not frame.fin:
            return b""
        whole = bytes(self._parts)
        self._parts.clear()
        return struct.pack(">I", len(whole)) + whole


def _first_line(raw: bytes) -> tuple[bytes, bytes]:
    """Return the first line, and the rest: frames behind a request are read when it was answered, not before."""
    end = raw.find(b"\n") + 1 or len(raw)
    return raw[:end], raw[end:]


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).hostname
    except ValueError:  # `http://[` is none
        return None


class WebSocketEnds:
    """Makes connections.

    Args:
        origins: Of pages that may connect, besides those of this machine.

    Attributes:
        carrier: What carries messages by it, for people.
    """

    carrier = "WebSocket"

    def __init__(self, origins: Collection[str] = ()) -> None:
        self._origins = frozenset(origins)

    def new(self) -> WebSocketEnd:
        """Return the end of a new connection."""
        return WebSocketEnd(self._origins)


class WebSocketGateway(Gateway):
    """The gateway of plain TCP behind WebSockets; `/sim/info` tells its port as `websocket`."""

    @property
    def ports(self) -> Mapping[str, int]:
        """The port of WebSockets."""
        return {"websocket": self.port}

    def _answer_all(self, connection: TcpConnection) -> None:
        super()._answer_all(connection)
        if isinstance(connection.tls, WebSocketEnd) and connection.tls.is_over:
            self._drop(connection)

    def _welcome(self, *_: object) -> None:
        """Pages have no certificate: they are let in by their origin."""
