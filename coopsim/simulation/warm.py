"""Compile all kernels into their cache: `python -m coopsim.simulation.warm`, once after an installation."""

import contextlib
import sys
import time
from collections.abc import Mapping

import numpy as np

from coopsim import plugins
from coopsim.devices.noise import uniform
from coopsim.engines import JointSpec
from coopsim.errors import CoopsimError
from coopsim.robots import built_in_names, load_type
from coopsim.simulation.command_kernel import kernel_ready
from coopsim.simulation.plain_records import kernels_ready
from coopsim.simulation.simulation import Simulation
from coopsim.simulation.warming import prepare, prepare_threads, warm_engine

_FIRST = {"pymunk": ("single",)}
"""What most first runs need."""
_SPRUNG = JointSpec("support", "support", "ball", "disc", limit=0.1), JointSpec("spring", "spring", "ball", "disc")


def main() -> None:
    """Tick all built-in robots on all engines, with `--first` only those that most runs need."""
    began = time.perf_counter()
    kernels_ready()
    kernel_ready()
    prepare_threads(Simulation)
    uniform(np.zeros(1, np.uint64), 0, np.zeros((1, 1)))  # what is lost of readings, by those that lose some alone
    if "--first" in sys.argv[1:]:
        _warm(_FIRST)
    else:
        _warm(dict.fromkeys(installed_engines(), tuple(built_in_names(".robot"))))
        warm_engine("pymunk", _SPRUNG)
    sys.stdout.write(f"kernels ready after {time.perf_counter() - began:.1f} s\n")


def import_first() -> None:
    """Import what defines the kernels that most first runs need."""
    for engine, names in _FIRST.items():
        plugins.load("engines", engine)
        for name in names:
            for device in load_type(name).devices:
                plugins.load("devices", device.kind)


def _warm(robots: Mapping[str, tuple[str, ...]]) -> None:
    for engine, names in robots.items():
        prepare(Simulation, engine, [(load_type(name), count) for name in names for count in (1, 2)])


def installed_engines() -> list[str]:
    """Return our engines, but those whose packages are not installed."""
    found = []
    for name in plugins.registered("engines"):
        with contextlib.suppress(CoopsimError):
            if not plugins.is_foreign("engines", name):
                plugins.load("engines", name)
                found.append(name)
    return found


if __name__ == "__main__":
    main()
