"""Interfaces of sensors that feel what is near: ranges, touches, neighbours, potentials."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter
from coopsim.interfaces.ports import Input, Output
from coopsim.interfaces.sampling import sampling_parameters

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


POTENTIALS = Interface(
    kind="potentials",
    summary="Flies to a place of a formation; what is near pushes the robot away.",
    commands=(
        Command(
            10,
            "keep",
            "Keep a place, and keep off what is near.",
            takes=tuple(Field(axis, "m", f"place along {axis}") for axis in "xyz"),
            effect=Effect.SET,
        ),
        Command(11, "rest", "Leave the autopilot to others.", effect=Effect.SET),
        Command(12, "state", "What it wants.", gives=(Field("velocity", "m/s", "commanded velocity", 3),)),
    ),
    parameters=(
        Parameter("gain", float, 0.6, "1/s", 0.0, 10.0, "speed per distance to the place"),
        Parameter("max_speed", float, 1.0, "m/s", 0.01, 50.0, "on the way to the place"),
        Parameter("safe", float, 1.2, "m", 0.05, 100.0, "nothing nearer than this is ignored"),
        Parameter("push", float, 1.0, "m/s", 0.0, 50.0, "speed away from what is half as far as `safe`"),
        Parameter("neighbours", str, "neighbours", summary="module that sees robots; nothing = none", fixed=True),
        Parameter("range", str, "range", summary="module that sees objects; nothing = none", fixed=True),
        Parameter("pose", str, "pose", summary="module that tells where it is", fixed=True),
        Parameter("autopilot", str, "autopilot", summary="module that it commands", fixed=True),
    ),
    inputs=(
        Input("position", "pose", summary="where it is"),
        Input("orientation", "pose", summary="how it is turned"),
        Input("places", "neighbours", summary="where others are", is_needed=False),
        Input("ranges", "range", summary="distances to what is around", is_needed=False),
        Input("directions", "range", summary="directions of the rays", is_needed=False),
    ),
    outputs=(Output("autopilot", "autopilot", ("set_velocity",), summary="velocities"),),
)
