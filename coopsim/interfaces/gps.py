"""Interface of the satellite receiver."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import FIX_FIELDS, receiver_parameters

GPS = Interface(
    kind="gps",
    summary="Position in the frame of the world, a few times a second.",
    commands=(
        Command(
            10,
            "fix",
            "The last position that came.",
            gives=(
                Field("x", "m", "along the x axis of the world"),
                Field("y", "m", "along the y axis of the world"),
                Field("z", "m", "height of the base above the floor"),
                *FIX_FIELDS,
            ),
        ),
    ),
    parameters=(
        Parameter("noise", float, 0.0, "m", 0.0, 100.0, "standard deviation of x and of y"),
        Parameter("noise_height", float, 0.0, "m", 0.0, 100.0, "standard deviation of z"),
        *receiver_parameters(rate=10.0),
    ),
)
