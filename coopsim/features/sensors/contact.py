"""A skin that feels contacts: how hard a body is pressed on, in which direction, and where."""

from collections.abc import Callable

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.features.sensors.touch_interface import CONTACT
from coopsim.features.sensors.touch_kernels import feel, sum_level_contacts
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns

_COLUMN = columns(CONTACT)
_WIDTH = 7
_FORCES = slice(1, 4)


class Contact(Sampled):
    """All contacts of a body together; on engines in space those with the floor, too.

    An engine in space says what each body feels by `contact_forces`; of others the contacts are level.
    """

    interface = CONTACT

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=_WIDTH)
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether any force has noise."""
        super().refresh(world)
        self._is_noisy = bool(self.column("noise_force").any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write what some robots feel, shape (k, 7)."""
        rows = self.every if rows is None else rows
        felt = np.empty((rows.size, _WIDTH))
        feel(_sums(world), world.bodies.poses, self.rows[rows], self.table[_COLUMN.threshold, rows], felt)
        if self._is_noisy:
            spread = self.table[_COLUMN.noise_force, rows] * felt[:, 0]
            felt[:, _FORCES] += spread[:, np.newaxis] * self.deviates(rows, tick, is_noisy=True)[:, _FORCES]
        out[:] = felt


def _sums(world: SensingWorld) -> Floats:
    """Return number, force and place of the contacts of all bodies, shape (m, 7)."""
    read: Callable[[], Floats] | None = getattr(world.bodies, "contact_forces", None)
    if read is not None:
        return read()
    pairs, points = world.contacts()
    sums = np.zeros((len(world.bodies.names), _WIDTH))
    if world.dt > 0.0:
        sum_level_contacts(pairs, points, world.dt, world.bodies.height, sums)
    return sums
