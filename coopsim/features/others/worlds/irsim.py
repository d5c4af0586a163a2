"""Worlds of IR-SIM: YAML with a world, robots and obstacles.

Source: the YAML files of IR-SIM 2 (github.com/hanruihua/ir-sim) and what its documentation says of their keys.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from coopsim.errors import BadFile
from coopsim.features.others.worlds import irsim_shapes
from coopsim.features.others.worlds.irsim_agents import goal_rows, limits
from coopsim.features.others.worlds.irsim_robots import kind_of
from coopsim.features.others.worlds.irsim_shapes import IrsimShape
from coopsim.features.others.worlds.plan import (
    FloorPlan,
    GoalRow,
    IrsimAgent,
    LawUse,
    PlanPoint,
    PlanPose,
    RobotPlan,
    WorldPlan,
    proper_name,
)
from coopsim.features.others.worlds.writing import number
from coopsim.features.others.worlds.yaml_tree import YamlKeys, YamlValue, read_yaml, row

MOST_ROBOTS = 10_000
"""Robots or obstacles of one group."""
_STOPS = ("stop", "unobstructed_obstacles")  # values of collision_mode with which a robot stands still
_TICK = 0.01  # s; contacts and motors need more of them than IR-SIM has steps
_SEEN_AHEAD = 1.5  # m; of the way within which robots of `orca` may not meet, as with its usual values
_FASTEST = 10.0  # m/s; of control laws
_LAWS = {"dash": "potential", "rvo": "orca", "orca": "orca", "sfm": "social_force"}
_SHOWN = "plot", "gui", "fog"
_NO_DRIVE = "static"  # key of what stands, and name of its kinematics
_Value = TypeVar("_Value")


def read_irsim(text: str, file: Path) -> WorldPlan:
    """Return what a file describes.

    Raises:
        BadFile: It is no YAML, or a value is none that IR-SIM takes.
        NoSuchPlugin: PyYAML is not installed.
    """
    plan = WorldPlan(f"IR-SIM's {file.name}")
    top = YamlKeys(read_yaml(text, file), file, plan)
    world = top.get("world")
    _World(plan, file).read(YamlKeys(world if world is not None else YamlValue({}, 1), file, plan))
    for section, is_robot in (("robot", True), ("obstacle", False)):
        entry = top.get(section)
        for group in entry.items() if entry is not None else ():
            _Group(plan, file, YamlKeys(group, file, plan), section, is_robot=is_robot).add()
    for name in _SHOWN:
        top.lose(name, "left out: it is about IR-SIM's own figure")
    top.leave()
    return plan


class _World:
    """Floor, map and time."""

    def __init__(self, plan: WorldPlan, file: Path) -> None:
        self._plan, self._file = plan, file

    def read(self, keys: YamlKeys) -> None:
        plan = self._plan
        plan.size = keys.number("width", 10.0), keys.number("height", 10.0)
        if min(plan.size) <= 0.0:
            raise BadFile(f"{self._file}:{keys.line}: width and height: expected more than 0, got {plan.size}")
        offset = keys.get("offset")
        corner = row(offset, "offset", self._file) if offset is not None else [0.0, 0.0]
        plan.middle = corner[0] + 0.5 * plan.size[0], corner[1] + 0.5 * plan.size[1]
        plan.step = _TICK
        plan.step_asked = keys.number("step_time", 0.1)
        plan.stops = keys.plain("collision_mode", _STOPS[0]) in _STOPS
        keys.lose("step_time", f"ticks take {_TICK} s; a client may ask for several in one step")
        keys.lose("sample_time", "every tick is recorded and shown")
        keys.lose("control_mode", "a robot without a law is driven by clients, or by the keys of the window")
        keys.lose("collision_mode", "bodies push each other, as in the world")
        self._map(keys)
        for name in ("plot", "name", "mdownsample", "status"):
            keys.lose(name, "left out: it is about IR-SIM's own figure")
        keys.leave()

    def _map(self, keys: YamlKeys) -> None:
        entry = keys.get("obstacle_map")
        if entry is None:
            return
        name = entry.plain()
        image = self._file.parent / name if isinstance(name, str) else None
        if image is None or not image.is_file():
            reason = "left out: expected a picture beside this file"
            self._plan.lose(f"{self._file}:{entry.line}", "obstacle_map", reason)
            return
        from PIL import Image

        with Image.open(image) as picture:
            across, up = picture.size
        resolution = self._plan.size[0] / across
        if abs(resolution * up - self._plan.size[1]) > resolution:
            reason = f"its pixels are squares here: {resolution * up:.3g} m high, not {self._plan.size[1]:.3g}"
            self._plan.lose(f"{self._file}:{entry.line}", "obstacle_map", reason)
        corner = self._plan.middle[0] - 0.5 * self._plan.size[0], self._plan.middle[1] - 0.5 * self._plan.size[1]
        self._plan.floor_plans.append(FloorPlan(str(image), resolution, corner))


class _Group:
    """Robots, or obstacles, that one entry of the file describes."""

    def __init__(self, plan: WorldPlan, file: Path, keys: YamlKeys, section: str, *, is_robot: bool) -> None:
        self._plan, self._file, self._keys, self._section, self._is_robot = plan, file, keys, section, is_robot
        self._count = round(keys.number("number", 1))
        if not 0 < self._count <= MOST_ROBOTS:
            raise BadFile(f"{file}:{keys.line}: number: expected 1 to {MOST_ROBOTS}, got {self._count}")

    def add(self) -> None:
        """Add them to the plan."""
        keys = self._keys
        shapes = [irsim_shapes.read(entry, self._file, self._plan) for entry in self._entries("shape")]
        shapes = shapes or [irsim_shapes.DISC]
        kinematics = self._entries("kinematics")
        colors, names = self._words("color"), self._words("name")
        states, goals = self._places()
        drives = bool(kinematics) and not keys.plain(_NO_DRIVE, usual=False)
        names_of_robots = []
        for k in range(self._count):
            shape, color = _of(shapes, k), irsim_shapes.color(_of(colors, k) if colors else "")
            name = names[k] if k < len(names) else f"{self._section}_{k + 1}"
            if drives and shape is not None and not self._stands(_of(kinematics, k)):
                if shape.parts:
                    keys.lose("shape", "its robots are the convex polygons around all parts")
                    shape = irsim_shapes.joined(shape)
                robot, ahead = self._add_robot(shape, name, _of(states, k), color, k)
                names_of_robots.append(robot)
                self._add_agent(
                    (robot, names[k] if k < len(names) else ""), shape, ahead, _of(goals, k) if goals else (), k
                )
            elif keys.plain("unobstructed", usual=False):
                keys.lose("unobstructed", "left out: everything that stands here is touched")
            elif shape is not None:
                for solid in irsim_shapes.solids(shape, _of(states, k), color):
                    self._plan.solids.append(solid)
        self._add_laws(names_of_robots, goals)
        for name in ("plot", "description", "arrive_mode", "group", "group_name", "role", "id"):
            keys.lose(name, "left out: it is about IR-SIM's own figure and books")
        keys.leave()

    def _stands(self, kinematics: YamlValue) -> bool:
        """Return whether kinematics say that something never moves."""
        return str(YamlKeys(kinematics, self._file, self._plan).plain("name")) == _NO_DRIVE

    def _entries(self, name: str) -> list[YamlValue]:
        entry = self._keys.get(name)
        return [] if entry is None else entry.items()

    def _words(self, name: str) -> list[str]:
        value = self._keys.plain(name)
        return [] if value is None else [str(word) for word in (value if isinstance(value, list) else [value])]

    def _rows(self, name: str) -> list[list[float]]:
        """Return a list of rows, or the one row that stands there, as a list."""
        entry = self._keys.get(name)
        if entry is None:
            return []
        nested = entry.items() and isinstance(entry.items()[0].value, list)
        return [row(part, name, self._file) for part in entry.items()] if nested else [row(entry, name, self._file)]

    def _places(self) -> tuple[list[PlanPose], list[tuple[GoalRow, ...]]]:
        """Return where all begin, and where they go; the latter may be fewer, or none."""
        entry = self._keys.get("distribution")
        if entry is None:
            return self._manual()
        way = YamlKeys(entry, self._file, self._plan)
        name = str(way.plain("name", "manual"))
        if name == "circle":
            places = self._circle(way)
        elif name == "random":
            places = self._random(way)
        else:
            places = self._manual()
            if name != "manual":
                way.lose("name", "left out: expected manual, circle or random")
        way.leave()
        return places

    def _manual(self) -> tuple[list[PlanPose], list[tuple[GoalRow, ...]]]:
        states = [_pose(state, self._file, self._keys.line) for state in self._rows("state")]
        return states or [(1.0, 1.0, 0.0)], self._goals()

    def _goals(self) -> list[tuple[GoalRow, ...]]:
        """Return where each goes."""
        ways = goal_rows(self._keys.get("goal"), self._file)
        if any(len(way) > 1 for way in ways):
            self._keys.lose("goal", "the last place of a way is the goal")
        return ways

    def _circle(self, way: YamlKeys) -> tuple[list[PlanPose], list[tuple[GoalRow, ...]]]:
        for name in ("state", "goal"):
            self._keys.lose(name, "left out: `distribution` places these")
        centre = way.get("center")
        x, y = row(centre, "center", self._file)[:2] if centre is not None else self._plan.middle
        radius = way.number("radius", 0.5 * min(self._plan.size) - 0.5)
        angles = [2.0 * math.pi * k / self._count for k in range(self._count)]
        states = [
            (x + radius * math.cos(turn), y + radius * math.sin(turn), math.degrees(turn) - 180.0) for turn in angles
        ]
        return states, [
            ((x - radius * math.cos(turn), y - radius * math.sin(turn), turn - math.pi),) for turn in angles
        ]

    def _random(self, way: YamlKeys) -> tuple[list[PlanPose], list[tuple[GoalRow, ...]]]:
        self._keys.lose("state", "left out: `distribution` places these")
        low, high = self._bounds(way)
        chance = np.random.default_rng(len(self._plan.robots) + len(self._plan.solids))
        reason = "drawn once, when the file was made: a scenario has the same beginning each time"
        way.lose("name", reason)
        drawn = chance.uniform(low, high, (2, self._count, 3)).tolist()
        states = [(x, y, math.degrees(turn)) for x, y, turn in drawn[0]]
        return states, self._goals() or [((x, y, turn),) for x, y, turn in drawn[1]]

    def _bounds(self, way: YamlKeys) -> tuple[list[float], list[float]]:
        (x, y), (width, depth) = self._plan.middle, self._plan.size
        low, high = way.get("range_low"), way.get("range_high")
        return (
            row(low, "range_low", self._file) if low is not None else [x - 0.5 * width, y - 0.5 * depth, -math.pi],
            row(high, "range_high", self._file) if high is not None else [x + 0.5 * width, y + 0.5 * depth, math.pi],
        )

    def _add_robot(self, shape: IrsimShape, name: str, state: PlanPose, color: str, k: int) -> tuple[str, float]:
        kind, ahead = kind_of(self._keys, _of(self._entries("kinematics"), k), shape, self._file, self._plan)
        x, y, heading = state
        turn = math.radians(heading)
        pose = x + ahead * math.cos(turn), y + ahead * math.sin(turn), heading
        robot = RobotPlan(self._plan.kind_of(kind), self._plan.free_name(proper_name(name)), pose, color)
        self._plan.robots.append(robot)
        return robot.name, ahead

    def _add_agent(
        self, named: tuple[str, str], shape: IrsimShape, ahead: float, goals: tuple[GoalRow, ...], k: int
    ) -> None:
        keys, behaviours = self._keys, self._entries("behavior")
        motion = YamlKeys(_of(self._entries("kinematics"), k), self._file, self._plan)
        behaviour = YamlKeys(_of(behaviours, k), self._file, self._plan) if behaviours else None
        kinematics = str(motion.plain("name", "diff"))
        agent = IrsimAgent(
            *named,
            self._section,
            kinematics,
            shape.kind,
            shape.bounds,
            shape.wheelbase,
            str(behaviour.plain("name", "")) if behaviour is not None else "",
            self._speed(behaviour) if behaviour is not None else 0.0,
            goals,
            self._tolerance,
            keys.plain("arrive_mode", "position") == "state",
            limits(keys, kinematics, self._file),
            ahead,
        )
        self._plan.agents.append(agent)

    @property
    def _tolerance(self) -> float:
        return min(max(self._keys.number("goal_threshold", 0.1), 0.01), 10.0)

    def _add_laws(self, robots: Sequence[str], ways: Sequence[tuple[GoalRow, ...]]) -> None:
        behaviours = self._entries("behavior")
        goals = [(way[-1][0], way[-1][1]) for way in ways]
        tolerance = self._tolerance
        self._keys.lose("group_behavior", "left out: see the control laws of coopsim")
        if not behaviours or not robots:
            return
        # a law for all that move alike: they know each other as teammates
        alike: dict[tuple[str, float], list[int]] = {}
        for k in range(len(robots)):
            behaviour = YamlKeys(_of(behaviours, k), self._file, self._plan)
            law = _LAWS.get(str(behaviour.plain("name", "")))
            if law is None:
                behaviour.lose("name", f"left out: expected {', '.join(_LAWS)}; see the control laws of coopsim")
                continue
            alike.setdefault((law, self._speed(behaviour)), []).append(k)
            if k < len(behaviours):
                behaviour.lose("loop", "left out: each goes to its goal once")
                behaviour.leave()
        for (law, speed), members in alike.items():
            self._add_law(
                law, speed, [robots[k] for k in members], [_of(goals, k) for k in members] if goals else [], tolerance
            )

    def _speed(self, behaviour: YamlKeys) -> float:
        fastest = self._rows("vel_max")
        usual = abs(fastest[0][0]) if fastest and fastest[0] else 1.0
        wanted = behaviour.number("vmax", behaviour.number("vxmax", usual))
        return min(max(min(wanted, usual), 0.01), _FASTEST)

    def _add_law(self, law: str, speed: float, robots: list[str], goals: list[PlanPoint], tolerance: float) -> None:
        if not goals:
            reason = "left out: there are no goals to go to"
            self._plan.lose(f"{self._file}:{self._keys.line}", "behavior", reason)
            return
        middle = self._plan.middle
        places = ";".join(f"{number(x - middle[0])},{number(y - middle[1])}" for x, y in goals)
        settings = [("goals", places), ("speed", f"{speed:.6g}"), ("tolerance", f"{tolerance:.6g}")]
        # who dashes looks at nobody
        settings += [("repulsion", "0")] if law == "potential" else []
        # fast robots that look far ahead in time wait for each other for ever
        settings += [("horizon", number(min(5.0, _SEEN_AHEAD / speed)))] if law == "orca" else []
        self._plan.laws.append(LawUse(law, tuple(robots), tuple(settings)))


def _of(values: "Sequence[_Value]", k: int) -> "_Value":
    """Return the value of number k: the last one holds for all that follow."""
    return values[min(k, len(values) - 1)]


def _pose(state: Sequence[float], file: Path, line: int) -> PlanPose:
    if len(state) < 2:
        raise BadFile(f"{file}:{line}: state: expected x y and an angle, got {list(state)}")
    return state[0], state[1], math.degrees(state[2]) if len(state) > 2 else 0.0
