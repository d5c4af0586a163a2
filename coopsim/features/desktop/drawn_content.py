"""Content of the picture that was drawn last: one of the same content need not be drawn again."""

import operator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.quality import MANY, Quality

_Settings: TypeAlias = tuple[Quality, bool, int]
"""Quality, whether there is a grid, and the version of the meshes."""

_NOTHING = np.zeros(0, np.uint8)


class DrawnContent:
    """All that the pixels of a picture depend on.

    A scene that stands still is most of what people look at; to draw it takes two fifths of a frame on a processor.
    """

    def __init__(self) -> None:
        self._objects: tuple[object, object, object] = None, None, None
        self._view: tuple[object, ...] = ()
        self._arrays: list[NDArray[np.uint8]] = []

    def is_of(
        self, canvas: object, rows: DrawList, camera: Viewpoint, settings: _Settings, ribbons: NDArray[np.void]
    ) -> bool:
        """Return whether a canvas has this content already; take it for drawn from now on.

        Args:
            canvas: That is drawn on.
            rows: What there is.
            camera: That looks.
            settings: For the whole picture.
            ribbons: Lines over everything else.
        """
        view = camera.matrix.tobytes(), camera.size, camera.scale, settings
        # what is selected or hidden is an array of its own after each change
        objects = canvas, rows, rows.is_selected
        arrays = self._arrays_of(rows, ribbons)
        is_alike = self._view == view and all(map(operator.is_, objects, self._objects))
        if is_alike and arrays and all(map(np.array_equal, arrays, self._arrays)):
            return True
        self._objects, self._view = objects, view
        self._arrays = [array.copy() for array in arrays]
        return False

    @staticmethod
    def _arrays_of(rows: DrawList, ribbons: NDArray[np.void]) -> list[NDArray[np.uint8]]:
        """Return what may change from frame to frame as bytes; nothing for a crowd, whose copies would cost more."""
        if len(rows.rows) > MANY:
            return []
        model = rows.model
        parts = rows.rows, model.poses, model.entity_poses, ribbons
        return [np.frombuffer(np.ascontiguousarray(part), np.uint8) if part.size else _NOTHING for part in parts]
