"""ZeroMQ's protocol without keys, as a DEALER or a ROUTER speaks it: bytes in, bytes out (ZMTP 3.0, RFC 23)."""

from coopsim.message._message import MAX_BYTES

SIGNATURE_AND_VERSION = b"\xff" + bytes(8) + b"\x7f" + b"\x03"
"""What a peer has to see before it says which mechanism it uses."""
_GREETING = 64  # bytes, by ZMTP 3.0
_MAJOR, _VERSION, _MECHANISM = 10, 3, slice(12, 32)  # places in the greeting, by ZMTP 3.0
_NULL = b"NULL".ljust(20, b"\0")
_REST = b"\0" + _NULL + bytes(32)  # as the greeting ends: minor version, mechanism NULL, zeros
MORE, LONG, COMMAND = 1, 2, 4
"""Bits of a frame's first byte: another one of the same message follows, its length has 8 bytes, it is a command."""
SHORT_HEAD, LONG_HEAD = 2, 9
"""Bytes before the body of a frame."""
_PING_HEAD, _LONGEST_CONTEXT = 7, 16  # name and time-to-live come first; a context is at most 16 bytes, by ZMTP 3.1
_PEERS = {b"DEALER": {b"ROUTER", b"DEALER", b"REP"}, b"ROUTER": {b"DEALER", b"REQ", b"ROUTER"}}


def frame(body: bytes, kind: int = 0) -> bytes:
    """Return a frame: a whole message, or a command."""
    size = len(body)
    return (bytes((kind, size)) if size < 256 else bytes((kind | LONG,)) + size.to_bytes(8, "big")) + body


def pong(command: bytes) -> bytes:
    """Return the answer to a command that asks whether we are there, b"" for any other one."""
    if not command.startswith(b"\x04PING"):
        return b""
    return frame(b"\x04PONG" + command[_PING_HEAD : _PING_HEAD + _LONGEST_CONTEXT], COMMAND)


def _property(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + len(value).to_bytes(4, "big") + value


def _ready(socket_type: bytes) -> bytes:
    return frame(b"\x05READY" + _property(b"Socket-Type", socket_type) + _property(b"Identity", b""), COMMAND)


def whole_message(raw: bytes) -> bytes | None:
    """Return the message if `raw` is one frame with a message and nothing besides."""
    kind = raw[0]
    if kind == LONG and len(raw) > LONG_HEAD:
        return raw[LONG_HEAD:] if len(raw) == LONG_HEAD + int.from_bytes(raw[1:LONG_HEAD], "big") else None
    return raw[SHORT_HEAD:] if kind == 0 and len(raw) > 1 and len(raw) == SHORT_HEAD + raw[1] else None


def missing(raw: bytes) -> int:
    """Return how many bytes of a long message are still to come, if `raw` is its beginning; otherwise 0."""
    if raw[0] != LONG or len(raw) < LONG_HEAD:
        return 0
    size = int.from_bytes(raw[1:LONG_HEAD], "big")
    return max(LONG_HEAD + size - len(raw), 0) if size <= MAX_BYTES else 0


class Dialog:
    """A connection: first the greetings, then what is ready, then messages.

    Args:
        socket_type: As which we speak: DEALER or ROUTER.

    Attributes:
        outgoing: Bytes for the peer.
        is_open: Whether messages may be sent.
        is_foreign: Whether the peer wants another version or mechanism, which libzmq may know.
        is_broken: Whether the peer does not keep the protocol, so that the connection must end.
    """

    def __init__(self, socket_type: bytes = b"DEALER") -> None:
        self._socket_type = socket_type
        self._said_at_once = _REST if socket_type == b"ROUTER" else b""
        self.outgoing = bytearray(SIGNATURE_AND_VERSION + self._said_at_once)
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

    def next_message(self) -> bytes | None:
        """Return the next message that has come as a whole, None = there is none; commands are obeyed on the way."""
        while self._is_greeted and not self.is_broken and (frame := self._frame()) is not None:
            kind, body = frame
            if not kind & COMMAND and self.is_open:
                return body
            if not kind & COMMAND:
                self.is_broken = True
            elif self._obey(body):
                break
        return None

    def remaining_bytes(self) -> bytes:
        """Return what came after the handshake and is not taken yet; the dialog is over by that."""
        rest = bytes(self._received)
        self._received.clear()
        return rest

    def _frame(self) -> tuple[int, bytes] | None:
        received = self._received
        head = LONG_HEAD if received and received[0] & LONG else SHORT_HEAD
        if len(received) < head:
            return None
        kind, size = received[0], int.from_bytes(received[1:head], "big")
        self.is_broken = size > MAX_BYTES
        if self.is_broken or len(received) < head + size:
            return None
        with memoryview(received) as view:  # a slice of the bytes themselves would be a second copy
            body = bytes(view[head : head + size])
        del received[: head + size]
        return kind, body

    def _greet(self) -> None:
        """Look at the greeting as far as it has come.

        A DEALER names a mechanism only when the peer has named the same one; a ROUTER does not wait, or two would wait
        for each other.
        """
        begun = self._received
        if begun[0] != SIGNATURE_AND_VERSION[0] or (len(begun) > _MAJOR and begun[_MAJOR] < _VERSION):
            self.is_foreign = True
        elif len(begun) >= _MECHANISM.stop and not self._is_answered:
            self.is_foreign = begun[_MECHANISM] != _NULL
            self._is_answered = True
            if not self.is_foreign:
                self.outgoing += (b"" if self._said_at_once else _REST) + _ready(self._socket_type)
        if len(begun) >= _GREETING and not self.is_foreign:
            del begun[:_GREETING]
            self._is_greeted = True

    def _obey(self, command: bytes) -> bool:
        """Do what a command says; true if the connection is open by it."""
        size = command[0] if command else 0
        name, rest = command[1 : 1 + size], command[1 + size :]
        if name == b"READY" and not self.is_open:
            self.is_open = _type_of_peer(rest) in _PEERS[self._socket_type]
            self.is_broken = not self.is_open
            return self.is_open
        if name == b"PING":
            self.outgoing += pong(command)
        elif name == b"ERROR":
            self.is_broken = True
        return False


def _type_of_peer(properties: bytes) -> bytes:
    """Return what kind of socket a peer says that it is; "" = it does not say."""
    while properties:
        size = properties[0]
        name, rest = properties[1 : 1 + size], properties[1 + size :]
        length = int.from_bytes(rest[:4], "big")
        if name.lower() == b"socket-type":
            return bytes(rest[4 : 4 + length])
        properties = rest[4 + length :]
    return b""
