"""Rendering of environments: pictures from above as arrays, or a window that follows a world."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadArgument
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.drawing import draw
from coopsim.suggest import hint

if TYPE_CHECKING:
    from coopsim.features.learning.human.window import EpisodeWindow

_MODES = ("human", "rgb_array")
# ten ticks of 10 ms are the usual action; an environment itself knows its own
USUAL_METADATA: dict[str, Any] = {"render_modes": list(_MODES), "render_fps": 10}
"""Metadata of a class of environments."""


class EpisodeRendering:
    """Shows the first world of a batch as `render_mode` asks for it.

    Args:
        batch: Of the environment.
        mode: None, "rgb_array", or "human".

    Attributes:
        metadata: Of the environment: its modes, and the pictures of a second in which it is shown as time goes.

    Raises:
        BadArgument: There is no such mode.
    """

    def __init__(self, batch: LearningBatch, mode: str | None) -> None:
        if mode is not None and mode not in _MODES:
            modes = ", ".join(_MODES)
            raise BadArgument(f"expected a render_mode of {modes} or None, got {mode!r}{hint(str(mode), _MODES)}")
        self._batch, self._mode = batch, mode
        self._step = batch.worlds.dt * batch.task.every
        self.metadata = {**USUAL_METADATA, "render_fps": max(1, round(1.0 / self._step))}
        self._window: EpisodeWindow | None = None

    def show(self) -> None:
        """Let the window show the world after a step, or a reset; it is opened the first time.

        Raises:
            CannotDraw: The window does not open.
        """
        if self._mode != "human":
            return
        worlds = self._batch.worlds
        if self._window is None:
            # who wants no window need not have what serves one
            from coopsim.features.learning.human.window import EpisodeWindow

            self._window = EpisodeWindow(worlds)
            return
        self._window.show(self._step if worlds.ticks[0] else 0.0)

    @property
    def endpoint(self) -> str:
        """Where others may look on, "" = there is no window."""
        return self._window.endpoint if self._window is not None and self._window.is_open else ""

    def picture(self, world: int = 0) -> NDArray[np.uint8] | None:
        """Return a picture of a world from above, shape (height, width, 3); None in other modes."""
        return draw(self._batch.worlds, world) if self._mode == "rgb_array" else None

    def close(self) -> None:
        """Close the window; a step after it opens no other one."""
        if self._window is not None:
            self._window.close()
