"""Compile kernels into their cache: `python -m coopsim.features.doctor.warm`, once after an installation.

All of them; with `--first` those that most runs need, with `--scene NAME` those of one scenario. Two processes do it,
from the two ends of the list: what one compiles the other loads.
"""

import contextlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coopsim import plugins
from coopsim.devices.noise import uniform
from coopsim.engines import JointSpec
from coopsim.errors import CoopsimError
from coopsim.features.doctor.second_compiler import divided
from coopsim.kernels.progress import KernelProgress, listen
from coopsim.robots import RobotBlueprint, built_in_names, load, load_type
from coopsim.simulation.command_kernel import kernel_ready
from coopsim.simulation.plain_records import kernels_ready
from coopsim.simulation.simulation import Simulation
from coopsim.simulation.warming import SecondCompiler, prepare, prepare_threads, warm_engine

_FIRST = {"pymunk": ("single",)}
"""What most first runs need."""
# joints that need kernels of their own
_SPRUNG = JointSpec("support", "support", "ball", "disc", limit=0.1), JointSpec("spring", "spring", "ball", "disc")


class _Step(NamedTuple):
    """Robots that are ticked on an engine."""

    engine: str
    blueprint: RobotBlueprint
    number: int


def main(words: Sequence[str]) -> None:
    """Tick robots on engines until all that they need is compiled."""
    began = time.perf_counter()
    counter, steps = WarmCounter(), _steps(words)
    listen(KernelProgress(counter.show, time.monotonic))
    with SecondCompiler((step.engine, step.blueprint, step.number) for step in steps) as second:
        second.start()
        _import(steps)
        for step in steps:
            _begin_with_longest(step)
        for step in steps:
            prepare(Simulation, step.engine, [(step.blueprint, step.number)])
        kernels_ready()
        kernel_ready()
        if "--scene" not in words:
            prepare_threads(Simulation)
            uniform(np.zeros(1, np.uint64), 0, np.zeros((1, 1)))  # what is lost of readings, by those that lose some
        if not words:
            warm_engine("pymunk", _SPRUNG)
    counter.end()
    sys.stdout.write(f"kernels ready after {time.perf_counter() - began:.1f} s\n")


class WarmCounter:
    """Shows how many kernels are compiled: in one line of a terminal, in a log now and then."""

    def __init__(self) -> None:
        self._is_live, self._shown, self._length = sys.stdout.isatty(), 0.0, 0

    def show(self, done: int, total: int) -> None:
        """Show it, unless that was done just now."""
        now = time.monotonic()
        if not self._is_live and now < self._shown + 5.0:
            return
        self._shown = now
        line = f"compiling kernels: {done} of {total}"
        self._length = len(line)
        sys.stdout.write(f"\r{line}" if self._is_live else f"{line}\n")
        sys.stdout.flush()

    def end(self) -> None:
        """Leave the line free."""
        if self._is_live and self._length:
            sys.stdout.write("\r" + " " * self._length + "\r")


def _begin_with_longest(step: _Step) -> None:
    """Begin with what takes longest, then the rest from its end; what others need stands above them, mostly first."""
    longest, rest = divided(step.blueprint)
    if longest:
        blueprint = replace(step.blueprint, devices=(*longest, *rest[:1], *reversed(rest[1:])))
        prepare(Simulation, step.engine, [(blueprint, step.number)], engine_first=False)


def _import(steps: Sequence[_Step]) -> None:
    """Import all modules with kernels, so that these are counted from the beginning."""
    for step in steps:
        plugins.load("engines", step.engine)
        for device in step.blueprint.devices:
            plugins.load("devices", device.kind)


def _steps(words: Sequence[str]) -> list[_Step]:
    """Return what is ticked."""
    if "--scene" in words:
        spec = load(words[words.index("--scene") + 1])
        kinds = [placed.type for placed in spec.scenario.robots]
        engine = spec.scenario.settings.physics
        # one robot and several are other kernels; more than two are as two
        return [_Step(engine, spec.types[kind], min(kinds.count(kind), 2)) for kind in sorted(set(kinds))]
    if "--first" in words:
        return _all(_FIRST)
    return _all(dict.fromkeys(installed_engines(), tuple(built_in_names(".robot"))))


def _all(robots: Mapping[str, Sequence[str]]) -> list[_Step]:
    return [
        _Step(engine, load_type(name), count) for engine, names in robots.items() for name in names for count in (1, 2)
    ]


def import_first() -> None:
    """Import what defines the kernels that most first runs need."""
    _import(_all(_FIRST))


def installed_engines() -> list[str]:
    """Return our engines, but those whose packages are not installed."""
    names = []
    for name in plugins.registered("engines"):
        with contextlib.suppress(CoopsimError):
            if not plugins.is_foreign("engines", name):
                plugins.load("engines", name)
                names.append(name)
    return names


if __name__ == "__main__":
    main(sys.argv[1:])
