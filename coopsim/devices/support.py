"""The support of a transport robot: it reads the joint of kind `support` that its robot carries a load on.

Source: CoopDynSim, section III-A and IV (a dedicated support for cooperative transport, a custom sensor); what it
measures is not stated there: an angle, a displacement and a force, as a pivot on a sprung carriage gives them.
"""

import math

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import SUPPORT, columns, width

_COLUMN = columns(SUPPORT)
_ANGLE, _X, _Y, _FORCE_X, _FORCE_Y, _LOADED = range(6)


class Support(Sampled):
    """Angle of the load, displacement of the carriage and force on it, in the frame of the robot; 0 without a load."""

    interface = SUPPORT

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=width(SUPPORT.readings, {}))
        self._loads = context.loads
        self._deviations = np.zeros((len(context.robots), self.width))
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Renew what follows from parameters."""
        super().refresh(world)
        deviations = self._deviations
        deviations[:, _ANGLE] = self.column("noise_angle")
        deviations[:, _X : _Y + 1] = self.column("noise_displacement")[:, np.newaxis]
        deviations[:, _FORCE_X : _FORCE_Y + 1] = self.column("noise_force")[:, np.newaxis]
        self._is_noisy = bool(deviations.any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write the readings of robots, shape (k, 6)."""
        rows = self.every if rows is None else rows
        out[:] = 0.0
        places = (self._loads.joints[rows] >= 0).nonzero()[0]
        if not places.size:
            return
        carriers = rows[places]
        found = self._true(world, carriers)
        if self._is_noisy:
            found += self._deviations[carriers] * self.deviates(carriers, tick, is_noisy=True)
        found[:, _ANGLE] = (found[:, _ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
        out[places] = found

    def _true(self, world: SensingWorld, carriers: Ints) -> Floats:
        """Return the readings of robots that carry a load, without noise, shape (k, 6)."""
        bodies, loads = world.bodies, self._loads
        state = bodies.joint_state()[loads.joints[carriers]]
        poses, load = bodies.planar[self.rows[carriers]], bodies.planar[loads.bodies[carriers]]
        cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        found = np.empty((carriers.size, self.width))
        found[:, _X : _Y + 1] = state[:, :2]
        push_x, push_y = -state[:, 3], -state[:, 4]
        found[:, _FORCE_X], found[:, _FORCE_Y] = cosine * push_x + sine * push_y, cosine * push_y - sine * push_x
        pivot = loads.anchors[carriers] + state[:, :2]
        x, y = load[:, 0] - poses[:, 0], load[:, 1] - poses[:, 1]
        ahead, aside = cosine * x + sine * y - pivot[:, 0], cosine * y - sine * x - pivot[:, 1]
        found[:, _ANGLE] = np.arctan2(aside, ahead)
        found[:, _LOADED] = 1.0
        return found
