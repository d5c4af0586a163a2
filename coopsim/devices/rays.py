"""Distances along rays, from tables of the scene's own shapes: the same for every physics engine.

Source: CoopDynSim, section III-A (distance sensors by ray tracing, one set of rays per sector).
"""

from collections.abc import Sequence

import numpy as np

from coopsim.devices import ray_kernels
from coopsim.devices.ray_tables import gather, moving_grid, pack
from coopsim.engines import BodySpec, ShapeSpec
from coopsim.geometry import Floats, Ints

_HEADROOM = 1.2  # so that a parameter that grows little by little does not renew the lists each time


class RayCaster:
    """Casts rays against circles and upright boxes, moving and fixed.

    A body does not see itself, and sees what shares a layer of height with it (`engines.footprints.layers`), as it
    would run into it. The grid of the moving shapes is filled at the first cast after `begin`, and only then. Each
    cell lists the fixed shapes in reach, nearest first.
    """

    def __init__(self, bodies: Sequence[BodySpec], names: Sequence[str], planar: Floats) -> None:
        """Read the scene.

        Args:
            bodies: All bodies, moving and fixed.
            names: The moving ones, by row.
            planar: Where they are, shape (n, 6).
        """
        self._shapes = gather(bodies, names)
        self._reach = 0.0
        self._lay(planar)

    def begin(self) -> None:
        """Take notice that the bodies have moved."""
        self._whole[ray_kernels.STALE] = 1

    def cast(self, planar: Floats, rows: Ints, bearings: Floats, reach: Floats, out: Floats) -> None:
        """Write the distance from the hull to the first hit of each ray, `reach` where there is none.

        A ray starts where it leaves the looking body; what overlaps the body there is 0 away.

        Args:
            planar: Where the bodies are, shape (m, 6).
            rows: Bodies that look, shape (n,).
            bearings: Directions in the frame of each body, shape (k,) [rad].
            reach: Largest distance, measured from the hull, shape (n,) [m].
            out: Distances, shape (n, k) [m].
        """
        if not (reach.flags.c_contiguous and bearings.flags.c_contiguous and rows.flags.c_contiguous):
            rows = np.ascontiguousarray(rows)
            bearings, reach = np.ascontiguousarray(bearings), np.ascontiguousarray(reach)
        needed = ray_kernels.cast(planar, rows, bearings, reach, out, self._numbers, self._whole)
        if needed > 0.0:
            self._reach = _HEADROOM * needed
            self._lay(planar)
            ray_kernels.cast(planar, rows, bearings, reach, out, self._numbers, self._whole)
        elif needed < 0.0:
            self._lay(planar)

    def _lay(self, planar: Floats) -> None:
        self._numbers, self._whole = pack(self._shapes, moving_grid(self._shapes, planar), self._reach)


def warm() -> None:
    """Compile the kernels: one body looks at another and at a wall."""
    kinds = (("look", 1.0, "cylinder"), ("other", 1.0, "cylinder"), ("wall", 0.0, "box"))
    bodies = [
        BodySpec(name, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), mass, (ShapeSpec(kind, (1.0, 1.0, 1.0)),))
        for name, mass, kind in kinds
    ]
    planar = np.zeros((2, 6))
    caster = RayCaster(bodies, ("look", "other"), planar)
    # readings are columns among others
    caster.cast(planar, np.zeros(1, np.int64), np.zeros(1), np.ones(1), np.empty((1, 3))[:, 1:2])
