"""Distances along rays, from tables of the scene's own shapes: the same for every physics engine.

Source: CoopDynSim, section III-A (distance sensors by ray tracing, one set of rays per sector).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import Bodies, Scanners
from coopsim.engines import BodySpec
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall
from coopsim.kernels.threads import THREADS, parts_of
from coopsim.sensing import ray_head, ray_kernels
from coopsim.sensing.ray_grid import move_shapes
from coopsim.sensing.ray_kernels import empty_desks
from coopsim.sensing.ray_lists import empty_lists
from coopsim.sensing.ray_scan import scan
from coopsim.sensing.ray_tables import gather, moving_grid, pack

if TYPE_CHECKING:
    from coopsim.sensing.ray_solids import Solids

_MANY = 8192  # measured; below it waking a thread costs more than it casts
"""Rays from which on several cores are faster than one."""
_HEADROOM = 1.2  # so that a parameter that grows little by little does not renew the lists each time


class RayCaster:
    """Casts rays against circles and upright boxes, moving and fixed.

    A body sees what the plane of its rays cuts, but neither itself nor the others of its robot. The grid of the moving
    shapes is filled at the first cast after `begin`, and only then. Each cell lists the fixed shapes in reach, nearest
    first.

    Attributes:
        is_stale: Whether its tables were made anew since `calls`.
    """

    def __init__(
        self, bodies: Sequence[BodySpec], names: Sequence[str], planar: Floats, *, is_spatial: bool = False
    ) -> None:
        """Read the scene.

        Args:
            bodies: All bodies, moving and fixed.
            names: The moving ones, by row.
            planar: Where they are, shape (n, 6).
            is_spatial: Whether bodies may tilt and fall; casts then need their poses.
        """
        self._solids: Solids | None = None
        upright = bodies
        if is_spatial:
            from coopsim.sensing import ray_solids

            self._solids = ray_solids.Solids(bodies, names)
            # fixed ones never straighten up; moving ones are in both worlds, and heights tell which one sees them
            upright = [body for body in bodies if body.mass > 0.0 or not ray_solids.is_tilted(body)]
        self._shapes = gather(upright, names)
        self._found = np.empty((0, 0))
        self._desks: dict[tuple[int, int], Floats] = {}
        self._reach = 0.0
        self._is_placed = self._is_any_tilted = False
        self.is_stale = False
        self._lay(planar)

    def begin(self) -> None:
        """Handle moved bodies."""
        self._whole[ray_head.STALE] = 1
        self._is_placed = False

    def cast(
        self,
        planar: Floats,
        height: Floats,
        rows: Ints,
        bearings: Floats,
        reach: Floats,
        out: Floats,
        ring: Floats,
        poses: Floats | None = None,
    ) -> None:
        """Write the distance from the hull to the first hit of each ray, `reach` where there is none.

        A ray starts where it leaves the looking body; what overlaps the body there is 0 away.

        Args:
            planar: Where the bodies are, shape (m, 6).
            height: Of their bases, shape (m,) [m].
            rows: Bodies that look, shape (n,).
            bearings: Directions in the frame of each body, shape (k,) [rad].
            reach: Largest distance, measured from the hull, shape (n,) [m].
            out: Distances, shape (n, k) [m]; of shape (n, k / m) it gets the least of each m neighbouring rays.
            ring: Where the rays begin above the base of each body that looks, 0 = half way up, shape (n,) [m].
            poses: Where the bodies are in space, shape (m, 7); for a spatial caster.
        """
        if not out.size:  # no rays: the kernels expect at least one ray of one body
            return
        if not (reach.flags.c_contiguous and bearings.flags.c_contiguous and rows.flags.c_contiguous):
            rows = np.ascontiguousarray(rows)
            bearings, reach = np.ascontiguousarray(bearings), np.ascontiguousarray(reach)
        if not ring.flags.c_contiguous:
            ring = np.ascontiguousarray(ring)
        solids = self._solids
        if solids is None or poses is None or not self._tilts(solids, poses):
            self._cast(planar, height, rows, bearings, reach, out, ring)
            return
        # no height: the upright kernel does not see who is tilted
        self._cast(planar, np.where(solids.tilted, np.nan, height), rows, bearings, reach, out, ring)
        ring = np.where(ring == 0.0, self._shapes.middles[rows], ring)
        solids.cast(rows, bearings, reach, ring, (self._numbers, self._whole), out)

    def scan(
        self,
        bodies: Bodies,
        rows: Ints,
        bearings: Floats,
        scanners: Scanners,
        out: Floats,
        poses: Floats | None = None,
    ) -> None:
        """Write the distance from scanners to the first hit of each ray, shape (n, k) [m]; else as `cast`."""
        solids = self._solids
        tilts = solids is not None and poses is not None and self._tilts(solids, poses)
        height = np.where(solids.tilted, np.nan, bodies.height) if solids is not None and tilts else bodies.height
        strided = self._strided(out)
        self._answer(scan, (bodies.planar, height, rows, bearings, scanners, strided))
        if strided is not out:
            out[:] = strided[: len(out)]
        if solids is not None and tilts:
            reach, ring, mount = scanners
            ring = np.where(ring == 0.0, self._shapes.middles[rows], ring)
            solids.scan(rows, bearings, (reach, ring, mount), out)

    def scan_calls(
        self, bodies: Bodies, rows: Ints, bearings: Floats, scanners: Scanners, out: Floats
    ) -> DeviceCalls | None:
        """Return what `scan` comes to; None where bodies may tilt."""
        is_dense = all(array.flags.c_contiguous for array in (rows, bearings, *scanners[:2]))
        if self._solids is not None or not is_dense or not out.size:
            return None
        self.is_stale = False
        strided = self._strided(out)
        copies = () if strided is out else (KernelCall(_copy, (strided, out)),)
        arguments = bodies.planar, bodies.height, rows, bearings, scanners, strided, (self._numbers, self._whole)
        return DeviceCalls((KernelCall(scan, arguments, expects=0), *copies), (self,))

    def calls(
        self, bodies: Bodies, rows: Ints, bearings: Floats, limits: tuple[Floats, Floats], out: Floats
    ) -> DeviceCalls | None:
        """Return what `cast` comes to; None where bodies may tilt.

        `is_stale` says from then on whether new tables have been made since.
        """
        reach, ring = limits
        is_dense = all(array.flags.c_contiguous for array in (rows, bearings, reach, ring))
        if self._solids is not None or not is_dense or not out.size:
            return None
        self.is_stale = False
        strided = self._strided(out)
        scene, lists = (self._numbers, self._whole), empty_lists(rows.size, bearings.size)
        copies = () if strided is out else (KernelCall(_copy, (strided, out)),)
        looking = bodies.planar, bodies.height, rows, bearings
        threads = THREADS.sharing(out.size, _MANY)
        if threads == 1:
            arguments = *looking, (reach, ring, 0, empty_desks(bearings, 1), lists), strided, scene
            return DeviceCalls((KernelCall(ray_kernels.cast, arguments, expects=0), *copies), (self,))
        claims, parts = np.zeros(2, np.int64), len(parts_of(rows.size, threads))
        # `begin_parts` first, by one thread: placing shapes writes what all others read
        begin = KernelCall(ray_kernels.begin_parts, (*looking[:2], claims, scene))
        shares = reach, ring, parts, claims, empty_desks(bearings, threads), lists
        share = KernelCall(ray_kernels.cast_parts, (*looking, shares, strided, scene), 0, threads - 1)
        return DeviceCalls((begin, share, *copies), (self,))

    def rims(self, rows: Ints, bearings: Floats, ring: Floats) -> tuple[Floats, Floats]:
        """Return where the rays of bodies leave their hulls, arguments as those of `cast`.

        Returns:
            Their height above the base, shape (n,), and how far from its middle they are, shape (n, k) [m].
        """
        from coopsim.sensing.ray_solids import hulls

        height = np.where(ring == 0.0, self._shapes.middles[rows], ring)
        return height, hulls(rows, bearings, self._numbers, self._whole)

    def _tilts(self, solids: "Solids", poses: Floats) -> bool:
        if not self._is_placed:
            self._is_placed, self._is_any_tilted = True, solids.set_poses(poses)
        return self._is_any_tilted

    def _cast(
        self, planar: Floats, height: Floats, rows: Ints, bearings: Floats, reach: Floats, out: Floats, ring: Floats
    ) -> None:
        """Cast rays in the world of what stands upright."""
        strided = self._strided(out)
        cast, parts = ray_kernels.cast, 1
        if THREADS.count > 1 and strided.size >= _MANY:
            cast, parts = _cast_by_threads, ray_head.NOTES
        limits = reach, ring, 0, self._desks_for(bearings, parts), empty_lists(0, 0)
        self._answer(cast, (planar, height, rows, bearings, limits, strided))
        if strided is not out:
            out[:] = strided[: len(out)]

    def _answer(self, kernel: Callable[..., float], arrays: tuple[Any, ...]) -> None:
        """Call a kernel that casts, again with new tables where the old ones are too short for it."""
        needed = kernel(*arrays, (self._numbers, self._whole))
        if needed > 0.0:
            self._reach = _HEADROOM * needed
            self._lay(arrays[0])
            kernel(*arrays, (self._numbers, self._whole))
        elif needed < 0.0:
            self._lay(arrays[0])

    def _desks_for(self, bearings: Floats, parts: int) -> Floats:
        """Return memory in which rays of such bearings are cast, the same at each call."""
        asked = bearings.size, parts
        if asked not in self._desks:
            self._desks[asked] = empty_desks(bearings, parts)
        return self._desks[asked]

    def _strided(self, out: Floats) -> Floats:
        """Return `out`, or strided memory for it: one form of the kernel takes ten seconds to compile.

        Readings of many robots are columns of a table, so they are the form that is not copied.
        """
        if not out.flags.c_contiguous:
            return out
        lines, columns = max(len(out), 2), out.shape[1]  # numpy calls a single number contiguous
        if self._found.shape != (lines, columns):
            self._found = np.empty((lines, 2 * columns))[:, ::2]
        return self._found

    def _lay(self, planar: Floats) -> None:
        self.is_stale = True
        self._numbers, self._whole = pack(self._shapes, moving_grid(self._shapes, planar), self._reach)


@compiled
def _copy(dense: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = dense[i, k]


def _cast_by_threads(
    planar: Floats,
    height: Floats,
    rows: Ints,
    bearings: Floats,
    limits: ray_kernels.Limits,
    out: Floats,
    scene: ray_kernels.Scene,
) -> float:
    """Do what `ray_kernels.cast` does, each thread for some of the bodies that look."""
    (reach, ring, _, desks, lists), (numbers, whole) = limits, scene
    if whole[ray_head.STALE]:
        move_shapes(planar, height, numbers, whole)
        whole[ray_head.STALE] = 0

    def part(number: int, first: int, last: int) -> float:
        some = slice(first, last)
        few = reach[some], ring[some], number, desks, lists[some]
        return ray_kernels.cast(planar, height, rows[some], bearings, few, out[some], scene)

    outcomes = THREADS.run(rows.size, part, ray_head.NOTES)
    return max(outcomes) or min(outcomes)
