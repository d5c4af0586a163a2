"""Interfaces of the devices of game robots: border sensor, beeper, shooter, and the intelligence on board.

Source: swarm gaming, section 4.4, tables 1 and 2. What the tables leave open (sides, distances, PickUp, Drop, where a
sequence is kept) is decided here and said in docs/games.md.
"""

import math

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter
from coopsim.interfaces.ports import Input, Output
from coopsim.interfaces.sampling import sampling_parameters

MOST_STEPS = 16
"""Of a sequence."""
STEP_WIDTH = 3
"""Number of the command and two values."""
SHARES = ("full", "commands", "reflexes")
"""How much of the intelligence is on board."""

BORDER = Interface(
    kind="border",
    summary="Infrared sensors ahead that see water, and the end of where robots may be, on the floor.",
    commands=(
        Command(
            10,
            "seen",
            "Whether the floor ahead is water or beyond the border.",
            gives=(
                Field("front", "1", "1 where it is, straight ahead, else 0"),
                Field("left", "1", "1 where it is, ahead to the left, else 0"),
                Field("right", "1", "1 where it is, ahead to the right, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("reach", float, 0.25, "m", 0.0, 10.0, "how far ahead of the hull it looks at the floor"),
        Parameter("angle", float, math.pi / 4.0, "rad", 0.1, 1.5, "to the left and right of ahead"),
        Parameter("swims", int, 0, "1", 0, 1, "1 = water is no border for this robot"),
        *sampling_parameters(),
    ),
)

BEEPER = Interface(
    kind="beeper",
    summary="Makes short beeps.",
    commands=(
        Command(10, "beep", "Beep once.", effect=Effect.SET),
        Command(
            11,
            "state",
            "Whether it beeps.",
            gives=(Field("on", "1", "1 while it beeps, else 0"), Field("count", "1", "beeps so far")),
        ),
    ),
    parameters=(Parameter("length", float, 0.2, "s", 0.01, 10.0, "of a beep"),),
    is_stepped=False,
)

SHOOTER = Interface(
    kind="shooter",
    summary="Shoots at a robot that is within range and in sight, at a rate, until it is told otherwise.",
    commands=(
        Command(
            10,
            "shoot",
            "Shoot at a robot whenever it can be hit.",
            takes=(Field("target", "robot", "index of the robot among all of the simulation", low=-1.0),),
            effect=Effect.SET,
        ),
        Command(11, "stop", "Shoot no more.", effect=Effect.SET),
        Command(
            12,
            "state",
            "What was shot at.",
            gives=(
                Field("shots", "1", "how many so far; each is a hit"),
                Field("target", "robot", "robot that was hit last, -1 = none"),
                Field("ready", "1", "1 where the next shot may come at once, else 0"),
            ),
        ),
    ),
    parameters=(
        Parameter("range", float, 2.0, "m", 0.0, 1000.0, "from middle to middle"),
        Parameter("rate", float, 1.0, "Hz", 0.01, 100.0, "shots per second"),
        Parameter("damage", float, 10.0, "1", 0.0, 1e6, "what a shot takes of the health of a robot", fixed=True),
    ),
    is_stepped=False,
)

_STEPS = (
    Command(10, "beep", "Beep once.", effect=Effect.SET),
    Command(
        11,
        "rotate",
        "Turn in place.",
        takes=(Field("angle", "rad", "counter-clockwise"),),
        effect=Effect.SET,
    ),
    Command(
        12,
        "go_to",
        "Turn, then drive in a straight line to a point.",
        takes=(Field("x", "m", "in the frame of the world"), Field("y", "m", "in the frame of the world")),
        effect=Effect.SET,
    ),
    Command(
        13,
        "shoot",
        "Shoot at a robot; as a step of a sequence, once.",
        takes=(Field("target", "robot", "index of the robot among all of the simulation", low=0.0),),
        effect=Effect.SET,
    ),
    Command(
        14,
        "pick_up",
        "Hold a thing; the rules of a game say whether that is legal.",
        takes=(Field("object", "1", "number of the thing in the game", low=0.0),),
        effect=Effect.SET,
    ),
    Command(15, "drop", "Let go of what it holds.", effect=Effect.SET),
)
"""Commands that a sequence is made of."""

INTELLIGENCE = Interface(
    kind="intelligence",
    summary="On board of a game robot: reflexes before commands; only the last command, or sequence, counts.",
    commands=(
        *_STEPS,
        Command(
            16,
            "sequence",
            "Carry out commands one after the other; a new command, or sequence, takes the place of the rest.",
            takes=(
                Field(
                    "steps",
                    "1",
                    "number of a command, 10 to 15, and two values of each step; 0 = end",
                    STEP_WIDTH * MOST_STEPS,
                    steps=tuple(command.number for command in _STEPS),
                ),
            ),
            effect=Effect.SET,
        ),
        Command(17, "stop", "Do nothing: the motors follow their own commands.", effect=Effect.SET),
        Command(
            18,
            "state",
            "What it does.",
            gives=(
                Field("doing", "1", "number of the command that it carries out, 0 = none"),
                Field("step", "1", "of the sequence, from 0"),
                Field("finished", "1", "commands and sequences carried out to their ends so far"),
                Field("reflex", "1", "0 none, 1 touched, 2 something near, 3 border"),
                Field("holding", "1", "thing that it holds, -1 = none"),
                Field("stuck", "s", "time since it last came nearer to where it goes, without reflexes too"),
            ),
        ),
    ),
    parameters=(
        Parameter("share", str, "full", summary="what is on board", fixed=True, choices=SHARES),
        Parameter("speed", float, 0.4, "m/s", 0.0, 10.0, "when it goes somewhere"),
        Parameter("turn", float, 2.0, "rad/s", 0.01, 20.0, "largest rate of turn"),
        Parameter("tolerance", float, 0.05, "m", 0.001, 10.0, "it is there when it is so near"),
        Parameter("near", float, 0.12, "m", 0.0, 20.0, "d_crit: nearer than this ahead of the hull is too near"),
        Parameter(
            "angle", float, math.pi / 6.0, "rad", 0.01, 1.5, "alpha: to each side of ahead, where the sonar looks"
        ),
        Parameter("escape", float, 0.25, "m", 0.0, 10.0, "way ahead after a touch or a border, and the longest of all"),
        Parameter("sonars", str, "sonars", summary="module that sees; nothing = none", fixed=True),
        Parameter("bumpers", str, "bumpers", summary="module that feels; nothing = none", fixed=True),
        Parameter("border", str, "border", summary="module that sees borders; nothing = none", fixed=True),
        Parameter("pose", str, "pose", summary="module that says where it is", fixed=True),
        Parameter("motors", str, "motors", summary="module that drives", fixed=True),
        Parameter("shooter", str, "shooter", summary="module that shoots; nothing = none", fixed=True),
        Parameter("beeper", str, "beeper", summary="module that beeps; nothing = none", fixed=True),
    ),
    inputs=(
        Input("position", "pose", summary="where it is"),
        Input("orientation", "pose", summary="where it looks"),
        Input("ranges", "sonars", summary="distances to what is around", is_needed=False),
        Input("bearings", "sonars", summary="directions of the sonars", is_needed=False),
        Input("touch_front", "bumpers", "front", summary="whether the front touches", is_needed=False),
        Input("touch_rear", "bumpers", "rear", summary="whether the rear touches", is_needed=False),
        Input("border_front", "border", "front", summary="whether a border is ahead", is_needed=False),
        Input("border_left", "border", "left", summary="whether a border is to the left", is_needed=False),
        Input("border_right", "border", "right", summary="whether a border is to the right", is_needed=False),
        Input("shots", "shooter", summary="shots so far", is_needed=False),
    ),
    outputs=(
        Output("motors", "motors", ("set_velocity",), summary="speeds of the wheels"),
        Output("shooter", "shooter", ("shoot",), summary="what is shot at", is_needed=False),
        Output("beeper", "beeper", ("beep",), summary="beeps", is_needed=False),
    ),
    is_stepped=False,
)
