"""Pixels as the graphics card keeps them, four bytes each, and without the fourth one."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def without_alpha(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return red, green and blue of pixels, shape (height, width, 3).

    Args:
        words: Pixels with red in their lowest byte, then green and blue, shape (height, width).
    """
    height, width = words.shape
    return np.frombuffer(picture_of(words).tobytes(), np.uint8).reshape(height, width, 3)


def with_alpha(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return pixels as words, red in their lowest byte, shape (height, width).

    Args:
        colors: Red, green and blue, shape (height, width, 3).
    """
    height, width, _ = colors.shape
    raw = Image.fromarray(colors).tobytes("raw", "RGBX")
    return np.frombuffer(raw, "<u4").reshape(height, width)


def picture_of(words: NDArray[np.uint32]) -> Image.Image:
    """Return pixels as a picture without opacity.

    Args:
        words: Pixels with red in their lowest byte, then green and blue, shape (height, width).
    """
    height, width = words.shape
    is_upside_down = words.strides[0] < 0
    rows = np.ascontiguousarray(words[::-1] if is_upside_down else words, "<u4")
    # Pillow drops a byte of four five times as fast as numpy, which copies three bytes at a time
    return Image.frombytes("RGB", (width, height), rows.data, "raw", "RGBX", 0, -1 if is_upside_down else 1)


def free_name(stem: str) -> Path:
    """Return the name of a picture that is not there yet."""
    names = (Path(f"{stem}-{number}.png") for number in range(1, 10_000))
    return next(name for name in names if not name.exists())
