"""Experiments of ARGoS: arenas with boxes, cylinders and robots, also those that are distributed by chance.

Source: the experiments and the manual of ARGoS 3 (github.com/ilpincy/argos3, argos3-examples).
"""

import math
from pathlib import Path

import numpy as np

from coopsim.errors import BadFile
from coopsim.features.others.worlds.argos_robots import KINDS
from coopsim.features.others.worlds.plan import PlanPoint, PlanPose, RobotPlan, SolidPlan, WorldPlan
from coopsim.scene import Problems
from coopsim.scene.xml_nodes import XmlNode, read_xml

MOST_ENTITIES = 10_000
"""Entities of one quantity."""
_TICK = 0.01  # s
_MANY_TIMES = 200
"""Times that a place is drawn for an entity before it is said that there is no room, as `max_trials` of ARGoS."""
_CONTROLLED = "write it as a client, in any language: `coopsim new controller`"
_ABOUT = {
    "system": "see `coopsim doctor` for threads",
    "loop_functions": "left out: compiled code; goals and events of scenarios do some of it",
    "media": "left out: see [RADIO] for messages between robots",
    "visualization": "left out: see [VIEW] of a scenario",
}


def read_argos(text: str, file: Path) -> WorldPlan:
    """Return what a file describes.

    Raises:
        BadFile: It is no XML, no experiment, or a value is no number.
    """
    problems = Problems()
    root = read_xml(text.encode(), str(file), problems, "utf-8")
    problems.raise_any()
    if root is None or root.tag != "argos-configuration":
        raise BadFile(f"{file}:1: expected <argos-configuration>")
    plan = WorldPlan(f"ARGoS's {file.name}", step=_TICK)
    for node in root.children:
        if node.tag == "framework":
            _read_framework(node, plan)
        elif node.tag == "arena":
            _Arena(node, plan).add()
        elif node.tag == "controllers":
            for controller in node.children:
                plan.lose(_location(controller), controller.tag, f"left out: {_CONTROLLED}")
        elif node.tag == "physics_engines":
            _read_engines(node, plan)
        else:
            plan.lose(_location(node), node.tag, _ABOUT.get(node.tag, "left out: it has no counterpart"))
    return plan


def _location(node: XmlNode) -> str:
    return f"{node.span.file}:{node.span.line}"


def _read_framework(node: XmlNode, plan: WorldPlan) -> None:
    for child in node.children:
        if child.tag != "experiment":
            plan.lose(_location(child), child.tag, _ABOUT.get(child.tag, "left out: it has no counterpart"))
            continue
        plan.duration = _numbers(child, "length", "0", 1)[0]
        plan.seed = int(abs(_numbers(child, "random_seed", "0", 1)[0]))
        if child.get("ticks_per_second"):
            reason = f"ticks take {_TICK} s; a client may ask for several in one step"
            plan.lose(_location(child), "ticks_per_second", reason)


def _read_engines(node: XmlNode, plan: WorldPlan) -> None:
    for child in node.children:
        if child.tag != "dynamics2d":
            reason = "the engine of the plane; see `engine` of a scenario for others"
            plan.lose(_location(child), child.tag, reason)


def _numbers(node: XmlNode, name: str, usual: str, count: int) -> list[float]:
    """Return the numbers of an attribute.

    Raises:
        BadFile: There are others, or it is none.
    """
    text = node.get(name, usual)
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(value) < 1e9 for value in values):
        raise BadFile(f"{_location(node)}: {name} of <{node.tag}>: expected {count} numbers, got {text!r}")
    return values


