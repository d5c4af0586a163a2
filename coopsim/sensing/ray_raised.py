"""Compiled casting of rays that point out of the plane of their ring: up, or down to what lies there and the floor.

A ray leaves the hull of the body that looks at the height of the ring, as one within the plane does, and from there it
climbs. Rays of one ring that stay in its plane read here what they read there.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coopsim.devices.contract import Scanners
from coopsim.engines import BodySpec
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.sensing.ray_scan import displaced
from coopsim.sensing.ray_solids import (
    BOUND,
    OWNER,
    Placed,
    Solids,
    aim,
    begin,
    hit,
    is_aside,
    is_far,
    write_frames,
    write_near,
)

Ring: TypeAlias = tuple[Floats, Floats, Floats, Floats]
"""Bearings and elevations of the rays, shape (2, k) [rad]; and, of the bodies that look, the largest distance, shape
(n,), the height of the ring above their base, shape (n,), and how far the hull extends along each ray, shape (n, k)
[m]."""
_COS_BEARING, _SIN_BEARING, _ALONG, _UP = range(4)


class RaisedRays(Solids):
    """Casts rays in any direction against all shapes of a scene, upright or not, and against its floor."""

    def __init__(self, bodies: Sequence[BodySpec], names: Sequence[str], floor: BodySpec | None = None) -> None:
        """Read the scene.

        Args:
            bodies: All bodies, moving and fixed.
            names: The moving ones, by row.
            floor: A fixed body that rays within the plane of their ring do not see, None = there is none.
        """
        super().__init__(bodies if floor is None else (*bodies, floor), names)
        self._floor = len(self._table) - (0 if floor is None else len(floor.shapes))  # its shapes are the last ones
        self._is_placed = False

    def begin(self) -> None:
        """Handle moved bodies."""
        self._is_placed = False

    def cast_raised(self, poses: Floats, rows: Ints, ring: Ring, out: Floats) -> None:
        """Write the distance from the hull, along the ray, to its first hit, the largest distance where there is none.

        What overlaps the body between its middle and where a ray leaves the hull is 0 away.

        Args:
            poses: Where the moving bodies are in space, shape (m, 7).
            rows: Bodies that look, shape (n,); a body sees neither itself nor the others of its robot.
            ring: Their rays.
            out: Distances, shape (n, k / m) [m]: of each m neighbouring rays the least.
        """
        self._move_frames(poses)
        ranges = np.empty(out.shape)
        lookers = rows, self._owners[rows]
        cast(self._poses, lookers, ring, ranges, self._solids, self._floor)
        out[...] = ranges

    def scan_raised(self, poses: Floats, rows: Ints, angles: Floats, scanners: Scanners, out: Floats) -> None:
        """Do the same for rays that begin at scanners, whose heights are above 0; shape of `out` (n, k)."""
        self._move_frames(poses)
        (reach, height, mount), ranges = scanners, np.empty(out.shape)
        ring, lookers = (angles, reach, height, np.zeros(out.shape)), (rows, self._owners[rows])
        cast(displaced(self._poses, rows, mount), lookers, ring, ranges, self._solids, self._floor)
        out[...] = ranges

    def _move_frames(self, poses: Floats) -> None:
        if not self._is_placed:
            self._poses[: self._moving] = poses
            write_frames(self._poses, self._table, self._placed)
            self._is_placed, self._solids = True, self._where()


@compiled
def cast(poses: Floats, lookers: tuple[Ints, Ints], ring: Ring, out: Floats, solids: Placed, floor: int) -> None:
    """See `RaisedRays.cast_raised`; the shapes of the floor are those from the row `floor` on."""
    (rows, own), (angles, reach, height, hulls), (table, placed, strips) = lookers, ring, solids
    count = angles.shape[1]
    per_robot, turns = count // out.shape[1], _turns(angles)
    near = np.empty(table.shape[0], np.int64)
    middle, ahead, start, ray = np.empty(3), np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
    for i in range(rows.size):
        pose = poses[rows[i]]
        # free until a shape shortens it
        out[i, :] = reach[i]
        begin(pose, height[i], middle)
        aim(pose, turns[_COS_BEARING], turns[_SIN_BEARING], ahead)
        _raise(pose, turns, ahead, ray)
        hull = 0.0
        for k in range(count):
            # the farthest start, so that a shape out of reach is left out for all rays at once
            hull = max(hull, hulls[i, k])
            for axis in range(3):
                start[k, axis] = middle[axis] + hulls[i, k] * ahead[k, axis]
        for j in near[: write_near(strips, middle[0], hull + reach[i], near)]:
            bound = table[j, BOUND]
            if int(table[j, OWNER]) == own[i] or is_far(middle, placed[j], hull + reach[i] + bound):
                continue
            # only such a shape can lie between the middle and the start of a ray
            is_near = not is_far(middle, placed[j], hull + bound)
            for k in range(count):
                # a level ring reads what the rays of `ray_kernels` read, which know no floor
                if j >= floor and turns[_UP, k] == 0.0:
                    continue
                # it overlaps the body: 0 away, and not what a ray that begins behind it would meet
                if is_near and hit(middle, ahead[k], table[j], placed[j]) <= hulls[i, k]:
                    out[i, k // per_robot] = 0.0
                elif not is_aside(start[k], ray[k], placed[j], bound):
                    out[i, k // per_robot] = min(out[i, k // per_robot], hit(start[k], ray[k], table[j], placed[j]))


@compiled
def _turns(angles: Floats) -> Floats:
    """Return cosines and sines of the bearings, then of the elevations, shape (4, k)."""
    turns = np.empty((4, angles.shape[1]))
    turns[_COS_BEARING], turns[_SIN_BEARING] = np.cos(angles[0]), np.sin(angles[0])
    turns[_ALONG], turns[_UP] = np.cos(angles[1]), np.sin(angles[1])
    return turns


@compiled
def _raise(pose: Floats, turns: Floats, ahead: Floats, ray: Floats) -> None:
    """Write the directions of rays that climb out of the plane of the ring, in which `ahead` lies, shape (k, 3)."""
    w, x, y, z = pose[3], pose[4], pose[5], pose[6]
    # third column of the rotation matrix: where the upward axis of the body points
    up = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)
    for k in range(ahead.shape[0]):
        for axis in range(3):
            ray[k, axis] = turns[_ALONG, k] * ahead[k, axis] + turns[_UP, k] * up[axis]
