"""Interfaces of the drives of a robot: wheels and rotors."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter

MOTORS = Interface(
    kind="differential_drive",
    summary="Two motorised wheels: the robot drives forward and turns by their difference.",
    commands=(
        Command(
            10,
            "set_velocity",
            "Drive at a speed while turning at a rate.",
            takes=(
                Field("v", "m/s", "forward speed", default=0.0),
                Field("w", "rad/s", "rate of turn, counter-clockwise positive", default=0.0),
            ),
            effect=Effect.SET,
        ),
        Command(
            11,
            "set_wheel_speeds",
            "Drive each wheel at a speed.",
            takes=(
                Field("left", "m/s", "speed of the left wheel over the ground", default=0.0),
                Field("right", "m/s", "speed of the right wheel over the ground", default=0.0),
            ),
            effect=Effect.SET,
        ),
        Command(12, "stop", "Brake both wheels to rest.", effect=Effect.SET),
        Command(
            13,
            "state",
            "Speeds as measured at the wheels.",
            gives=(
                Field("v", "m/s", "forward speed"),
                Field("w", "rad/s", "rate of turn"),
                Field("left", "m/s", "speed of the left wheel"),
                Field("right", "m/s", "speed of the right wheel"),
            ),
        ),
    ),
    parameters=(
        Parameter("half_track", float, 0.18, "m", 0.01, 10.0, "half the distance between the wheels", fixed=True),
        Parameter("max_force", float, 40.0, "N", 0.0, 1e6, "largest force of one wheel"),
        Parameter("max_speed", float, 0.5, "m/s", 0.0, 100.0, "largest speed of one wheel"),
        Parameter("gain", float, 900.0, "N s/m", 1.0, 1e7, "force per speed error of the pair of wheels"),
        Parameter("grip", float, 0.6, "1", 0.0, 10.0, "friction between tyre and floor"),
        Parameter("watchdog", float, 0.0, "s", 0.0, 3600.0, "time without a command after which it stops; 0 = never"),
    ),
    signals=(
        Field("travel", "m", "way of the left and the right tyre since the start", 2),
        Field("half_track", "m", "half the distance between the wheels"),
    ),
)


ROTOR_NAMES = ("front", "left", "rear", "right")
"""The rotors in the order of all commands and readings; those at front and rear turn the other way round."""

ROTORS = Interface(
    kind="rotors",
    summary="Four rotors in a cross: their thrusts lift, tilt and turn the robot.",
    commands=(
        Command(
            10,
            "set_thrusts",
            "Let each rotor push with a force.",
            takes=tuple(Field(name, "N", f"thrust of the {name} rotor", default=0.0) for name in ROTOR_NAMES),
            effect=Effect.SET,
        ),
        Command(11, "stop", "Switch all rotors off.", effect=Effect.SET),
        Command(
            12,
            "state",
            "Thrusts now.",
            gives=tuple(Field(name, "N", f"thrust of the {name} rotor") for name in ROTOR_NAMES),
        ),
    ),
    parameters=(
        Parameter("arm", float, 0.17, "m", 0.01, 10.0, "distance of each rotor from the middle"),
        Parameter("torque", float, 0.016, "m", 0.0, 1.0, "torque that turns the robot, per thrust of a rotor"),
        Parameter("max_thrust", float, 6.0, "N", 0.0, 1e5, "largest thrust of one rotor"),
        Parameter("lag", float, 0.03, "s", 0.0, 10.0, "time in which a rotor makes 63 % of a change"),
        Parameter("drag", float, 0.1, "N s/m", 0.0, 1e3, "force of the air against the motion, per speed"),
        Parameter("radius", float, 0.12, "m", 0.0, 10.0, "of one rotor; for the ground effect"),
        Parameter("ground_effect", int, 0, "1", 0, 1, "1 = rotors lift more near the floor"),
        Parameter("rotor_inertia", float, 0.0, "kg m2", 0.0, 10.0, "of one rotor about its axis; 0 = no gyroscope"),
        Parameter("thrust_constant", float, 1e-5, "N s2", 1e-9, 1.0, "thrust per square of a rotor's speed"),
    ),
    signals=(
        Field("arm", "m", "distance of each rotor from the middle"),
        Field("torque", "m", "torque per thrust"),
        Field("max_thrust", "N", "largest thrust of one rotor"),
    ),
)
