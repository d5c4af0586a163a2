"""Handles at the tool of the selected arm: dragged with the mouse, each along an axis of the world, or all at once."""

import numpy as np

from coopsim.features.desktop.arm_moves import SelectedArm
from coopsim.features.desktop.session import ViewerSession
from coopsim.geometry import Floats

AXES = ("x", "y", "z")
_LONG = 0.14
"""Length of a handle [share of the distance from the eye], so that it is as large however far the arm is."""
_NEAR = 14.0
"""Nearer than this to the end of a handle, the mouse has it [units of the window]."""
_LEVEL = 3  # the handle at the point itself: the tool goes along with the mouse at its height


class ToolGizmo:
    """Handles of a tool.

    Args:
        session: What is shown.
        arm: That is selected.

    Attributes:
        arm: That is selected.
        wanted: Where the tool is dragged to, in the world [m], None = it is not dragged.
        axis: Handle that is dragged: 0 to 2 along x, y or z, 3 level; None = none is.
    """

    def __init__(self, session: ViewerSession, arm: SelectedArm) -> None:
        self._session, self.arm = session, arm
        self._begin = self._grabbed = np.zeros(3)
        self.wanted: Floats | None = None
        self.axis: int | None = None

    def ends(self) -> Floats | None:
        """Return the ends of the handles along x, y and z and the point itself, shape (4, 3) [m]; None = no tool."""
        session = self._session
        point = self.arm.tool() if not session.obstacle and session.selected not in session.locked else None
        if point is None:
            return None
        point = point if self.wanted is None else self.wanted
        reach = _LONG * float(np.linalg.norm(session.camera.eye - point))
        return np.asarray(np.vstack([point + reach * np.eye(3), point]))

    def press(self, x: float, y: float) -> bool:
        """Grab the handle at a pixel; return whether there is one."""
        ends = self.ends()
        if ends is None:
            return False
        pixels, ahead = self._session.camera.project(ends)
        gaps = np.where(ahead > 0.0, np.hypot(*(pixels - (x, y)).T), np.inf)
        if gaps.min() > _NEAR * self._session.camera.scale:
            return False
        self.axis, self._begin = int(gaps.argmin()), ends[_LEVEL]
        grabbed = self._pointed(x, y)
        self._grabbed = self._begin if grabbed is None else grabbed
        return True

    def drag(self, x: float, y: float) -> None:
        """Move the mouse while a handle is grabbed."""
        point = self._pointed(x, y)
        if self.axis is not None and point is not None:
            self.wanted = self._begin + point - self._grabbed

    def release(self) -> None:
        """Let go: the arm goes where the tool was dragged to."""
        if self.wanted is not None:
            self.arm.move_tool(self.wanted)
        self.axis, self.wanted = None, None

    def _pointed(self, x: float, y: float) -> Floats | None:
        """Return the point that the mouse means with the handle, None = it points past it."""
        camera = self._session.camera
        if self.axis is None or self.axis == _LEVEL:
            return camera.on_plane(x, y, float(self._begin[2]))
        origin, direction = camera.ray(x, y)
        return _nearest(self._begin, np.eye(3)[self.axis], origin, np.asarray(direction))


def _nearest(point: Floats, axis: Floats, origin: Floats, direction: Floats) -> Floats | None:
    """Return the point of a line that is nearest to a ray; None where they are nearly parallel."""
    direction = direction / np.linalg.norm(direction)
    along = float(axis @ direction)
    parallel = 1.0 - along * along
    if parallel < 1e-4:
        return None
    between = origin - point
    return np.asarray(point + axis * (float(axis @ between) - along * float(direction @ between)) / parallel)
