"""Compile all kernels into numba's cache: `python -m coopsim.simulation.warm`, once after an installation."""

import importlib
import sys
import time

KERNELS = (
    "coopsim.engines.planar",
    "coopsim.devices.rays",
    "coopsim.devices.surroundings",
    "coopsim.devices.noise",
    "coopsim.devices.bumpers",
    "coopsim.devices.differential_drive",
    "coopsim.devices.target",
    "coopsim.devices.odometry",
)


def main() -> None:
    """Call `warm` of every module that has kernels."""
    began = time.perf_counter()
    for name in KERNELS:
        importlib.import_module(name).warm()
    sys.stdout.write(f"kernels ready after {time.perf_counter() - began:.1f} s\n")


if __name__ == "__main__":
    main()
