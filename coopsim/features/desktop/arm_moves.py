"""Arms by hand: joints and tools of the selected robot, and moves of them that can be taken back."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.desktop.changes import KnownScene, Request
from coopsim.features.desktop.poses import inverse, turned
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.time_control import STEP
from coopsim.features.laws.arm_kinematics import ArmKinematics, Reach
from coopsim.geometry import Floats, Vector3
from coopsim.interfaces.arms import GRIPPER, JOINTS, TOOL
from coopsim.interfaces.chain_text import Chain, ChainJoint
from coopsim.message.targets import robot_and_module

if TYPE_CHECKING:
    from coopsim.client import Client


@dataclass(frozen=True, slots=True)
class Arm:
    """Modules of a robot that is an arm.

    Attributes:
        robot: Its name.
        module: Of the joints, without the name of the robot.
        joints: Between base and tool in their order, () = no tool tells of them.
        kinematics: Of the tool, None = there is none that all joints move.
        gripper: Module of the gripper, "" = none.
        widest: Of the gripper [m].
    """

    robot: str
    module: str
    joints: tuple[ChainJoint, ...] = ()
    kinematics: ArmKinematics | None = None
    gripper: str = ""
    widest: float = 0.0

    def limits(self, joint: int) -> tuple[float, float]:
        """Return the lowest and the highest position of a joint; half a turn where nothing bounds it [rad, m]."""
        low, high = (self.joints[joint].low, self.joints[joint].high) if joint < len(self.joints) else (-math.inf,) * 2
        return (low if math.isfinite(low) else -math.pi), (high if math.isfinite(high) else math.pi)


@dataclass(frozen=True, slots=True)
class JointsMoved:
    """Joints, or a gripper, that are sent elsewhere by hand.

    Attributes:
        robot: Its name.
        target: Module that moves them.
        command: Of the module.
        before: Positions before [rad, m].
        after: Positions that they go to [rad, m].
    """

    robot: str
    target: str
    command: str
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def title(self) -> str:
        """Title of the change."""
        return f"move {self.robot}"

    def requests(self, _look: KnownScene) -> list[Request]:
        """Return the command, and what gives the robot back: control laws may have it, and lockstep awaits no hand."""
        return [(self.target, self.command, self.after), (STEP, "release", (self.robot,))]

    def opposite(self) -> "JointsMoved":
        """Return what sends them back."""
        return JointsMoved(self.robot, self.target, self.command, self.after, self.before)

    def obstacle(self, look: KnownScene) -> str:
        """Return that the robot is gone."""
        return "" if look.entity(self.robot) is not None else f"{self.robot} is gone: there is nothing to move"


class SelectedArm:
    """The arm that is selected in a window.

    Args:
        session: What is shown.

    Attributes:
        arm: None = no arm is selected, or it has not answered yet.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._asked = ""
        self.arm: Arm | None = None

    def watch(self) -> None:
        """Ask about what is selected; called with each picture."""
        session = self._session
        robot, row = session.selected, session.entity(session.selected)
        if row is None or row.kind != "robot":
            self._asked, self.arm = "", None
        elif robot != self._asked:
            self._asked, self.arm = robot, None
            session.link.ask(lambda simulation: _read_arm(simulation, robot), then=self._receive, failed=self._note)

    def _note(self, problem: CoopsimError) -> None:
        self._session.note(str(problem).partition("\n")[0])

    def _receive(self, arm: Arm | None) -> None:
        if arm is not None and arm.robot == self._asked:
            self.arm = arm

    def positions(self) -> Floats | None:
        """Return where the joints are [rad, m], None = that is not known."""
        columns = self._columns(self.arm.module) if self.arm is not None else None
        return None if columns is None else np.atleast_1d(np.asarray(columns.positions, np.float64))

    def opening(self) -> float | None:
        """Return how wide the gripper is open [m], None = there is none."""
        columns = self._columns(self.arm.gripper) if self.arm is not None and self.arm.gripper else None
        return None if columns is None else float(np.ravel(columns.opening)[0])

    def _columns(self, module: str) -> Any:
        readings, robot = self._session.readings, self._asked
        if readings is None or robot not in readings.robots:
            return None
        return getattr(readings[robot], module, None)

    def tool(self) -> Floats | None:
        """Return where the point of the tool is in the world [m], None = there is no tool."""
        positions, pose = self.positions(), self._session.pose(self._asked)
        if self.arm is None or self.arm.kinematics is None or positions is None or pose is None:
            return None
        local, _ = self.arm.kinematics.tool_pose(positions)
        return np.asarray(np.array(pose[:3]) + turned(np.array([pose[3:]]), local[np.newaxis])[0])

    def move_joints(self, after: Sequence[float]) -> None:
        """Send the joints elsewhere [rad, m]."""
        positions, arm = self.positions(), self.arm
        if arm is not None and positions is not None:
            self._move(arm.module, "set_positions", positions.tolist(), after)

    def move_gripper(self, opening: float) -> None:
        """Open or close the gripper to a width [m]."""
        before, arm = self.opening(), self.arm
        if arm is not None and before is not None:
            self._move(arm.gripper, "set_opening", [before], [opening])

    def move_tool(self, point: Floats) -> None:
        """Send the joints where the tool is at a point of the world [m]; it goes on facing where it does if it can."""
        positions, pose, arm = self.positions(), self._session.pose(self._asked), self.arm
        if arm is None or arm.kinematics is None or positions is None or pose is None:
            return
        back = inverse(np.array([pose[3:]]))
        x, y, z = turned(back, (point - np.array(pose[:3]))[np.newaxis])[0].tolist()
        solve = partial(_solved, arm.kinematics, (x, y, z), positions)
        # in the thread of the link: a place out of reach takes a while to be known as such
        self._session.link.ask(lambda _: solve(), then=self.move_joints, failed=self._note)

    def _move(self, module: str, command: str, before: Sequence[float], after: Sequence[float]) -> None:
        target = f"/{self._asked}/{module}"
        self._session.editor.history.do(JointsMoved(self._asked, target, command, tuple(before), tuple(after)))


