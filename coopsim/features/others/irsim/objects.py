"""Robots and obstacles as a loop written for IR-SIM sees them."""

from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.others.worlds.plan import IrsimAgent, SolidPlan
from coopsim.geometry import Floats
from coopsim.suggest import did_you_mean

_NO_GOAL = "expected a goal x y and an angle, or several of them"


class Scanner(Protocol):
    """Source of the newest scan of a robot."""

    def scan(self, number: int) -> dict[str, Any]:
        """Return a scan of the robot with this number."""
        ...

    def scanner_pose(self, number: int) -> list[float]:
        """Return x, y [m] and heading [rad] of the scanner of a robot in its frame."""
        ...


class Refusing:
    """Object of IR-SIM of which only some members have a counterpart; all others are refused in words."""

    _what = "an object"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        members = [member for member in {*dir(type(self)), *vars(self)} if not member.startswith("_")]
        raise NoSuchName(
            f"{self._what} of IR-SIM has no {name!r} in coopsim{did_you_mean(name, members)}; it has"
            f" {', '.join(sorted(members))}"
        )


class IrsimObstacle(Refusing):
    """An obstacle that stands.

    Args:
        number: `id` in IR-SIM.
        solid: The obstacle.
    """

    _what = "an obstacle"
    role, kinematics, static, arrive, collision = "obstacle", None, True, False, False

    def __init__(self, number: int, solid: SolidPlan) -> None:
        self.id, self.name = number, solid.name or f"obstacle_{number}"
        x, y, heading = solid.pose
        self.shape = {"cylinder": "circle", "box": "rectangle"}.get(
            solid.kind, "polygon" if solid.closed else "linestring"
        )
        self.vertices = _outline(solid)
        self.length, self.width, _ = solid.size
        middle = self.vertices.mean(axis=1) if solid.points else np.array([x, y])
        self.radius = float(np.linalg.norm(self.vertices - middle[:, np.newaxis], axis=0).max())
        if solid.kind == "cylinder":
            self.radius = 0.5 * self.length
        self.state = np.array([[middle[0]], [middle[1]], [np.radians(heading)]])
        self.velocity = np.zeros((2, 1))

    @property
    def position(self) -> Floats:
        """Place, a column of x and y."""
        return self.state[:2]

    def get_obstacle_info(self) -> SimpleNamespace:
        """Return its middle, corners, velocity and radius."""
        return SimpleNamespace(
            center=self.position, vertex=self.vertices, velocity=self.velocity, radius=self.radius, G=None, h=None
        )

    def done(self) -> bool:
        """Return whether it has done what it was for: no obstacle has."""
        return False


def _outline(solid: SolidPlan) -> Floats:
    """Return the corners of a solid, shape (2, n)."""
    if solid.points:
        return np.array(solid.points).T
    x, y, heading = solid.pose
    length, width, _ = solid.size
    turn = np.radians(heading)
    corners = np.array([[1, 1, -1, -1], [-1, 1, 1, -1]]) * [[0.5 * length], [0.5 * width]]
    frame = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    outline: Floats = frame @ corners + [[x], [y]]
    return outline


