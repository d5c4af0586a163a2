"""Drawing list of entities seen from above: one for pictures in SVG and for pages, which only paint it.

A mark is a shape on a body with its fill and its edge. What depends on the reader's theme is named: a page that is dark
has other walls than paper has.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.pictures.svg import Point, hull
from coopsim.geometry import Pose, Vector3, turned, within
from coopsim.scene.meshes import read_triangles
from coopsim.state import EntityRow, PlacedVisual

Paint: TypeAlias = Vector3 | str
"""Red, green, blue, or a name of the theme; "" = none."""
_ROUND = {"cylinder", "sphere", "capsule", "cone"}
_LEVEL = 1e-9  # what rounding leaves of an upright quaternion
WALL, WALL_EDGE, PAPER = "wall", "wall-edge", "paper"
_DARK, _AREA_EDGE = 0.6, 0.7
"""Edges are darker than what they close in: so much of its colour."""
_AREA_ALPHA = 0.7
"""Areas show the grid that they lie on."""
_OBJECT, _ROBOT, _ARROW = 1.5, 2.0, 3.0  # pixels; robots stand out, arrows are seen on small ones
_HALO = ((26.0, 0.10), (18.0, 0.16))  # pixels and opacity around a target
_RING, _BULL = 11.0, 4.5  # pixels
_DIRECTIONS = 200  # evenly over a sphere; the farthest corner in each is kept
_AROUND = 48  # corners of a circle: round at every size of a page


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A painted shape.

    Attributes:
        points: Corners [m]; of an arrow its tail and its tip, of a circle what it would be with corners.
        middle: Of a circle [m].
        radius: Of a circle [m], 0 = it is none.
        pixels: Radius of a circle that is as large at every scale [pixels], 0 = it is none.
        is_arrow: Whether the points are a line that ends at its tip.
        fill: What it is filled with.
        alpha: How opaque that is.
        edge: What its edge, or an arrow, is drawn with.
        light: Part of the edge's colour that is left.
        width: Of the edge [pixels].
    """

    points: tuple[Point, ...] = ()
    middle: Point = (0.0, 0.0)
    radius: float = 0.0
    pixels: float = 0.0
    is_arrow: bool = False
    fill: Paint = ""
    alpha: float = 1.0
    edge: Paint = ""
    light: float = 1.0
    width: float = 1.0


def marks_of(row: EntityRow, pose: Pose, color: Vector3, body: str = "") -> Iterator[DrawnMark]:
    """Yield what one body of an entity looks like, from the lowest mark to the highest.

    Args:
        row: The entity.
        pose: Where the body is.
        color: Of visuals that have no colour of their own.
        body: Its name within the entity, "" = the first.
    """
    if row.kind == "target":
        yield from _target(pose[:2], color)
        return
    visuals = [visual for visual in row.drawn(color) if visual.body == body]
    for _, mark in sorted(
        (_shape(visual, within(pose, visual.pose)) for visual in visuals), key=lambda ranked: ranked[0]
    ):
        yield _styled(mark, row, color)


def _target(middle: Point, color: Vector3) -> Iterator[DrawnMark]:
    for pixels, alpha in _HALO:
        yield DrawnMark(middle=middle, pixels=pixels, fill=color, alpha=alpha)
    yield DrawnMark(middle=middle, pixels=_RING, fill=PAPER, edge=color, width=_ARROW)
    yield DrawnMark(middle=middle, pixels=_BULL, fill=color)


def _shape(visual: PlacedVisual, pose: Pose) -> tuple[float, DrawnMark]:
    """Return how high the top of a visual is [m], and what it covers."""
    size, middle = visual.size, pose[:2]
    top = pose[2] + size[2]
    if visual.shape == "arrow":
        return top, DrawnMark((middle, _moved(pose, size[0], 0.0)), is_arrow=True, width=_ARROW)
    is_round = visual.shape in _ROUND and math.hypot(pose[4], pose[5]) < _LEVEL
    if visual.points:
        points = tuple(_moved(pose, x, y) for x, y in visual.corners)
    else:
        points = tuple(footprint(visual.shape, size, pose, visual.mesh))
    return top, DrawnMark(points, middle, size[0] / 2 if is_round else 0.0, fill=visual.color)


