"""Dead reckoning of robots that do not move as two wheels do."""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls, perform
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import normal_calls
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadArgument
from coopsim.features.drives.interfaces import DRIVE_ODOMETRY
from coopsim.geometry import Floats, Ints, wrap
from coopsim.interfaces import columns, command_numbers
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

_COLUMN, _RESET = columns(DRIVE_ODOMETRY), command_numbers(DRIVE_ODOMETRY).reset
_FARTHEST = 1e9
"""Recordings hold readings with seven digits, which are infinite from 1e38 on [m]."""
# columns of memory["pose"]: estimated pose, ways and turn when last looked at
_X, _Y, _HEADING, _SEEN = range(4)


class DriveOdometry(Sampled):
    """Pose as a drive counts it: exact where its wheels hold and nothing is noisy.

    Attributes:
        memory: `pose`, see the columns at the top of this file, shape (n, 6).
    """

    interface = DRIVE_ODOMETRY

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=_SEEN)
        n = len(context.robots)
        self._moved, self._deviates = context.signal("moved"), np.zeros((n, 3))
        self.memory["pose"] = np.zeros((n, _SEEN + 3))

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Count the ways, which goes on in each tick, and write what can be read."""
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
        is_noisy = bool(self.column("noise").any() or self.column("noise_turn").any())
        noise = normal_calls(self.keys, self._deviates) if is_noisy else ()
        reckoned = KernelCall(_reckon, (self._moved, self.table, self._deviates, self.memory["pose"], out))
        return DeviceCalls((*noise, reckoned), (self,))

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write x, y and heading, shape (k, 3) [m, m, rad]."""
        pose = self.memory["pose"]
        out[:] = pose[:, :_SEEN] if rows is None else pose[rows, :_SEEN]

    def edit(self, row: int, command: int, data: Sequence[float]) -> None:
        """Begin anew at a pose: x, y, heading; what is missing is 0.

        Raises:
            NoSuchCommand: It is not the reset.
            BadArgument: A value is not finite, or farther away than a recording can hold.
        """
        if command != _RESET:
            super().edit(row, command, data)
        x, y, heading = (*data, 0.0, 0.0, 0.0)[:3]
        if not all(map(math.isfinite, (x, y, heading))) or max(abs(x), abs(y)) > _FARTHEST:
            raise BadArgument(f"reset takes finite x, y within {_FARTHEST:g} m, and heading, got {x}, {y}, {heading}")
        self.memory["pose"][row] = (x, y, wrap(heading), *self._moved[row])


@compiled
def _reckon(moved: Floats, table: Floats, deviates: Floats, pose: Floats, out: Floats) -> None:
    for i in range(moved.shape[0]):
        share, noise = 1.0 + table[_COLUMN.slip, i], table[_COLUMN.noise, i]
        forward, left = moved[i, 0] - pose[i, _SEEN], moved[i, 1] - pose[i, _SEEN + 1]
        turn = moved[i, 2] - pose[i, _SEEN + 2]
        for k in range(3):
            pose[i, _SEEN + k] = moved[i, k]
        forward = share * forward + noise * math.sqrt(abs(forward)) * deviates[i, 0]
        left = share * left + noise * math.sqrt(abs(left)) * deviates[i, 1]
        turn += table[_COLUMN.noise_turn, i] * math.sqrt(abs(turn)) * deviates[i, 2]
        # along the chord of the arc
        middle = pose[i, _HEADING] + 0.5 * turn
        pose[i, _X] += math.cos(middle) * forward - math.sin(middle) * left
        pose[i, _Y] += math.sin(middle) * forward + math.cos(middle) * left
        heading = pose[i, _HEADING] + turn
        pose[i, _HEADING] = heading - 2.0 * math.pi * math.floor((heading + math.pi) / (2.0 * math.pi))
        for k in range(3):
            out[i, k] = pose[i, k]
