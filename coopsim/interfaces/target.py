"""Interface of the module that sees coloured targets and other robots."""

import math

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

ROBOT_SLOTS = 8  # robots that a target tells at once: more do not fit around it
# the default: a narrower field is a choice of the robot's file
WHOLE = 2.0 * math.pi
"""The field of a camera that looks all around [rad]."""
_SIGHTING = ("distance", "angle", "seen")

TARGET = Interface(
    kind="target",
    summary="Distance and angle to coloured targets and to other robots.",
    commands=(
        Command(
            10,
            "targets",
            "Coloured targets, in the order of the scenario, then the robots seen. Not seen = (reach, 0, 0).",
            gives=(
                Field(
                    "targets",
                    "1",
                    "distance [m], angle [rad], seen (0 or 1) of each coloured target",
                    "targets",
                    columns=_SIGHTING,
                ),
                Field(
                    "robots",
                    "1",
                    "distance [m], angle [rad], seen (0 or 1) of each robot slot",
                    len(_SIGHTING) * ROBOT_SLOTS,
                    columns=_SIGHTING,
                ),
            ),
        ),
        Command(
            11,
            "names",
            "The robot in each slot, empty text for an empty slot.",
            gives=(
                Field("names", summary="coloured targets, then robots", count=0),
                Field("occupants", "1", "robot in each robot slot, -1 = none", ROBOT_SLOTS, refers_to="robot"),
            ),
        ),
    ),
    parameters=(
        Parameter("reach", float, 20.0, "m", 0.1, 1000.0, "farther things are not seen"),
        Parameter("noise_distance", float, 0.0, "m", 0.0, 10.0, "standard deviation of a distance"),
        Parameter("noise_angle", float, 0.0, "rad", 0.0, 1.0, "standard deviation of an angle"),
        Parameter(
            "robots", str, "", "1", summary="names of up to 8 robots to report; empty = the nearest within reach"
        ),
        Parameter("interval", int, 1, "1", 1, 10_000, "ticks between two readings"),
        Parameter("field", float, WHOLE, "rad", 0.0, WHOLE, "angle of view, half of it to each side of the heading"),
        Parameter("occlusion", int, 0, "1", 0, 1, "1 = what stands behind an object or a robot is not seen"),
        *sampling_parameters(otherwise="one every `interval` ticks"),
    ),
)
