"""Footprints of entities on the floor, seen from above."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from coopsim.features.pictures.svg import Point, hull
from coopsim.geometry import Pose, Vector3, turned, within
from coopsim.scene.meshes import mesh_hull
from coopsim.state import EntityRow, PlacedVisual

_AROUND = 48  # corners of a circle: round at every size of a page
_ROUND = {"cylinder", "sphere", "capsule", "cone"}
_LEVEL = 1e-9  # what rounding leaves of an upright quaternion


@dataclass(frozen=True, slots=True)
class Outline:
    """What a visual covers.

    Attributes:
        points: Corners, counter-clockwise [m]; of an arrow its tail and its tip.
        radius: Of a circle around the middle of the points [m], 0 = it is none.
    """

    points: list[Point]
    color: Vector3
    is_arrow: bool = False
    middle: Point = (0.0, 0.0)
    radius: float = 0.0


def outlines(row: EntityRow, pose: Pose, color: Vector3, body: str = "") -> list[Outline]:
    """Return what the visuals on one body of an entity cover, from the lowest to the highest.

    Args:
        row: The entity.
        pose: Where the body is.
        color: Of visuals that have no colour of their own.
        body: Its name within the entity, "" = the first.
    """
    visuals = [visual for visual in row.drawn(color) if visual.body == body]
    return [outline for _, outline in sorted(_outlines(visuals, pose), key=lambda it: it[0])]


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


def _outlines(visuals: Iterable[PlacedVisual], pose: Pose) -> Iterator[tuple[float, Outline]]:
    """Yield outlines with how high their tops are."""
    for visual in visuals:
        place, size, paint = within(pose, visual.pose), visual.size, visual.color
        top, middle = place[2] + size[2], place[:2]
        if visual.shape == "arrow":
            tip = within(place, (size[0], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))[:2]
            yield top, Outline([middle, tip], paint, is_arrow=True)
        else:
            is_round = visual.shape in _ROUND and math.hypot(place[4], place[5]) < _LEVEL
            radius = size[0] / 2 if is_round else 0.0
            points = _polygon(visual, place) if visual.points else footprint(visual.shape, size, place, visual.mesh)
            yield top, Outline(points, paint, middle=middle, radius=radius)


def _polygon(visual: PlacedVisual, pose: Pose) -> list[Point]:
    return [within(pose, (x, y, 0.0, 1.0, 0.0, 0.0, 0.0))[:2] for x, y in visual.corners]


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
        case "mesh" if corners := mesh_hull(mesh):
            solid = [(x * length, y * width, z * height) for x, y, z in corners]
        case _:
            solid = list(product((-length / 2, length / 2), (-width / 2, width / 2), (0.0, height)))
    return [turned(turn, point)[:2] for point in solid]


def _circle(radius: float) -> list[Point]:
    angles = (2 * math.pi * step / _AROUND for step in range(_AROUND))
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
