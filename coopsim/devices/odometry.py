"""Dead reckoning from wheel encoders."""

import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from coopsim.devices._tabled import Tabled
from coopsim.devices.contract import Rig, Surroundings
from coopsim.devices.noise import normal
from coopsim.errors import BadArgument, BadFile
from coopsim.geometry import Floats, wrap
from coopsim.interfaces import ODOMETRY
from coopsim.kernels import compiled

_RESET = 12
_FARTHEST = 1e9
"""Recordings hold readings with seven digits, which are infinite from 1e38 on [m]."""
_NUMBERS = ("slip", "noise")
_SLIP, _NOISE = range(2)
# columns of memory["pose"]: estimated pose, way of each wheel as counted, true way of each wheel when last looked at
_X, _Y, _HEADING, _LEFT, _RIGHT, _SEEN_LEFT, _SEEN_RIGHT = range(7)


@runtime_checkable
class HasWheels(Protocol):
    """A drive whose wheels can be counted.

    Attributes:
        half_track: Half the distance between the wheels, shape (n,) [m].
        memory: `travel` in it is the way of the left and the right tyre, shape (n, 2) [m].
    """

    half_track: Floats
    memory: dict[str, Any]


class Odometry(Tabled):
    """Pose as the encoders tell it: exact where tyres hold, wrong where they spin, slip or are noisy.

    Attributes:
        memory: `pose`, see the columns at the top of this file, shape (n, 7).
    """

    interface = ODOMETRY
    numbers = _NUMBERS

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        self._drive = _drive(rig)
        self.memory = {"pose": np.zeros((len(rig.robots), _SEEN_RIGHT + 1))}
        self._deviates = np.zeros((len(rig.robots), 2))
        self._is_noisy = False

    def sense(self, world: Surroundings, tick: int, out: Floats) -> None:
        """Write x, y, heading, way of the left and the right wheel, shape (n, 5) [m, m, rad, m, m]."""
        if self.is_stale:
            self.is_stale = False
            self._is_noisy = bool(self.column("noise").any())
        if self._is_noisy:
            normal(self.keys, tick, self._deviates)
        drive = self._drive
        _reckon(drive.memory["travel"], drive.half_track, self.table, self._deviates, self.memory["pose"], out)

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
        travel = self._drive.memory["travel"][row]
        self.memory["pose"][row] = (x, y, wrap(heading), 0.0, 0.0, travel[0], travel[1])


def _drive(rig: Rig) -> HasWheels:
    for device in rig.siblings.values():
        if isinstance(device, HasWheels) and "travel" in device.memory:
            return device
    above = ", ".join(rig.siblings) or "nothing"
    raise BadFile(
        "odometry counts the turns of wheels: put a device that has some, such as differential_drive, "
        f"above it in the .robot file; above it stands: {above}"
    )


@compiled
def _reckon(travel: Floats, half_track: Floats, table: Floats, deviates: Floats, pose: Floats, out: Floats) -> None:
    for i in range(travel.shape[0]):
        share, noise = 1.0 + table[_SLIP, i], table[_NOISE, i]
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
        pose[i, _HEADING] = (course + half_turn + math.pi) % (2.0 * math.pi) - math.pi
        pose[i, _LEFT] += left
        pose[i, _RIGHT] += right
        for j in range(out.shape[1]):
            out[i, j] = pose[i, j]


def warm() -> None:
    """Compile the kernel, for one robot (whose readings are contiguous in memory) and for several."""
    for n in (1, 2):
        travel, pose, out = np.zeros((n, 2)), np.zeros((n, 7)), np.zeros((n, 6))[:, :5]
        _reckon(travel, np.ones(n), np.zeros((len(_NUMBERS), n)), np.zeros((n, 2)), pose, out)
