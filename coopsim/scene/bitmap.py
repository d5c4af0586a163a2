"""Pictures of floor plans: dark pixels are walls, merged into few rectangles."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coopsim.scene.source import why_unreadable
from coopsim.scene.values import Flaw

# a grey picture of MOST_PIXELS both ways without compression
LARGEST = 16 * 1024 * 1024
"""Larger files are refused unread [bytes]."""
MOST_PIXELS = 4096
"""Wider or higher pictures are refused."""
# each becomes a body: more of them cost every ray, and no floor plan has them
MOST_BOXES = 20_000
"""Pictures that need more rectangles are refused: they are speckled."""
FORMATS = ("PNG", "PPM")

Rectangle = tuple[int, int, int, int]
"""First and last column, first and last row; the last ones are not part of it."""


def read_grey(path: Path) -> NDArray[np.uint8] | Flaw:
    """Return the brightness of the pixels of a PNG or PGM file, row by row from the top, 0 black to 255 white.

    What is transparent counts as white.
    """
    reason = why_unreadable(path)
    if reason is None and path.stat().st_size > LARGEST:
        reason = f"is larger than {LARGEST // 2**20} MiB"
    if reason is not None:
        return Flaw(reason)
    try:
        return _decoded(path.read_bytes())
    except Exception as problem:  # decoders of damaged pictures raise many kinds; all mean the same here
        return Flaw(f"cannot be read as a PNG or PGM picture: {str(problem)[:100]}")


def _decoded(raw: bytes) -> NDArray[np.uint8] | Flaw:
    from PIL import Image  # it takes its time, and few worlds have a picture

    with Image.open(io.BytesIO(raw), formats=FORMATS) as picture:
        # the size stands in the head: a small file may unpack to gigabytes
        if max(picture.size) > MOST_PIXELS:
            return Flaw(f"has {picture.width}x{picture.height} pixels, at most {MOST_PIXELS}x{MOST_PIXELS} are read")
        if picture.mode.startswith("I"):  # 16 bits
            return (np.asarray(picture, np.float64) / 257.0).round().clip(0, 255).astype(np.uint8)
        if "A" in picture.getbands() or "transparency" in picture.info:
            clear = picture.convert("RGBA")
            white = Image.new("RGBA", clear.size, "white")
            return np.asarray(Image.alpha_composite(white, clear).convert("L"))
        return np.asarray(picture.convert("L"))


def rectangles(cells: NDArray[np.bool_]) -> Iterator[Rectangle]:
    """Yield rectangles that cover exactly the cells that are set, none twice.

    Runs of a row that begin and end in the same columns as one of the row before belong together.
    """
    open_: dict[tuple[int, int], int] = {}
    # one row too many, empty: it closes what reaches the last row
    for row in range(len(cells) + 1):
        runs = _runs(cells[row]) if row < len(cells) else []
        row_runs = dict.fromkeys(runs, row)
        for (first, last), begin in open_.items():
            if (first, last) in row_runs:
                row_runs[first, last] = begin
            else:
                yield first, last, begin, row
        open_ = row_runs


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where runs of set cells begin and end."""
    steps = np.flatnonzero(np.diff(row, prepend=False, append=False))
    return list(zip(steps[::2].tolist(), steps[1::2].tolist(), strict=True))
