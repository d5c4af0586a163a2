"""A robot of a match that its player drives by hand: the logic of the match owns it, and is told how fast it goes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from coopsim.errors import CoopsimError
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.teleoperation import Teleoperation
from coopsim.features.games.window.battle_control import BattleControl

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.interfaces import Value

_BELOW = 0.99
"""Share of the limits of a type that is asked for: more than them is refused, and limits are told rounded."""


class ByHand:
    """Drives a robot of a match by orders; what the arrow keys and a joystick ask for is kept within its type's limits.

    Args:
        session: Whose run it is.
        control: Of the battlefield; it sends the orders.
        robot: Of this player.
    """

    def __init__(self, session: ViewerSession, control: BattleControl, robot: str) -> None:
        self._session, self._control, self.robot = session, control, robot
        self._limits: tuple[float, float] | None = None
        self._wanted = 0.0, 0.0

    @property
    def is_over(self) -> bool:
        """Whether it can be driven no more: it is out, of somebody else, or orders are not taken."""
        battle = self._control.battle
        fighter = battle.fighters.get(self.robot)
        return fighter is None or fighter.health <= 0.0 or not battle.is_mine(self.robot) or bool(battle.held)

    def begin(self) -> None:
        """Take the robot, and ask how fast its type drives."""
        target = f"/{self.robot}/intelligence"

        def limits_of(simulation: "Client") -> "Mapping[str, Value]":
            return simulation.module(target).parameters

        def know(parameters: "Mapping[str, Value]") -> None:
            self._limits = _BELOW * float(parameters["speed"]), _BELOW * float(parameters["turn"])
            # a key that was pressed before the answer came is said once only
            if any(self._wanted) and not self.is_over:
                self.drive(*self._wanted)

        self._control.order([f"{self.robot} take"])
        self._session.link.ask(limits_of, then=know, failed=self._report)

    def drive(self, speed: float, turn: float) -> None:
        """Let it go so fast [m/s], [rad/s], as soon as its limits are known."""
        self._wanted = speed, turn
        if self._limits is None:
            return
        fastest, sharpest = self._limits
        v, w = max(-fastest, min(fastest, speed)), max(-sharpest, min(sharpest, turn))
        self._control.order([f"{self.robot} drive {v:.2f} {w:.2f}"])

    def end(self) -> None:
        """Give it back to its squad."""
        self._wanted = 0.0, 0.0
        if not self.is_over:
            self._control.order([f"{self.robot} give"])

    def _report(self, problem: CoopsimError) -> None:
        self._session.note(str(problem).partition("\n")[0])


class ManualDriving:
    """Switch between a robot's squad and the hand of its player.

    Args:
        session: Whose run it is.
        control: Of the battlefield.
        teleoperation: Hears the keys and the joystick.
    """

    def __init__(self, session: ViewerSession, control: BattleControl, teleoperation: Teleoperation) -> None:
        self._session, self._control, self._teleoperation = session, control, teleoperation

    @property
    def robot(self) -> str:
        """The robot that is driven, "" = none."""
        return self._teleoperation.robot

    def switch(self, robot: str) -> None:
        """Drive a robot of this player by hand; the one that is driven is given back."""
        if self.robot == robot:
            self._teleoperation.release()
        else:
            self._teleoperation.claim_by(ByHand(self._session, self._control, robot))
