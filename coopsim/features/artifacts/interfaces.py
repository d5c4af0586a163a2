"""Interfaces of things that stand in a world and act, of what feels them, and of variables of the simulator."""

from coopsim.interfaces import Command, Effect, Field, Interface, Output, Parameter

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
    is_driver=True,
)

BELT = Interface(
    kind="belt",
    summary="Conveyor belt: its top moves along its length and carries what lies on it.",
    commands=(
        Command(
            10,
            "set_speed",
            "Run at a speed; the motor takes a while to reach it.",
            takes=(Field("speed", "m/s", "along the length of the belt", default=0.0),),
            effect=Effect.SET,
        ),
        Command(11, "stop", "Come to rest.", effect=Effect.SET),
        Command(
            12,
            "state",
            "What it does and carries.",
            gives=(
                Field("speed", "m/s", "of the top"),
                Field("goods", "1", "how many bodies lie on it"),
            ),
        ),
    ),
    parameters=(
        Parameter("start", float, 0.0, "m/s", -10.0, 10.0, "speed of the top until the first command comes"),
        Parameter("max_speed", float, 2.0, "m/s", 0.0, 10.0, "largest speed of the top"),
        Parameter("acceleration", float, 1.0, "m/s2", 0.01, 100.0, "with which the motor changes the speed"),
        Parameter("friction", float, 0.6, "1", 0.0, 10.0, "between the belt and what lies on it"),
        Parameter("watchdog", float, 0.0, "s", 0.0, 3600.0, "time without a command after which it stops; 0 = never"),
    ),
)

LAMP = Interface(
    kind="lamp",
    summary="Lamp: switched, dimmed and coloured by message, drawn as it shines, felt by sensors of light.",
    commands=(
        Command(10, "switch_on", "Shine as brightly as it can.", effect=Effect.SET),
        Command(11, "switch_off", "Shine no longer.", effect=Effect.SET),
        Command(
            12,
            "dim",
            "Shine at a part of the full brightness.",
            takes=(Field("brightness", "1", "part of the full brightness", default=1.0, low=0.0, high=1.0),),
            effect=Effect.SET,
        ),
        Command(
            13,
            "shine",
            "Shine in a colour.",
            takes=(
                Field("brightness", "1", "part of the full brightness", default=1.0, low=0.0, high=1.0),
                Field("red", "1", "share of red", default=1.0, low=0.0, high=1.0),
                Field("green", "1", "share of green", default=1.0, low=0.0, high=1.0),
                Field("blue", "1", "share of blue", default=1.0, low=0.0, high=1.0),
            ),
            effect=Effect.SET,
        ),
        Command(
            14,
            "light",
            "How it shines.",
            gives=(
                Field("brightness", "1", "part of the full brightness, 0 = off"),
                Field("red", "1", "share of red"),
                Field("green", "1", "share of green"),
                Field("blue", "1", "share of blue"),
            ),
        ),
    ),
    parameters=(
        Parameter(
            "start", float, 1.0, "1", 0.0, 1.0, "brightness to begin with, as a part of the full one", fixed=True
        ),
        Parameter("red", float, 1.0, "1", 0.0, 1.0, "share of red to begin with", fixed=True),
        Parameter("green", float, 0.9, "1", 0.0, 1.0, "share of green to begin with", fixed=True),
        Parameter("blue", float, 0.7, "1", 0.0, 1.0, "share of blue to begin with", fixed=True),
        Parameter("power", float, 1.0, "1", 0.0, 1.0, "part of its light that it has power for; 0 = dark"),
    ),
    is_stepped=False,  # a STEP would switch it on
)

LIGHT = Interface(
    kind="light",
    summary="Light that falls on a robot from the lamps of the scene.",
    commands=(
        Command(
            10,
            "illuminance",
            "Light of all lamps that nothing hides, in any direction.",
            gives=(
                Field("illuminance", "lx", "of all colours together, and of what is there without lamps"),
                Field("red", "lx", "of red light"),
                Field("green", "lx", "of green light"),
                Field("blue", "lx", "of blue light"),
            ),
        ),
    ),
    parameters=(
        Parameter("ambient", float, 0.0, "lx", 0.0, 1e6, "light that is there without lamps"),
        Parameter("intensity", float, 100.0, "cd", 0.0, 1e6, "of a lamp at its full brightness"),
        Parameter("occlusion", int, 1, "1", 0, 1, "1 = things hide the lamps behind them"),
        Parameter("lamp", str, "lamp", summary="module of the artifacts that shine", fixed=True),
    ),
)