class IrsimRobot(Refusing):
    """A robot, or an obstacle that moves.

    Args:
        number: `id` in IR-SIM.
        agent: What its file says.
        scanner: Source of its scans.

    Attributes:
        state: x, y, heading and, of a car, the steering, a column.
        velocity: As it was asked for in the last step, a column.
        is_touching: Whether something is touched.
        stop_flag: Whether it stays where it touched something.
    """

    _what = "a robot"
    static = False

    def __init__(self, number: int, agent: IrsimAgent, scanner: Scanner) -> None:
        self.id, self.role, self.kinematics = number, agent.section, agent.kinematics
        self.name = agent.title or f"{agent.section}_{number}"
        self.shape = {"disc": "circle", "box": "rectangle"}.get(agent.shape, "polygon")
        self.length, self.width = agent.size
        self.radius = 0.5 * (self.length if self.shape == "circle" else float(np.hypot(self.length, self.width)))
        self.goal_threshold, self.wheelbase, self.behavior = agent.threshold, agent.wheelbase, agent.behaviour
        self.vel_min, self.vel_max = np.c_[list(agent.limits.slowest)], np.c_[list(agent.limits.fastest)]
        self.acce = np.c_[list(agent.limits.change)]
        self.state: Floats = np.zeros((4 if agent.kinematics == "acker" else 3, 1))
        self.velocity: Floats = np.zeros_like(self.vel_max)
        self.collision = self.arrive = self.stop_flag = False
        self._agent, self._scanner = agent, scanner
        self._goals: deque[Floats] = deque(np.array(goal) for goal in agent.goals)
        self._first_goals = tuple(self._goals)

    @property
    def position(self) -> Floats:
        """Place, a column of x and y."""
        return self.state[:2]

    @property
    def heading(self) -> float:
        """Angle in which it looks [rad]."""
        return float(self.state[2, 0])

    @property
    def goal(self) -> Floats | None:
        """Place that it goes to now, a column; None = none."""
        return np.c_[self._goals[0]] if self._goals else None

    @property
    def max_speed(self) -> float:
        """Largest speed of a command [m/s]."""
        if self.kinematics in {"omni", "omni_angular"}:
            return float(np.hypot(*self.vel_max[:2, 0]))
        return float(self.vel_max[0, 0])

    def set_goal(self, goal: Any, init: bool = False) -> None:
        """Go to a place, or to several, one after the other; None = nowhere.

        Args:
            goal: x, y and an angle, or rows of them.
            init: Whether a reset brings it back.

        Raises:
            BadArgument: It is neither.
        """
        self._goals = deque(_rows(goal))
        self.arrive = False
        if init:
            self._first_goals = tuple(self._goals)

    def append_goal(self, goal: Any) -> None:
        """Go to a place after all others.

        Raises:
            BadArgument: It is none.
        """
        self._goals.extend(_rows(goal))

    def get_vel_range(self) -> tuple[Floats, Floats]:
        """Return the smallest and the largest velocity that it can have."""
        return self.vel_min, self.vel_max

    def get_info(self) -> SimpleNamespace:
        """Return its figures."""
        names = "id", "name", "shape", "kinematics", "role", "static", "goal", "vel_min", "vel_max", "acce"
        more = "goal_threshold", "wheelbase"
        return SimpleNamespace(**{name: getattr(self, name) for name in (*names, *more)})

    def get_obstacle_info(self) -> SimpleNamespace:
        """Return its middle, velocity and radius."""
        return SimpleNamespace(
            center=self.position, vertex=None, velocity=self.velocity, radius=self.radius, G=None, h=None
        )

    def get_lidar_scan(self) -> dict[str, Any]:
        """Return the newest scan, as a message of ROS has it.

        Raises:
            NoSuchName: It has no laser.
        """
        return self._scanner.scan(self.id)

    def get_lidar_offset(self) -> list[float]:
        """Return x, y and heading of its laser in its frame.

        Raises:
            NoSuchName: It has no laser.
        """
        return self._scanner.scanner_pose(self.id)

    def get_lidar_points(self) -> Floats | None:
        """Return where the newest scan hit something, in the frame of the laser, shape (2, n); None = nowhere."""
        scan = self.get_lidar_scan()
        ranges = np.asarray(scan["ranges"])
        angles = np.linspace(scan["angle_min"], scan["angle_max"], len(ranges))
        hits = ranges < scan["range_max"] - 0.02
        points: Floats = ranges[hits] * np.stack([np.cos(angles[hits]), np.sin(angles[hits])])
        return points if hits.any() else None

    def done(self) -> bool:
        """Return whether it is at its last goal, or has run into something."""
        return self.arrive or self.stop_flag

    def judge(self, state: Floats, *, touches: bool, stops: bool) -> None:
        """Note where it is after a step, whether it arrived and what it touched."""
        self.state = state
        self.collision = touches
        self.stop_flag = self.stop_flag or (touches and stops)
        if not self._goals:
            return
        gap = self._gap(self._goals[0])
        self.arrive = gap < self.goal_threshold and len(self._goals) == 1
        if gap < self.goal_threshold and len(self._goals) > 1:
            self._goals.popleft()

    def _gap(self, goal: Floats) -> float:
        way = self.state[:2, 0] - goal[:2]
        if not self._agent.has_angles or goal.size < 3:
            return float(np.hypot(*way))
        turn = (self.state[2, 0] - goal[2] + np.pi) % (2.0 * np.pi) - np.pi
        return float(np.sqrt(way @ way + turn**2))

    def forget(self, state: Floats) -> None:
        """Be as at the beginning, at a state."""
        self.state, self.velocity = state, np.zeros_like(self.velocity)
        self._goals = deque(self._first_goals)
        self.collision = self.arrive = self.stop_flag = False


def _rows(goal: Any) -> Sequence[Floats]:
    """Return goals as rows.

    Raises:
        BadArgument: They are none.
    """
    if goal is None:
        return []
    try:
        given = np.asarray(goal, float)
    except (TypeError, ValueError):
        raise BadArgument(f"{_NO_GOAL}; got {str(goal)[:60]!r}") from None
    rows = given.reshape(1, -1) if given.ndim == 1 or given.shape[-1] == 1 else given
    if rows.ndim != 2 or rows.shape[1] < 2 or not np.isfinite(rows).all():
        raise BadArgument(f"{_NO_GOAL}; got {str(goal)[:60]!r}")
    return list(rows)
