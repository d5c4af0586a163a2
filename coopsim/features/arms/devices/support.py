"""The support of a transport robot: it reads the joint of kind `support` that its robot carries a load on.

Source: CoopDynSim, section III-A and IV (a dedicated support for cooperative transport, a custom sensor); what it
measures is not stated there: an angle, a displacement and a force, as a pivot on a sprung carriage gives them.
"""

import math

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import SUPPORT, columns, width
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_COLUMN = columns(SUPPORT)
_ANGLE, _X, _Y, _FORCE_X, _FORCE_Y, _LOADED = range(6)


class Support(Sampled):
    """Angle of the load, displacement of the carriage and force on it, in the frame of the robot; 0 without a load."""

    interface = SUPPORT

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=width(SUPPORT.readings, {}))
        self._loads = context.loads
        self._deviations = np.zeros((len(context.robots), self.width))
        self._on_them = self.rows, context.loads.joints, context.loads.bodies, context.loads.anchors
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

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what writes the readings, None where the engine does not say what its joints did."""
        carriers, state = self._places, np.empty((len(world.bodies.joint_limits), 6))
        if not carriers.size:
            return DeviceCalls((KernelCall(_clear, (out,)),), (self,))
        asked = world.joint_state_calls(state)
        if asked is None:
            return None
        carried = np.empty((carriers.size, self.width))
        noise = np.empty((carriers.size, self.width)) if self._is_noisy else carried
        drawn = normal_calls(self.keys[carriers], noise) if self._is_noisy else ()
        calls = (
            KernelCall(_read, (world.bodies.planar, state, carriers, self._on_them, carried)),
            *drawn,
            KernelCall(_clear, (out,)),
            KernelCall(_write, (carried, (carriers, carriers), noise, self._deviations, out)),
        )
        return asked.followed_by(*calls, source=self)


@compiled
def _clear(out: Floats) -> None:
    out[:] = 0.0


@compiled
def _read(
    planar: Floats, state: Floats, carriers: Ints, loads: tuple[Ints, Ints, Ints, Floats], readings: Floats
) -> None:
    """Write the readings of supports, in the frames of the robots.

    Args:
        planar: x y yaw vx vy w of the bodies, shape (n, 6).
        state: Displacements and forces of the joints, shape (j, 6).
        carriers: The robots that carry something, shape (k,).
        loads: Of each robot its body, its joint, what lies on that, and where it is on the robot.
        readings: Written, shape (k, 6).
    """
    rows, joints, bodies, anchors = loads
    for k in range(carriers.size):
        i = carriers[k]
        joint, robot, load = state[joints[i]], planar[rows[i]], planar[bodies[i]]
        cosine, sine = math.cos(robot[2]), math.sin(robot[2])
        push_x, push_y, x, y = -joint[3], -joint[4], load[0] - robot[0], load[1] - robot[1]
        ahead = cosine * x + sine * y - (anchors[i, 0] + joint[0])
        aside = cosine * y - sine * x - (anchors[i, 1] + joint[1])
        readings[k, _ANGLE], readings[k, _LOADED] = math.atan2(aside, ahead), 1.0
        readings[k, _X], readings[k, _Y] = joint[0], joint[1]
        readings[k, _FORCE_X], readings[k, _FORCE_Y] = cosine * push_x + sine * push_y, cosine * push_y - sine * push_x


@compiled
def _write(readings: Floats, rows: tuple[Ints, Ints], noise: Floats, deviations: Floats, out: Floats) -> None:
    """Write readings and their noise, angles within a turn.

    Args:
        readings: Readings without noise, shape (k, 6).
        rows: Of `out`, and of `deviations`, shape (k,) each.
        noise: Normal numbers, shape (k, 6).
        deviations: Of the noise, by robot, shape (n, 6).
        out: Readings, shape (m, 6).
    """
    places, carriers = rows
    for k in range(places.size):
        to, deviation = out[places[k]], deviations[carriers[k]]
        for column in range(readings.shape[1]):
            to[column] = readings[k, column]
            if deviation[column] != 0.0:
                to[column] += deviation[column] * noise[k, column]
        to[_ANGLE] = (to[_ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
