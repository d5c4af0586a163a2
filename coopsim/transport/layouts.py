"""Layouts between processes, and records with the layout that explains each.

A layout travels as the JSON of `state.layout_json`, compressed; ten thousand robots take half a MB.
"""

import json
from functools import cache
from typing import Any

import zstandard

from coopsim.state import Layout, Record
from coopsim.state.layout_json import layout_of, layout_to_json
from coopsim.transport.ring import Ring

_LEVEL = 1  # a layout is packed between two ticks: speed counts


def packed_layout(layout: Layout) -> bytes:
    """Return a layout as it travels."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(layout_to_json(layout).encode())


def unpacked_layout(packed: bytes) -> Layout:
    """Return the layout that travelled; what many robots have in common is one object: a third of its memory."""
    texts: dict[str, str] = {}

    def share(plain: dict[str, Any]) -> dict[str, Any]:
        for name, value in plain.items():
            if isinstance(value, str):
                plain[name] = texts.setdefault(value, value)
        return plain

    return layout_of(json.loads(layout_text(packed), parse_float=cache(float), object_hook=share))


def layout_text(packed: bytes) -> bytes:
    """Return the JSON of a layout that travelled, as it stands in recordings."""
    return zstandard.ZstdDecompressor().decompress(packed)


class RecordReader:
    """A reader of records that may begin at any time: it needs nothing but the ring.

    Args:
        ring: Where records come from.
        cursor: Position of the first record to read, in bytes since the start of the run; None = the newest one.

    Attributes:
        cursor: Up to where it has read.
    """

    def __init__(self, ring: Ring, cursor: int | None = None) -> None:
        self._ring = ring
        self.cursor = max(0, ring.position) if cursor is None else cursor
        self._generation, self._layout = -1, b""

    def read(self, most: int | None = None) -> list[tuple[bytes, Record]]:
        """Return the records that came since the last call, and the packed layout of each.

        The layout of two records is the same object as long as their generation is the same. Of what was overwritten
        before it was read nothing is returned: the revisions of records tell how many are missing.

        Args:
            most: Bytes after which no more records are taken; None = all there are.
        """
        raws, self.cursor, _ = self._ring.following(self.cursor, most)
        return [(layout, record) for record in map(Record, raws) if (layout := self._layout_of(record))]

    def _layout_of(self, record: Record) -> bytes:
        """Return the layout of a record; b"" where it was overwritten, which then happens to the record, too."""
        if record.generation != self._generation:
            self._layout = record.packed_layout or self._ring.layout(record.generation)
            self._generation = record.generation if self._layout else -1
        return self._layout
