"""Layouts between processes: the JSON of `state.layout_json`, compressed; ten thousand robots take half a MB."""

import json

import zstandard

from coopsim.state import Layout
from coopsim.state.layout_json import layout_of, layout_to_json

_LEVEL = 1  # a layout is packed between two ticks: speed counts


def packed_layout(layout: Layout) -> bytes:
    """Return a layout as it travels."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(layout_to_json(layout).encode())


def unpacked_layout(packed: bytes) -> Layout:
    """Return the layout that travelled."""
    return layout_of(json.loads(layout_text(packed)))


def layout_text(packed: bytes) -> bytes:
    """Return the JSON of a layout that travelled, as it stands in recordings."""
    return zstandard.ZstdDecompressor().decompress(packed)
