"""Interface of `/sim/controllers`: the control laws that a run started, its goals, and its end."""

from coopsim.interfaces._interface import Command, Field, Interface
from coopsim.interfaces.simulation import EDIT, SERVE

CONTROLLERS = Interface(
    kind="controllers",
    summary="Control laws that the run started, its goals, and how it ended.",
    commands=(
        Command(
            10,
            "status",
            "What drives robots, which goals are reached, and how the run ended, as JSON.",
            gives=(
                Field(
                    "status",
                    summary="JSON: begins: how often a scene has begun;"
                    " controllers: [{name, law, robots, state, reason, began, ended}];"
                    " goals: [{name, text, met, at}]; end: null, or {text, time, tick, failures};"
                    " laws: names that `start` takes",
                ),
            ),
            effect=SERVE,
        ),
        Command(
            11,
            "restart",
            "Put everything back, set the time to 0, and start all control laws of the scene again.",
            effect=EDIT,
        ),
        Command(
            12,
            "start",
            "Start a control law; answered when its process runs.",
            (
                Field("law", summary="one that is registered"),
                Field("arguments", summary="JSON: {name: value}, as in a [CONTROLLER_n] section", default="{}"),
                Field("robots", summary="that it drives", count=0),
            ),
            (Field("name", summary="of what runs"),),
            EDIT,
        ),
        Command(
            13,
            "stop",
            "End a control law; its robots are free.",
            (Field("name", summary="as `status` tells it"),),
            (),
            EDIT,
        ),
    ),
)
