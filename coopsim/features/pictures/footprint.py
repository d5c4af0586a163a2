"""Footprints of shapes on the floor, seen from above."""

import math
from itertools import product

from coopsim.features.pictures.svg import Point, hull
from coopsim.geometry import Pose, Vector3, turned
from coopsim.scene.meshes import mesh_hull

_AROUND = 48  # corners of a circle: round at every size of a page


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
        case "mesh" if corners := mesh_hull(mesh):
            solid = [(x * length, y * width, z * height) for x, y, z in corners]
        case _:
            solid = list(product((-length / 2, length / 2), (-width / 2, width / 2), (0.0, height)))
    return [turned(turn, point)[:2] for point in solid]


def _circle(radius: float) -> list[Point]:
    angles = (2 * math.pi * step / _AROUND for step in range(_AROUND))
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
