"""Mouse in the picture: selecting, dragging along the floor, moving the camera."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from coopsim.features.beginnings.crews import swung
from coopsim.features.desktop.arm_moves import SelectedArm
from coopsim.features.desktop.pulling import Pull
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.tool_gizmo import ToolGizmo
from coopsim.geometry import Floats, Pose, heading, quaternion

Button = Literal["left", "right"]
Pixel = tuple[float, float]
_STEP = 0.5  # m; with Ctrl a place is a multiple of it
_TURN = math.radians(15.0)
_TURN_PER_UNIT = 0.01  # rad; half a turn by a drag across a third of the picture
_STILL = 4.0
"""Nearer than this to where it was pressed, the mouse was not dragged [units of the window]."""


@dataclass
class _Grip:
    name: str
    pose: Pose
    offset: Floats


class MouseTool:
    """The mouse over the picture. Pixels count from its lower left corner.

    Args:
        session: What it works on.
        arm: That is selected.

    Attributes:
        preview: Where what is dragged is to be put, None = nothing is dragged.
        pull: A body that is pulled by a force, None = none is.
        gizmo: Handles at the tool of the selected arm.
        band: Corners of a rubber band around what is to be selected, None = there is none.
    """

    def __init__(self, session: ViewerSession, arm: SelectedArm | None = None) -> None:
        self._session = session
        self._button: Button | None = None
        self._pressed, self._last = (0.0, 0.0), (0.0, 0.0)
        self._grip: _Grip | None = None
        self._is_dragging = False
        self.preview: Pose | None = None
        self.pull: Pull | None = None
        self.band: tuple[Pixel, Pixel] | None = None
        self.gizmo = ToolGizmo(session, arm or SelectedArm(session))

    def press(self, x: float, y: float, button: Button, *, alt: bool = False) -> None:
        """Press a button."""
        self._button, self._pressed, self._last = button, (x, y), (x, y)
        self._is_dragging, self._grip = False, None
        if button == "left" and not alt and self.gizmo.press(x, y):
            return
        if alt and button == "left":
            self._begin_pull(x, y)
            return
        name = self._session.pick(x, y) if button == "left" else ""
        row, pose = self._session.entity(name), self._session.pose(name)
        if row is not None and pose is not None and not row.is_wall and name not in self._session.locked:
            point = self._session.camera.on_plane(x, y, pose[2])
            if point is not None:
                self._grip = _Grip(name, pose, np.array(pose[:3]) - point)

    def drag(self, x: float, y: float, *, shift: bool = False, ctrl: bool = False) -> None:
        """Move with a button down."""
        self._is_dragging = self._is_dragging or math.dist((x, y), self._pressed) > _STILL * self._session.camera.scale
        camera = self._session.camera
        if self._is_dragging:
            if self.gizmo.axis is not None:
                self.gizmo.drag(x, y)
            elif self.pull is not None:
                point = camera.on_plane(x, y, self.pull.end[2])
                self.pull.end = self.pull.end if point is None else point
            elif self._grip is not None:
                self.preview = self._moved(self._grip, x, y, shift=shift, ctrl=ctrl)
            elif self._button == "left" and (shift or self.band):
                self.band = self._pressed, (x, y)
            elif self._button == "left":
                self._session.following = False
                camera.rotate(x - self._last[0], y - self._last[1])
            elif self._button == "right":
                self._session.following = False
                camera.translate(self._last, (x, y))
        self._last = (x, y)

    def release(self, x: float, y: float, *, add: bool = False) -> None:
        """Release the button: what was dragged is put there, what was clicked, or lies in the band, is selected.

        Args:
            x: Where.
            y: Where.
            add: Whether what was selected before stays selected.
        """
        session = self._session
        if self.gizmo.axis is not None:
            self.gizmo.release()
        elif self.pull is not None:
            self._end_pull(self.pull)
        elif self._button == "left":
            if self._grip is not None and self.preview is not None:
                moved = self.previews
                if self._grip.name not in session.chosen:
                    session.select(self._grip.name)
                session.editor.move(moved)
            elif self.band is not None:
                self._choose(session.within(*self.band), add=add)
            elif not self._is_dragging:
                self._choose([name] if (name := session.pick(x, y)) else [], add=add)
        self._button, self._grip, self.preview, self.band = None, None, None, None

    def advance(self) -> None:
        """Go on pulling, and know the arm that is selected; called with each picture."""
        self.gizmo.arm.watch()
        if self.pull is not None:
            self.pull.advance()

    def scroll(self, x: float, y: float, steps: float) -> None:
        """Turn the wheel."""
        self._session.camera.zoom(steps, (x, y))

    @property
    def held(self) -> str:
        """Name of what is dragged, "" = nothing."""
        return self._grip.name if self._grip is not None and self.preview is not None else ""

    @property
    def previews(self) -> dict[str, Pose]:
        """Places of everything that is dragged: the rest of the selection goes the same way."""
        if self._grip is None or self.preview is None:
            return {}
        session, (x, y, *_), (left, back, *_) = self._session, self.preview, self._grip.pose
        other_names = [name for name in session.editable if name != self._grip.name]
        if self._grip.name not in session.chosen:
            other_names = []
        poses = {name: pose for name in other_names if (pose := session.pose(name)) is not None}
        turn = heading(*self.preview[3:]) - heading(*self._grip.pose[3:])
        if turn:  # all of them turn about what is held
            return {name: swung(pose, self.preview, turn) for name, pose in poses.items()} | {
                self._grip.name: self.preview
            }
        moved = {name: (pose[0] + x - left, pose[1] + y - back, *pose[2:]) for name, pose in poses.items()}
        return {**moved, self._grip.name: self.preview}

    def _begin_pull(self, x: float, y: float) -> None:
        session = self._session
        name, point = session.pick_point(x, y)
        row = session.entity(name)
        if row is None or row.mass <= 0.0 or name in session.locked:
            return
        if session.obstacle:
            session.note(session.obstacle)
            return
        session.select(name)
        self.pull = Pull(session, name, point)

    def _end_pull(self, pull: Pull) -> None:
        pull.let_go()
        if self._is_dragging and pull.grabbed is not None:
            self._session.editor.pulled(pull.name, pull.grabbed)
        self.pull = None

    def _choose(self, names: list[str], *, add: bool) -> None:
        """Select entities; of those that are added one after the other, a second time means no more."""
        before = self._session.chosen if add else ()
        kept = [name for name in before if names != [name]]
        self._session.choose([*kept, *(name for name in names if name not in before)])

    def _moved(self, grip: _Grip, x: float, y: float, *, shift: bool, ctrl: bool) -> Pose:
        px, py, pz = grip.pose[:3]
        if shift:
            turn = heading(*grip.pose[3:]) + (x - self._pressed[0]) * _TURN_PER_UNIT / self._session.camera.scale
            turn = round(turn / _TURN) * _TURN if ctrl else turn
            return px, py, pz, *quaternion(0.0, 0.0, turn)
        point = self._session.camera.on_plane(x, y, pz)
        if point is None:
            return self.preview or grip.pose
        px, py = (float(coordinate) for coordinate in (point + grip.offset)[:2])
        if ctrl:
            px, py = round(px / _STEP) * _STEP, round(py / _STEP) * _STEP
        return px, py, pz, *grip.pose[3:]
