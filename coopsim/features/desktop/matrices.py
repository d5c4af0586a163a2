"""Matrices that take points of the world to the screen, row by row, shape (4, 4)."""

import math

import numpy as np

from coopsim.geometry import Floats


def perspective(field_of_view: float, aspect: float, near: float, far: float) -> Floats:
    """Return the projection of a camera.

    Args:
        field_of_view: From the lower to the upper edge [rad].
        aspect: Width by height.
        near: Nearest distance that is drawn [m].
        far: Largest distance that is drawn [m].
    """
    scale = 1.0 / np.tan(field_of_view / 2.0)
    depth, product = (far + near) / (near - far), 2.0 * far * near / (near - far)
    return np.array([[scale / aspect, 0, 0, 0], [0, scale, 0, 0], [0, 0, depth, product], [0, 0, -1.0, 0]])


def orthographic(half: float, near: float, far: float) -> Floats:
    """Return the projection of parallel rays through a square.

    Args:
        half: Half the side of the square [m].
        near: Nearest distance that is drawn [m].
        far: Largest distance that is drawn [m].
    """
    shift = -(far + near) / (far - near)
    return np.array([[1 / half, 0, 0, 0], [0, 1 / half, 0, 0], [0, 0, -2 / (far - near), shift], [0, 0, 0, 1.0]])


def look_at(eye: Floats, centre: Floats) -> Floats:
    """Return the matrix from the world to the frame of an eye: x right, y up, z backward.

    Args:
        eye: Where it is, not straight above or below `centre` [m].
        centre: What it looks at [m].
    """
    # numpy's functions for vectors take ten times as long for three numbers as these
    x, y, z = (centre - eye).tolist()
    length, flat = math.hypot(x, y, z), math.hypot(x, y)
    x, y, z = x / length, y / length, z / length
    across, along = y * length / flat, -x * length / flat
    matrix = np.eye(4)
    matrix[:3, :3] = (across, along, 0.0), (along * z, -across * z, across * y - along * x), (-x, -y, -z)
    matrix[:3, 3] = -matrix[:3, :3] @ eye
    return matrix
