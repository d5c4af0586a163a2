"""Interface of the module that sees the nearest robots in space."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

NEIGHBOURS = Interface(
    kind="neighbours",
    summary="Where the nearest other robots are, in space.",
    commands=(
        Command(
            10,
            "nearest",
            "Relative positions along the axes of the world, nearest first; distance 0 = nobody.",
            gives=(
                Field(
                    "places", "m", "x, y, z and distance of each slot", "values", columns=("x", "y", "z", "distance")
                ),
            ),
        ),
    ),
    parameters=(
        Parameter("slots", int, 6, "1", 1, 64, "how many robots are seen at most", fixed=True),
        Parameter("reach", float, 5.0, "m", 0.1, 1000.0, "farther robots are not seen"),
        Parameter("noise", float, 0.0, "m", 0.0, 10.0, "standard deviation of each coordinate"),
        *sampling_parameters(),
    ),
)
