"""Frames: one tick in bytes, as browsers read them into typed arrays.

Little-endian: time [s] and tick as doubles; then six whole numbers of four bytes: generation of the layout, flags,
numbers of poses, of ranges and of readings, and 0; then as floats x y z and quaternion w x y z of each body, how lamps
shine, what all sensors measure that are drawn, and the readings of the robots that the viewer inspects.
"""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coopsim.features.web.scene_facts import LIGHTS, SensorGroup
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import State

HEADER = struct.Struct("<dd6I")
PAUSED, ENDED = 1, 2
"""Flags."""
_MODES = ("real-time", "lockstep", "free")
_MODE_SHIFT = 8
"""Bits before the number of the mode, from 1; 0 = another one."""


class FrameParts:
    """The parts of the frames of one state: what is alike for all viewers is packed once.

    Args:
        state: Of a tick.
        groups: Of sensors, lights first; all others may be asked for.
    """

    def __init__(self, state: "State", groups: Sequence[SensorGroup]) -> None:
        self._state, self._groups = state, groups
        self._poses: bytes | None = None
        self._ranges: dict[bool, Floats] = {}
        self._shared: dict[bool, bytes] = {}

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._state.time

    def packed(self, *, rays: bool, readings: Floats) -> bytes:
        """Return the frame of one viewer.

        Args:
            rays: Whether it draws what sensors measure.
            readings: Of the robots that it inspects, shape (n,).
        """
        if not readings.size:
            if rays not in self._shared:
                self._shared[rays] = self._pack(rays, readings)
            return self._shared[rays]
        return self._pack(rays, readings)

    def _pack(self, rays: bool, readings: Floats) -> bytes:
        raw = self._state.raw
        ranges = self._all_ranges(rays)
        mode = _MODES.index(raw.mode) + 1 if raw.mode in _MODES else 0
        flags = PAUSED * raw.is_paused | ENDED * raw.is_ended | mode << _MODE_SHIFT
        counts = len(raw.names), ranges.size, readings.size
        head = HEADER.pack(raw.time, float(raw.tick), raw.generation & 0xFFFFFFFF, flags, *counts, 0)
        return b"".join((head, self._all_poses(), ranges.tobytes(), readings.astype("<f4").tobytes()))

    def _all_poses(self) -> bytes:
        if self._poses is None:
            self._poses = np.ascontiguousarray(self._state.poses, "<f4").tobytes()
        return self._poses

    def _all_ranges(self, rays: bool) -> Floats:
        if rays not in self._ranges:
            groups = [group for group in self._groups if rays or group.kind == LIGHTS]
            tables = [group.values(self._state).ravel() for group in groups]
            # what is not seen is infinite, or not a number: browsers draw such a ray as long as it reaches
            self._ranges[rays] = np.concatenate([np.zeros(0), *tables]).astype("<f4")
        return self._ranges[rays]