class _Arena:
    """Floor, and what stands on it."""

    def __init__(self, node: XmlNode, plan: WorldPlan) -> None:
        self._node, self._plan = node, plan
        self._chance = np.random.default_rng(plan.seed)
        self._taken: list[tuple[PlanPose, float, float]] = []

    def add(self) -> None:
        length, width, _ = _numbers(self._node, "size", "20,20,1", 3)
        x, y, _ = _numbers(self._node, "center", "0,0,0", 3)
        self._plan.size, self._plan.middle = (max(length, 0.1), max(width, 0.1)), (x, y)
        for node in self._node.children:
            if node.tag == "distribute":
                self._distribute(node)
            else:
                self._entity(node, self._pose_of(node), node.get("id", node.tag))

    def _pose_of(self, node: XmlNode) -> tuple[PlanPose, float]:
        """Return pose and height of the base."""
        body = next(node.all("body"), node)
        x, y, z = _numbers(body, "position", "0,0,0", 3)
        heading, pitch, roll = _numbers(body, "orientation", "0,0,0", 3)
        if pitch or roll:
            self._plan.lose(_location(node), "orientation", "turned about the vertical alone")
        return (x, y, heading), max(z, 0.0)

    def _entity(self, node: XmlNode, place: tuple[PlanPose, float], name: str) -> None:
        (pose, base), movable = place, node.get("movable", "false") == "true"
        mass = _numbers(node, "mass", "1", 1)[0] if movable else 0.0
        if node.tag in {"box", "cylinder"}:
            size = self._size(node)
            solid = SolidPlan(node.tag, size, pose, base, mass=mass, name=self._plan.free_name(name))
            self._plan.solids.append(solid)
            self._taken.append((pose, 0.5 * size[0], 0.5 * size[1]))
        elif node.tag in KINDS:
            kind = KINDS[node.tag]
            self._plan.robots.append(RobotPlan(self._plan.kind_of(kind), self._plan.free_name(name), pose))
            self._taken.append((pose, 0.5 * kind.size[0], 0.5 * kind.size[1]))
            if node.tag in {"eye-bot", "spiri"} and base > 0.0:
                self._plan.lose(_location(node), node.tag, "drives on the floor: see quadrotors in docs/flight.md")
        else:
            self._plan.lose(_location(node), node.tag, "left out: it has no counterpart")

    def _size(self, node: XmlNode) -> tuple[float, float, float]:
        if node.tag == "box":
            length, width, height = _numbers(node, "size", "1,1,1", 3)
        else:
            length = width = 2.0 * _numbers(node, "radius", "0.5", 1)[0]
            height = _numbers(node, "height", "0.5", 1)[0]
        if min(length, width, height) <= 0.0:
            raise BadFile(f"{_location(node)}: <{node.tag}>: expected sizes of more than 0")
        return length, width, height

    def _distribute(self, node: XmlNode) -> None:
        position, orientation = next(node.all("position"), node), next(node.all("orientation"), node)
        if position.get("method") in {"uniform", "gaussian"}:
            reason = "drawn once, when the file was made: a scenario has the same beginning each time"
            self._plan.lose(_location(node), "distribute", reason)
        for entity in node.all("entity"):
            quantity = int(_numbers(entity, "quantity", "1", 1)[0])
            if not 0 <= quantity <= MOST_ENTITIES:
                raise BadFile(f"{_location(entity)}: quantity: expected 0 to {MOST_ENTITIES}, got {quantity}")
            for k in range(quantity):
                for child in entity.children:
                    self._drop(child, position, orientation, k)

    def _drop(self, child: XmlNode, position: XmlNode, orientation: XmlNode, k: int) -> None:
        """Place an entity where nothing is yet."""
        radius = 0.5 * max(KINDS[child.tag].size[:2]) if child.tag in KINDS else 0.0
        radius = 0.5 * math.hypot(*self._size(child)[:2]) if child.tag in {"box", "cylinder"} else radius
        name = f"{child.get('id', child.tag)}{k}"
        for _ in range(_MANY_TIMES):
            x, y, z = self._drawn(position, "position", k)
            if all(_gap((x, y), *box) > radius for box in self._taken):
                heading = self._drawn(orientation, "orientation", k)[0]
                self._entity(child, ((x, y, heading), max(z, 0.0)), name)
                return
        self._plan.lose(_location(child), name, f"left out: {_MANY_TIMES} places were taken")

    def _drawn(self, node: XmlNode, what: str, k: int) -> list[float]:
        method = node.get("method", "constant") if node.tag == what else "constant"
        if method == "uniform":
            low, high = _numbers(node, "min", "0,0,0", 3), _numbers(node, "max", "0,0,0", 3)
            return [float(value) for value in self._chance.uniform(np.minimum(low, high), np.maximum(low, high))]
        if method == "gaussian":
            mean, deviation = _numbers(node, "mean", "0,0,0", 3), _numbers(node, "std_dev", "0,0,0", 3)
            return [float(value) for value in self._chance.normal(mean, np.abs(deviation))]
        if method == "grid":
            return self._of_grid(node, k)
        return _numbers(node, "values", "0,0,0", 3) if node.tag == what else [0.0, 0.0, 0.0]

    def _of_grid(self, node: XmlNode, k: int) -> list[float]:
        centre, apart = _numbers(node, "center", "0,0,0", 3), _numbers(node, "distances", "1,1,1", 3)
        across, up, _ = (max(int(value), 1) for value in _numbers(node, "layout", "1,1,1", 3))
        row, column = (k // across) % up, k % across
        return [
            centre[0] + (column - 0.5 * (across - 1)) * apart[0],
            centre[1] + (row - 0.5 * (up - 1)) * apart[1],
            centre[2],
        ]


def _gap(point: PlanPoint, pose: PlanPose, half_length: float, half_width: float) -> float:
    """Return the distance of a point from a box, 0 inside."""
    turn, x, y = math.radians(pose[2]), point[0] - pose[0], point[1] - pose[1]
    ahead, aside = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return math.hypot(max(abs(ahead) - half_length, 0.0), max(abs(aside) - half_width, 0.0))
