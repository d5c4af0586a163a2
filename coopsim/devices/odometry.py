"""Dead reckoning from wheel encoders."""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls, perform
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadArgument
from coopsim.geometry import Floats, Ints, wrap
from coopsim.interfaces import ODOMETRY, columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.angles import wrapped
from coopsim.kernels.sequence import KernelCall

_COLUMN, _RESET = columns(ODOMETRY), command_numbers(ODOMETRY).reset
# beyond, seven digits tell metres apart no more; clipped long before they become infinite
_FARTHEST = 1e9
"""Recordings hold readings with seven digits, which are infinite from 1e38 on [m]."""
# columns of memory["pose"]: estimated pose, way of each wheel as counted, true way of each wheel when last looked at
_X, _Y, _HEADING, _LEFT, _RIGHT, _SEEN_LEFT, _SEEN_RIGHT = range(7)


class Odometry(Sampled):
    """Pose as the encoders tell it: exact where tyres hold, wrong where they spin, slip or are noisy.

    Attributes:
        memory: `pose`, see the columns at the top of this file, shape (n, 7).
    """

    interface = ODOMETRY

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=_SEEN_LEFT)
        self._travel, self._half_track = context.signal("travel"), context.signal("half_track")
        self.memory["pose"] = np.zeros((len(context.robots), _SEEN_RIGHT + 1))
        self._deviates = np.zeros((len(context.robots), 2))
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether any wheel is counted wrong by chance."""
        super().refresh(world)
        self._is_noisy = bool(self.column("noise").any())

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Count the turns of the wheels, which goes on in each tick, and write what can be read."""
        if self.is_stale:
            self.is_stale = False
            self.refresh(world)
        perform(self._counting(out), tick)
        if self.is_timed:
            self.receive(world, tick, out)

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None where readings are under way for a while."""
        return None if self.is_stale or self.is_timed else self._counting(out)

    def _counting(self, out: Floats) -> DeviceCalls:
        """Return what counts the turns of the wheels and writes them."""
        noise = normal_calls(self.keys, self._deviates) if self._is_noisy else ()
        arrays = self._travel, self._half_track, self.table, self._deviates, self.memory["pose"], out
        return DeviceCalls((*noise, KernelCall(_reckon, arrays)), (self,))

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write x, y, heading, way of the left and the right wheel, shape (k, 5) [m, m, rad, m, m]."""
        pose = self.memory["pose"]
        out[:] = pose[:, :_SEEN_LEFT] if rows is None else pose[rows, :_SEEN_LEFT]

    def edit(self, row: int, command: int, data: Sequence[float]) -> None:
        """Begin anew at a pose: x, y, heading; what is missing is 0.

        Raises:
            NoSuchCommand: It is not the reset.
            BadArgument: A value is not finite, or farther away than a recording can hold.
        """
        if command != _RESET:
            super().edit(row, command, data)
        x, y, heading = (*data, 0.0, 0.0, 0.0)[:3]
        if not all(map(math.isfinite, (x, y, heading))):
            raise BadArgument(f"reset takes finite x, y and heading, got {x}, {y}, {heading}")
        if max(abs(x), abs(y)) > _FARTHEST:
            raise BadArgument(f"reset takes x and y within {_FARTHEST:g} m, got {x:g} and {y:g}")
        travel = self._travel[row]
        self.memory["pose"][row] = (x, y, wrap(heading), 0.0, 0.0, travel[0], travel[1])


@compiled
def _reckon(travel: Floats, half_track: Floats, table: Floats, deviates: Floats, pose: Floats, out: Floats) -> None:
    for i in range(travel.shape[0]):
        share, noise = 1.0 + table[_COLUMN.slip, i], table[_COLUMN.noise, i]
        left, right = travel[i, 0] - pose[i, _SEEN_LEFT], travel[i, 1] - pose[i, _SEEN_RIGHT]
        pose[i, _SEEN_LEFT], pose[i, _SEEN_RIGHT] = travel[i, 0], travel[i, 1]
        # the variance of a sum grows with the way, however many ticks it takes
        left = share * left + noise * math.sqrt(abs(left)) * deviates[i, 0]
        right = share * right + noise * math.sqrt(abs(right)) * deviates[i, 1]
        half_turn = 0.25 * (right - left) / half_track[i]
        way = 0.5 * (left + right)
        if half_turn != 0.0:
            # the chord of the arc
            way *= math.sin(half_turn) / half_turn
        course = pose[i, _HEADING] + half_turn
        pose[i, _X] += way * math.cos(course)
        pose[i, _Y] += way * math.sin(course)
        pose[i, _HEADING] = wrapped(course + half_turn)
        pose[i, _LEFT] += left
        pose[i, _RIGHT] += right
        for column in range(_SEEN_LEFT):  # copying a slice takes three seconds more to compile
            out[i, column] = pose[i, column]
