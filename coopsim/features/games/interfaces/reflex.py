"""Interface of the reflex, a program that keeps a robot from driving into things."""

import math

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.ports import Input, Output

REFLEX = Interface(
    kind="reflex",
    summary="Takes speed towards what is near or touched out of commands; turning and driving away stay.",
    commands=(
        Command(
            10,
            "state",
            "Which ways are barred.",
            gives=(
                Field("front", "1", "1 while it does not drive forward, else 0"),
                Field("rear", "1", "1 while it does not drive backward, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("near", float, 0.15, "m", 0.0, 20.0, "what a sonar sees nearer than this bars the way"),
        Parameter("angle", float, math.pi / 4.0, "rad", 0.0, math.pi / 2.0, "to each side of ahead, or of behind"),
        Parameter("sonars", str, "sonars", summary="module that sees; nothing = none", fixed=True),
        Parameter("bumpers", str, "bumpers", summary="module that feels; nothing = none", fixed=True),
        Parameter("motors", str, "motors", summary="module whose commands it changes", fixed=True),
    ),
    inputs=(
        Input("ranges", "sonars", summary="distances to what is around", is_needed=False),
        Input("bearings", "sonars", summary="directions of the sonars", is_needed=False),
        Input("front", "bumpers", summary="whether the front touches", is_needed=False),
        Input("rear", "bumpers", summary="whether the rear touches", is_needed=False),
    ),
    outputs=(Output("motors", "motors", ("set_velocity", "set_wheel_speeds"), summary="speeds of the wheels"),),
)
