"""Interfaces of sensors that feel: forces in joints, and what touches a body.

Source: datasheets of the FT 300-S (Robotiq) and of the Mini45 SI-290-10 (ATI Industrial Automation).
"""

from coopsim.interfaces import Command, Effect, Field, Interface, Parameter, Preset
from coopsim.interfaces.sampling import sampling_parameters

_PRESET = "datasheet whose values hold where this section gives none"
_RANGE = "largest value of an axis, 0 = no limit"
_STEP = "readings are whole multiples of it, 0 = any"
_LINK = "where it measures, in the frame of its link"

PRESETS = (
    Preset(
        "ft300",
        "Robotiq FT 300-S: 300 N, 30 N m, 100 Hz",
        (
            ("noise_force", 0.1),
            ("noise_torque", 0.005),
            ("range_force", 300.0),
            ("range_torque", 30.0),
            ("rate", 100.0),
        ),
    ),
    Preset(
        "mini45",
        "ATI Mini45 SI-290-10: 290 N and 10 N m, in steps of an eighth of a newton",
        (
            ("step_force", 0.125),
            ("step_torque", 1.0 / 376.0),
            ("range_force", 290.0),
            ("range_torque", 10.0),
        ),
    ),
)

FORCE_TORQUE = Interface(
    kind="force_torque",
    summary="Force and torque between a link of a chain and what carries it.",
    commands=(
        Command(
            10,
            "wrench",
            "What carries the link does to it, in the frame of the link.",
            gives=(
                Field("force", "N", "along x, y, z; a link at rest that hangs down is held up by its weight", 3),
                Field("torque", "N m", "about x, y, z through the point at which it measures", 3),
            ),
        ),
        Command(11, "tare", "Let the present reading be 0.", effect=Effect.EDIT),
    ),
    parameters=(
        Parameter("preset", str, "", summary=_PRESET, fixed=True, choices=tuple(preset.name for preset in PRESETS)),
        *(Parameter(axis, float, 0.0, "m", -10.0, 10.0, _LINK) for axis in "xyz"),
        Parameter("noise_force", float, 0.0, "N", 0.0, 1e4, "standard deviation of each force"),
        Parameter("noise_torque", float, 0.0, "N m", 0.0, 1e4, "standard deviation of each torque"),
        Parameter("range_force", float, 0.0, "N", 0.0, 1e6, _RANGE),
        Parameter("range_torque", float, 0.0, "N m", 0.0, 1e6, _RANGE),
        Parameter("step_force", float, 0.0, "N", 0.0, 1e3, _STEP),
        Parameter("step_torque", float, 0.0, "N m", 0.0, 1e3, _STEP),
        *sampling_parameters(),
    ),
    presets=PRESETS,
    is_of_chain=True,
)

CONTACT = Interface(
    kind="contact",
    summary="Contacts of a body: how hard it is pressed on, in which direction, and where.",
    commands=(
        Command(
            10,
            "contact",
            "All contacts of the body in the last tick together; in space those with the floor, too.",
            gives=(
                Field("touched", "1", "1 = pressed on harder than `threshold`, else 0"),
                Field("force", "N", "on the body, along x, y, z of its frame; 0 while it is not touched", 3),
                Field("place", "m", "middle of the spots, in the frame of the body; 0 while it is not touched", 3),
            ),
        ),
    ),
    parameters=(
        Parameter("threshold", float, 0.1, "N", 0.0, 1e6, "smallest force that counts as a touch"),
        Parameter("noise_force", float, 0.0, "N", 0.0, 1e4, "standard deviation of each force, while it is touched"),
        *sampling_parameters(),
    ),
)
