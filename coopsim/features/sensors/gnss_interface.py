"""Interface of the receiver of satellites that says where on the Earth a robot is.

Source: datasheets UBX-15031086 (NEO-M8) and UBX-17051259 (ZED-F9P) of u-blox.
"""

import math

from coopsim.interfaces import Command, Field, Interface, Parameter, Preset
from coopsim.interfaces.sampling import FIX_FIELDS, receiver_parameters

_PRESET = "datasheet whose values hold where this section gives none"
_DATUM = "of the origin of the world"
_WANDERS = "standard deviation of the error that wanders, as that of the ionosphere does"
# a circle that holds half of the fixes is 1.1774 standard deviations of an axis wide
_CEP = 1.1774

PRESETS = (
    Preset(
        "neo_m8n",
        "u-blox NEO-M8N: circle of 2.5 m for half of the fixes, 0.05 m/s, 10 Hz; most of it wanders, by our guess",
        (
            ("noise", 0.3),
            ("noise_height", 0.6),
            ("drift", math.sqrt((2.5 / _CEP) ** 2 - 0.3**2)),
            ("drift_height", 4.0),
            ("correlation", 300.0),
            ("noise_velocity", 0.05),
            ("rate", 10.0),
        ),
    ),
    Preset(
        "zed_f9p",
        "u-blox ZED-F9P with corrections of a base: circle of 0.01 m for half of the fixes, 0.05 m/s, 10 Hz",
        (("noise", 0.01 / _CEP), ("noise_height", 0.01), ("noise_velocity", 0.05), ("rate", 10.0)),
    ),
)

GNSS = Interface(
    kind="gnss",
    summary="Receiver of satellites: latitude, longitude, altitude and velocity, a few times a second.",
    commands=(
        Command(
            10,
            "fix",
            "The last fix that came; it is held while satellites are out of sight.",
            gives=(
                Field("latitude", "rad", "on the ellipsoid WGS 84, north"),
                Field("longitude", "rad", "on the ellipsoid WGS 84, east"),
                Field("altitude", "m", "above the ellipsoid"),
                Field("east", "m/s", "velocity to the east, on the level of the origin of the world"),
                Field("north", "m/s", "velocity to the north, on the level of the origin of the world"),
                Field("up", "m/s", "velocity upward, on the level of the origin of the world"),
                Field("deviation", "m", "standard deviation that it states, east and north"),
                Field("deviation_height", "m", "standard deviation that it states, upward"),
                *FIX_FIELDS,
            ),
        ),
    ),
    parameters=(
        Parameter("preset", str, "", summary=_PRESET, fixed=True, choices=tuple(preset.name for preset in PRESETS)),
        Parameter("latitude", float, 0.0, "deg", -90.0, 90.0, _DATUM, fixed=True),
        Parameter("longitude", float, 0.0, "deg", -180.0, 180.0, _DATUM, fixed=True),
        Parameter("altitude", float, 0.0, "m", -1e4, 1e5, _DATUM, fixed=True),
        Parameter("heading", float, 0.0, "deg", -360.0, 360.0, "of the world's x axis, from east to north", fixed=True),
        Parameter("noise", float, 0.0, "m", 0.0, 100.0, "standard deviation east and north, anew in each fix"),
        Parameter("noise_height", float, 0.0, "m", 0.0, 100.0, "standard deviation upward, anew in each fix"),
        Parameter("drift", float, 0.0, "m", 0.0, 100.0, f"{_WANDERS}, east and north"),
        Parameter("drift_height", float, 0.0, "m", 0.0, 100.0, f"{_WANDERS}, upward"),
        Parameter("correlation", float, 300.0, "s", 0.01, 1e6, "time within which that error forgets itself"),
        Parameter("noise_velocity", float, 0.0, "m/s", 0.0, 100.0, "standard deviation of each velocity"),
        Parameter("outage", float, 10.0, "s", 0.1, 1e5, "shortest time without satellites, see `outage_share`"),
        Parameter("outage_share", float, 0.0, "1", 0.0, 1.0, "share of the time without satellites"),
        *receiver_parameters(rate=10.0),
    ),
    presets=PRESETS,
)
