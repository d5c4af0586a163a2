"""Long params that come again, byte by byte: the names of a thousand robots in every step are read once."""

from typing import TypeAlias

Params: TypeAlias = tuple[float | int | str, ...]

_LEAST = 256
"""Params from which on a look at what came before costs less than reading them."""
_MOST, _MOST_BYTES = 64, 1 << 20
"""What is kept at most: forgotten all at once, so that who sends others in every message keeps nobody waiting."""
_BEGIN = 64
"""Bytes that tell most arrays from one another."""


class RepeatedParams:
    """The newest long arrays of params that were found in order, by how they begin.

    Any thread may ask and add: what another one forgets meanwhile is read once more.
    """

    def __init__(self) -> None:
        self._kept: dict[bytes, tuple[bytes, Params]] = {}
        self._size = 0

    def find(self, raw: bytes, start: int) -> tuple[Params, int] | None:
        """Return the params that are packed in `raw` from `start` on, and where they end; None = not kept."""
        kept = self._kept.get(raw[start : start + _BEGIN])
        if kept is None or not raw.startswith(kept[0], start):
            return None
        return kept[1], start + len(kept[0])

    def keep(self, packed: bytes, params: Params) -> None:
        """Keep params, if they are many and not too long."""
        if len(params) < _LEAST or len(packed) > _MOST_BYTES // 4:
            return
        if len(self._kept) >= _MOST or self._size + len(packed) > _MOST_BYTES:
            self._kept, self._size = {}, 0
        self._kept[packed[:_BEGIN]] = packed, params
        self._size += len(packed)
