"""Interface of the wind at a robot."""

from coopsim.interfaces import Command, Effect, Field, Interface, Parameter, Preset

_PRESET = "strength after a standard whose values hold where this section gives none"


def _preset(name: str, words: str, speed: float, gust: float, vertical: float) -> Preset:
    """Return gusts 6 m above the ground: lengths are those of that height."""
    values = (("x", speed), ("gust", gust), ("gust_vertical", vertical), ("length", 43.8), ("length_vertical", 6.1))
    return Preset(name, f"MIL-F-8785C at 6 m, {words}", values)


PRESETS = (
    _preset("light", "light: 15 knots", 7.7, 1.49, 0.77),
    _preset("moderate", "moderate: 30 knots", 15.4, 2.98, 1.54),
    _preset("severe", "severe: 45 knots", 23.2, 4.47, 2.32),
)

WIND = Interface(
    kind="wind",
    summary="Wind that pushes the robot: a field with gusts after Dryden, in which all robots of one number fly.",
    commands=(
        Command(
            10,
            "set_mean",
            "Let the mean wind be this one, in place of the parameters.",
            takes=tuple(Field(axis, "m/s", f"along the {axis} axis of the world", default=0.0) for axis in "xyz"),
            effect=Effect.SET,
        ),
        Command(11, "restore", "Let the mean wind be that of the parameters.", effect=Effect.SET),
        Command(
            12,
            "state",
            "Wind where the robot is.",
            gives=tuple(Field(axis, "m/s", f"along the {axis} axis of the world") for axis in "xyz"),
        ),
    ),
    parameters=(
        Parameter("preset", str, "", summary=_PRESET, fixed=True, choices=tuple(preset.name for preset in PRESETS)),
        Parameter("x", float, 0.0, "m/s", -100.0, 100.0, "mean wind along the x axis of the world"),
        Parameter("y", float, 0.0, "m/s", -100.0, 100.0, "mean wind along the y axis of the world"),
        Parameter("z", float, 0.0, "m/s", -100.0, 100.0, "mean wind upward"),
        Parameter("shear", float, 0.0, "1", 0.0, 1.0, "exponent by which the mean grows with height; 0.14 over grass"),
        Parameter("height", float, 10.0, "m", 0.1, 1000.0, "where the mean wind is the one given, with `shear`"),
        Parameter("gust", float, 0.0, "m/s", 0.0, 50.0, "standard deviation of gusts along and across the wind"),
        Parameter("gust_vertical", float, 0.0, "m/s", 0.0, 50.0, "standard deviation of vertical gusts"),
        Parameter("length", float, 50.0, "m", 0.1, 1e4, "scale of gusts along and across the wind"),
        Parameter("length_vertical", float, 10.0, "m", 0.1, 1e4, "scale of vertical gusts"),
        Parameter("drag", float, 0.1, "N s/m", 0.0, 1e3, "force per speed of the air past the robot"),
        Parameter("field", int, 1, "1", 0, 1_000_000, "number of the field of gusts", fixed=True),
    ),
    is_stepped=False,  # a STEP would take it for a command of the robot, and bring zeros
    presets=PRESETS,
)
