"""Compile all kernels into numba's cache: `python -m coopsim.simulation.warm`, once after an installation."""

import importlib
import sys
import time

KERNELS = (
    "coopsim.engines.planar",
    "coopsim.engines.spatial_kernels",
    "coopsim.engines.spatial_contacts",
    "coopsim.engines.kinematic",
    "coopsim.devices.rays",
    "coopsim.devices.ray_solids",
    "coopsim.devices.surroundings",
    "coopsim.devices.noise",
    "coopsim.devices.bumpers",
    "coopsim.devices.differential_drive",
    "coopsim.devices.target",
    "coopsim.devices.odometry",
    "coopsim.devices._receiver",
    "coopsim.devices._view",
    "coopsim.devices.sight",
)


def main() -> None:
    """Call `warm` of every module that has kernels."""
    began = time.perf_counter()
    for name in KERNELS:
        importlib.import_module(name).warm()
    sys.stdout.write(f"kernels ready after {time.perf_counter() - began:.1f} s\n")


if __name__ == "__main__":
    main()