def _solved(kinematics: ArmKinematics, place: Vector3, positions: Floats) -> list[float]:
    """Return positions of the joints that bring the tool to a place in the frame of the base.

    Raises:
        BadArgument: No posture was found that does.
    """
    x, y, z = kinematics.tool_pose(positions)[1].tolist()
    try:
        joints = kinematics.solve(Reach(place, (x, y, z)), positions)
    except BadArgument:  # it may still come there when it points elsewhere
        joints = kinematics.solve(Reach(place), positions)
    return [float(position) for position in joints]


def _read_arm(simulation: "Client", robot: str) -> Arm | None:
    """Ask the modules of a robot; None = it has no joints that are moved together."""
    targets = [name for name in simulation.names(f"/{robot}/") if robot_and_module(name)[0] == robot]
    modules = {target: simulation.module(target) for target in targets}
    names: dict[str, str] = {}
    for target in targets:
        names.setdefault(modules[target].interface.kind, target)
    if JOINTS.kind not in names:
        return None
    joints, kinematics = _chain(modules, names)
    widest = float(modules[names[GRIPPER.kind]].parameters["widest"]) if GRIPPER.kind in names else 0.0
    module, gripper = (names.get(kind, "").removeprefix(f"/{robot}/") for kind in (JOINTS.kind, GRIPPER.kind))
    return Arm(robot, module, joints, kinematics, gripper, widest)


def _chain(modules: dict[str, Any], names: dict[str, str]) -> tuple[tuple[ChainJoint, ...], ArmKinematics | None]:
    if TOOL.kind not in names:
        return (), None
    count = len(np.ravel(modules[names[JOINTS.kind]].state().positions))
    try:
        chain = Chain.from_text(str(modules[names[TOOL.kind]].parameters["chain"]))
    except CoopsimError:  # the tool of somebody else's server may say nothing of its joints
        return (), None
    return (chain.joints, ArmKinematics(chain)) if len(chain.joints) == count else ((), None)
