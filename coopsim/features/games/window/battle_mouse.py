"""The mouse over the battlefield: squads are selected by a click or a band, paths drawn, targets indicated."""

import math

from coopsim.features.desktop.session import ViewerSession
from coopsim.features.games.window.battle_control import BattleControl

_STILL = 4.0
"""Nearer than this to where it was pressed, the mouse was not dragged [pixels]."""
Pixel = tuple[float, float]


class BattleMouse:
    """Mouse of a match in the window. Pixels count from the lower left corner of the picture.

    Args:
        session: What is shown.
        control: Of the battlefield.

    Attributes:
        band: Corners of a rubber band, None = there is none.
    """

    def __init__(self, session: ViewerSession, control: BattleControl) -> None:
        self._session, self._control = session, control
        self._button, self._pressed, self._name = "", (0.0, 0.0), ""
        self._is_dragging = self._is_path = self._is_held = False
        self.band: tuple[Pixel, Pixel] | None = None

    def press(self, x: float, y: float, button: str) -> None:
        """Press a button; on a robot of a squad of this player, a path can be drawn from there."""
        battle = self._control.battle
        self._button, self._pressed, self._name = button, (x, y), self._session.pick(x, y)
        self._is_dragging, self.band = False, None
        self._is_path = button == "left" and battle.is_mine(self._name)

    def drag(self, x: float, y: float) -> None:
        """Move with the left button down."""
        if self._button != "left" or (not self._is_dragging and math.dist((x, y), self._pressed) <= _STILL):
            return
        battle = self._control.battle
        if not self._is_dragging and self._is_path:
            if battle.fighters[self._name].squad not in battle.selected:
                battle.choose([self._name])
            self._is_held = self._holds_back()
            if not self._is_held:
                self._control.begin_path()
        self._is_dragging = True
        if not self._is_path:
            self.band = self._pressed, (x, y)
        elif not self._is_held and (point := self._floor(x, y)) is not None:
            battle.draw(point)

    def release(self, x: float, y: float, *, add: bool = False) -> None:
        """Release the button: select, send along the path, or indicate what squads are to do.

        Args:
            x: Where.
            y: Where.
            add: Whether what was selected before stays selected.
        """
        battle, control = self._control.battle, self._control
        still = math.dist((x, y), self._pressed) <= _STILL
        if self._button == "left" and self.band is not None:
            battle.choose(self._session.within(*self.band), add=add)
        elif self._button == "left" and self._is_dragging:
            if not self._is_held:
                control.end_path(self._floor(x, y))
        elif self._button == "left" and (self._is_path or not self._name):
            battle.choose([self._name] if self._is_path else [], add=add)
        elif self._button and still and battle.selected and not self._holds_back():
            control.order(battle.meant(self._name, self._floor(x, y)))
        self._button, self._is_dragging, self.band = "", False, None

    def _holds_back(self) -> bool:
        """Return whether no order is taken now; say why."""
        held = self._control.battle.held
        if held:
            self._session.note(held)
        return bool(held)

    def _floor(self, x: float, y: float) -> tuple[float, float] | None:
        point = self._session.camera.on_plane(x, y)
        return None if point is None else (float(point[0]), float(point[1]))
