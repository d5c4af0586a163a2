"""Interfaces of arms: all joints at once, a gripper, and where the tool is."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter

MOST_JOINTS = 8
"""Of one module; a robot with more of them has several modules."""

_ALL = "joints in their order, separated by blanks; without it all hinges and slides that no other module drives"


def _each(unit: str, text: str) -> tuple[Field, ...]:
    """Return a field for each joint."""
    return tuple(
        Field(f"q{k}", unit, f"{text} of joint {k}; for joints that are not there without effect", default=0.0)
        for k in range(1, MOST_JOINTS + 1)
    )


JOINTS = Interface(
    kind="joints",
    summary="All motors of an arm: servos for positions or velocities, or the efforts alone.",
    commands=(
        Command(
            10, "set_positions", "Go to positions and hold them.", takes=_each("rad", "position"), effect=Effect.SET
        ),
        Command(11, "set_velocities", "Move at speeds.", takes=_each("rad/s", "velocity"), effect=Effect.SET),
        Command(
            12,
            "set_efforts",
            "Push with these torques besides those that hold against gravity.",
            takes=_each("N m", "effort"),
            effect=Effect.SET,
        ),
        Command(13, "release", "Let all joints move freely.", effect=Effect.SET),
        Command(
            14,
            "state",
            "Where the joints are, how fast, and what drives them.",
            gives=(
                Field("positions", "rad", "from where the joints were made", "count"),
                Field("velocities", "rad/s", "of each joint", "count"),
                Field("efforts", "N m", "of each motor in the last tick", "count"),
            ),
        ),
    ),
    parameters=(
        Parameter("joints", str, "", summary=_ALL, fixed=True),
        Parameter(
            "max_effort", str, "100", "N m", 0.0, 1e6, "largest effort of each motor; one for all, or each its own"
        ),
        Parameter("max_velocity", str, "1.5", "rad/s", 0.0, 1e3, "largest speed; one for all, or each its own"),
        Parameter("gain", float, 8.0, "1/s", 0.0, 100.0, "speed per distance from the position to hold"),
        Parameter("max_acceleration", float, 8.0, "rad/s2", 0.01, 1e5, "with which joints begin and end a motion"),
    ),
)

GRIPPER = Interface(
    kind="gripper",
    summary="Fingers on slides that open and close together, with a limited force.",
    commands=(
        Command(
            10,
            "set_opening",
            "Open or close to a width, and hold it.",
            takes=(Field("opening", "m", "between the fingers"),),
            effect=Effect.SET,
        ),
        Command(11, "grasp", "Close until something is held, with the largest force.", effect=Effect.SET),
        Command(12, "release", "Open as wide as it goes.", effect=Effect.SET),
        Command(
            13,
            "state",
            "How wide it is open, and what it holds.",
            gives=(
                Field("opening", "m", "between the fingers"),
                Field("force", "N", "of the fingers in the last tick"),
                Field("holds", "1", "1 while something keeps the fingers from closing, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("joints", str, "", summary="slides of the fingers, separated by blanks", fixed=True),
        Parameter("widest", float, 0.08, "m", 1e-4, 10.0, "between the fingers where the slides are made", fixed=True),
        Parameter("max_effort", float, 40.0, "N", 0.0, 1e6, "largest force of each finger"),
        Parameter("max_velocity", float, 0.1, "m/s", 0.0, 10.0, "largest speed of each finger"),
        Parameter("gain", float, 8.0, "1/s", 0.0, 100.0, "speed per distance from the opening to hold"),
    ),
)

TOOL = Interface(
    kind="tool",
    summary="Where the tool of an arm is, reckoned from its joints (forward kinematics).",
    commands=(
        Command(
            10,
            "pose",
            "Where the tool is, seen from the base of the robot.",
            gives=(
                Field("position", "m", "of the point of the tool, in the frame of the base", 3),
                Field("orientation", "1", "quaternion w x y z; its z axis points out of the tool", 4),
            ),
        ),
    ),
    parameters=(
        Parameter("offset", float, 0.0, "m", -10.0, 10.0, "of its point along the z axis of its body", fixed=True),
        Parameter("noise", float, 0.0, "rad", 0.0, 1.0, "standard deviation of each angle that it reckons with"),
        Parameter("chain", str, "", summary="the joints that move it, found in the .robot file", fixed=True),
    ),
)
