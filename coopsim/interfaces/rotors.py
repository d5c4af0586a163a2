"""Interface of four rotors that lift a robot."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter

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
    ),
    signals=(
        Field("arm", "m", "distance of each rotor from the middle"),
        Field("torque", "m", "torque per thrust"),
        Field("max_thrust", "N", "largest thrust of one rotor"),
    ),
)
