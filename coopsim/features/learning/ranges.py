"""Domain randomisation: parameters of devices that each world draws anew from a range."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coopsim.devices.noise import uniform
from coopsim.errors import BadArgument
from coopsim.features.learning.section import LearningSection
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Parameter
from coopsim.robots import DeviceBlueprint, RunSpec, device_type
from coopsim.robots.names import RobotNames
from coopsim.scene import Event
from coopsim.simulation import Simulation

_STREAM = 0x27220A95
"""Of this chance, so that it has nothing in common with noise and starts of the same seed."""


@dataclass(frozen=True)
class Vary:
    """A parameter that every world draws once, alike for all robots that the name means.

    Attributes:
        name: `all.sonars.noise`, `robot1.motors.max_force`.
        low: Smallest value.
        high: Largest value.
    """

    name: str
    low: float
    high: float


def varied(ranges: Mapping[str, tuple[float, float]] | Sequence[Vary]) -> tuple[Vary, ...]:
    """Return ranges in one form.

    Raises:
        BadArgument: One is empty or not finite.
    """
    if isinstance(ranges, Mapping):
        for name, pair in ranges.items():
            if np.shape(pair) != (2,):
                raise BadArgument(f"{name}: expected a range of two numbers, lowest and highest, got {pair!r}")
        ranges = [Vary(name, *pair) for name, pair in ranges.items()]
    pairs = list(ranges)
    for vary in pairs:
        if not (np.isfinite([vary.low, vary.high]).all() and vary.low <= vary.high):
            raise BadArgument(f"{vary.name}: expected a range LOW:HIGH of finite numbers, got {vary.low}:{vary.high}")
    return tuple(pairs)


def vary_of(section: LearningSection) -> dict[str, tuple[float, float]]:
    """Return the ranges of parameters that the section has each episode draw."""
    return {phrase.name: (phrase.limits[0], phrase.limits[1]) for phrase in section.vary}


class Ranges:
    """Draws the parameters of worlds.

    Args:
        spec: What is simulated.
        ranges: What is drawn.

    Raises:
        BadArgument: A name means no parameter that is a number and may change, or a value is out of its range.
    """

    def __init__(self, spec: RunSpec, ranges: Sequence[Vary]) -> None:
        self._ranges = tuple(ranges)
        names = RobotNames([robot.name for robot in spec.scenario.robots], {})
        self._paths = [_paths(vary, names, spec) for vary in self._ranges]

    def with_highest(self, spec: RunSpec) -> RunSpec:
        """Return the scenario with the largest values, which needs all that any value needs."""
        return self.with_values(spec, np.array([vary.high for vary in self._ranges]))

    def with_values(self, spec: RunSpec, values: Floats) -> RunSpec:
        """Return the scenario that sets drawn values by an event at 0 s."""
        if not self._ranges:
            return spec
        pairs = [
            (path, repr(value)) for paths, value in zip(self._paths, values.tolist(), strict=True) for path in paths
        ]
        events = (*spec.scenario.events, Event(0.0, tuple(pairs)))
        return replace(spec, scenario=replace(spec.scenario, events=events))

    def draw(self, seeds: Sequence[int]) -> Floats:
        """Return the values of each seed, shape (n, ranges)."""
        values = np.empty((len(seeds), len(self._ranges)))
        if self._ranges:
            keys = np.array([seed & (1 << 64) - 1 for seed in seeds], np.uint64) ^ np.uint64(_STREAM)
            uniform(keys, 0, values)
            low, high = (np.array([getattr(vary, end) for vary in self._ranges]) for end in ("low", "high"))
            values = low + (high - low) * values
        return values

    def words(self, simulation: Simulation, word_of: Any) -> tuple[Ints, Ints]:
        """Return which words of a world are parameters that are drawn, and the number of the range of each.

        Raises:
            BadArgument: No call of the tick takes a parameter.
        """
        at, which = [], []
        for number, paths in enumerate(self._paths):
            for path in paths:
                robot, module, name = path.rsplit(".", 2)
                block = simulation.tables.block_of(robot)
                assert block is not None  # noqa: S101 - the name was found among them
                column = block.devices[module].parameters[name]
                first = word_of(column)
                if first < 0:
                    raise BadArgument(f"{path} cannot be drawn: no compiled call takes it")
                at.append(first + block.row[robot] * column.strides[0] // column.itemsize)
                which.append(number)
        return np.array(at, np.int64), np.array(which, np.int64)


def _paths(vary: Vary, names: RobotNames, spec: RunSpec) -> list[str]:
    """Return the parameters that a range is of, one for each robot that it means."""
    who, _, rest = vary.name.partition(".")
    module, _, parameter = rest.partition(".")
    robots = [robot.name for robot in spec.scenario.robots] if who == "all" else list(names.meant(who))
    kinds = {robot.name: spec.types[robot.type] for robot in spec.scenario.robots}
    paths = []
    for robot in robots:
        device = next((device for device in kinds[robot].devices if device.name == module), None)
        declared = None if device is None else _parameter(device, parameter)
        if declared is None and who == "all":
            continue
        if declared is None or declared.fixed or declared.kind is not float:
            raise BadArgument(f"{vary.name}: {robot} has no changeable number of this name")
        declared.check(vary.low)
        declared.check(vary.high)
        paths.append(f"{robot}.{module}.{parameter}")
    if not paths:
        raise BadArgument(f"{vary.name}: no robot has it; expected robot.module.parameter, or all.module.parameter")
    return paths


def _parameter(device: DeviceBlueprint, name: str) -> Parameter | None:
    parameters = device_type(device).interface.parameters
    return next((parameter for parameter in parameters if parameter.name == name), None)
