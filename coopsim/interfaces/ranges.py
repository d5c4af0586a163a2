"""Interfaces of sensors that feel what is near: touches, potentials."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter
from coopsim.interfaces.ports import Input, Output
from coopsim.interfaces.sampling import sampling_parameters

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
