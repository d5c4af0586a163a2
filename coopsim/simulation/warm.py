"""Compile all kernels into numba's cache: `python -m coopsim.simulation.warm`, once after an installation."""

import importlib
import sys
import time

FIRST = (
    "coopsim.engines.planar",
    "coopsim.devices.rays",
    "coopsim.devices.surroundings",
    "coopsim.devices.noise",
    "coopsim.devices.bumpers",
    "coopsim.devices.differential_drive",
    "coopsim.devices.target",
    "coopsim.devices.odometry",
)
"""What robots of type `single` on the usual engine need, and so most first runs."""

LATER = (
    "coopsim.engines.spatial_kernels",
    "coopsim.engines.spatial_contacts",
    "coopsim.engines.kinematic",
    "coopsim.devices.ray_solids",
    "coopsim.devices._receiver",
    "coopsim.devices._view",
    "coopsim.devices.sight",
)
KERNELS = FIRST + LATER


def main() -> None:
    """Call `warm` of every module that has kernels; with `--first` only of those that most runs need."""
    began = time.perf_counter()
    for name in FIRST if "--first" in sys.argv[1:] else KERNELS:
        importlib.import_module(name).warm()
    sys.stdout.write(f"kernels ready after {time.perf_counter() - began:.1f} s\n")


if __name__ == "__main__":
    main()
