"""Interfaces of a driven joint: of a hinge, and of a slide."""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter


def _commands(way: str, force: str) -> tuple[Command, ...]:
    """Return what a joint can be told, and what it tells, in these units of way and force."""
    return (
        Command(
            10,
            "set_position",
            "Go to a position and hold it.",
            takes=(Field("position", way, "from where the joint was made"),),
            effect=Effect.SET,
        ),
        Command(
            11,
            "set_velocity",
            "Move at a speed.",
            takes=(Field("velocity", f"{way}/s", "of the second body against the first"),),
            effect=Effect.SET,
        ),
        Command(
            12,
            "set_effort",
            "Push with a force or torque, however fast that moves it.",
            takes=(Field("effort", force, "on the second body against the first"),),
            effect=Effect.SET,
        ),
        Command(13, "release", "Let the joint move freely.", effect=Effect.SET),
        Command(
            14,
            "state",
            "Where the joint is, how fast, and what drives it.",
            gives=(
                Field("position", way, "from where the joint was made"),
                Field("velocity", f"{way}/s", "of the second body against the first"),
                Field("effort", force, "of the motor in the last tick"),
            ),
        ),
    )


def _joint(kind: str, summary: str, way: str, force: str, fastest: float, strongest: float) -> Interface:
    """Return the interface of one kind of joint.

    Args:
        kind: As files call it.
        summary: What it is.
        way: Unit of a position.
        force: Unit of an effort.
        fastest: Usual limit of its speed.
        strongest: Usual limit of its effort.
    """
    speed = f"{way}/s"
    return Interface(
        kind=kind,
        summary=summary,
        commands=_commands(way, force),
        parameters=(
            Parameter("joint", str, "", summary="name of the joint; without it that of the module", fixed=True),
            Parameter("max_effort", float, strongest, force, 0.0, 1e6, "largest effort of the motor"),
            Parameter("max_velocity", float, fastest, speed, 0.0, 1e3, "largest speed of the motor"),
            Parameter("gain", float, 4.0, "1/s", 0.0, 100.0, "speed per distance from the position to hold"),
        ),
    )


HINGE = _joint("hinge", "A motor in a joint that turns.", "rad", "N m", 1.5707963267948966, 20.0)
SLIDE = _joint("slide", "A motor in a joint that slides.", "m", "N", 0.5, 100.0)