def _moved(pose: Pose, x: float, y: float) -> Point:
    return within(pose, (x, y, 0.0, 1.0, 0.0, 0.0, 0.0))[:2]


def _styled(mark: DrawnMark, row: EntityRow, color: Vector3) -> DrawnMark:
    if row.is_wall:
        return replace(mark, fill="" if mark.is_arrow else WALL, edge=WALL_EDGE)
    if row.kind == "area":
        light, alpha, width = _AREA_EDGE, _AREA_ALPHA, _OBJECT
    else:
        light, alpha, width = _DARK, 1.0, _ROBOT if row.kind == "robot" else _OBJECT
    return replace(mark, edge=color, light=light, alpha=alpha, width=mark.width if mark.is_arrow else width)


def footprint(shape: str, size: Vector3, pose: Pose, mesh: str = "") -> list[Point]:
    """Return the outline of a shape, however it is tilted.

    Args:
        shape: One of `coopsim.state.visuals.SHAPES`.
        size: Bounding box: length, width, height [m].
        pose: Of the middle of its base [m].
        mesh: File of a mesh; one that cannot be read covers its box.
    """
    x, y = pose[:2]
    # rounded, so that top and bottom of an upright solid count once
    return hull((round(x + dx, 6), round(y + dy, 6)) for dx, dy in _solid(shape, size, pose, mesh))


def _solid(shape: str, size: Vector3, pose: Pose, mesh: str) -> list[Point]:
    """Return points of a shape whose hull it covers, relative to the middle of its base."""
    length, width, height = size
    radius, turn = length / 2, pose[3:]
    match shape:
        case "sphere" | "capsule":
            ends = [turned(turn, (0.0, 0.0, z)) for z in {radius, max(radius, height - radius)}]
            return [(x + dx, y + dy) for x, y, _ in ends for dx, dy in _circle(radius)]
        case "cylinder":
            solid = [(x, y, z) for (x, y), z in product(_circle(radius), (0.0, height))]
        case "cone":
            solid = [(0.0, 0.0, height), *((x, y, 0.0) for x, y in _circle(radius))]
        case "mesh" if corners := _mesh_hull(mesh):
            solid = [(x * length, y * width, z * height) for x, y, z in corners]
        case _:
            solid = list(product((-length / 2, length / 2), (-width / 2, width / 2), (0.0, height)))
    return [turned(turn, point)[:2] for point in solid]


def _circle(radius: float) -> list[Point]:
    angles = (2 * math.pi * step / _AROUND for step in range(_AROUND))
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


@lru_cache(maxsize=256)
def _mesh_hull(file: str) -> tuple[Vector3, ...]:
    """Return points of a mesh between which all others lie, but for a hundredth of it, () where it cannot be read.

    Args:
        file: Its path.

    Returns:
        Places in its box: x and y from -0.5 to 0.5, z from 0 to 1.
    """
    try:
        points = read_triangles(Path(file)).reshape(-1, 3)
    except CoopsimError:
        return ()
    low, high = points.min(axis=0), points.max(axis=0)
    places = (points - low) / np.where(high > low, high - low, 1.0) - (0.5, 0.5, 0.0)
    # the farthest ones in directions that are spread over a sphere (Fibonacci's lattice)
    steps = np.arange(_DIRECTIONS) + 0.5
    heights, turns = 1.0 - 2.0 * steps / _DIRECTIONS, math.pi * (1.0 + math.sqrt(5.0)) * steps
    level = np.sqrt(1.0 - heights**2)
    directions = np.column_stack([level * np.cos(turns), level * np.sin(turns), heights])
    chosen = sorted({int(np.argmax(places @ direction)) for direction in directions})
    return tuple((float(x), float(y), float(z)) for x, y, z in places[chosen])
