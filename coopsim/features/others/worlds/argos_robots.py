"""Robots of ARGoS as types of coopsim, with the sizes and ranges that its manual and sources give."""

from typing import Final

from coopsim.features.others.worlds.plan import DIFFERENTIAL, OMNI, RobotKind, SensorPlan

_GRIP: Final = ("grip", "3")
"""Of tyres: there nothing slips, and odometry counts what is driven."""
_FOOTBOT: Final = RobotKind(
    "argos_footbot",
    "foot-bot of ARGoS: two wheels, 24 proximity sensors, a laser scanner",
    "cylinder",
    (0.17, 0.17, 0.146),
    1.6,
    DIFFERENTIAL,
    (("half_track", "0.07"), ("max_speed", "0.3"), ("max_force", "10"), _GRIP),
    (
        SensorPlan("odometry", "odometry"),
        SensorPlan("sonars", "proximity", (("count", "24"), ("sector", "345"), ("reach", "0.1"))),
        SensorPlan("laser", "laser", (("count", "180"), ("sector", "358"), ("reach", "1.5"))),
        SensorPlan("compass", "compass"),
    ),
)
_EPUCK: Final = RobotKind(
    "argos_epuck",
    "e-puck of ARGoS: two wheels, eight proximity sensors",
    "cylinder",
    (0.07, 0.07, 0.086),
    0.4,
    DIFFERENTIAL,
    (("half_track", "0.0265"), ("max_speed", "0.13"), ("max_force", "4"), _GRIP),
    (
        SensorPlan("odometry", "odometry"),
        SensorPlan("sonars", "proximity", (("count", "8"), ("sector", "315"), ("reach", "0.1"))),
        SensorPlan("compass", "compass"),
    ),
)
_KHEPERA: Final = RobotKind(
    "argos_kheperaiv",
    "Khepera IV of ARGoS: two wheels, eight proximity sensors",
    "cylinder",
    (0.14, 0.14, 0.054),
    0.6,
    DIFFERENTIAL,
    (("half_track", "0.053"), ("max_speed", "0.8"), ("max_force", "6"), _GRIP),
    (
        SensorPlan("odometry", "odometry"),
        SensorPlan("sonars", "proximity", (("count", "8"), ("sector", "315"), ("reach", "0.12"))),
        SensorPlan("compass", "compass"),
    ),
)
_EYEBOT: Final = RobotKind(
    "argos_eyebot",
    "eye-bot of ARGoS, on the floor: it moves in any direction",
    "cylinder",
    (0.5, 0.5, 0.3),
    1.0,
    OMNI,
    (("max_speed", "1"), ("max_force", "20"), _GRIP),
    (SensorPlan("drive_odometry", "odometry"), SensorPlan("compass", "compass")),
)
KINDS: Final = {
    "foot-bot": _FOOTBOT,
    "e-puck": _EPUCK,
    "kheperaiv": _KHEPERA,
    "eye-bot": _EYEBOT,
    "spiri": _EYEBOT,
}
"""By the element of the file."""
