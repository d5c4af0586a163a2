"""On-board programs: they read siblings and command siblings within the tick, before the actuators act.

Source: SwarmSimX, section 2.1 (drivers run before actuators); AMSA, section 3.2 (a robot's control loop as components
that run in the order of their data).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.geometry import Floats
from coopsim.interfaces import Effect, Interface, check_values, is_limited, width
from coopsim.state.layout import NUMBER, STAMP, VALUES

Chosen = NDArray[np.bool_]
ValueCheck: TypeAlias = Callable[[Sequence[float]], None]
"""Raises `BadArgument` where values are beyond the limits of a command."""


class PartCost(TypedDict):
    """Time of the measured steps of a part of a program, of all robots together.

    Attributes:
        steps: How many there were.
        mean: What a step took [s].
        slowest: What the longest took [s].
        late: Longest simulated time between when a step was due and the tick that carried it out [s].
    """

    name: str
    steps: int
    mean: float
    slowest: float
    late: float


class PartsOff(Exception):
    """Parts of a program were switched off; raised at the end of `run`, when everything else is done.

    Attributes:
        parts: Name of each part, and why.
    """

    def __init__(self, parts: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{name}: {text}" for name, text in parts))
        self.parts = tuple(parts)


class CommandPort:
    """The commands of a sibling as they are carried out in this tick; the next tick begins with those of clients again.

    Attributes:
        slots: Stamp, number and values of each robot, shape (n, 2 + width).
        begin: Where they begin among all commands of the robots, -1 = that is not known.
        is_of_program: Whether an on-board program is commanded, which must not have run in this tick.
    """

    def __init__(self, interface: Interface, slots: Floats, begin: int = -1, *, is_of_program: bool = False) -> None:
        self.slots, self.begin, self.is_of_program = slots, begin, is_of_program
        self._interface = interface
        self._settings = {command.name: command for command in interface.commands if command.effect is Effect.SET}

    def number(self, command: str) -> tuple[int, int]:
        """Return the number of a command and how many values it takes; -1 if there is no such command that sets."""
        setting = self._settings.get(command)
        return (-1, 0) if setting is None else (setting.number, width(setting.takes, {}))

    def check(self, command: str) -> ValueCheck | None:
        """Return what holds the values of a command to its limits, None where it has none."""
        wanted = self._settings[command]
        return partial(check_values, self._interface, wanted) if is_limited(wanted) else None

    def which(self, command: str) -> Chosen:
        """Return which robots have this command, shape (n,)."""
        is_given: Chosen = self.slots[:, NUMBER] == self._settings[command].number
        return is_given

    def values(self, command: str) -> Floats:
        """Return the values of a command, a view, shape (n, values); they mean something where `which` says so."""
        return self.slots[:, VALUES : VALUES + width(self._settings[command].takes, {})]

    def give(self, command: str, values: Floats | Sequence[float], *, robots: Chosen, tick: int) -> None:
        """Command some robots, as a client would: a watchdog is content with it.

        Args:
            command: Name of the command.
            values: Its values, shape (k, values) or (values,).
            robots: Which robots, shape (n,).
            tick: Number of the tick.
        """
        self.slots[robots, STAMP] = -1.0 - tick  # of no client, and another one in each tick
        self.slots[robots, NUMBER] = self._settings[command].number
        self.slots[robots, VALUES:] = 0.0
        self.values(command)[robots] = values

    def give_each(self, command: str, values: Floats, *, robots: Chosen, tick: int) -> None:
        """Command some robots as `give` does; each robot, chosen or not, has a row of values, shape (n, values)."""
        from coopsim.devices.copying import give_rows  # programs are described in processes without numba

        give_rows(self.slots, robots, -1.0 - tick, float(self._settings[command].number), values)


@dataclass(frozen=True, slots=True)
class Ports:
    """Connections of a program, by the names of its interface; a port left open is missing.

    Attributes:
        inputs: Readings after the last tick, those of other programs of this one, shape (n, values); and signals.
        outputs: Commands of siblings.
        own: Its own commands, shape (n, 2 + width); without any of them (n, 0).
        every: All commands of its robots, shape (n, width of all).
        slots: Where the commands of each device begin in `every`.
        all_readings: All readings of its robots, as clients will see them, shape (n, width of all).
        of_programs: Columns of `all_readings` that other programs write, which say nothing before these ran first.
    """

    inputs: Mapping[str, Floats] = field(default_factory=dict)
    outputs: Mapping[str, CommandPort] = field(default_factory=dict)
    own: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    every: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    slots: tuple[int, ...] = ()
    all_readings: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    of_programs: tuple[int, ...] = ()


class OnBoardProgram(ArrayDevice):
    """A program on the board of a robot; one instance serves every robot of a type, a row each.

    Its interface declares `inputs` and `outputs`. Programs run once in each tick after commands have come, each one
    after those whose readings it uses.

    Attributes:
        runs_first: Whether it runs before all others, whatever they read.
        ports: What it is connected to.
        readings: Its own readings, to be written by `run`, shape (n, width); they are kept in `memory`.
    """

    runs_first: ClassVar[bool] = False

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.readings: Floats = np.zeros((len(context.robots), width(self.interface.readings, {})))
        self.memory["readings"] = self.readings
        self.ports = Ports()

    def connect(self, ports: Ports) -> None:
        """Note what it is connected to; called once, before it runs first."""
        self.ports = ports

    def run(self, tick: int, dt: float) -> None:
        """Read inputs, write outputs and readings.

        Args:
            tick: Number of the tick.
            dt: Length of the tick [s].
        """
        raise NotImplementedError(f"{type(self).__name__} is a program, so it needs a method run(self, tick, dt)")

    def measure_parts(self) -> None:
        """Measure all steps of its parts from now on, because somebody wants to know what a tick costs."""

    def part_costs(self) -> list[PartCost]:
        """Return what its parts cost, where it measures them."""
        return []

    def sense_calls(self, world: SensingWorld, out: Floats) -> DeviceCalls:
        """Return what writes its readings."""
        from coopsim.devices.copying import copied  # programs are described in processes without numba

        return copied(self.readings, out)
