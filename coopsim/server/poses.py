"""Poses as files and lists say them: angles instead of quaternions."""

import numpy as np

from coopsim.geometry import Floats


def with_angles(poses: Floats) -> Floats:
    """Return x y z phi psi theta, shape (n, 6), of positions and quaternions w x y z, shape (n, 7).

    The angles turn about the fixed x, y and z axes, in that order [rad].
    """
    w, x, y, z = poses[:, 3:].T
    phi = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    psi = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    theta = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.column_stack((poses[:, :3], phi, psi, theta))
