"""A film of what a window shows."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.video import VideoWriter, video_writer
from coopsim.interpreter import extra_command

_RATE = 15.0
"""Pictures per second."""


class Filming:
    """Takes pictures of a window while it goes on.

    Args:
        tell: Takes what happened, for people.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._writer: VideoWriter | None = None
        self._path, self._size = Path(), (0, 0)
        self._due = 0.0

    @property
    def is_on(self) -> bool:
        """Whether a film is being made."""
        return self._writer is not None

    def is_due(self, now: float | None = None) -> bool:
        """Return whether it is time for a picture."""
        return self.is_on and (time.monotonic() if now is None else now) >= self._due

    def start(self, path: Path, size: tuple[int, int]) -> None:
        """Begin a film, `.gif` or `.mp4`, of pictures of a size."""
        self.stop()
        self._path, self._size = path, (size[0] // 2 * 2, size[1] // 2 * 2)
        try:
            self._writer = video_writer(path, _RATE, self._size)
        except ModuleNotFoundError:
            self._tell(f"a film .mp4 needs PyAV: {extra_command('video')}; .gif needs nothing")
        except OSError as problem:
            self._tell(f"{path} cannot be written: {problem.strerror}")
        else:
            self._due = 0.0
            self._tell(f"films into {path}")

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Append a picture; one of another size ends the film."""
        width, height = self._size
        if self._writer is None:
            return
        if picture.shape[0] // 2 * 2 != height or picture.shape[1] // 2 * 2 != width:
            self.stop()
            return
        self._writer.add(np.ascontiguousarray(picture[:height, :width]))
        self._due = max(self._due + 1.0 / _RATE, time.monotonic())

    def stop(self) -> None:
        """End the film."""
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.close()
            except (OSError, ValueError) as problem:
                self._tell(f"{self._path} cannot be written: {problem}")
            else:
                self._tell(f"filmed: {self._path}")
