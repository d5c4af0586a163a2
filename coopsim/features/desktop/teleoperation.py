"""A robot that is driven by keys or a joystick: claimed, driven, released."""

import math
import time
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from coopsim.errors import CoopsimError, NoSuchCommand
from coopsim.features.desktop.arm_moves import SelectedArm
from coopsim.features.desktop.joystick import JoystickAxes
from coopsim.features.desktop.session import ViewerSession
from coopsim.geometry import heading
from coopsim.message.targets import robot_and_module

if TYPE_CHECKING:
    from coopsim.client import Client

DriveKey: TypeAlias = Literal["forward", "back", "left", "right"]
_STEP, _LAND = "/sim/step", "land"
_LOWEST, _CLIMB = 1.0, 1.5
"""Of what flies: the least height [m], over robots on the ground, and the climb for each metre that it lacks [1/s]."""
_SPEED, _TURN = 0.4, 1.2
"""What one key, or a stick at its end, asks for [m/s], [rad/s]."""
_EVERY = 0.1
"""Interval of repeated commands [s]: a robot may stop without them."""


class DrivenWay(Protocol):
    """A way to drive a robot that a program owns which takes orders, such as the logic of a match.

    Attributes:
        robot: That is driven.
    """

    robot: str

    @property
    def is_over(self) -> bool:
        """Whether it can be driven no more."""
        ...

    def begin(self) -> None:
        """Take the robot over."""
        ...

    def drive(self, speed: float, turn: float) -> None:
        """Let it go so fast [m/s], [rad/s]."""
        ...

    def end(self) -> None:
        """Give it back."""
        ...


class Teleoperation:
    """Drives one robot.

    Args:
        session: Whose run it is.
        joystick: Drives besides the keys.

    Attributes:
        robot: That is ours, "" = none.
        arm: That is selected.
        joystick: Drives besides the keys.
    """

    def __init__(self, session: ViewerSession, joystick: JoystickAxes | None = None) -> None:
        self._session, self.joystick = session, joystick or JoystickAxes()
        self.robot, self.arm = "", SelectedArm(session)
        self._motors = ""
        self._height: float | None = None
        self._way: DrivenWay | None = None
        self._ordered = 0.0, 0.0
        self._down: set[DriveKey] = set()
        self._asked: object = None
        self._due = 0.0

    def claim(self, robot: str) -> None:
        """Become the owner of a robot; the one of before is given back."""
        self.release()

        def work(simulation: "Client") -> tuple[str, bool]:
            motors = _motors_of(simulation, robot)
            simulation.module(_STEP).claim(robot)
            return motors, any(command.name == _LAND for command in simulation.module(motors).interface.commands)

        def ours(driven: tuple[str, bool]) -> None:
            self._asked = None
            pose = self._session.pose(robot)
            self._motors, flies = driven
            self._height = max(_LOWEST, pose[2]) if flies and pose is not None else None
            self._begin(robot)

        def refused(problem: CoopsimError) -> None:
            self._asked = None
            self._down.clear()
            self._report(problem)

        # keys that go down before the answer comes drive from then on; a link that is left never answers
        self._asked = self._session.link
        self._session.link.ask(work, then=ours, failed=refused)

    def claim_by(self, way: DrivenWay) -> None:
        """Drive a robot by orders to its owner; the one of before is given back."""
        self.release()
        way.begin()
        self._way, self._ordered = way, (0.0, 0.0)
        self._begin(way.robot)

    def _begin(self, robot: str) -> None:
        self.robot = robot
        self.joystick.open()
        also = f" and by {self.joystick.name}" if self.joystick.name else ""
        self._session.note(f"{robot} is driven by the arrow keys{also}")

    def release(self) -> None:
        """Stop our robot and give it back."""
        if self.robot:
            robot, motors, way, flies = self.robot, self._motors, self._way, self._height is not None
            self._forget()
            if way is not None:
                way.end()
                return

            def work(simulation: "Client") -> None:
                simulation.module(motors).call(_LAND if flies else "stop")
                simulation.module(_STEP).release(robot)

            notice = f"{robot} is driven from here no more"
            self._session.link.ask(work, then=lambda _: self._session.note(notice), failed=self._report)

    def press(self, key: DriveKey, *, down: bool) -> bool:
        """Press or release a key; return whether it drives anything, or will when the robot is ours."""
        if not self.robot and self._asked is not self._session.link:
            return False
        (self._down.add if down else self._down.discard)(key)
        self._due = 0.0
        return True

    def let_go(self) -> None:
        """Release all keys: a window that is left hears of none any more."""
        self._down.clear()
        self._due = 0.0

    def advance(self) -> None:
        """Say again how fast to go; called with each picture."""
        now = time.monotonic()
        if self._way is not None and self._way.is_over:
            self._forget()
        if self.robot and now >= self._due:
            self._due = now + _EVERY
            v, w = self.velocity
            if self._way is not None:
                if (v, w) != self._ordered:  # an order holds until the next one
                    self._ordered = v, w
                    self._way.drive(v, w)
                return
            self._session.link.call(self._motors, "set_velocity", *self._velocities(v, w), then=self._answered)

    def _velocities(self, v: float, w: float) -> tuple[float, ...]:
        """Return the values of `set_velocity`: what flies takes a velocity in the world, and is kept at its height."""
        pose = self._session.pose(self.robot)
        if self._height is None or pose is None:
            return v, w
        ahead = heading(*pose[3:])
        return v * math.cos(ahead), v * math.sin(ahead), _within_one((self._height - pose[2]) * _CLIMB), w

    @property
    def velocity(self) -> tuple[float, float]:
        """Velocity that is asked for [m/s], [rad/s]."""
        ahead = ("forward" in self._down) - ("back" in self._down)
        around = ("left" in self._down) - ("right" in self._down)
        pushed_ahead, pushed_left = self.joystick.position
        return _SPEED * _within_one(ahead + pushed_ahead), _TURN * _within_one(around + pushed_left)

    def _answered(self, problem: CoopsimError | None) -> None:
        if problem is not None:
            self._forget()
            self._report(problem)

    def _forget(self) -> None:
        self.robot, self._motors, self._way = "", "", None
        self._down.clear()
        self.joystick.close()

    def _report(self, problem: CoopsimError) -> None:
        self._session.note(str(problem).partition("\n")[0])


def _within_one(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _motors_of(simulation: "Client", robot: str) -> str:
    """Return the module that drives a robot.

    Raises:
        NoSuchCommand: It has none.
    """
    for target in simulation.names(f"/{robot}/"):
        if robot_and_module(target)[0] != robot:
            continue  # a module of another one, whose name begins with this one's
        if any(command.name == "set_velocity" for command in simulation.module(target).interface.commands):
            return target
    raise NoSuchCommand(f"{robot} has no module that takes a velocity: it cannot be driven by keys")
