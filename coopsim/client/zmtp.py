"""ZeroMQ's protocol without keys, as a DEALER speaks it: bytes in, messages and bytes out (ZMTP 3.0, RFC 23)."""

from coopsim.message import MAX_BYTES

SIGNATURE_AND_VERSION = b"\xff" + bytes(8) + b"\x7f" + b"\x03"
"""What a peer has to see before it says which mechanism it uses."""
_GREETING = 64
_MAJOR, _VERSION, _MECHANISM = 10, 3, slice(12, 32)
_NULL = b"NULL".ljust(20, b"\0")
_REST = b"\0" + _NULL + bytes(32)
_LONG, _COMMAND = 2, 4
_SHORT_HEAD, _LONG_HEAD = 2, 9
_PEERS = {b"ROUTER", b"DEALER", b"REP"}


def frame(body: bytes, kind: int = 0) -> bytes:
    """Return a frame: a whole message, or a command."""
    size = len(body)
    return (bytes((kind, size)) if size < 256 else bytes((kind | _LONG,)) + size.to_bytes(8, "big")) + body


def _property(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + len(value).to_bytes(4, "big") + value


_READY = frame(b"\x05READY" + _property(b"Socket-Type", b"DEALER") + _property(b"Identity", b""), _COMMAND)


def whole_message(raw: bytes) -> bytes | None:
    """Return the message if `raw` is one frame with a message and nothing besides."""
    kind = raw[0]
    if kind == _LONG and len(raw) > _LONG_HEAD:
        return raw[_LONG_HEAD:] if len(raw) == _LONG_HEAD + int.from_bytes(raw[1:_LONG_HEAD], "big") else None
    return raw[_SHORT_HEAD:] if kind == 0 and len(raw) > 1 and len(raw) == _SHORT_HEAD + raw[1] else None


def missing(raw: bytes) -> int:
    """Return how many bytes of a long message are still to come, if `raw` is its beginning; otherwise 0."""
    if raw[0] != _LONG or len(raw) < _LONG_HEAD:
        return 0
    size = int.from_bytes(raw[1:_LONG_HEAD], "big")
    return max(_LONG_HEAD + size - len(raw), 0) if size <= MAX_BYTES else 0


class Dialog:
    """One connection: first the greetings, then what is ready, then messages.

    Attributes:
        outgoing: Bytes for the peer.
        is_open: Whether messages may be sent.
        is_foreign: Whether the peer wants another version or mechanism, which libzmq may know.
        is_broken: Whether the peer does not keep the protocol, so that the connection must end.
    """

    def __init__(self) -> None:
        self.outgoing = bytearray(SIGNATURE_AND_VERSION)
        self.is_open = self.is_foreign = self.is_broken = False
        self._received = bytearray()
        self._is_answered = self._is_greeted = False

    @property
    def is_empty(self) -> bool:
        """Whether messages may be sent and nothing of one that came is left."""
        return self.is_open and not self._received

    def feed(self, raw: bytes) -> None:
        """Take in what came."""
        self._received += raw
        if not self._is_greeted and self._received:
            self._greet()

    def take(self) -> bytes | None:
        """Return the next message that has come as a whole, None = there is none; commands are obeyed on the way."""
        while self._is_greeted and not self.is_broken and (found := self._frame()) is not None:
            kind, body = found
            if not kind & _COMMAND and self.is_open:
                return body
            if not kind & _COMMAND:
                self.is_broken = True
            elif self._obey(body):
                break
        return None

    def _frame(self) -> tuple[int, bytes] | None:
        received = self._received
        head = _LONG_HEAD if received and received[0] & _LONG else _SHORT_HEAD
        if len(received) < head:
            return None
        kind, size = received[0], int.from_bytes(received[1:head], "big")
        self.is_broken = size > MAX_BYTES
        if self.is_broken or len(received) < head + size:
            return None
        body = bytes(received[head : head + size])
        del received[: head + size]
        return kind, body

    def _greet(self) -> None:
        """Look at the greeting as far as it has come; name a mechanism only when the peer has named the same."""
        begun = self._received
        if begun[0] != SIGNATURE_AND_VERSION[0] or (len(begun) > _MAJOR and begun[_MAJOR] < _VERSION):
            self.is_foreign = True
        elif len(begun) >= _MECHANISM.stop and not self._is_answered:
            self.is_foreign = begun[_MECHANISM] != _NULL
            self._is_answered = True
            self.outgoing += b"" if self.is_foreign else _REST + _READY
        if len(begun) >= _GREETING and not self.is_foreign:
            del begun[:_GREETING]
            self._is_greeted = True

    def _obey(self, command: bytes) -> bool:
        """Do what a command says; true if the connection is open by it."""
        size = command[0] if command else 0
        name, rest = command[1 : 1 + size], command[1 + size :]
        if name == b"READY" and not self.is_open:
            self.is_open = _socket_type(rest) in _PEERS
            self.is_broken = not self.is_open
            return self.is_open
        if name == b"PING":
            self.outgoing += frame(b"\x04PONG" + rest[2:], _COMMAND)
        elif name == b"ERROR":
            self.is_broken = True
        return False


def _socket_type(properties: bytes) -> bytes:
    """Return what kind of socket a peer says that it is; "" = it does not say."""
    while properties:
        size = properties[0]
        name, rest = properties[1 : 1 + size], properties[1 + size :]
        length = int.from_bytes(rest[:4], "big")
        if name.lower() == b"socket-type":
            return bytes(rest[4 : 4 + length])
        properties = rest[4 + length :]
    return b""
