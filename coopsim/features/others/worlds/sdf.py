"""Worlds of SDF, as Gazebo has them: models of primitive shapes, and those that are included.

Source: the format of SDFormat 1.5 to 1.11 (sdformat.org/spec).
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from coopsim.errors import BadFile
from coopsim.features.models.model_paths import find_model_file
from coopsim.features.others.worlds.irsim_shapes import moved
from coopsim.features.others.worlds.plan import PlanPose, SolidPlan, WorldPlan, why_no_polygon
from coopsim.features.pictures.svg import hull
from coopsim.scene import Problems
from coopsim.scene.meshes import mesh_suffixes, read_triangles
from coopsim.scene.polygons import signed_area
from coopsim.scene.source import why_not_shown
from coopsim.scene.xml_nodes import XmlNode, read_xml

_TICK = 0.01  # s
_ROOM = 20.0  # m; side of the floor where no plane says more
_MOST_FLOOR = 1000.0  # m
_DEEPEST = 8  # includes in each other
_LARGEST = 4 * 1024 * 1024  # bytes of an included file
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_UPRIGHT = 0.02  # rad; what leans less than that stands upright
_PRISM = 0.97, 1.01
"""Parts of the room of its upright prism that a mesh fills which is one; rounding is allowed for."""
_PATHS = "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH"
_ABOUT = {
    "light": "left out: pictures have a light of their own",
    "gui": "left out: see [VIEW] of a scenario",
    "scene": "left out: see [VIEW] of a scenario",
    "physics": f"ticks take {_TICK} s; see `engine` of a scenario",
    "plugin": "left out: compiled code of Gazebo",
    "gravity": "that of the earth, downward",
    "state": "left out: models begin where they are placed",
    "actor": "left out: it has no counterpart",
}
_SILENT = {"name", "model", "include", "magnetic_field", "atmosphere", "wind", "audio", "spherical_coordinates"}


def read_sdf(text: str, file: Path) -> WorldPlan:
    """Return what a file describes.

    Raises:
        BadFile: It is no XML, holds no world, or a value is no number.
    """
    world = next(_root(text, file).all("world"), None)
    if world is None:
        raise BadFile(f"{file}:1: expected <world>; a model alone is a robot: `model {file.name}` in a scenario")
    plan = WorldPlan(f"Gazebo's {file.name}", step=_TICK, size=(_ROOM, _ROOM))
    _add_all(world, (0.0, 0.0, 0.0), plan, file, 0)
    for node in world.children:
        if node.tag not in _SILENT:
            plan.lose(_location(node), node.tag, _ABOUT.get(node.tag, "left out: it has no counterpart"))
    _widen(plan)
    return plan


def _root(text: str, file: Path) -> XmlNode:
    problems = Problems()
    # Gazebo takes `--` within comments, which is no XML; lines stay where they are
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    root = read_xml(text.encode(), str(file), problems, "utf-8")
    problems.raise_any()
    if root is None or root.tag != "sdf":
        raise BadFile(f"{file}:1: expected <sdf>")
    return root


def _add_all(node: XmlNode, above: PlanPose, plan: WorldPlan, file: Path, depth: int) -> None:
    """Add the models of a world, or of a model, whose poses are in the frame of another one."""
    for model in node.all("model"):
        _Model(model, above, plan, file, depth).add(model.get("name", "model"), None)
    for include in node.all("include"):
        _include(include, above, plan, file, depth)


def _include(include: XmlNode, above: PlanPose, plan: WorldPlan, file: Path, depth: int) -> None:
    uri = next((node.text.strip() for node in include.all("uri")), "")
    path = _found(uri, file)
    if path is None or depth >= _DEEPEST:
        reason = f"left out: no model of that name beside the file or in {', '.join(_PATHS)}"
        plan.lose(_location(include), f"include {uri}", reason)
        return
    try:
        if path.stat().st_size > _LARGEST:
            raise BadFile(f"{path}: expected at most {_LARGEST} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadFile(f"{_location(include)}: {path} cannot be read: {problem}") from None
    model = next(_root(text, path).all("model"), None)
    if model is None:
        plan.lose(_location(include), f"include {uri}", "left out: the file holds no model")
        return
    name = next((node.text.strip() for node in include.all("name")), model.get("name", "model"))
    placed = next(include.all("pose"), None)
    pose = moved(above, _pose(placed)[0]) if placed is not None else above
    _Model(model, pose, plan, path, depth + 1).add(name, placed)


def _found(uri: str, file: Path) -> Path | None:
    """Return the file of a model, None if there is none."""
    name = uri.partition("://")[2] or uri
    folders = [*file.resolve().parents[:4]]
    folders += [Path(part) for key in _PATHS for part in os.environ.get(key, "").split(os.pathsep) if part]
    for folder in folders:
        for path in (folder / name, folder / name / "model.sdf", folder / "models" / name / "model.sdf"):
            if path.is_file():
                return path
    return None


class _Model:
    """Model of a file, which becomes objects."""

    def __init__(self, node: XmlNode, above: PlanPose, plan: WorldPlan, file: Path, depth: int) -> None:
        self._node, self._above, self._plan, self._file, self._depth = node, above, plan, file, depth

    def add(self, name: str, placed: XmlNode | None) -> None:
        """Add it; `placed` is the pose that an include gives instead of its own."""
        node, plan = self._node, self._plan
        own, base = _pose(next(node.all("pose"), None))
        pose = moved(self._above, own) if placed is None else self._above
        base = base if placed is None else _pose(placed)[1]
        if any(node.all("joint")):
            reason = f"left out: it has joints; place it as a robot with `model {self._file.name}`"
            plan.lose(_location(node), f"model {name}", reason)
            return
        is_static = next((child.text.strip() in {"true", "1"} for child in node.all("static")), False)
        for link in node.all("link"):
            self._add_link(link, name, (pose, base), is_static=is_static)
        _add_all(node, pose, plan, self._file, self._depth + 1)

    def _add_link(self, link: XmlNode, name: str, place: tuple[PlanPose, float], *, is_static: bool) -> None:
        shift, lift = self._upright(link)
        pose, base = moved(place[0], shift), place[1] + lift
        shapes = [shape for body in link.all("collision") for shape in self._shapes(body, name)]
        mass = 0.0 if is_static else self._mass(link)
        for shape in shapes:
            solid = replace(
                shape,
                pose=moved(pose, shape.pose),
                points=tuple(moved(pose, (*point, 0.0))[:2] for point in shape.points),
                # middles there, lowest points here
                base=max(0.0, base + shape.base - 0.5 * shape.size[2]),
                mass=mass / len(shapes),
                name=self._plan.free_name(name),
            )
            self._plan.solids.append(solid)

    def _upright(self, node: XmlNode) -> tuple[PlanPose, float]:
        """Return the pose of a part; that it leans is said."""
        pose = next(node.all("pose"), None)
        if pose is not None and any(abs(value) > _UPRIGHT for value in _numbers(pose, 6)[3:5]):
            self._plan.lose(_location(pose), "pose", "turned about the vertical alone")
        return _pose(pose)

    def _mass(self, link: XmlNode) -> float:
        for inertial in link.all("inertial"):
            for mass in inertial.all("mass"):
                return max(0.0, _numbers(mass, 1)[0])
        return 1.0

    def _shapes(self, body: XmlNode, name: str) -> Iterator[SolidPlan]:
        """Shapes of a collision, with the height of their middles."""
        shift, lift = self._upright(body)
        for shape in (shape for geometry in body.all("geometry") for shape in geometry.children):
            if shape.tag == "plane":
                self._lay_floor(shape)
                continue
            if shape.tag == "polyline":
                yield from self._polyline(shape, (shift, lift), name)
                continue
            if shape.tag == "mesh":
                yield from self._mesh(shape, (shift, lift), name)
                continue
            size = self._size(shape)
            if size is None:
                reason = "left out: expected box, cylinder, sphere, polyline, plane or mesh"
                self._plan.lose(_location(shape), f"{shape.tag} of {name}", reason)
            else:
                yield SolidPlan(shape.tag, size, shift, lift)

    def _polyline(self, shape: XmlNode, place: tuple[PlanPose, float], name: str) -> Iterator[SolidPlan]:
        """Polygon that is as high as its polyline says, which gives the height of its lower end."""
        height = _numbers_of(shape, "height", (1.0,))[0]
        corners = (_numbers(point, 2) for point in shape.all("point"))
        points = [moved(place[0], (x, y, 0.0))[:2] for x, y in corners]
        if len(points) > 1 and points[0] == points[-1]:
            del points[-1]
        flaw = why_no_polygon(points) or ("has no height" if height <= 0.0 else "")
        if flaw:
            self._plan.lose(_location(shape), f"polyline of {name}", f"left out: it {flaw}")
        else:
            middle = place[1] + 0.5 * height
            yield SolidPlan("polygon", (0.0, 0.0, height), base=middle, points=tuple(points), closed=True)

    def _mesh(self, shape: XmlNode, place: tuple[PlanPose, float], name: str) -> Iterator[SolidPlan]:
        """Polygon of a mesh that is an upright convex prism; any other one is left out, which is said."""
        try:
            corners, (low, high) = self._prism(shape)
        except BadFile as problem:
            self._plan.lose(_location(shape), f"mesh of {name}", f"left out: {problem}")
            return
        points = tuple(moved(place[0], (x, y, 0.0))[:2] for x, y in corners)
        middle = place[1] + 0.5 * (low + high)
        yield SolidPlan("polygon", (0.0, 0.0, high - low), base=middle, points=points, closed=True)

    def _prism(self, shape: XmlNode) -> tuple[list[tuple[float, float]], tuple[float, float]]:
        """Return the corners of a mesh on the ground, and the heights of its ends [m].

        Raises:
            BadFile: The mesh is not there, cannot be read, or is no upright convex prism.
        """
        uri = next((node.text.strip() for node in shape.all("uri")), "")
        path = find_model_file(uri, self._file)
        if path is None or path.suffix.lower() not in mesh_suffixes():
            raise BadFile(f"no file {uri} of kind {', '.join(mesh_suffixes())}")
        reason = why_not_shown(path)
        if reason is not None:
            raise BadFile(reason)
        triangles = read_triangles(path) * np.array(_numbers_of(shape, "scale", (1.0, 1.0, 1.0)))
        triangles -= (middle := triangles.mean(axis=(0, 1)))
        volume = abs(float(np.linalg.det(triangles).sum())) / 6.0
        rows = (triangles + middle).reshape(-1, 3)
        # corners above each other differ by rounding
        corners = hull((x, y) for x, y in np.round(rows[:, :2], 6).tolist())
        low, high = float(rows[:, 2].min()), float(rows[:, 2].max())
        flaw = why_no_polygon(corners) if len(corners) > 2 else "is a line"
        if flaw:
            raise BadFile(f"seen from above it {flaw}")
        room = abs(signed_area(corners)) * (high - low)
        if not _PRISM[0] * room <= volume <= _PRISM[1] * room:
            raise BadFile("it is no upright convex prism")
        return corners, (low, high)

    def _size(self, shape: XmlNode) -> tuple[float, float, float] | None:
        if shape.tag == "box":
            length, width, height = _numbers_of(shape, "size", (1.0, 1.0, 1.0))
        elif shape.tag in {"cylinder", "sphere"}:
            length = width = height = 2.0 * _numbers_of(shape, "radius", (1.0,))[0]
            if shape.tag == "cylinder":
                height = _numbers_of(shape, "length", (1.0,))[0]
        else:
            return None
        if min(length, width, height) <= 0.0:
            raise BadFile(f"{_location(shape)}: <{shape.tag}>: expected sizes of more than 0")
        return length, width, height

    def _lay_floor(self, plane: XmlNode) -> None:
        for size in plane.all("size"):
            across, up = _numbers(size, 2)
            self._plan.size = min(max(across, 1.0), _MOST_FLOOR), min(max(up, 1.0), _MOST_FLOOR)


def _pose(node: XmlNode | None) -> tuple[PlanPose, float]:
    """Return x y, heading [degrees], and z."""
    if node is None or not node.text.strip():
        return (0.0, 0.0, 0.0), 0.0
    x, y, z, _, _, yaw = _numbers(node, 6)
    heading = yaw if node.get("degrees") in {"true", "1"} else math.degrees(yaw)
    return (x, y, heading), z


def _numbers(node: XmlNode, count: int) -> list[float]:
    """Return the numbers of an element.

    Raises:
        BadFile: There are others, or it is none.
    """
    try:
        values = [float(part) for part in node.text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(value) < 1e9 for value in values):
        raise BadFile(f"{_location(node)}: <{node.tag}>: expected {count} numbers, got {node.text.strip()[:60]!r}")
    return values


def _numbers_of(node: XmlNode, tag: str, usual: Sequence[float]) -> Sequence[float]:
    """Return the numbers of a child, those of the format where it is missing."""
    child = next(node.all(tag), None)
    return usual if child is None else _numbers(child, len(usual))


def _location(node: XmlNode) -> str:
    return f"{node.span.file}:{node.span.line}"


def _widen(plan: WorldPlan) -> None:
    """Let the floor reach below all that stands there."""
    reach = [
        max(abs(x), abs(y)) + 0.5 * math.hypot(*solid.size[:2])
        for solid in plan.solids
        for x, y in solid.points or (solid.pose[:2],)
    ]
    side = 2.0 * max(reach, default=0.0)
    plan.size = max(plan.size[0], side), max(plan.size[1], side)
