"""Which modules have compiled kernels, and having them ready before they are needed."""

import importlib
import sys
from collections.abc import Iterable

FIRST = (
    "coopsim.engines.planar.engine",
    "coopsim.sensing.rays",
    "coopsim.sensing.world",
    "coopsim.devices.noise",
    "coopsim.devices.bumpers",
    "coopsim.devices.differential_drive",
    "coopsim.devices.target",
    "coopsim.devices.odometry",
)
"""What robots of type `single` on the usual engine need, and so most first runs."""

LATER = (
    "coopsim.engines.spatial.kernels",
    "coopsim.engines.spatial.contacts",
    "coopsim.engines.kinematic.engine",
    "coopsim.sensing.ray_solids",
    "coopsim.devices._receiver",
)
"""What other engines and devices need; imported with them."""

RARELY = (
    "coopsim.engines.planar.springs",
    "coopsim.devices._view",
    "coopsim.sensing.line_of_sight",
)
"""What only sprung joints and limited views of a target need; compiled when there is one for the first time."""

KERNELS = FIRST + LATER + RARELY

_ready: set[str] = set()


def prepare(names: Iterable[str] = KERNELS) -> None:
    """Compile the kernels of modules, or load what was compiled before; modules of this process that are ready stay."""
    for name in names:
        if name not in _ready:
            importlib.import_module(name).warm()
            _ready.add(name)


def prepare_imported() -> None:
    """Prepare the kernels of what this process uses, so that no tick waits for a compiler."""
    prepare([name for name in FIRST + LATER if name in sys.modules])
