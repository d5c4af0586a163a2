"""Interfaces of sensors that say where a robot is, how it moves and what holds it up."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter
from coopsim.interfaces.ports import Input
from coopsim.interfaces.sampling import sampling_parameters

ODOMETRY = Interface(
    kind="odometry",
    summary="Pose as the wheel encoders tell it, since the start or the last reset; it drifts.",
    commands=(
        Command(
            10,
            "pose",
            "Estimated pose in the frame of the last reset.",
            gives=(
                Field("x", "m", "forward of the start"),
                Field("y", "m", "left of the start"),
                Field("heading", "rad", "counter-clockwise from the start, within -pi and pi"),
            ),
        ),
        Command(
            11,
            "encoders",
            "Way of each wheel since the last reset.",
            gives=(Field("left", "m", "way of the left wheel"), Field("right", "m", "way of the right wheel")),
        ),
        Command(
            12,
            "reset",
            "Begin anew at a pose.",
            takes=(
                Field("x", "m", "new x", default=0.0),
                Field("y", "m", "new y", default=0.0),
                Field("heading", "rad", "new heading", default=0.0),
            ),
            effect=Effect.EDIT,
        ),
    ),
    parameters=(
        Parameter("slip", float, 0.0, "1", -1.0, 1.0, "share of each wheel's way that is over-counted"),
        Parameter("noise", float, 0.0, "1", 0.0, 1.0, "deviation of a wheel's way, m per square root of a metre"),
        *sampling_parameters(),
    ),
    inputs=(
        Input("travel", summary="the turns of wheels, as differential_drive gives them"),
        Input("half_track", summary="how far wheels stand apart, as differential_drive gives it"),
    ),
)


POSE = Interface(
    kind="pose",
    summary="Place, orientation and velocity in space, as a motion capture system tells them.",
    commands=(
        Command(
            10,
            "pose",
            "Where the body is.",
            gives=(
                Field("position", "m", "of the middle of the base, in the frame of the world", 3),
                Field("orientation", "1", "quaternion w x y z", 4),
            ),
        ),
        Command(
            11,
            "motion",
            "How fast it moves.",
            gives=(
                Field("velocity", "m/s", "of the centre of mass, in the frame of the world", 3),
                Field("rate", "rad/s", "of turn, in the frame of the world", 3),
            ),
        ),
    ),
    parameters=(
        Parameter("noise", float, 0.0, "m", 0.0, 100.0, "standard deviation of each coordinate of the position"),
        Parameter("noise_velocity", float, 0.0, "m/s", 0.0, 100.0, "standard deviation of each velocity"),
        *sampling_parameters(),
    ),
)


SUPPORT = Interface(
    kind="support",
    summary="A pivot on a sprung carriage: where the load points, how far the carriage is pushed, and how hard.",
    commands=(
        Command(
            10,
            "state",
            "The load on the support, seen from the robot; all 0 without a load.",
            gives=(
                Field("angle", "rad", "direction from the pivot to the middle of the load, within -pi and pi"),
                Field("x", "m", "displacement of the carriage, forward"),
                Field("y", "m", "displacement of the carriage, to the left"),
                Field("force_x", "N", "of the load on the support, forward"),
                Field("force_y", "N", "of the load on the support, to the left"),
                Field("loaded", "1", "1 = a load lies on the support, 0 = none"),
            ),
        ),
    ),
    parameters=(
        Parameter("noise_angle", float, 0.0, "rad", 0.0, 1.0, "standard deviation of the angle"),
        Parameter("noise_displacement", float, 0.0, "m", 0.0, 1.0, "standard deviation of each displacement"),
        Parameter("noise_force", float, 0.0, "N", 0.0, 1e4, "standard deviation of each force"),
        *sampling_parameters(),
    ),
)
