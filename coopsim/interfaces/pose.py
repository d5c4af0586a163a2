"""Interface of the module that tells where a body is in space."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

POSE = Interface(
    kind="pose",
    summary="Place, orientation and velocity in space, as a motion capture system tells them.",
    commands=(
        Command(
            10,
            "pose",
            "Where the body is.",
            gives=(
                Field("position", "m", "of the middle of the base, in the frame of the world", 3),
                Field("orientation", "1", "quaternion w x y z", 4),
            ),
        ),
        Command(
            11,
            "motion",
            "How fast it moves.",
            gives=(
                Field("velocity", "m/s", "of the centre of mass, in the frame of the world", 3),
                Field("rate", "rad/s", "of turn, in the frame of the world", 3),
            ),
        ),
    ),
    parameters=(
        Parameter("noise", float, 0.0, "m", 0.0, 100.0, "standard deviation of each coordinate of the position"),
        Parameter("noise_velocity", float, 0.0, "m/s", 0.0, 100.0, "standard deviation of each velocity"),
        *sampling_parameters(),
    ),
)
