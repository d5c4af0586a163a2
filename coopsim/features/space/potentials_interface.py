"""Interface of artificial potentials, a program that keeps a place and keeps off what is near."""

from coopsim.interfaces import Command, Effect, Field, Input, Interface, Output, Parameter

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
        Parameter(
            "damping", float, 0.0, "s", 0.0, 10.0, "robots count as nearer by this time, times the speed towards them"
        ),
        Parameter("neighbours", str, "neighbours", summary="module that sees robots; nothing = none", fixed=True),
        Parameter("range", str, "range", summary="module that sees objects; nothing = none", fixed=True),
        Parameter("pose", str, "pose", summary="module that tells where it is", fixed=True),
        Parameter("autopilot", str, "autopilot", summary="module that it commands", fixed=True),
    ),
    inputs=(
        Input("position", "pose", summary="where it is"),
        Input("orientation", "pose", summary="how it is turned"),
        Input("velocity", "pose", summary="how fast it moves"),
        Input("places", "neighbours", summary="where others are", is_needed=False),
        Input("ranges", "range", summary="distances to what is around", is_needed=False),
        Input("directions", "range", summary="directions of the rays", is_needed=False),
    ),
    outputs=(Output("autopilot", "autopilot", ("set_velocity",), summary="velocities"),),
)
