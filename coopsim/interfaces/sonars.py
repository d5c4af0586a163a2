"""Interfaces of sensors of what is near: sonars, touches."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

# the leg of a table; thinner posts cost rays that most scenes do not need
POST = 0.1
"""The thinnest post that no sector overlooks within reach, unless fewer rays are asked for; its diameter [m]."""

_ELEVATION = "how far the rays point up out of the plane of the ring; one number, or one per sector, from right to left"

SONARS = Interface(
    kind="sonars",
    summary="Distance to the nearest obstacle in each sector around the robot.",
    commands=(
        Command(
            10,
            "ranges",
            "Distances now.",
            gives=(Field("ranges", "m", "one per sector, from right to left", count="count"),),
        ),
    ),
    parameters=(
        Parameter("count", int, 11, "1", 1, 360, "number of sectors", fixed=True),
        Parameter(
            "sector", float, 220.0, "deg", 0.0, 360.0, "angle between the middles of the first and the last", fixed=True
        ),
        Parameter("rays", int, 0, "1", 0, 100, "in each sector; 0 = as many as a post of 0.1 m needs", fixed=True),
        Parameter("reach", float, 3.0, "m", 0.1, 20.0, "largest distance reported, from the hull"),
        Parameter("noise", float, 0.0, "m", 0.0, 1.0, "standard deviation of a reading"),
        Parameter("height", float, 0.0, "m", 0.0, 10.0, "of the ring above the base; 0 = half way up"),
        Parameter("elevation", str, "0", "deg", -90.0, 90.0, _ELEVATION, fixed=True, each="count"),
        Parameter("interval", int, 1, "1", 1, 10_000, "ticks between two readings"),
        *sampling_parameters(otherwise="one every `interval` ticks"),
    ),
    signals=(Field("bearings", "rad", "middle of each sector in the frame of the robot", "count"),),
)


BUMPERS = Interface(
    kind="bumpers",
    summary="Touch sensors at the front and the rear half of the hull.",
    commands=(
        Command(
            10,
            "touched",
            "Whether something presses against the hull.",
            gives=(
                Field("front", "1", "1 while the front half is touched, else 0"),
                Field("rear", "1", "1 while the rear half is touched, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("threshold", float, 0.0, "N s", 0.0, 1e6, "smallest impulse of a tick that counts"),
        *sampling_parameters(),
    ),
)
