"""Cuts a stream of bytes where its messages end, for both carriers of the protocol.

Specifications: docs/protocol.md, "Carriers"; ZMTP 3.1 (ZeroMQ RFC 37): a greeting of 64 bytes, then frames of a flag
byte, a length of one or eight bytes and a body.
"""

import struct
from dataclasses import dataclass
from typing import Protocol

_GREETING = 64  # bytes, by ZMTP 3.0
_SIGNATURE = b"\xff"
_VERSION_AT, _VERSION = 10, 3  # place of the version in the greeting, by ZMTP 3.0
_MORE, _LONG, _COMMAND = 1, 2, 4  # bits of a frame's flags, by ZMTP 3.0


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that arrive together or not at all.

    Attributes:
        is_message: Whether they are a message; handshakes and heartbeats are none.
    """

    raw: bytes
    is_message: bool


class Cutter(Protocol):
    """Finds the pieces of one direction of one connection."""

    def feed(self, raw: bytes) -> list[Piece]:
        """Add bytes; return the complete pieces."""
        ...


class PlainCutter:
    """Messages behind their lengths in four bytes, big-endian."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, raw: bytes) -> list[Piece]:
        """Add bytes; return the complete messages."""
        self._rest += raw
        pieces = []
        while len(self._rest) >= 4:
            end = 4 + struct.unpack_from(">I", self._rest)[0]
            if len(self._rest) < end:
                break
            pieces.append(Piece(bytes(self._rest[:end]), is_message=True))
            del self._rest[:end]
        return pieces


class ZmtpCutter:
    """Frames of ZeroMQ; those of one message stay together. Older versions than 3 pass as they come."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._parts = bytearray()
        self._greeted = 0
        self._is_foreign = False

    def feed(self, raw: bytes) -> list[Piece]:
        """Add bytes; return the complete greeting, commands and messages."""
        # a peer sends the rest of its greeting when it saw the beginning of ours: greetings never wait
        greeting = self._greet(raw)
        pieces = [Piece(greeting, is_message=False)] if greeting else []
        self._rest += raw[len(greeting) :]
        while (end := self._frame_end()) is not None:
            flags, frame = self._rest[0], self._cut(end)
            if flags & _COMMAND:
                pieces.append(Piece(frame, is_message=False))
                continue
            self._parts += frame
            if not flags & _MORE:
                pieces.append(Piece(bytes(self._parts), is_message=True))
                self._parts.clear()
        return pieces

    def _greet(self, raw: bytes) -> bytes:
        """Return what of `raw` belongs to the greeting, all of it when the peer speaks something else."""
        begin, end = self._greeted, min(_GREETING, self._greeted + len(raw))
        self._is_foreign |= begin == 0 and raw[:1] != _SIGNATURE
        self._is_foreign |= begin <= _VERSION_AT < end and raw[_VERSION_AT - begin] < _VERSION
        if self._is_foreign:
            return raw
        self._greeted = end
        return raw[: end - begin]

    def _frame_end(self) -> int | None:
        rest = self._rest
        header = 9 if rest and rest[0] & _LONG else 2
        if len(rest) < header:
            return None
        length = struct.unpack_from(">Q", rest, 1)[0] if header == 9 else rest[1]
        return header + length if len(rest) >= header + length else None

    def _cut(self, count: int) -> bytes:
        raw = bytes(self._rest[:count])
        del self._rest[:count]
        return raw
