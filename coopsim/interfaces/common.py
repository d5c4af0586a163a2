"""The commands that every module answers, numbers 0 to 9."""

from enum import IntEnum

from coopsim.interfaces._interface import Command, Effect, Field


class Common(IntEnum):
    """Numbers every module answers."""

    PING = 0
    DESCRIBE = 1
    GET_PARAMETER = 2
    SET_PARAMETER = 3
    STATISTICS = 4


COMMON: tuple[Command, ...] = (
    Command(
        Common.PING,
        "ping",
        "Is it there, and of what kind?",
        gives=(
            Field("kind", summary="kind of the module"),
            Field("run", summary="number of the run, 0 = it has none", default=0),
            Field("tick", "1", "tick of the last record"),
            Field("time", "s", "simulated time"),
        ),
        effect=Effect.SERVE,
    ),
    Command(
        Common.DESCRIBE,
        "describe",
        "Commands and parameters as JSON.",
        gives=(Field("interface", summary="JSON text"),),
        effect=Effect.SERVE,
    ),
    Command(
        Common.GET_PARAMETER,
        "get_parameter",
        "Value of a parameter.",
        takes=(Field("name", summary="name of the parameter"),),
        gives=(Field("value", summary="value now"),),
        effect=Effect.SERVE,
    ),
    Command(
        Common.SET_PARAMETER,
        "set_parameter",
        "Change a parameter; answered when it is in force.",
        takes=(Field("name", summary="name of the parameter"), Field("value", summary="new value")),
        gives=(Field("value", summary="value now"),),
        effect=Effect.EDIT,
    ),
    Command(
        Common.STATISTICS,
        "statistics",
        "Counters of the module since the start, as JSON.",
        gives=(Field("statistics", summary="JSON text: requests, errors, commands; switched_off: why the device is"),),
        effect=Effect.SERVE,
    ),
)
