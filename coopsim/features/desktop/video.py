"""Pictures one after the other, as files."""

from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_COLORS = 128  # half of what GIF allows: a smaller file
_CONSTANT_QUALITY = "20"
"""Of H.264, 0 to 51; less is better and larger."""


class VideoWriter(Protocol):
    """Takes pictures of one size."""

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Append a picture, shape (height, width, 3)."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


class GifWriter:
    """A GIF that repeats for ever.

    Args:
        path: An older file is overwritten.
        rate: Pictures per second; a GIF tells time in steps of 10 ms.
    """

    def __init__(self, path: Path, rate: float) -> None:
        self._path, self._rate = path, rate
        self._pictures: list[Image.Image] = []

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Append a picture."""
        image = Image.fromarray(picture)
        self._pictures.append(image.quantize(_COLORS, dither=Image.Dither.NONE))

    def close(self) -> None:
        """Write the file."""
        first, *pictures = self._pictures
        pause = round(1000 / self._rate)
        first.save(self._path, "GIF", save_all=True, append_images=pictures, duration=pause, loop=0, optimize=False)


class Mp4Writer:
    """H.264 in MP4, which browsers play.

    Args:
        path: An older file is overwritten.
        rate: Pictures per second.
        size: Width and height, even numbers [pixels].

    Raises:
        ModuleNotFoundError: PyAV is not installed.
    """

    def __init__(self, path: Path, rate: float, size: tuple[int, int]) -> None:
        import av

        self._frame = av.VideoFrame.from_ndarray
        self._file: Any = av.open(str(path), "w", format="mp4", options={"movflags": "faststart"})
        self._stream = self._file.add_stream("libx264", rate=Fraction(rate).limit_denominator(1000))
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = {"crf": _CONSTANT_QUALITY, "preset": "medium"}

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Append a picture."""
        self._write(self._frame(np.ascontiguousarray(picture), format="rgb24"))

    def close(self) -> None:
        """Finish the file."""
        self._write(None)
        self._file.close()

    def _write(self, frame: Any) -> None:
        for packet in self._stream.encode(frame):
            self._file.mux(packet)


def video_writer(path: Path, rate: float, size: tuple[int, int]) -> VideoWriter:
    """Return the writer that a name asks for.

    Args:
        path: `.gif` or `.mp4`.
        rate: Pictures per second.
        size: Width and height [pixels].

    Raises:
        ModuleNotFoundError: PyAV is not installed.
    """
    return GifWriter(path, rate) if path.suffix.lower() == ".gif" else Mp4Writer(path, rate, size)
