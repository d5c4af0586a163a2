"""Interfaces of sensors that see what is near, rays in any direction and other robots, and of compass and GPS."""

from coopsim.interfaces import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import FIX_FIELDS, receiver_parameters, sampling_parameters

_ELEVATION = "how far each ray points up; one number, or one per ray"

RANGE = Interface(
    kind="range",
    summary="Distance to the nearest thing along rays in any direction.",
    commands=(
        Command(
            10,
            "ranges",
            "Distances now.",
            gives=(Field("ranges", "m", "one per ray, `reach` where nothing is hit", count="count"),),
        ),
    ),
    parameters=(
        Parameter("count", int, 6, "1", 1, 360, "number of rays", fixed=True),
        Parameter("bearing", str, "0 90 180 -90 0 0", "deg", -360.0, 360.0, "of each ray", fixed=True, each="count"),
        Parameter("elevation", str, "0 0 0 0 90 -90", "deg", -90.0, 90.0, _ELEVATION, fixed=True, each="count"),
        Parameter("reach", float, 5.0, "m", 0.1, 100.0, "largest distance reported, from the hull"),
        Parameter("noise", float, 0.0, "m", 0.0, 1.0, "standard deviation of a reading"),
        *sampling_parameters(),
    ),
    signals=(Field("directions", "1", "unit vectors of the rays in the frame of the robot, x y z each", "values"),),
)


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


COMPASS = Interface(
    kind="compass",
    summary="Heading by the direction of the magnetic field.",
    commands=(
        Command(
            10,
            "heading",
            "The last heading that came.",
            gives=(
                Field("heading", "rad", "counter-clockwise from where the needle points, within -pi and pi"),
                *FIX_FIELDS,
            ),
        ),
    ),
    parameters=(
        Parameter("noise", float, 0.0, "rad", 0.0, 1.0, "standard deviation of a heading"),
        Parameter("bias", float, 0.0, "rad", -3.2, 3.2, "constant error of the instrument, added"),
        Parameter("declination", float, 0.0, "rad", -3.2, 3.2, "where the needle points, from the x axis"),
        *receiver_parameters(rate=0.0),
    ),
)


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
