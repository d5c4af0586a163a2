"""Compiled scans: rays that begin at a scanner on a body, not where they leave the hull, as those of rings do."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.devices.contract import Scanners
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import keep_per_sector, rays_of, report, turn, widest_bearing
from coopsim.sensing.ray_grid import move_shapes
from coopsim.sensing.ray_kernels import Scene, see_around

Mount: TypeAlias = tuple[float, float]
"""Where a scanner is on its body, forward and to the left of its middle [m]."""


@compiled
def scan(
    planar: Floats, height: Floats, rows: Ints, bearings: Floats, scanners: Scanners, out: Floats, scene: Scene
) -> float:
    """Write the distances from the scanners, shape (n, k) [m]; see `ray_kernels.cast` for arguments and result."""
    (reach, ring, (forward, left)), (numbers, whole) = scanners, scene
    needed = 0.0
    for i in range(rows.size):
        needed = max(needed, reach[i])
    if needed > numbers[head.PREPARED]:
        return needed
    if whole[head.STALE] != 0:
        move_shapes(planar, height, numbers, whole)
        whole[head.STALE] = 0
    # hulls stay 0: a scanner stands free, and its own robot is left out by its owner
    count, rays = bearings.size, rays_of(bearings)
    side, ahead = widest_bearing(bearings)
    keep_per_sector(rays, count, count)
    for i in range(rows.size):
        row = rows[i]
        c, s = math.cos(planar[row, 2]), math.sin(planar[row, 2])
        owner = whole[whole[head.AT_BODY] + head.BODY_WIDTH * row + head.BODY_OWNER]
        z = height[row] + (ring[i] if ring[i] != 0.0 else numbers[whole[head.AT_MIDDLE] + row])
        x, y = planar[row, 0] + c * forward - s * left, planar[row, 1] + s * forward + c * left
        turn(c, s, reach[i], rays, count)
        see_around((x, y, c, s, side, ahead, z, owner, whole[head.AT_FOUND]), rays, numbers, whole)
        report(reach[i], rays, count, out[i])
    return 0.0


def displaced(poses: Floats, rows: Ints, mount: Mount) -> Floats:
    """Return poses of bodies, shape (m, 7), those of `rows` moved to where their scanners are."""
    forward, left = mount
    if forward == left == 0.0:
        return poses
    moved = poses.copy()
    w, x, y, z = moved[rows, 3], moved[rows, 4], moved[rows, 5], moved[rows, 6]
    # first and second column of the rotation matrix
    axes = np.stack(
        [
            forward * (1.0 - 2.0 * (y * y + z * z)) + left * 2.0 * (x * y - w * z),
            forward * 2.0 * (x * y + w * z) + left * (1.0 - 2.0 * (x * x + z * z)),
            forward * 2.0 * (x * z - w * y) + left * 2.0 * (y * z + w * x),
        ],
        axis=1,
    )
    moved[rows, :3] += axes
    return moved
