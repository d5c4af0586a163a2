"""What the mouse does in the picture: selecting, dragging along the floor, moving the camera."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from coopsim.geometry import Floats, Pose, heading, quaternion
from coopsim.viewer.session import ViewerSession

Button = Literal["left", "right"]
_STEP = 0.5
_TURN = math.radians(15.0)
_STILL = 4.0
"""Nearer than this to where it was pressed, the mouse was not dragged [pixels]."""


@dataclass
class _Grip:
    name: str
    pose: Pose
    offset: Floats


class Hand:
    """The mouse over the picture. Pixels count from its lower left corner.

    Args:
        session: What it works on.

    Attributes:
        ghost: Where what is dragged is to be put, None = nothing is dragged.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._button: Button | None = None
        self._pressed, self._last = (0.0, 0.0), (0.0, 0.0)
        self._grip: _Grip | None = None
        self._is_dragging = False
        self.ghost: Pose | None = None

    def press(self, x: float, y: float, button: Button) -> None:
        """Press a button."""
        self._button, self._pressed, self._last = button, (x, y), (x, y)
        self._is_dragging, self._grip = False, None
        name = self._session.pick(x, y) if button == "left" else ""
        row, pose = self._session.entity(name), self._session.pose(name)
        if row is not None and pose is not None and not row.is_wall:
            point = self._session.camera.on_plane(x, y, pose[2])
            if point is not None:
                self._grip = _Grip(name, pose, np.array(pose[:3]) - point)

    def drag(self, x: float, y: float, *, shift: bool = False, ctrl: bool = False) -> None:
        """Move with a button down."""
        self._is_dragging = self._is_dragging or math.dist((x, y), self._pressed) > _STILL
        camera = self._session.camera
        if self._is_dragging:
            if self._grip is not None:
                self.ghost = self._moved(self._grip, x, y, shift=shift, ctrl=ctrl)
            elif self._button == "left":
                self._session.following = False
                camera.rotate(x - self._last[0], y - self._last[1])
            elif self._button == "right":
                self._session.following = False
                camera.translate(self._last, (x, y))
        self._last = (x, y)

    def release(self, x: float, y: float) -> None:
        """Release the button: what was dragged is put there, what was clicked is selected."""
        if self._button == "left":
            if self._grip is not None and self.ghost is not None:
                self._session.select(self._grip.name)
                self._session.place(self._grip.name, self.ghost)
            elif not self._is_dragging:
                self._session.select(self._session.pick(x, y))
        self._button, self._grip, self.ghost = None, None, None

    def scroll(self, x: float, y: float, steps: float) -> None:
        """Turn the wheel."""
        self._session.camera.zoom(steps, (x, y))

    @property
    def held(self) -> str:
        """Name of what is dragged, "" = nothing."""
        return self._grip.name if self._grip is not None and self.ghost is not None else ""

    def _moved(self, grip: _Grip, x: float, y: float, *, shift: bool, ctrl: bool) -> Pose:
        px, py, pz = grip.pose[:3]
        if shift:
            turn = heading(*grip.pose[3:]) + (x - self._pressed[0]) * 0.01
            turn = round(turn / _TURN) * _TURN if ctrl else turn
            return px, py, pz, *quaternion(0.0, 0.0, turn)
        point = self._session.camera.on_plane(x, y, pz)
        if point is None:
            return self.ghost or grip.pose
        px, py = (float(each) for each in (point + grip.offset)[:2])
        if ctrl:
            px, py = round(px / _STEP) * _STEP, round(py / _STEP) * _STEP
        return px, py, pz, *grip.pose[3:]
