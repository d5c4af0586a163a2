"""Interface of the autopilot, a program that flies four rotors."""

from coopsim.interfaces import Command, Effect, Field, Input, Interface, Output, Parameter

_AXES = ("x", "y", "z")
_YAW = Field("yaw", "rad", "heading", default=0.0)
_TURN = Field("yaw_rate", "rad/s", "rate of turn of the heading", default=0.0)


def _vector(prefix: str, unit: str, text: str, *, is_needed: bool = False) -> tuple[Field, ...]:
    """Return a field for each axis, called as the axis with a prefix."""
    default = None if is_needed else 0.0
    return tuple(Field(prefix + axis, unit, f"{text} along {axis}", default=default) for axis in _AXES)


_COMMANDS = (
    Command(
        10,
        "go_to",
        "Fly to a place and hover there.",
        takes=(*_vector("", "m", "place", is_needed=True), _YAW),
        effect=Effect.SET,
    ),
    Command(
        11,
        "follow",
        "Be at a point of a trajectory now; give the next one with the next tick.",
        takes=(
            *_vector("", "m", "place", is_needed=True),
            *_vector("v", "m/s", "velocity"),
            *_vector("a", "m/s2", "acceleration"),
            _YAW,
            _TURN,
        ),
        effect=Effect.SET,
    ),
    Command(
        12,
        "set_velocity",
        "Fly at a velocity.",
        takes=(*_vector("v", "m/s", "velocity"), _TURN),
        effect=Effect.SET,
    ),
    Command(
        13,
        "take_off",
        "Climb to a height, straight up, and hover there.",
        takes=(Field("height", "m", "of the base above the floor"),),
        effect=Effect.SET,
    ),
    Command(
        14,
        "eight",
        "Fly an eight that begins and ends where the robot is, again and again.",
        takes=(
            Field("length", "m", "of the eight, along x"),
            Field("width", "m", "of the eight"),
            Field("period", "s", "of one round", low=1.0, high=1e4),
            Field("vertical", "1", "1 = its width is along z, 0 = along y", default=0, choices=(0, 1)),
            _TURN,
        ),
        effect=Effect.SET,
    ),
    Command(15, "land", "Come down where it is, and switch the rotors off.", effect=Effect.SET),
    Command(16, "stop", "Switch the rotors off at once: in the air it falls.", effect=Effect.SET),
    Command(
        17,
        "state",
        "Where it should be now, and what keeps it from flying.",
        gives=(
            Field("wanted", "m", "place where it should be", 3),
            Field("wanted_yaw", "rad", "heading that it should have"),
            Field("flying", "1", "1 while the rotors turn, else 0"),
            Field("fault", "1", "0 = none, 1 = upside down, 2 = the command was not finite"),
        ),
    ),
)

AUTOPILOT = Interface(
    kind="autopilot",
    summary="Flies four rotors: a position loop in metres around an attitude loop in whole numbers.",
    commands=_COMMANDS,
    parameters=(
        Parameter("mass", float, 1.0, "kg", 0.01, 1e3, "that it reckons with"),
        Parameter("inertia", float, 0.011, "kg m2", 1e-6, 1e3, "about x and about y that it reckons with"),
        Parameter("inertia_yaw", float, 0.02, "kg m2", 1e-6, 1e3, "about z that it reckons with"),
        Parameter("bandwidth", float, 1.7, "1/s", 0.1, 20.0, "of the position loop"),
        Parameter("integral", float, 0.2, "1/s", 0.0, 5.0, "rate at which lasting errors of position are taken away"),
        Parameter("attitude_gain", float, 6.0, "1/s", 0.1, 100.0, "rate of turn per error of the tilt"),
        Parameter("rate_gain", float, 16.0, "1/s", 0.1, 500.0, "angular acceleration per error of the rate"),
        Parameter("yaw_gain", float, 1.5, "1/s", 0.0, 50.0, "rate of turn per error of the heading"),
        Parameter("yaw_rate_gain", float, 4.0, "1/s", 0.1, 100.0, "angular acceleration per error of the yaw rate"),
        Parameter("level_time", float, 30.0, "s", 0.1, 1e4, "in which the accelerometer corrects the tilt"),
        Parameter("max_speed", float, 2.0, "m/s", 0.05, 50.0, "on the way to a place"),
        Parameter("max_acceleration", float, 2.5, "m/s2", 0.1, 50.0, "on the way to a place"),
        Parameter("max_tilt", float, 0.5, "rad", 0.01, 1.2, "largest tilt"),
        Parameter("imu", str, "imu", summary="module that feels its motion", fixed=True),
        Parameter("pose", str, "pose", summary="module that tells where it is", fixed=True),
        Parameter("rotors", str, "rotors", summary="module that it flies", fixed=True),
    ),
    inputs=(
        Input("acceleration", "imu", summary="what the accelerometer feels"),
        Input("turning", "imu", "rate", summary="what the gyroscope feels"),
        Input("position", "pose", summary="where it is"),
        Input("orientation", "pose", summary="how it is turned"),
        Input("velocity", "pose", summary="how fast it moves"),
        Input("arm", "rotors", summary="distance of the rotors from the middle"),
        Input("torque", "rotors", summary="torque per thrust"),
        Input("max_thrust", "rotors", summary="largest thrust of a rotor"),
    ),
    outputs=(Output("rotors", "rotors", ("set_thrusts", "stop"), summary="thrusts"),),
)
