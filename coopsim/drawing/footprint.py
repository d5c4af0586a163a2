"""What a solid covers on the floor, seen from above."""

import math
from itertools import product

from coopsim.drawing.svg import Point, hull
from coopsim.geometry import Vector3, quaternion

_AROUND = 48


def footprint(shape: str, size: Vector3, position: Vector3, orientation: Vector3) -> list[Point]:
    """Return the outline of a box, cylinder or sphere, however it is tilted.

    Args:
        shape: "box", "cylinder" or "sphere".
        size: Bounding box: length, width, height [m].
        position: The middle of its base [m].
        orientation: Rotations about the fixed x, y and z axes about the base point [rad].
    """
    turn = quaternion(*orientation)
    if shape == "sphere":
        x, y, _ = _rotated(turn, (0.0, 0.0, size[2] / 2))
        solid = [(x + dx, y + dy, 0.0) for dx, dy in _circle(size[0] / 2)]
    elif shape == "cylinder":
        rim = _circle(size[0] / 2)
        solid = [_rotated(turn, (x, y, z)) for (x, y), z in product(rim, (0.0, size[2]))]
    else:
        sides = product((-size[0] / 2, size[0] / 2), (-size[1] / 2, size[1] / 2), (0.0, size[2]))
        solid = [_rotated(turn, corner) for corner in sides]
    # rounded, so that top and bottom of an upright solid count once
    return hull((round(position[0] + x, 6), round(position[1] + y, 6)) for x, y, _ in solid)


def _circle(radius: float) -> list[Point]:
    angles = (2 * math.pi * step / _AROUND for step in range(_AROUND))
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


def _rotated(turn: tuple[float, float, float, float], point: Vector3) -> Vector3:
    w, x, y, z = turn
    px, py, pz = point
    # v + 2 w (u x v) + 2 u x (u x v)
    cx, cy, cz = y * pz - z * py, z * px - x * pz, x * py - y * px
    dx, dy, dz = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    return px + 2 * (w * cx + dx), py + 2 * (w * cy + dy), pz + 2 * (w * cz + dz)
