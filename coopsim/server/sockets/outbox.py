"""Bytes that a client has not taken yet."""

from collections import deque
from collections.abc import Callable

_PIECE = 1 << 16
"""Bytes of a piece; as much is sent at once."""


class Outbox:
    """Bytes in pieces: one block would grow by an eighth too much, and be there twice whenever it is moved."""

    __slots__ = ("_pieces", "_sent", "_size")

    def __init__(self) -> None:
        self._pieces: deque[bytearray] = deque()
        self._size = self._sent = 0

    def __len__(self) -> int:
        return self._size

    def add(self, raw: bytes | memoryview) -> None:
        """Keep bytes behind those that wait."""
        start = 0
        while start < len(raw):
            if not self._pieces or len(self._pieces[-1]) >= _PIECE:
                self._pieces.append(bytearray())
            piece = self._pieces[-1]
            end = start + _PIECE - len(piece)
            piece += raw[start:end]
            start = end
        self._size += len(raw)

    def send(self, send: Callable[[memoryview], int]) -> int:
        """Send the first piece, as far as `send` takes it; return how many bytes were taken.

        Raises:
            OSError: As `send` does.
        """
        with memoryview(self._pieces[0])[self._sent :] as rest:
            taken = send(rest)
            is_whole = taken == len(rest)
        self._size -= taken
        self._sent = 0 if is_whole else self._sent + taken
        if is_whole:
            self._pieces.popleft()
        return taken
