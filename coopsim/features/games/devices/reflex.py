"""A reflex: a robot does not drive into what it sees near or touches, whatever it is commanded."""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.program import OnBoardProgram
from coopsim.features.games.interfaces.reflex import REFLEX
from coopsim.geometry import Floats


class Reflex(OnBoardProgram):
    """Takes the speed towards what bars the way out of each command.

    A robot at a wall still turns and backs off. Commands of wheel speeds lose what both wheels have in common.
    """

    interface = REFLEX

    def run(self, tick: int, dt: float) -> None:
        """Find what bars the way in front and behind, and change the commands of the motors."""
        self.readings[:] = self._barred()
        motors = self.ports.outputs["motors"]
        front, rear = self.readings[:, 0] > 0.0, self.readings[:, 1] > 0.0
        velocity = motors.values("set_velocity")[:, 0]
        np.copyto(velocity, _kept(velocity, front, rear), where=motors.which("set_velocity"))
        wheels = motors.values("set_wheel_speeds")
        with np.errstate(invalid="ignore"):  # the motors know what to do with what is not finite
            common = wheels.mean(axis=1)
            less = common - _kept(common, front, rear)
            np.subtract(wheels, less[:, None], out=wheels, where=motors.which("set_wheel_speeds")[:, None])

    def _barred(self) -> NDArray[np.bool_]:
        """Return whether the way is barred in front and behind, shape (n, 2)."""
        inputs = self.ports.inputs
        barred = np.zeros(self.readings.shape, np.bool_)
        for column, side in enumerate(("front", "rear")):
            if side in inputs:
                barred[:, column] = inputs[side][:, 0] > 0.0
        if "ranges" in inputs:
            near = inputs["ranges"] < self.column("near")[:, np.newaxis]
            turned = np.abs(inputs["bearings"])[np.newaxis]
            angle = self.column("angle")[:, np.newaxis] + 1e-9
            barred[:, 0] |= (near & (turned <= angle)).any(axis=1)
            barred[:, 1] |= (near & (turned >= math.pi - angle)).any(axis=1)
        return barred


def _kept(speed: Floats, front: NDArray[np.bool_], rear: NDArray[np.bool_]) -> Floats:
    """Return speeds without what leads to where the way is barred, shape (n,)."""
    slowed = np.where(front, np.minimum(speed, 0.0), speed)
    kept: Floats = np.where(rear, np.maximum(slowed, 0.0), slowed)
    return kept
