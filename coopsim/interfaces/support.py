"""Interface of the support on which a robot carries its end of a load."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

SUPPORT = Interface(
    kind="support",
    summary="A pivot on a sprung carriage: where the load points, how far the carriage is pushed, and how hard.",
    commands=(
        Command(
            10,
            "state",
            "The load on the support, seen from the robot; all 0 without a load.",
            gives=(
                Field("angle", "rad", "direction from the pivot to the middle of the load, within -pi and pi"),
                Field("x", "m", "displacement of the carriage, forward"),
                Field("y", "m", "displacement of the carriage, to the left"),
                Field("force_x", "N", "of the load on the support, forward"),
                Field("force_y", "N", "of the load on the support, to the left"),
                Field("loaded", "1", "1 = a load lies on the support, 0 = none"),
            ),
        ),
    ),
    parameters=(
        Parameter("noise_angle", float, 0.0, "rad", 0.0, 1.0, "standard deviation of the angle"),
        Parameter("noise_displacement", float, 0.0, "m", 0.0, 1.0, "standard deviation of each displacement"),
        Parameter("noise_force", float, 0.0, "N", 0.0, 1e4, "standard deviation of each force"),
        *sampling_parameters(),
    ),
)
