"""Starts of worlds: where robots stand and targets are, by chance that follows from the seed of a world."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.noise import uniform
from coopsim.engines import BodySpec
from coopsim.engines.plane.footprints import footprints, planar_pose
from coopsim.errors import BadArgument
from coopsim.features.learning.section import LearningSection
from coopsim.geometry import Floats, heading, quaternion
from coopsim.kernels import compiled
from coopsim.robots import RunSpec
from coopsim.robots.scattering import GAP
from coopsim.scene import RobotPlacement

_TRIES = 100
"""Places that are tried for a robot that would stand in something; it then stays where its file puts it."""
_STREAM = 0x5DEECE66D
"""Of this chance, so that it has nothing in common with noise of the same seed."""
_LOW_X, _LOW_Y, _HIGH_X, _HIGH_Y, _AWAY, _TURN, _RADIUS = range(7)  # columns of a rule
_WAYS = 4  # numbers drawn for a place
_NOWHERE = -1.0  # where an area without a rule ends in x, which is before it begins; a line begins where it ends


@dataclass(frozen=True)
class StartRule:
    """Region in which something may begin.

    Attributes:
        names: Robots or targets; () = all robots.
        area: x and y of two corners between which it begins [m]; () = where the file has it.
        distance: How far from the file's place it may begin [m].
        angle: How far from the file's heading it may begin [rad]; None = not at all, and anywhere within an area.
    """

    names: tuple[str, ...] = ()
    area: tuple[float, ...] = ()
    distance: float = 0.0
    angle: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            BadArgument: An area has not four numbers, or one is not finite or negative.
        """
        if len(self.area) not in (0, 4):
            raise BadArgument(f"a start area has x and y of two corners, got {len(self.area)} numbers")
        if not all(map(math.isfinite, (*self.area, self.distance, self.angle or 0.0))) or self.distance < 0.0:
            raise BadArgument("a start takes finite numbers, and a distance that is not negative")


def starts_of(section: LearningSection) -> tuple[StartRule, ...]:
    """Return where the section has robots and targets begin."""
    rules = []
    for phrase in section.starts:
        turn = phrase.numbers.get("turn")
        angle = None if turn is None else math.radians(turn)
        rules.append(StartRule(phrase.words, phrase.limits, phrase.numbers.get("distance", 0.0), angle))
    return tuple(rules)


class Starts:
    """Draws where everything begins.

    Args:
        spec: What is simulated.
        rules: Where who may begin; of several that name a robot the last one counts.

    Attributes:
        robots: Whose poses are drawn, in the order of the scenario.
        targets: Names of the targets.

    Raises:
        BadArgument: A name is that of no robot and no target.
    """

    def __init__(self, spec: RunSpec, bodies: Sequence[BodySpec], rules: Sequence[StartRule]) -> None:
        scenario = spec.scenario
        self._spec = spec
        self.robots = tuple(robot.name for robot in scenario.robots)
        self.targets = tuple(target.name for target in scenario.targets)
        self._angles = [robot.orientation for robot in scenario.robots]
        places = [robot.position[:2] for robot in scenario.robots] + [
            target.position[:2] for target in scenario.targets
        ]
        headings = [robot.orientation[2] for robot in scenario.robots] + [0.0] * len(self.targets)
        self._file = np.column_stack([np.array(places).reshape(-1, 2), headings])
        self._rules = np.zeros((len(self._file), _RADIUS + 1))
        self._rules[:, _HIGH_X] = _NOWHERE
        self._rules[: len(self.robots), _RADIUS] = [_radius(spec, robot) for robot in scenario.robots]
        for rule in rules:
            self._apply(rule)
        self._solids = solids_of(bodies, self.robots)
        has_area = self._rules[:, _HIGH_X] >= self._rules[:, _LOW_X]
        self.is_fixed = not (has_area.any() or self._rules[:, _AWAY : _TURN + 1].any())

    def _apply(self, rule: StartRule) -> None:
        names = [*self.robots, *self.targets]
        for name in rule.names or self.robots:
            if name not in names:
                raise BadArgument(f"nothing that starts is called {name!r}; known: {', '.join(names)}")
            turn = rule.angle if rule.angle is not None else math.pi if rule.area else 0.0
            xs, ys = sorted(rule.area[0::2]) or [0.0, _NOWHERE], sorted(rule.area[1::2]) or [0.0, 0.0]
            self._rules[names.index(name), :_RADIUS] = xs[0], ys[0], xs[1], ys[1], rule.distance, turn

    def draw(self, seeds: Sequence[int]) -> Floats:
        """Return x y theta of all robots, then of all targets, for each seed, shape (n, things, 3)."""
        places = np.repeat(self._file[np.newaxis], len(seeds), axis=0)
        if not self.is_fixed:
            keys = np.array([seed & (1 << 64) - 1 for seed in seeds], np.uint64) ^ np.uint64(_STREAM)
            _draw(keys, self._rules, self._solids, len(self.robots), places)
        return places

    def headings(self, places: Floats) -> Floats:
        """Return x y yaw of the bodies of all robots, as an engine has them, of one world's `places`."""
        robots = places[: len(self.robots)].copy()
        for row, (phi, psi, _) in enumerate(self._angles):
            robots[row, 2] = heading(*quaternion(phi, psi, float(robots[row, 2])))
        return robots

    def spec(self, places: Floats) -> RunSpec:
        """Return the scenario that begins at one world's `places`."""
        scenario, rows = self._spec.scenario, places.tolist()
        robots = tuple(
            replace(robot, position=(x, y, robot.position[2]), orientation=(*robot.orientation[:2], theta))
            for robot, (x, y, theta) in zip(scenario.robots, rows, strict=False)
        )
        targets = tuple(
            replace(target, position=(x, y, target.position[2]))
            for target, (x, y, _) in zip(scenario.targets, rows[len(robots) :], strict=True)
        )
        return replace(self._spec, scenario=replace(scenario, robots=robots, targets=targets))


