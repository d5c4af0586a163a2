"""What touches in a MuJoCo model, seen from above and in a fixed order."""

from typing import TYPE_CHECKING

import numpy as np

from coopsim.engines.compiled import compiled
from coopsim.engines.contract import Contacts
from coopsim.engines.spatial.kernels import FLOORS, Ints32
from coopsim.geometry import Floats, Ints

if TYPE_CHECKING:  # kernels can be compiled where MuJoCo is not installed
    from coopsim.engines.spatial.model import Model


def touching(world: "Model", step: float) -> Contacts:
    """Return the touching pairs of the last step, a fixed body or else the higher row second, sorted by rows.

    What a body stands on the floor with is left out.

    Args:
        world: After a step.
        step: Its length [s].
    """
    found = world.data.contact
    count = world.data.ncon
    pairs, points, parts = np.empty((count, 2), np.int64), np.empty((count, 5)), np.empty((count, 2), np.int64)
    if count:
        arrays = found.geom, found.efc_address, found.dim, found.pos, found.frame, world.data.efc_force
        count = arrange(*arrays, world.rows, world.parts, FLOORS, step, pairs, points, parts)
    pairs, points = pairs[:count], points[:count]
    if count > 1:
        order = np.lexsort((points[:, 1], points[:, 0], pairs[:, 1], pairs[:, 0]))
        pairs, points = pairs[order], points[order]
    return Contacts(pairs, points)


@compiled
def arrange(
    geoms: Ints32,
    starts: Ints32,
    kinds: Ints32,
    places: Floats,
    frames: Floats,
    forces: Floats,
    rows: Ints,
    bodies: Ints,
    floors: int,
    step: float,
    pairs: Ints,
    points: Floats,
    parts: Ints,
) -> int:
    """Write rows, middle, normal and size of the impulse of each touching pair of bodies; return their number.

    Args:
        geoms: Shape (k, 2).
        starts: Where the forces of each contact begin, -1 = it has none, shape (k,).
        kinds: How many directions of force each has, shape (k,).
        places: Shape (k, 3) [m].
        frames: Normal from the first to the second geom, and two tangents, shape (k, 9).
        forces: Of all constraints, flat [N].
        rows: Row of each geom, shape (g,).
        bodies: Number of its body, shape (g,).
        floors: How many geoms are the floor's, which come first.
        step: [s].
        pairs: Shape (k, 2).
        points: Shape (k, 5).
        parts: To work in: bodies of each pair, shape (k, 2).
    """
    count = 0
    sums = np.zeros((geoms.shape[0], 10))  # contacts, place x y, normal x y z, impulse x y z
    for k in range(geoms.shape[0]):
        if geoms[k, 0] < floors or starts[k] < 0:
            continue
        first, second, side = geoms[k, 0], geoms[k, 1], 1.0
        if rows[first] < 0 or 0 <= rows[second] < rows[first]:
            first, second, side = second, first, -1.0
        pair = count - 1
        # the contacts of two bodies follow one another
        if pair < 0 or parts[pair, 0] != bodies[first] or parts[pair, 1] != bodies[second]:
            pair, count = count, count + 1
            parts[pair, 0], parts[pair, 1] = bodies[first], bodies[second]
            pairs[pair, 0], pairs[pair, 1] = rows[first], rows[second]
        sums[pair, 0] += 1.0
        sums[pair, 1] += places[k, 0]
        sums[pair, 2] += places[k, 1]
        for axis in range(3):
            sums[pair, 3 + axis] += side * frames[k, axis]
            for way in range(min(kinds[k], 3)):
                sums[pair, 6 + axis] += side * step * forces[starts[k] + way] * frames[k, 3 * way + axis]
    for pair in range(count):
        points[pair, 0], points[pair, 1] = sums[pair, 1] / sums[pair, 0], sums[pair, 2] / sums[pair, 0]
        length = np.sqrt(sums[pair, 3] ** 2 + sums[pair, 4] ** 2 + sums[pair, 5] ** 2)
        scale = 1.0 / length if length > 0.0 else 0.0
        points[pair, 2], points[pair, 3] = scale * sums[pair, 3], scale * sums[pair, 4]
        points[pair, 4] = np.sqrt(sums[pair, 6] ** 2 + sums[pair, 7] ** 2 + sums[pair, 8] ** 2)
    return count


def warm() -> None:
    """Compile the kernel, for one contact (whose numbers are contiguous in memory) and for several."""
    rows = np.zeros(4, np.int64)
    for count in (1, 2):
        whole, numbers = np.zeros((count, 20)), np.zeros((count, 20), np.int32)
        arrays = numbers[:, :2], numbers[:, 2], numbers[:, 3], whole[:, :3], whole[:, 3:12], np.zeros(3)
        pairs = np.empty((count, 2), np.int64)
        arrange(*arrays, rows, rows, FLOORS, 0.01, pairs, np.empty((count, 5)), pairs.copy())
