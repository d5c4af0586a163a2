"""Compiled parts of sensors that feel forces."""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled


@compiled
def into_frames(poses: Floats, vectors: Floats) -> None:
    """Turn vectors of the world into the frames of bodies, v_b = R^T v_w, in place.

    Args:
        poses: Places and quaternions w x y z, shape (n, 7).
        vectors: Shape (n, 3).
    """
    for i in range(poses.shape[0]):
        w, x, y, z = poses[i, 3], poses[i, 4], poses[i, 5], poses[i, 6]
        a, b, c = vectors[i, 0], vectors[i, 1], vectors[i, 2]
        vectors[i, 0] = (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y + w * z) * b + 2.0 * (x * z - w * y) * c
        vectors[i, 1] = 2.0 * (x * y - w * z) * a + (1.0 - 2.0 * (x * x + z * z)) * b + 2.0 * (y * z + w * x) * c
        vectors[i, 2] = 2.0 * (x * z + w * y) * a + 2.0 * (y * z - w * x) * b + (1.0 - 2.0 * (x * x + y * y)) * c


@compiled
def sum_level_contacts(pairs: Ints, points: Floats, step: float, heights: Floats, sums: Floats) -> None:
    """Add up contacts in the plane by body: number, force on it [N], and place [m], weighted by force.

    Args:
        pairs: Rows of the two bodies, -1 = a fixed one, shape (k, 2).
        points: Place x y, normal from the first to the second x y, impulse [N s], shape (k, 5).
        step: In which the impulses acted [s].
        heights: Of the bases of the bodies, shape (n,) [m].
        sums: Written, shape (n, 7).
    """
    sums[:] = 0.0
    for k in range(pairs.shape[0]):
        force = points[k, 4] / step
        for side in range(2):
            row = pairs[k, side]
            if row < 0:
                continue
            away = (2.0 * side - 1.0) * force
            sums[row, 0] += 1.0
            sums[row, 1] += away * points[k, 2]
            sums[row, 2] += away * points[k, 3]
            sums[row, 4] += force * points[k, 0]
            sums[row, 5] += force * points[k, 1]
            sums[row, 6] += force
    for row in range(sums.shape[0]):
        weight = sums[row, 6]
        if weight > 0.0:
            sums[row, 4], sums[row, 5], sums[row, 6] = sums[row, 4] / weight, sums[row, 5] / weight, heights[row]


@compiled
def feel(sums: Floats, poses: Floats, bodies: Ints, thresholds: Floats, out: Floats) -> None:
    """Write whether bodies are touched, the force on each and its place, in the frames of the bodies.

    Args:
        sums: Number, force and place of the contacts of all bodies, shape (m, 7).
        poses: Of all bodies, shape (m, 7).
        bodies: Which, shape (n,).
        thresholds: Smallest force that counts, shape (n,) [N].
        out: Written, shape (n, 7).
    """
    for i in range(bodies.size):
        row = bodies[i]
        strength = math.sqrt(sums[row, 1] ** 2 + sums[row, 2] ** 2 + sums[row, 3] ** 2)
        out[i] = 0.0
        if sums[row, 0] > 0.0 and strength >= thresholds[i]:
            out[i, 0], out[i, 1:4] = 1.0, sums[row, 1:4]
            out[i, 4:7] = sums[row, 4:7] - poses[row, :3]
            frame = poses[row : row + 1]
            into_frames(frame, out[i : i + 1, 1:4])
            into_frames(frame, out[i : i + 1, 4:7])
