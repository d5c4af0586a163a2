"""Robots and obstacles as a loop written for IR-SIM sees them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.others.irsim.fleet import Fleet
from coopsim.features.others.irsim.places import Standing, free_place, row_of
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

    def move_robot(self, number: int, state: Floats, *, is_beginning: bool) -> Floats:
        """Put a robot somewhere; return states of all."""
        ...

    def move_entity(self, name: str, middle: Floats, heading: float, *, is_beginning: bool) -> None:
        """Put an entity somewhere."""
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
        entity: Its name in the simulation.
        mover: Moves it.
    """

    _what = "an obstacle"
    role, kinematics, static, arrive, collision = "obstacle", None, True, False, False

    def __init__(self, number: int, solid: SolidPlan, entity: str, mover: Scanner) -> None:
        self._entity, self._mover = entity, mover
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
        self.line = self.vertices if solid.kind == "line" else None
        # of a polygon its entity has the middle of the box around it, and is not turned at first
        self._middle = 0.5 * (self.vertices.min(axis=1) + self.vertices.max(axis=1)) if solid.points else middle
        self._turn, self._first = 0.0 if solid.points else np.radians(heading), self.state

    def set_state(self, state: Any, init: bool = False) -> None:
        """Stand somewhere else: x, y and heading.

        Args:
            state: A row or a column.
            init: Whether a reset brings it back there.

        Raises:
            BadArgument: It is no state, or a line, which has many parts.
        """
        row = row_of(state, f"state of {self.name}")
        if self.line is not None:
            raise BadArgument(f"{self.name} is a line of walls, which stays where its file has it")
        self._move(row)
        self._mover.move_entity(self._entity, self._middle, self._turn, is_beginning=init)
        self._first = self.state if init else self._first

    def forget(self) -> None:
        """Be where it was at the beginning, as its body is after a reset."""
        self._move(self._first[:, 0])

    def _move(self, row: Floats) -> None:
        turn = row[2] - self.state[2, 0]
        around = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        self._middle = around @ (self._middle - self.state[:2, 0]) + row[:2]
        self.vertices = around @ (self.vertices - self.state[:2]) + row[:2, np.newaxis]
        self.state, self._turn = row[:, np.newaxis], self._turn + turn

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
        fleet: States and goals of all robots.
    """

    _what = "a robot"
    static, line = False, None

    def __init__(self, number: int, agent: IrsimAgent, scanner: Scanner, fleet: Fleet) -> None:
        self.id, self.role, self.kinematics = number, agent.section, agent.kinematics
        self.name = agent.title or f"{agent.section}_{number}"
        self.shape = {"disc": "circle", "box": "rectangle"}.get(agent.shape, "polygon")
        self.length, self.width = agent.size
        self.radius = 0.5 * (self.length if self.shape == "circle" else float(np.hypot(self.length, self.width)))
        self.goal_threshold, self.wheelbase, self.behavior = agent.threshold, agent.wheelbase, agent.behaviour
        self.vel_min, self.vel_max = np.c_[list(agent.limits.slowest)], np.c_[list(agent.limits.fastest)]
        self.acce = np.c_[list(agent.limits.change)]
        self._size = 4 if agent.kinematics == "acker" else 3
        self._scanner, self._fleet = scanner, fleet
        self._first_goals: Sequence[Floats] = [np.array(goal) for goal in agent.goals]
        fleet.set_goals(number, self._first_goals)

    @property
    def state(self) -> Floats:
        """x, y, heading and, of a car, the steering, a column."""
        return self._fleet.states[self.id, : self._size, np.newaxis].copy()

    @property
    def velocity(self) -> Floats:
        """Velocity that was asked for in the last step, a column."""
        return self._fleet.velocities[self.id, : self.vel_max.size, np.newaxis].copy()

    @property
    def arrive(self) -> bool:
        """Whether it is at its last goal."""
        return bool(self._fleet.arrived[self.id])

    @property
    def collision(self) -> bool:
        """Whether it touches something."""
        return bool(self._fleet.touching[self.id])

    @property
    def stop_flag(self) -> bool:
        """Whether it stays where it touched something."""
        return bool(self._fleet.stopped[self.id])

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
        goal = self._fleet.goal(self.id)
        return None if goal is None else goal.reshape(-1, 1).copy()

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
        goals = _rows(goal)
        self._fleet.set_goals(self.id, goals)
        if init:
            self._first_goals = goals

    def set_state(self, state: Any, init: bool = False) -> None:
        """Be somewhere else: x, y and heading.

        Args:
            state: A row or a column.
            init: Whether a reset brings it back there.

        Raises:
            BadArgument: It is no state.
        """
        row = row_of(state, f"state of {self.name}")
        self._fleet.states = self._scanner.move_robot(self.id, row, is_beginning=init)

    def set_random_goal(
        self,
        obstacle_list: Sequence[Standing] = (),
        init: bool = False,
        free: bool = True,
        goal_check_radius: float = 0.2,
        range_limits: Any = ((0.0, 0.0, -np.pi), (10.0, 10.0, np.pi)),
        **_: Any,
    ) -> None:
        """Go to a place by chance.

        Args:
            obstacle_list: What it keeps away from.
            init: Whether a reset brings it back.
            free: Whether it does.
            goal_check_radius: Room around it [m].
            range_limits: Smallest and largest x, y and angle.

        Raises:
            BadArgument: There is no such place.
        """
        low, high = range_limits
        self.set_goal(free_place(low, high, goal_check_radius, obstacle_list if free else ()), init)

    def append_goal(self, goal: Any) -> None:
        """Go to a place after all others.

        Raises:
            BadArgument: It is none.
        """
        self._fleet.add_goals(self.id, _rows(goal))

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

    def forget(self) -> None:
        """Have the goals of the beginning again."""
        self._fleet.set_goals(self.id, self._first_goals)


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
