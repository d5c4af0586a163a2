"""Interface of the inertial measurement unit.

Source: IEEE Std 952-1997, appendix B (noise terms of inertial sensors and their Allan variance); presets by the
datasheets BST-BMI088-DS001 of Bosch Sensortec and ADIS16448 of Analog Devices.
"""

from typing import Final

from coopsim.interfaces import Command, Field, Interface, Parameter, Preset
from coopsim.interfaces.sampling import sampling_parameters

_PRESET = "datasheet whose values hold where this section gives none"
_ALWAYS = "standard deviation of what is always added, drawn once a run"
_DENSITY = "density of the white noise; its deviation grows with the square root of the rate"
_INSTABILITY = "bias instability: peak of the Allan deviation of a bias that wanders about 0"
_WALK = "random walk of the bias; its deviation after a second"
_RANGE = "largest value of an axis, 0 = no limit"
_DENSITIES: Final = "m/s2/Hz^0.5", "rad/s/Hz^0.5"
_WALKS: Final = "m/s2 Hz^0.5", "rad/s Hz^0.5"
# radians of a degree, and its 3600th part for what datasheets say by the hour
_DEGREE, _PER_HOUR = 0.017453292519943295, 4.84813681109536e-06
_MILLI_G = 9.80665e-3  # m/s2; datasheets speak of standard gravity

PRESETS = (
    Preset(
        "bmi088",
        "Bosch BMI088: 24 g, 2000 degrees/s, as in flight controllers; read at 400 Hz",
        (
            ("density_acceleration", 0.16 * _MILLI_G),
            ("density_rate", 0.014 * _DEGREE),
            ("bias_acceleration", 20.0 * _MILLI_G),
            ("bias_rate", 1.0 * _DEGREE),
            ("instability_rate", 2.0 * _PER_HOUR),
            ("range_acceleration", 24000.0 * _MILLI_G),
            ("range_rate", 2000.0 * _DEGREE),
            ("rate", 400.0),
        ),
    ),
    Preset(
        "adis16448",
        "Analog Devices ADIS16448: 18 g, 1000 degrees/s, 819.2 samples a second at most; read at 200 Hz",
        (
            ("density_acceleration", 0.23 * _MILLI_G),
            ("density_rate", 0.0135 * _DEGREE),
            ("bias_acceleration", 20.0 * _MILLI_G),
            ("bias_rate", 0.5 * _DEGREE),
            ("instability_acceleration", 0.25 * _MILLI_G),
            ("instability_rate", 14.5 * _PER_HOUR),
            ("range_acceleration", 18000.0 * _MILLI_G),
            ("range_rate", 1000.0 * _DEGREE),
            ("rate", 200.0),
        ),
    ),
)

IMU = Interface(
    kind="imu",
    summary="Acceleration and rate of turn in the frame of the robot, with noise and bias.",
    commands=(
        Command(
            10,
            "motion",
            "What accelerometer and gyroscope feel.",
            gives=(
                Field("acceleration", "m/s2", "along x, y, z, as a weight on a spring feels it: upward at rest", 3),
                Field("rate", "rad/s", "of turn about x, y, z", 3),
            ),
        ),
    ),
    parameters=(
        Parameter("noise_acceleration", float, 0.0, "m/s2", 0.0, 100.0, "standard deviation of each acceleration"),
        Parameter("noise_rate", float, 0.0, "rad/s", 0.0, 10.0, "standard deviation of each rate"),
        Parameter("bias_acceleration", float, 0.0, "m/s2", 0.0, 10.0, _ALWAYS),
        Parameter("bias_rate", float, 0.0, "rad/s", 0.0, 1.0, _ALWAYS),
        *sampling_parameters(),
        Parameter("preset", str, "", summary=_PRESET, fixed=True, choices=tuple(preset.name for preset in PRESETS)),
        Parameter("density_acceleration", float, 0.0, _DENSITIES[0], 0.0, 10.0, _DENSITY),
        Parameter("density_rate", float, 0.0, _DENSITIES[1], 0.0, 1.0, _DENSITY),
        Parameter("instability_acceleration", float, 0.0, "m/s2", 0.0, 10.0, _INSTABILITY),
        Parameter("instability_rate", float, 0.0, "rad/s", 0.0, 1.0, _INSTABILITY),
        Parameter("walk_acceleration", float, 0.0, _WALKS[0], 0.0, 10.0, _WALK),
        Parameter("walk_rate", float, 0.0, _WALKS[1], 0.0, 1.0, _WALK),
        Parameter("correlation", float, 100.0, "s", 0.01, 1e6, "time within which a bias that wanders forgets itself"),
        Parameter("range_acceleration", float, 0.0, "m/s2", 0.0, 1e5, _RANGE),
        Parameter("range_rate", float, 0.0, "rad/s", 0.0, 1e3, _RANGE),
    ),
    presets=PRESETS,
)
