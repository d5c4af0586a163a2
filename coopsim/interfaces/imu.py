"""Interface of the inertial measurement unit."""

from coopsim.interfaces._interface import Command, Field, Interface, Parameter
from coopsim.interfaces.sampling import sampling_parameters

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
        Parameter("bias_acceleration", float, 0.0, "m/s2", 0.0, 10.0, "standard deviation of what is always added"),
        Parameter("bias_rate", float, 0.0, "rad/s", 0.0, 1.0, "standard deviation of what is always added"),
        *sampling_parameters(),
    ),
)