def _radius(spec: RunSpec, robot: RobotPlacement) -> float:
    kind = spec.types[robot.type]
    length, width, _ = kind.size
    return math.hypot(length, width) / 2 if kind.shape == "box" else length / 2


def solids_of(bodies: Sequence[BodySpec], robots: Sequence[str]) -> Floats:
    """Return x y cos sin and half sizes of what stands around, a circle has half a width of 0, shape (n, 6)."""
    owners = set(robots)
    solids = []
    for body in bodies:
        if body.name in owners or body.part_of in owners:
            continue
        x, y, yaw = planar_pose(body)
        cos, sin = math.cos(yaw), math.sin(yaw)
        for seen in footprints(body):
            place = x + cos * seen.x - sin * seen.y, y + sin * seen.x + cos * seen.y
            turn = cos * seen.cos - sin * seen.sin, sin * seen.cos + cos * seen.sin
            solids.append((*place, *turn, seen.half_length, seen.half_width))
    return np.array(solids, np.float64).reshape(-1, 6)


@compiled
def _draw(keys: NDArray[np.uint64], rules: Floats, solids: Floats, robots: int, places: Floats) -> None:
    """Draw places; what has no rule is placed first, and stays."""
    numbers = np.empty((1, _WAYS))
    for world in range(keys.shape[0]):
        for thing in range(rules.shape[0]):
            rule, place = rules[thing], places[world, thing]
            moves = rule[_AWAY] > 0.0 or rule[_TURN] > 0.0 or rule[_HIGH_X] >= rule[_LOW_X]
            if not moves:
                continue
            x, y, theta = place[0], place[1], place[2]
            for attempt in range(_TRIES):
                uniform(keys[world : world + 1], thing * _TRIES + attempt, numbers)
                place[2] = theta + rule[_TURN] * (2.0 * numbers[0, 2] - 1.0)
                if rule[_HIGH_X] >= rule[_LOW_X]:
                    place[0] = rule[_LOW_X] + numbers[0, 0] * (rule[_HIGH_X] - rule[_LOW_X])
                    place[1] = rule[_LOW_Y] + numbers[0, 1] * (rule[_HIGH_Y] - rule[_LOW_Y])
                else:
                    away, way = rule[_AWAY] * math.sqrt(numbers[0, 0]), 2.0 * math.pi * numbers[0, 1]
                    place[0], place[1] = x + away * math.cos(way), y + away * math.sin(way)
                if _is_free(rules, solids, thing, robots, places[world]):
                    break
                place[0], place[1] = x, y


@compiled
def _is_free(rules: Floats, solids: Floats, thing: int, robots: int, places: Floats) -> bool:
    """Return whether a thing keeps its distance from solids, and a robot from others that have their place."""
    x, y, radius = places[thing, 0], places[thing, 1], rules[thing, _RADIUS] + GAP
    for k in range(robots if thing < robots else 0):
        is_waiting = k > thing and (rules[k, _AWAY] > 0.0 or rules[k, _HIGH_X] >= rules[k, _LOW_X])
        if k != thing and not is_waiting:
            dx, dy, apart = places[k, 0] - x, places[k, 1] - y, rules[k, _RADIUS] + radius
            if dx * dx + dy * dy < apart * apart:
                return False
    for k in range(solids.shape[0]):
        dx, dy = x - solids[k, 0], y - solids[k, 1]
        ahead, aside = abs(dx * solids[k, 2] + dy * solids[k, 3]), abs(dy * solids[k, 2] - dx * solids[k, 3])
        if solids[k, 5] == 0.0:
            gap = math.hypot(ahead, aside) - solids[k, 4]
        else:
            gap = math.hypot(max(ahead - solids[k, 4], 0.0), max(aside - solids[k, 5], 0.0))
        if gap < radius:
            return False
    return True
