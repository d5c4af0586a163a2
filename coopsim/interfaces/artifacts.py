"""Interfaces of the drivers and sensors that come with coopsim: variables of the simulator, and the automatic door."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.ports import Output

SIMULATION_TIME = Interface(
    kind="simulation_time",
    summary="The simulated time, as a sensor.",
    commands=(Command(10, "time", "The simulated time.", gives=(Field("time", "s", "since the run began"),)),),
)

GLOBAL_STATE = Interface(
    kind="global_state",
    summary="What holds for all bodies that move, to look for mistakes.",
    commands=(
        Command(
            10,
            "state",
            "All bodies in a few numbers.",
            gives=(
                Field("bodies", "1", "how many bodies move"),
                Field("mass", "kg", "of all of them"),
                Field("x", "m", "mean place, weighted by mass"),
                Field("y", "m", "mean place, weighted by mass"),
                Field("fastest", "m/s", "largest speed in the plane"),
                Field("energy", "N m", "of their motion in the plane"),
            ),
        ),
    ),
)

PRESENCE = Interface(
    kind="presence",
    summary="How near the nearest body is that moves, in any direction.",
    commands=(
        Command(
            10,
            "nearest",
            "How far the nearest body is.",
            gives=(Field("distance", "m", "`reach` where nothing is nearer"),),
        ),
    ),
    parameters=(Parameter("reach", float, 3.0, "m", 0.0, 100.0, "farthest distance"),),
)

AUTOMATIC_DOOR = Interface(
    kind="automatic_door",
    summary="Opens a sliding leaf when something is near, and closes it after a time without anything.",
    commands=(
        Command(
            10, "state", "Whether the leaf is to be open.", gives=(Field("open", "1", "1 = the leaf is to be open"),)
        ),
    ),
    parameters=(
        Parameter("range", float, 1.5, "m", 0.0, 100.0, "opens for what is nearer"),
        Parameter("stay", float, 2.0, "s", 0.0, 3600.0, "stays open so long after the last input"),
        Parameter("opening", float, 0.9, "m", -100.0, 100.0, "how far the leaf goes"),
        Parameter("leaf", str, "leaf", summary="module of the leaf, a slide", fixed=True),
        Parameter("sensor", str, "presence", summary="module that tells how near something is", fixed=True),
        Parameter("at", str, "", summary="artifacts that have this sensor; none = the door itself", fixed=True),
    ),
    outputs=(Output("leaf", "leaf", ("set_position",)),),
)
