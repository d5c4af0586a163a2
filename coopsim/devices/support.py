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
from coopsim.kernels import compiled

_COLUMN = columns(SUPPORT)
_ANGLE, _X, _Y, _FORCE_X, _FORCE_Y, _LOADED = range(6)


class Support(Sampled):
    """Angle of the load, displacement of the carriage and force on it, in the frame of the robot; 0 without a load."""

    interface = SUPPORT

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=width(SUPPORT.readings, {}))
        self._loads = context.loads
        self._deviations = np.zeros((len(context.robots), self.width))
        self._places = (context.loads.joints >= 0).nonzero()[0]
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
        places = self._places if rows is None else (self._loads.joints[rows] >= 0).nonzero()[0]
        out[:] = 0.0
        if not places.size:
            return
        carriers = places if rows is None else rows[places]
        found = self._true(world, carriers)
        noise = self.deviates(carriers, tick, is_noisy=True) if self._is_noisy else found
        _write(found, (places, carriers), noise, self._deviations, out)

    def _true(self, world: SensingWorld, carriers: Ints) -> Floats:
        """Return the readings of robots that carry a load, without noise, shape (k, 6)."""
        planar, loads = world.bodies.planar, self._loads
        headings = planar[self.rows, 2]
        found, way = np.empty((carriers.size, self.width)), np.empty((2, carriers.size))
        on_them = self.rows, loads.joints, loads.bodies, loads.anchors
        _read(planar, (np.cos(headings), np.sin(headings)), world.bodies.joint_state(), carriers, on_them, found, way)
        found[:, _ANGLE] = np.arctan2(way[1], way[0])
        return found


@compiled
def _read(
    planar: Floats,
    turns: tuple[Floats, Floats],
    state: Floats,
    carriers: Ints,
    loads: tuple[Ints, Ints, Ints, Floats],
    found: Floats,
    way: Floats,
) -> None:
    """Write the readings of supports but for the angle, and the way from each to its load, in the frame of the robot.

    Args:
        planar: x y yaw vx vy w of the bodies, shape (n, 6).
        turns: Cosines and sines of the headings of the robots.
        state: Displacements and forces of the joints, shape (j, 6).
        carriers: The robots that carry something, shape (k,).
        loads: Of each robot its body, its joint, what lies on that, and where it is on the robot.
        found: Readings, shape (k, 6).
        way: Ahead and aside, shape (2, k) [m].
    """
    (cosines, sines), (rows, joints, bodies, anchors) = turns, loads
    for k in range(carriers.size):
        i = carriers[k]
        cosine, sine, joint, robot, load = cosines[i], sines[i], state[joints[i]], planar[rows[i]], planar[bodies[i]]
        push_x, push_y, x, y = -joint[3], -joint[4], load[0] - robot[0], load[1] - robot[1]
        found[k, _X], found[k, _Y], found[k, _LOADED] = joint[0], joint[1], 1.0
        found[k, _FORCE_X], found[k, _FORCE_Y] = cosine * push_x + sine * push_y, cosine * push_y - sine * push_x
        way[0, k] = cosine * x + sine * y - (anchors[i, 0] + joint[0])
        way[1, k] = cosine * y - sine * x - (anchors[i, 1] + joint[1])


@compiled
def _write(found: Floats, rows: tuple[Ints, Ints], noise: Floats, deviations: Floats, out: Floats) -> None:
    """Write readings and their noise, angles within a turn.

    Args:
        found: Readings without noise, shape (k, 6).
        rows: Of `out`, and of `deviations`, shape (k,) each.
        noise: Normal numbers, shape (k, 6).
        deviations: Of the noise, by robot, shape (n, 6).
        out: Readings, shape (m, 6).
    """
    places, carriers = rows
    for k in range(places.size):
        to, deviation = out[places[k]], deviations[carriers[k]]
        for column in range(found.shape[1]):
            to[column] = found[k, column]
            if deviation[column] != 0.0:
                to[column] += deviation[column] * noise[k, column]
        to[_ANGLE] = (to[_ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
