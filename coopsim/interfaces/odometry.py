"""Interface of dead reckoning from wheel encoders."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter
from coopsim.interfaces.ports import Input
from coopsim.interfaces.sampling import sampling_parameters

ODOMETRY = Interface(
    kind="odometry",
    summary="Pose as the wheel encoders tell it, since the start or the last reset; it drifts.",
    commands=(
        Command(
            10,
            "pose",
            "Estimated pose in the frame of the last reset.",
            gives=(
                Field("x", "m", "forward of the start"),
                Field("y", "m", "left of the start"),
                Field("heading", "rad", "counter-clockwise from the start, within -pi and pi"),
            ),
        ),
        Command(
            11,
            "encoders",
            "Way of each wheel since the last reset.",
            gives=(Field("left", "m", "way of the left wheel"), Field("right", "m", "way of the right wheel")),
        ),
        Command(
            12,
            "reset",
            "Begin anew at a pose.",
            takes=(
                Field("x", "m", "new x", default=0.0),
                Field("y", "m", "new y", default=0.0),
                Field("heading", "rad", "new heading", default=0.0),
            ),
            effect=Effect.EDIT,
        ),
    ),
    parameters=(
        Parameter("slip", float, 0.0, "1", -1.0, 1.0, "share of each wheel's way that is over-counted"),
        Parameter("noise", float, 0.0, "1", 0.0, 1.0, "deviation of a wheel's way, m per square root of a metre"),
        *sampling_parameters(),
    ),
    inputs=(
        Input("travel", summary="the turns of wheels, as differential_drive gives them"),
        Input("half_track", summary="how far wheels stand apart, as differential_drive gives it"),
    ),
)
