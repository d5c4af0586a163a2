"""Triangles and colours of COLLADA files (`.dae`), which models of robots name for their looks.

Source: COLLADA 1.4.1, Digital Asset Schema Release, Khronos Group 2008: sections 5 (geometry, node, unit) and 8
(materials and effects). `up_axis` does not count, as in Gazebo (gazebo-classic issue 1305) and RViz (rviz issue 1045):
exporters write Y_UP beside meshes whose z is up, and models of robots have been arranged in those two.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from coopsim.errors import BadFile
from coopsim.geometry import Floats, Ints, Vector3
from coopsim.scene.meshes import MOST_TRIANGLES
from coopsim.scene.problems import Problems
from coopsim.scene.source import read_look
from coopsim.scene.xml_nodes import XmlNode, read_xml

MOST_NODES = 10_000
"""More nodes and instances of geometries in one file are refused, those by reference counted each time."""
_DEEPEST = 64  # nodes within nodes, those by reference among them
_KINDS = ("triangles", "polylist", "polygons")
_UNREAD = ("tristrips", "trifans")
_SHOWN = ("instance_geometry", "node", "instance_node")


def read_collada(path: Path, problems: Problems) -> Floats:
    """Return the corners of all triangles of a scene, z up, shape (n, 3, 3) [m]; none where a mistake was noted.

    Args:
        path: The file.
        problems: Takes every mistake, with its line.
    """
    try:
        raw = read_look(path)
    except BadFile as bad:
        problems.add(bad.problems[0].span, bad.problems[0].text)
        return np.zeros((0, 3, 3))
    root = read_xml(raw, str(path), problems)
    if root is None:
        return np.zeros((0, 3, 3))
    try:
        triangles = _Scene(root).triangles()
    except _Bad as bad:
        problems.add(bad.node.span, str(bad))
        return np.zeros((0, 3, 3))
    if not len(triangles) or not np.isfinite(triangles).all():
        problems.add(root.span, "no mesh: expected triangles with finite corners")
        return np.zeros((0, 3, 3))
    return triangles


def collada_color(path: Path) -> Vector3 | None:
    """Return the colour of the largest part of a mesh, None where it has none, or a picture in its place.

    Args:
        path: The file.
    """
    try:
        root = read_xml(read_look(path), str(path), Problems())
        areas = _Scene(root).painted_areas() if root is not None else {}
    except (BadFile, _Bad):  # what is wrong with its triangles was told when they were read
        return None
    # of equal parts the first
    return max(areas, key=lambda color: areas[color], default=None)


class _Bad(Exception):
    """A mistake in a file.

    Attributes:
        node: Where it is.
    """

    def __init__(self, node: XmlNode, text: str) -> None:
        super().__init__(text)
        self.node = node


class _Scene:
    """A file."""

    def __init__(self, root: XmlNode) -> None:
        if root.tag != "COLLADA":
            raise _Bad(root, f"expected <COLLADA>, got <{root.tag}>")
        self._root, self._count, self._nodes = root, 0, 0
        self._meshes: dict[int, list[Floats]] = {}  # what is used many times over is read once
        self._sources: dict[int, Floats] = {}
        self._places: dict[int, tuple[Floats, list[XmlNode]]] = {}
        self._known = {node.get("id"): node for node in root.walk() if node.get("id")}
        # exporters give a scene and a node of it one id
        self._of_kind = {(node.tag, node.get("id")): node for node in root.walk() if node.get("id")}

    def triangles(self) -> Floats:
        """Return the corners of all triangles [m]."""
        scenes = [self._named(node) for node in self._root.walk() if node.tag == "instance_visual_scene"]
        geometries = [node for node in self._root.walk() if node.tag == "geometry"]
        nodes = (node for scene in scenes for node in scene.all("node"))
        parts = [part for node in nodes for part in self._node(node, np.eye(4), 0)]
        if not scenes:
            parts = [part for geometry in geometries for part in self._geometry(geometry)]
        asset = next(self._root.all("asset"), None)
        unit = next(asset.all("unit"), None) if asset else None
        meter = _numbers(unit, unit.get("meter", "1"), 1)[0] if unit else 1.0
        whole: Floats = meter * np.concatenate([np.zeros((0, 3, 3)), *parts])
        return whole

    def painted_areas(self) -> dict[Vector3 | None, float]:
        """Return the area of the parts of each colour, None = of no plain one, without the scales of nodes [m²]."""
        areas: dict[Vector3 | None, float] = {}
        for shown in (node for node in self._root.walk() if node.tag == "instance_geometry"):
            targets = {
                node.get("symbol"): node.get("target") for node in shown.walk() if node.tag == "instance_material"
            }
            parts = [part for mesh in self._named(shown).all("mesh") for part in mesh.children if part.tag in _KINDS]
            for part in parts:
                corners = self._part(part)
                sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
                color = self._diffuse(targets.get(part.get("material"), ""))
                areas[color] = areas.get(color, 0.0) + 0.5 * float(np.linalg.norm(sides, axis=1).sum())
        return areas

    def _diffuse(self, target: str) -> Vector3 | None:
        """Return the colour of a material."""
        material = self._of_kind.get(("material", target.removeprefix("#")))
        effects = [] if material is None else [self._named(node) for node in material.all("instance_effect")]
        diffuse = next((node for effect in effects for node in effect.walk() if node.tag == "diffuse"), None)
        said = next(diffuse.all("color"), None) if diffuse is not None else None
        if said is None:
            return None
        red, green, blue, _ = np.clip(_numbers(said, said.text, 4), 0.0, 1.0).round(6).tolist()
        return red, green, blue

    def _node(self, node: XmlNode, frame: Floats, depth: int) -> Iterator[Floats]:
        """Yield the triangles of a node, in the frame of the scene."""
        self._tally(node)
        if depth > _DEEPEST:
            raise _Bad(node, f"more than {_DEEPEST} nodes are in each other")
        own, shown = self._node_frame(node)
        frame = frame @ own
        for child in shown:
            if child.tag == "instance_geometry":
                self._tally(child)
                for part in self._geometry(self._named(child)):
                    yield part @ frame[:3, :3].T + frame[:3, 3]
            else:
                yield from self._node(child if child.tag == "node" else self._named(child), frame, depth + 1)

    def _tally(self, node: XmlNode) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise _Bad(node, f"there are more than {MOST_NODES} nodes and instances")

    def _node_frame(self, node: XmlNode) -> tuple[Floats, list[XmlNode]]:
        """Return the frame of a node in that of its parent, and what is in it."""
        if id(node) not in self._places:
            frame = np.eye(4)
            for child in node.children:
                frame = frame @ _transform(child)
            self._places[id(node)] = frame, [child for child in node.children if child.tag in _SHOWN]
        return self._places[id(node)]

    def _named(self, node: XmlNode) -> XmlNode:
        """Return what an element refers to."""
        name = node.get("url") or node.get("source")
        word = name.removeprefix("#")
        element = self._of_kind.get((node.tag.removeprefix("instance_"), word), self._known.get(word))
        if element is None:
            raise _Bad(node, f"there is no {name!r} in this file")
        return element

    def _geometry(self, geometry: XmlNode) -> list[Floats]:
        """Return the triangles of a geometry, which count each time that it is used."""
        parts = self._meshes.get(id(geometry))
        if parts is None:
            parts = self._meshes[id(geometry)] = list(self._parts(geometry))
        self._count += sum(map(len, parts))
        if self._count > MOST_TRIANGLES:
            raise _Bad(geometry, f"there are more than {MOST_TRIANGLES} triangles")
        return parts

    def _parts(self, geometry: XmlNode) -> Iterator[Floats]:
        """Yield lists of triangles, none of them empty."""
        count = 0
        for mesh in geometry.all("mesh"):
            for part in mesh.children:
                if part.tag in _UNREAD:
                    raise _Bad(part, f"<{part.tag}> is not read; save the mesh with triangles")
                if part.tag in _KINDS and len(triangles := self._part(part)):
                    count += len(triangles)
                    if count > MOST_TRIANGLES:
                        raise _Bad(part, f"there are more than {MOST_TRIANGLES} triangles")
                    yield triangles

    def _part(self, part: XmlNode) -> Floats:
        """Return the triangles of one list."""
        inputs = {inputs_of_part.get("semantic"): inputs_of_part for inputs_of_part in part.all("input")}
        if "VERTEX" not in inputs:
            raise _Bad(part, f"this <{part.tag}> has no <input> of vertices")
        vertices = self._named(inputs["VERTEX"])
        places = next((entry for entry in vertices.all("input") if entry.get("semantic") == "POSITION"), None)
        if places is None:
            raise _Bad(vertices, "these <vertices> have no <input> of positions")
        points = self._points(self._named(places))
        offsets = {name: _whole(source_input, source_input.get("offset", "0")) for name, source_input in inputs.items()}
        width = 1 + max(offsets.values())
        faces = [_indices(indices, width)[:, offsets["VERTEX"]] for indices in part.all("p")]
        corners = _corners(part, faces)
        if corners.size and not (corners.min() >= 0 and corners.max() < len(points)):
            raise _Bad(part, f"a triangle names a point that is not there; there are {len(points)}")
        corners_at: Floats = points[corners]
        return corners_at

    def _points(self, source: XmlNode) -> Floats:
        if id(source) not in self._sources:
            self._sources[id(source)] = _points(source)
        return self._sources[id(source)]


def _corners(part: XmlNode, faces: list[Ints]) -> Ints:
    """Return the points of each triangle, shape (n, 3); faces with more corners are cut into triangles.

    Args:
        part: The list.
        faces: The corners that each `<p>` names.
    """
    listed = np.concatenate([np.zeros(0, np.int64), *faces])
    if part.tag == "triangles":
        for face in faces:
            if len(face) % 3:
                raise _Bad(part, f"triangles have three corners each; got {len(face)} in all")
        return listed.reshape(-1, 3)
    counts = np.array([len(face) for face in faces], np.int64)
    if part.tag == "polylist":
        said = next(part.all("vcount"), None)
        counts = _integers(said, said.text) if said else np.zeros(0, np.int64)
    if (counts.size and not (counts.min() >= 0 and counts.max() <= len(listed))) or counts.sum() != len(listed):
        raise _Bad(part, f"its faces have {sum(counts.tolist())} corners, and {len(listed)} are listed")
    return _fans(listed, counts, part)


def _fans(listed: Ints, counts: Ints, part: XmlNode) -> Ints:
    """Return the triangles around the first corner of each face, shape (n, 3).

    Args:
        listed: The corners of all faces.
        counts: How many each face has.
        part: Where they are listed.
    """
    many = np.maximum(counts - 2, 0)
    if many.sum() > MOST_TRIANGLES:
        raise _Bad(part, f"there are more than {MOST_TRIANGLES} triangles")
    first = np.repeat(np.cumsum(counts) - counts, many)
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    return np.column_stack([listed[first], listed[first + within + 1], listed[first + within + 2]])


def _points(source: XmlNode) -> Floats:
    """Return the points of a source, shape (n, 3)."""
    array = next(source.all("float_array"), None)
    if array is None:
        raise _Bad(source, "this <source> has no <float_array>")
    strides = [node.get("stride", "3") for node in source.walk() if node.tag == "accessor"]
    stride = _whole(source, strides[0]) if strides else 3
    numbers = _numbers(array, array.text)
    if stride < 3 or len(numbers) % stride:
        raise _Bad(array, f"expected points of {max(stride, 3)} numbers each, got {len(numbers)} numbers")
    return numbers.reshape(-1, stride)[:, :3]


def _transform(node: XmlNode) -> Floats:
    """Return what a child of a node says of its frame, shape (4, 4)."""
    transform = np.eye(4)
    if node.tag == "matrix":
        return _numbers(node, node.text, 16).reshape(4, 4)
    if node.tag == "translate":
        transform[:3, 3] = _numbers(node, node.text, 3)
    elif node.tag == "scale":
        transform[:3, :3] = np.diag(_numbers(node, node.text, 3))
    elif node.tag == "rotate":
        x, y, z, degrees = _numbers(node, node.text, 4).tolist()
        length = math.hypot(x, y, z) or 1.0
        x, y, z = x / length, y / length, z / length
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        angle = math.radians(degrees)
        transform[:3, :3] += math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return transform


def _indices(node: XmlNode, width: int) -> Ints:
    """Return the numbers of a `<p>`, shape (n, width)."""
    numbers = _integers(node, node.text)
    if len(numbers) % width:
        raise _Bad(node, f"expected {width} numbers for each corner, got {len(numbers)} numbers")
    return numbers.reshape(-1, width)


def _whole(node: XmlNode, text: str) -> int:
    if not text.isdecimal() or len(text) > 3:
        raise _Bad(node, f"expected a whole number up to 999, got {text[:20]!r}")
    return int(text)


def _integers(node: XmlNode, text: str) -> Ints:
    try:
        return np.array(text.split(), np.int64)
    except (ValueError, OverflowError):
        raise _Bad(node, f"expected whole numbers in this <{node.tag}>") from None


def _numbers(node: XmlNode, text: str, count: int | None = None) -> Floats:
    try:
        numbers = np.array(text.split(), np.float64)
    except ValueError:
        raise _Bad(node, f"expected numbers in this <{node.tag}>") from None
    if count is not None and len(numbers) != count:
        raise _Bad(node, f"expected {count} numbers in this <{node.tag}>, got {len(numbers)}")
    return numbers
