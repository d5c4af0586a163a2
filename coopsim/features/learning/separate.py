"""Worlds that are simulations of their own, for scenarios that compiled code alone cannot tick."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from coopsim.features.learning.arena import Arena
from coopsim.features.learning.program import End
from coopsim.features.learning.template import TemplateSimulation, WorldTemplate
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Value
from coopsim.robots import RunSpec
from coopsim.simulation.edits import apply
from coopsim.state.edits import GetParameter, SetParameter


class SeparateWorlds(Worlds):
    """Worlds that are ticked one after the other, by whatever engine and devices a scenario has.

    All else is as in `Worlds`: seeds, starts, ranges, resets, and the bits of each world run alone. They are slower by
    what Python costs for each world and tick, so a few dozen are as good as many. Each step copies commands and targets
    into the simulations, and readings and poses out of them. A body that goes astray is put back, as in any simulation.
    """

    def _prepare(self, spec: RunSpec, count: int, step: float | None) -> tuple[WorldTemplate, Arena]:
        first = TemplateSimulation(spec, step=step)
        self._simulations = [first] * count  # until their first reset
        self._copies = _Copies(_shared(first), count)
        # the parts of a template and an arena that arrays of a batch are found by
        return cast("WorldTemplate", _Template(first, self._copies)), cast("Arena", self._copies)

    def _run(self, worlds: Ints, ticks: int, first: int) -> None:  # noqa: ARG002 - all calls are those of a tick
        for world in worlds.tolist():
            if self.ends[world] != End.RUNNING:
                continue
            simulation = self._simulations[world]
            simulation.tables.commands[:] = self._commands[world]
            simulation.world.target_positions[:, :2] = self.targets[world]
            for _ in range(ticks):
                simulation.tick()
            self.ticks[world] += ticks
            self._copy_out(world)

    def _begin(self, worlds: Ints, seeds: list[int]) -> None:
        self._drawn_of(worlds, seeds)
        self.ticks[worlds] = self.ends[worlds] = 0
        for world in worlds.tolist():
            self._simulations[world] = TemplateSimulation(self.spec(world))
            self._copy_out(world)

    def parameter_in(self, world: int, robot: str, module: str, name: str) -> Value:
        """Return a parameter of any module of a robot in a world; as of `Worlds`."""
        return apply(self._simulations[self._checked(world)], GetParameter(robot, module, name)).params[0]

    def set_parameter(self, robots: Sequence[str], module: str, name: str, values: Floats) -> None:
        """Set a parameter of any module, such as a gain of a leaf of a system of components; as of `Worlds`.

        Raises:
            NoSuchName: There is no such robot, module or parameter.
            BadArgument: A value is out of the range of the parameter.
        """
        for simulation, row in zip(self._simulations, values.tolist(), strict=True):
            for robot, value in zip(robots, row, strict=True):
                apply(simulation, SetParameter(robot, module, name, value))

    def _copy_out(self, world: int) -> None:
        self._copies.fill(world, _shared(self._simulations[world]))
        if not np.isfinite(self.planar[world]).all():
            self.ends[world] = End.ASTRAY

    def _spatial(self, chosen: slice) -> tuple[Floats, Floats]:
        engines = [simulation.engine for simulation in self._simulations[chosen]]
        return np.stack([engine.poses for engine in engines]), np.stack([engine.twists for engine in engines])

    def close(self) -> None:
        """Forget the simulations; arrays stay readable."""
        self._is_closed = True
        self._simulations = []

    def state_hash(self, world: int) -> bytes:
        """Return the hash of the simulation of a world."""
        return self._simulations[self._checked(world)].state_hash()


def _shared(simulation: TemplateSimulation) -> list[NDArray[Any]]:
    """Return the arrays of a simulation that a batch has copies of, in the same order for all worlds."""
    engine, tables = simulation.engine, simulation.tables
    return [tables.commands, tables.readings, engine.planar, engine.height, simulation.world.target_positions]


class _Template:
    """Parts of `WorldTemplate` by which `BatchArrays` finds its arrays."""

    def __init__(self, simulation: TemplateSimulation, copies: "_Copies") -> None:
        self.simulation, self.planar, self._copies = simulation, simulation.engine.planar, copies
        self.file = Path(simulation.spec.scenario.file).name or "the scenario"

    def word_of(self, array: NDArray[Any]) -> int:
        """Return whether an array is copied: 0, or -1."""
        return -1 if self._copies.root_of(array) is None else 0


class _Copies:
    """Copies of some arrays for each world, side by side.

    Args:
        roots: The arrays of one simulation, each in one piece.
        count: How many worlds.

    Attributes:
        words: Its length is the number of worlds, as of an `Arena`.
    """

    def __init__(self, roots: Iterable[NDArray[Any]], count: int) -> None:
        self._roots = list(roots)
        self._mirrors = [np.zeros((count, *root.shape), root.dtype) for root in self._roots]
        self.words = np.zeros((count, 0), np.int64)

    def root_of(self, array: NDArray[Any]) -> int | None:
        """Return the number of the root that an array is a part of, None if it is of none."""
        address = array.ctypes.data
        for row, root in enumerate(self._roots):
            if root.size and root.ctypes.data <= address < root.ctypes.data + root.nbytes:
                return row
        return None

    def of_all(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return what an array of the first simulation is in all worlds, a view, shape (count, ...).

        Raises:
            KeyError: It is copied for no world.
        """
        row = self.root_of(array) if array.size else 0
        if row is None:
            raise KeyError("the array is copied for no world")
        root, mirror = self._roots[row], self._mirrors[row]
        offset = array.ctypes.data - root.ctypes.data if array.size else 0
        strides = (root.nbytes, *array.strides)
        return np.ndarray((len(self.words), *array.shape), array.dtype, mirror.data, offset, strides)

    def fill(self, world: int, arrays: Iterable[NDArray[Any]]) -> None:
        """Copy the arrays of the simulation of a world."""
        for mirror, array in zip(self._mirrors, arrays, strict=True):
            mirror[world] = array
