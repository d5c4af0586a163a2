"""A sensor of forces and torques in a joint of a chain."""

from collections.abc import Callable, Sequence

import numpy as np

from coopsim.devices.contract import DeviceContext, Notice, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadFile
from coopsim.features.sensors.touch_interface import FORCE_TORQUE
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns
from coopsim.scene import BASE

_COLUMN = columns(FORCE_TORQUE)
_SIX = 6


def _axes(name: str) -> list[int]:
    """Return the rows of the table for six axes: one figure for three forces, one for three torques."""
    return [getattr(_COLUMN, f"{name}_force")] * 3 + [getattr(_COLUMN, f"{name}_torque")] * 3


_POINT = [_COLUMN.x, _COLUMN.y, _COLUMN.z]
_NOISES, _RANGES, _STEPS = _axes("noise"), _axes("range"), _axes("step")


class ForceTorque(Sampled):
    """Wrench between a link and what carries it, about a point of the link, within range and in steps.

    Attributes:
        memory: `tare`: what is taken off the readings, then the newest reading without that, shape (n, 12).
    """

    interface = FORCE_TORQUE

    def __init__(self, context: DeviceContext) -> None:
        if context.body == BASE:
            raise BadFile("force_torque sits between a link and what carries it: say `body` and the name of a link")
        super().__init__(context, width=_SIX)
        self.memory["tare"] = np.zeros((len(context.robots), 2 * _SIX))
        self._robot = context.robots[0] if context.robots else ""
        self._is_noisy = False

    def refresh(self, world: SensingWorld) -> None:
        """Note whether anything has noise."""
        super().refresh(world)
        self._is_noisy = bool(self.table[_NOISES].any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write forces and torques of some robots, shape (k, 6) [N, N m]."""
        rows = self.every if rows is None else rows
        read: Callable[[], Floats] | None = getattr(world.bodies, "link_forces", None)
        if read is None:
            out[:] = 0.0
            raise Notice(
                f"{self._robot}: force_torque reads 0, since this engine knows no forces in joints; use mujoco"
            )
        bodies, table, tare = self.rows[rows], self.table[:, rows], self.memory["tare"]
        wrenches = read()[bodies]
        is_loose = np.isnan(wrenches[:, 0])
        wrenches[is_loose] = 0.0
        forces, torques = np.hsplit(wrenches, 2)
        # moved from the origin of the link to the point at which it measures
        whole = np.hstack([forces, torques - np.cross(table[_POINT].T, forces)])
        whole += table[_NOISES].T * self.deviates(rows, tick, is_noisy=self._is_noisy)
        limits, steps = table[_RANGES].T, table[_STEPS].T
        whole = np.where(limits > 0.0, np.clip(whole, -limits, limits), whole)
        coarse = np.where(steps > 0.0, steps, 1.0)
        tare[rows, _SIX:] = np.where(steps > 0.0, np.rint(whole / coarse) * coarse, whole)
        out[:] = tare[rows, _SIX:] - tare[rows, :_SIX]
        if is_loose.any():
            raise Notice(
                f"{self._robot}: force_torque reads 0, since its link hangs on joints that give way; "
                "write `articulated yes` in the section [ROBOT] of its file"
            )

    def edit(self, row: int, command: int, data: Sequence[float]) -> None:  # noqa: ARG002 - `tare` is the only one
        """Let the newest reading of one robot be 0."""
        self.memory["tare"][row, :_SIX] = self.memory["tare"][row, _SIX:]
        self.changed(row, "")
