"""Touch sensors at the front and the rear half of the hull."""

import math

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import BUMPERS
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_FRONT, _REAR = 0, 1  # columns of the readings
_ASIDE = 0.7  # level part of the normal of what touches the hull, and not its top or its bottom


class Bumpers(Sampled):
    """Bumpers: each tells whether something presses against its part of the hull.

    A half is touched while the impulses of all contacts on it, summed up over the tick, reach the threshold;
    a contact exactly at the side belongs to the front.
    """

    interface = BUMPERS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=2)
        self._threshold = self.column("threshold")
        self._robot_of = np.zeros(0, np.int64)

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write front and rear, 1 or 0, shape (k, 2)."""
        if rows is not None:
            touched = np.empty((self.rows.size, self.width))
            self.measure(world, tick, None, touched)
            out[:] = touched[rows]
            return
        pairs, points = world.contacts()
        if not len(pairs):
            out[:] = 0.0
            return
        planar = world.bodies.planar
        touch(pairs, points, planar, *self.touched_by(planar.shape[0]), out)

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `measure` comes to."""
        asked, planar = world.contact_calls(), world.bodies.planar
        if asked is None:
            return None
        arguments = asked.number, *asked.contacts, planar, *self.touched_by(planar.shape[0]), out
        return DeviceCalls((*asked.calls, KernelCall(_touch_first, arguments)), (self,))

    def touched_by(self, count: int) -> tuple[Ints, Floats]:
        """Return which robot each of `count` bodies is, -1 = none, and the thresholds; for `touch`."""
        if self._robot_of.size != count + 1:
            # one more than there are bodies: row -1 stands for all that is fixed
            self._robot_of = np.full(count + 1, -1, np.int64)
            self._robot_of[self.rows] = np.arange(self.rows.size)
        return self._robot_of, self._threshold


@compiled
def touch(pairs: Ints, points: Floats, planar: Floats, robot_of: Ints, threshold: Floats, out: Floats) -> None:
    """Write front and rear, 1 or 0, shape (n, 2), of contacts as an engine tells them."""
    out[:] = -1.0
    for k in range(pairs.shape[0]):
        if math.hypot(points[k, 2], points[k, 3]) < _ASIDE:
            continue  # a load that lies on the robot, or what it stands on
        for side in range(2):
            body = pairs[k, side]
            i = robot_of[body]
            if i >= 0:
                heading = planar[body, 2]
                ahead = (points[k, 0] - planar[body, 0]) * math.cos(heading)
                ahead += (points[k, 1] - planar[body, 1]) * math.sin(heading)
                half = _FRONT if ahead >= 0.0 else _REAR
                out[i, half] = max(0.0, out[i, half]) + abs(points[k, 4])
    for i in range(out.shape[0]):
        for half in range(2):
            out[i, half] = 1.0 if out[i, half] >= threshold[i] else 0.0


@compiled
def _touch_first(
    count: Ints, pairs: Ints, points: Floats, planar: Floats, robot_of: Ints, threshold: Floats, out: Floats
) -> None:
    """Do what `touch` does with the first `count` contacts."""
    touch(pairs[: count[0]], points[: count[0]], planar, robot_of, threshold, out)
