"""Interfaces of omnidirectional drives, of cars, and of the odometry of both."""

from coopsim.interfaces import MOTORS, Command, Effect, Field, Input, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

_FORCE = Parameter("max_force", float, 60.0, "N", 0.0, 1e6, "largest force of all wheels together")
_GRIP = Parameter("grip", float, 0.8, "1", 0.0, 10.0, "friction between tyres and floor")
_WATCHDOG = Parameter(
    "watchdog", float, 0.0, "s", 0.0, 3600.0, "time without a command after which it stops; 0 = never"
)
_MOVED = Field("moved", "m", "way forward and to the left, and angle turned, since the start", 3)

OMNI = Interface(
    kind="omni_drive",
    summary="Omnidirectional wheels: the robot moves in any direction while it turns.",
    commands=(
        Command(
            10,
            "set_velocity",
            "Move at a velocity in the frame of the robot while turning at a rate.",
            takes=(
                Field("v", "m/s", "forward speed", default=0.0),
                Field("w", "rad/s", "rate of turn, counter-clockwise positive", default=0.0),
                Field("u", "m/s", "speed to the left", default=0.0),
            ),
            effect=Effect.SET,
        ),
        Command(11, "stop", "Brake to rest.", effect=Effect.SET),
        Command(
            12,
            "state",
            "Speeds as measured.",
            gives=(
                Field("v", "m/s", "forward speed"),
                Field("w", "rad/s", "rate of turn"),
                Field("u", "m/s", "speed to the left"),
            ),
        ),
    ),
    parameters=(
        Parameter("max_speed", float, 0.8, "m/s", 0.0, 100.0, "largest speed in any direction; faster ones are scaled"),
        Parameter("max_turn", float, 2.5, "rad/s", 0.0, 100.0, "largest rate of turn"),
        Parameter("arm", float, 0.2, "m", 0.001, 10.0, "distance of the wheels from the middle", fixed=True),
        _FORCE,
        _GRIP,
        _WATCHDOG,
    ),
    signals=(_MOVED, Field("arm", "m", "distance of the wheels from the middle")),
)


CAR = Interface(
    kind="car_drive",
    summary="Two driven wheels behind and two steered ones in front, as cars have (Ackermann).",
    commands=(
        Command(
            10,
            "set_velocity",
            "Drive at a speed, and steer so that the car turns at a rate as far as it can.",
            takes=(
                Field("v", "m/s", "speed of the rear axle", default=0.0),
                Field("w", "rad/s", "rate of turn, counter-clockwise positive", default=0.0),
            ),
            effect=Effect.SET,
        ),
        Command(
            11,
            "set_steering",
            "Drive at a speed with the front wheels at an angle.",
            takes=(
                Field("v", "m/s", "speed of the rear axle", default=0.0),
                Field("steering", "rad", "angle of the front wheels, to the left positive", default=0.0),
            ),
            effect=Effect.SET,
        ),
        Command(12, "stop", "Brake to rest; the front wheels stay.", effect=Effect.SET),
        Command(
            13,
            "state",
            "Speeds and steering as measured.",
            gives=(
                Field("v", "m/s", "speed of the rear axle"),
                Field("w", "rad/s", "rate of turn"),
                Field("steering", "rad", "angle of the front wheels"),
            ),
        ),
    ),
    parameters=(
        Parameter("wheelbase", float, 0.4, "m", 0.01, 100.0, "distance between the axles", fixed=True),
        Parameter("axle", float, 0.2, "m", -100.0, 100.0, "how far the rear axle is behind the middle", fixed=True),
        Parameter("max_steering", float, 0.6, "rad", 0.0, 1.5, "largest angle of the front wheels"),
        Parameter("steering_rate", float, 2.0, "rad/s", 0.0, 1000.0, "how fast the front wheels are turned"),
        Parameter("max_speed", float, 1.0, "m/s", 0.0, 100.0, "largest speed of the rear axle"),
        _FORCE,
        _GRIP,
        _WATCHDOG,
    ),
    signals=(_MOVED,),
)


HINGED_WHEELS = Interface(
    kind="hinged_wheels",
    summary="Two motorised wheels, each a body on a hinge: commands of differential_drive, forces of real contacts.",
    commands=MOTORS.commands,
    parameters=(
        Parameter("left_joint", str, "left_axle", "1", summary="hinge of the left wheel", fixed=True),
        Parameter("right_joint", str, "right_axle", "1", summary="hinge of the right wheel", fixed=True),
        Parameter("half_track", float, 0.18, "m", 0.01, 10.0, "half the distance between the wheels", fixed=True),
        Parameter("radius", float, 0.06, "m", 0.001, 10.0, "of the wheels", fixed=True),
        Parameter("max_force", float, 40.0, "N", 0.0, 1e6, "largest force of one motor at its tyre"),
        Parameter("max_speed", float, 0.5, "m/s", 0.0, 100.0, "largest speed of one wheel"),
        _WATCHDOG,
    ),
    signals=MOTORS.signals,
)


DRIVE_ODOMETRY = Interface(
    kind="drive_odometry",
    summary="Pose of the middle of a robot as its omnidirectional or car drive counts it; it drifts.",
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
        Parameter("slip", float, 0.0, "1", -1.0, 1.0, "share of each way that is over-counted"),
        Parameter("noise", float, 0.0, "1", 0.0, 1.0, "deviation of a way, m per square root of a metre"),
        Parameter("noise_turn", float, 0.0, "1", 0.0, 1.0, "deviation of an angle, rad per square root of a radian"),
        *sampling_parameters(),
    ),
    inputs=(Input("moved", summary="ways and turns, as omni_drive and car_drive give them"),),
)
