"""Progress of compiling: which of the kernels that are needed have machine code, whichever process made it."""

import sys
from collections.abc import Callable
from typing import Any

from numba.core import event

from coopsim.kernels.store import is_stored

_OURS = "coopsim."  # kernels of plugins are compiled as well, but nobody knows beforehand which
_SPECIAL = (
    "coopsim.features.",
    "coopsim.engines.planar.joints",
    "coopsim.engines.planar.joined_stepping",
    "coopsim.engines.planar.line_springs",
    "coopsim.engines.planar.springs",
    "coopsim.devices._receiver",
    "coopsim.devices._view",
    "coopsim.sensing.line_of_sight",
    "coopsim.sensing.before_robot",
    "coopsim.sensing.kept_looks",
    "coopsim.sensing.nearest_seen",
    "coopsim.sensing.screens",
    "coopsim.sensing.nearest.nearest_in_space",
    "coopsim.sensing.ray_raised",
    "coopsim.sensing.ray_solids",
)
"""Modules whose kernels robots of type `single` on the usual engine do not need."""
_OF_CROWDS = (
    *("coopsim.sensing.ray_kernels.begin_parts", "coopsim.sensing.ray_kernels.cast_parts"),
    *(f"coopsim.kernels.sharing.{name}" for name in ("_help", "_enter", "claim")),
    "coopsim.devices.noise.uniform",
)
"""Kernels that are needed by crowds, whose rays several threads cast, and where readings are lost."""
_PAUSE = 0.5
"""Between two looks at what is stored, which takes some milliseconds [s]."""


def _name(kernel: Any) -> str:
    return f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"


def kernels() -> list[Any]:
    """Return all compiled functions of the modules of ours that were imported."""
    ours = [vars(module) for name, module in sorted(sys.modules.items()) if name.startswith(_OURS)]
    # a kernel that several modules import counts once
    return list(
        {id(kernel): kernel for names in ours for kernel in names.values() if hasattr(kernel, "py_func")}.values()
    )


def usual_kernels() -> list[Any]:
    """Return those of them that most runs need."""
    return [kernel for kernel in kernels() if not _name(kernel).startswith((*_SPECIAL, *_OF_CROWDS))]


class KernelProgress(event.Listener):
    """Tells how many kernels have machine code, of those that had none; numba calls it as it compiles.

    Counted are the kernels that most runs need, and those of further modules as soon as one of them is compiled.

    Args:
        tell: Called with how many are compiled and how many there are, at most twice a second; (0, 0) = none is ours.
        clock: Real time [s].
    """

    def __init__(self, tell: Callable[[int, int], None], clock: Callable[[], float]) -> None:
        self._tell, self._clock, self._due = tell, clock, -_PAUSE
        self._cold: dict[str, Any] = {}
        self._counted: set[str] = set()
        self._modules: set[str] = set()
        self._imported = 0

    def on_start(self, started: Any) -> None:
        """A function is compiled, since no machine code of it was kept."""
        module = started.data["dispatcher"].py_func.__module__
        if module not in self._modules:
            self._modules.add(module)
            self._imported = 0
        self._follow()

    def on_end(self, _event: object) -> None:
        """Note that it is compiled."""
        self._follow()

    def _follow(self) -> None:
        now = self._clock()
        if now < self._due + _PAUSE:
            return
        self._due = now
        # modules come while others are compiled; to look through all of them each time would take longer
        if self._imported != len(sys.modules):
            self._imported = len(sys.modules)
            self._count()
        self._cold = {name: kernel for name, kernel in self._cold.items() if not is_stored(kernel)}
        self._tell(len(self._counted) - len(self._cold), len(self._counted))

    def _count(self) -> None:
        """Count kernels that were not counted yet and have no machine code."""
        beside = [kernel for kernel in kernels() if kernel.py_func.__module__ in self._modules]
        for kernel in (*usual_kernels(), *beside):
            if (name := _name(kernel)) not in self._counted and not is_stored(kernel):
                self._counted.add(name)
                self._cold[name] = kernel


def listen(progress: KernelProgress) -> None:
    """Have numba call it from now on."""
    event.register("numba:compile", progress)  # type: ignore[no-untyped-call]
