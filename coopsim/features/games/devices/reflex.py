"""A reflex: a robot does not drive into what it sees near or touches, whatever it is commanded."""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.program import OnBoardProgram
from coopsim.geometry import Floats
from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.ports import Input, Output

REFLEX = Interface(
    kind="reflex",
    summary="Takes speed towards what is near or touched out of commands; turning and driving away stay.",
    commands=(
        Command(
            10,
            "state",
            "Which ways are barred.",
            gives=(
                Field("front", "1", "1 while it does not drive forward, else 0"),
                Field("rear", "1", "1 while it does not drive backward, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("near", float, 0.15, "m", 0.0, 20.0, "what a sonar sees nearer than this bars the way"),
        Parameter("angle", float, math.pi / 4.0, "rad", 0.0, math.pi / 2.0, "to each side of ahead, or of behind"),
        Parameter("sonars", str, "sonars", summary="module that sees; nothing = none", fixed=True),
        Parameter("bumpers", str, "bumpers", summary="module that feels; nothing = none", fixed=True),
        Parameter("motors", str, "motors", summary="module whose commands it changes", fixed=True),
    ),
    inputs=(
        Input("ranges", "sonars", summary="distances to what is around", is_needed=False),
        Input("bearings", "sonars", summary="directions of the sonars", is_needed=False),
        Input("front", "bumpers", summary="whether the front touches", is_needed=False),
        Input("rear", "bumpers", summary="whether the rear touches", is_needed=False),
    ),
    outputs=(Output("motors", "motors", ("set_velocity", "set_wheel_speeds"), summary="speeds of the wheels"),),
)


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
