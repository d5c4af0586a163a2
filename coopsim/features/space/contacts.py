"""Contacts in a MuJoCo model, seen from above and in a fixed order."""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from coopsim.engines.contract import Contacts
from coopsim.features.space.kernels import FLOORS, Ints32
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

if TYPE_CHECKING:  # kernels can be compiled where MuJoCo is not installed
    from coopsim.features.space.model import Model


_SUMS = 9  # of a pair: contacts, place x y, normal x y z, impulse x y z

Contacting: TypeAlias = tuple[Ints32, Ints32, Ints32, Floats, Floats]
"""Geoms, shape (k, 2); where the forces of each contact begin, -1 = it has none, (k,); directions of force, (k,);
places [m], (k, 3); normal from the first to the second geom and two tangents, (k, 9)."""


def touching(world: "Model", step: float) -> Contacts:
    """Return the touching pairs of the last step, a fixed body or else the higher row second, sorted by rows.

    What a body stands on the floor with is left out.

    Args:
        world: After a step.
        step: Its length [s].
    """
    contact = world.data.contact
    count = world.data.ncon
    pairs, points = np.empty((count, 2), np.int64), np.empty((count, 5))
    if count:
        contacts = contact.geom, contact.efc_address, contact.dim, contact.pos, contact.frame
        count = arrange(contacts, world.data.efc_force, world.rows, world.parts, step, pairs, points)
    pairs, points = pairs[:count], points[:count]
    if count > 1:
        # MuJoCo's own order follows its search for contacts
        order = np.lexsort((points[:, 1], points[:, 0], pairs[:, 1], pairs[:, 0]))
        pairs, points = pairs[order], points[order]
    return Contacts(pairs, points)


@compiled
def arrange(
    contacts: Contacting, forces: Floats, rows: Ints, bodies: Ints, step: float, pairs: Ints, points: Floats
) -> int:
    """Write rows, middle, normal and size of the impulse of each touching pair of bodies; return their number.

    Args:
        contacts: All contacts; those of two bodies follow one another.
        forces: Of all constraints, flat [N].
        rows: Row of each geom, shape (g,).
        bodies: Number of its body, shape (g,).
        step: [s].
        pairs: Written, shape (k, 2).
        points: Written, shape (k, 5).
    """
    geoms, starts = contacts[0], contacts[1]
    count, last, partner = 0, -1, -1
    sums = np.zeros((geoms.shape[0], _SUMS))
    for k in range(geoms.shape[0]):
        # the floor is no body; a contact without forces is near, and does not touch
        if geoms[k, 0] < FLOORS or starts[k] < 0:
            continue
        first, second, side = geoms[k, 0], geoms[k, 1], 1.0
        if rows[first] < 0 or 0 <= rows[second] < rows[first]:
            first, second, side = second, first, -1.0
        if count == 0 or last != bodies[first] or partner != bodies[second]:
            last, partner = bodies[first], bodies[second]
            pairs[count, 0], pairs[count, 1] = rows[first], rows[second]
            count += 1
        _add(contacts, k, side, step, forces, sums[count - 1])
    for pair in range(count):
        _conclude(sums[pair], points[pair])
    return count


@compiled
def _add(contacts: Contacting, k: int, side: float, step: float, forces: Floats, sums: Floats) -> None:
    """Add place, normal and impulse of a contact to the sums of its pair."""
    _, starts, kinds, places, frames = contacts
    sums[0] += 1.0
    sums[1] += places[k, 0]
    sums[2] += places[k, 1]
    for axis in range(3):
        sums[3 + axis] += side * frames[k, axis]
        # further directions are torques, which are no impulse
        for direction in range(min(kinds[k], 3)):
            sums[6 + axis] += side * step * forces[starts[k] + direction] * frames[k, 3 * direction + axis]


@compiled
def _conclude(sums: Floats, point: Floats) -> None:
    """Write middle, normal and size of the impulse of a pair."""
    # the mean of all contacts of a pair: a box on a box has four
    point[0], point[1] = sums[1] / sums[0], sums[2] / sums[0]
    length = np.sqrt(sums[3] ** 2 + sums[4] ** 2 + sums[5] ** 2)
    scale = 1.0 / length if length > 0.0 else 0.0
    point[2], point[3] = scale * sums[3], scale * sums[4]
    point[4] = np.sqrt(sums[6] ** 2 + sums[7] ** 2 + sums[8] ** 2)
