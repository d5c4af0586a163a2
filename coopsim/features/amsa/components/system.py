"""A system while it runs: every leaf at its own frequency, in the order of the data."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from coopsim.errors import BadArgument, NoSuchCommand, NoSuchName, PluginFailed
from coopsim.features.amsa.components.behavior import behavior_of
from coopsim.features.amsa.components.checking import check_model
from coopsim.features.amsa.components.leaf_memory import NewestMemories
from coopsim.features.amsa.components.leaf_step import LeafStep
from coopsim.features.amsa.components.model import INITIAL, DataValue, Leaf, SystemModel, TypedParameter
from coopsim.features.amsa.components.order import execution_order
from coopsim.features.amsa.components.timing import Timetable
from coopsim.suggest import hint, listed


@dataclass(frozen=True, slots=True)
class LeafFault:
    """Fault of a running leaf, said once.

    Attributes:
        time: When [s].
        leaf: Name of the leaf.
    """

    time: float
    leaf: str
    text: str

    def __str__(self) -> str:
        return f"{self.time:.3f} s: {self.text}"


class System:
    """A system of components, free-standing: time is a number that its steps count.

    Source: AMSA, section 2.1.

    Args:
        model: What it consists of.
        behaviors: Classes and functions by template; those that are missing are looked up among the plugins.
        seed: Of the random numbers of all leaves.
        clock: Nanoseconds, to measure the cost of leaves; none is measured without.

    Attributes:
        order: Names of the leaves in the order of execution.
        faults: What went wrong.

    Raises:
        BadFile: The model has mistakes.
        NoSuchPlugin: Nothing says what a template does.
    """

    def __init__(
        self,
        model: SystemModel,
        *,
        behaviors: Mapping[str, Any] | None = None,
        seed: int = 0,
        clock: Callable[[], int] | None = None,
    ) -> None:
        check_model(model)
        self.model = model
        self.faults: list[LeafFault] = []
        ordered = execution_order(model)
        self.order = tuple(leaf.name for leaf in ordered)
        places = _output_slots(ordered)
        self._slots = {link.data: places[leaf.name, link.port] for leaf in ordered for link in leaf.writes}
        self._values = self._initial_values()
        self._leaves = {
            leaf.name: LeafStep(
                leaf, behavior_of(leaf, behaviors or {}), self._slots, places.get((leaf.name, ""), 0), seed
            )
            for leaf in ordered
        }
        self._rates = sorted({leaf.rate for leaf in ordered})
        self._timetable = Timetable(self._rates)
        self._due: dict[int, list[LeafStep]] = {}
        self._stepped = 0
        self._memories: dict[int, NewestMemories] = {}
        if clock is not None:
            self.measure(clock)

    def initialize(self) -> None:
        """Initialise every leaf, root first; data get their initial values, parameters and time stay.

        Source: AMSA, section 2.1 (initialising the root initialises all).
        """
        self._values[:] = self._initial_values()
        self._due.clear()
        self._memories.clear()
        for leaf in self._leaves.values():
            with self._switching_off(leaf):
                leaf.initialize()

    @property
    def time(self) -> Fraction:
        """When the next steps are due, exactly [s]."""
        return self._timetable.time

    @property
    def unit(self) -> Fraction:
        """Longest time that all periods are whole multiples of [s]."""
        return self._timetable.unit

    @property
    def instant(self) -> int:
        """When the next steps are due, in units."""
        return self._timetable.upcoming

    def step(self) -> None:
        """Carry out all steps that are due next, each to completion before the one after it begins."""
        self._run(self._timetable.upcoming + 1)

    def run_until(self, seconds: float | Fraction) -> None:
        """Carry out all steps that are due before `seconds`."""
        self._run(math.ceil(Fraction(seconds) / self._timetable.unit))

    def _run(self, end: int) -> None:
        """Carry out all steps that are due before `end`, in units of the timetable."""
        timetable, values, waiting = self._timetable, self._values, self._due
        while timetable.upcoming < end and self._rates:
            now = timetable.upcoming
            due = timetable.advance()
            self._stepped |= due
            leaves = waiting.get(due)
            if leaves is None:
                leaves = waiting[due] = self._running(due)
            for leaf in leaves:
                try:
                    leaf.step(values)
                except PluginFailed as problem:
                    self._switch_off(leaf, problem, now)

    def run_before(self, units: int) -> None:
        """Carry out all steps that are due before a time, in units."""
        self._run(units)

    def go_to(self, units: int) -> None:
        """Go on from a time, in units: the next steps are those that are due then or later."""
        self._timetable.go_to(units)

    def slot(self, data: str) -> int:
        """Return the place of data among all values."""
        return self._slots[data]

    @property
    def newest(self) -> list[DataValue]:
        """The newest values of all outputs, those of a leaf beside each other; who writes here is read by leaves."""
        return self._values

    def hold(self, data: Collection[str]) -> None:
        """Take exactly these data from outside: no leaf writes them, and one that writes nothing else rests."""
        for leaf in self._leaves.values():
            leaf.hold(data, self._slots)
        self._due.clear()

    def remembered(self) -> list[float]:
        """Return what all leaves remember, as numbers: those of a leaf behind those of the one before it.

        Raises:
            ValueError: A leaf remembers what it did not at the start.
        """
        return [number for leaf in self._leaves.values() for number in leaf.memory.save()]

    def newest_memories(self) -> NewestMemories:
        """Return the memories of those leaves that were due since the last call, placed as in `remembered`."""
        due, self._stepped = self._stepped, 0
        if due not in self._memories:
            self._memories[due] = self._memories_of(due)
        return self._memories[due]

    def remember(self, numbers: Sequence[float]) -> None:
        """Put back what `remembered` returned."""
        self._memories.clear()
        place = 0
        for leaf in self._leaves.values():
            leaf.memory.load(numbers[place : place + leaf.memory.width])
            place += leaf.memory.width

    def measure(self, clock: Callable[[], int] | None) -> None:
        """Measure from now on what steps take, by a clock [ns]; None = no longer."""
        for leaf in self._leaves.values():
            leaf.measure(clock)

    def switch_off(self, leaf: str, problem: PluginFailed) -> None:
        """Step a leaf no longer; its data keep their values."""
        self._switch_off(self._leaves[leaf], problem, self._timetable.upcoming)

    def was_due(self, moment_ns: int, begun_ns: int | None = None) -> None:
        """Say when the next steps are due: how late they begin is measured then.

        Args:
            moment_ns: By the clock that measures them, or another one.
            begun_ns: When they begin, by that other one.
        """
        for leaf in self._leaves.values():
            if leaf.cost is not None:
                leaf.cost.due_ns, leaf.cost.begun_ns = moment_ns, begun_ns

    def value(self, data: str) -> DataValue:
        """Return the newest value of data.

        Raises:
            NoSuchName: There are no such data.
        """
        if data not in self._slots:
            raise NoSuchName(f"no data {data!r}{hint(data, self._slots)}; there are: {listed(self._slots)}").bring(data)
        return self._values[self._slots[data]]

    def values(self) -> dict[str, DataValue]:
        """Return the newest values of all data."""
        return {name: self._values[slot] for name, slot in self._slots.items()}

    def parameter(self, leaf: str, name: str) -> DataValue:
        """Return the value of a parameter.

        Raises:
            NoSuchName: There is no such leaf.
            NoSuchCommand: It has no such parameter.
        """
        self._declared(leaf, name)
        value: DataValue = getattr(self._leaves[leaf].parameters, name)
        return value

    def set_parameter(self, leaf: str, name: str, value: DataValue) -> None:
        """Change a parameter of a leaf; its next step sees the value.

        Raises:
            NoSuchName: There is no such leaf.
            NoSuchCommand: It has no such parameter.
            BadArgument: The value is not of its type, or out of its range.
        """
        declared = self._declared(leaf, name)
        try:
            self._leaves[leaf].set(name, declared.check(value))
        except BadArgument as problem:
            raise BadArgument(f"{leaf}: {problem}").advise("") from None

    def leaves(self) -> Iterator[LeafStep]:
        """Go through the leaves in the order of execution, with their cost and lateness."""
        return iter(self._leaves.values())

    def _declared(self, leaf: str, name: str) -> TypedParameter:
        if leaf not in self._leaves:
            text = f"no component {leaf!r}{hint(leaf, self._leaves)}; there are: {listed(self._leaves)}"
            raise NoSuchName(text).advise("")
        template = self._leaves[leaf].leaf.template
        template_parameter = template.parameter(name)
        if template_parameter is None:
            names = [parameter.name for parameter in template.parameters]
            text = f"{leaf} has no parameter {name!r}{hint(name, names)}; it has: {listed(names)}"
            raise NoSuchCommand(text).advise("")
        return template_parameter

    def _initial_values(self) -> list[DataValue]:
        given = {initial.name: initial.value for initial in self.model.initial}
        return [
            given.get(writes.get(port.name, ""), INITIAL[port.type])
            for name in self.order
            for leaf, writes in [_writes(self.model, name)]
            for port in leaf.template.outputs
        ]

    def _running(self, due: int) -> list[LeafStep]:
        rates = {rate for index, rate in enumerate(self._rates) if due >> index & 1}
        return [
            leaf for leaf in self._leaves.values() if leaf.leaf.rate in rates and not leaf.failure and not leaf.rests
        ]

    def _memories_of(self, due: int) -> NewestMemories:
        """Return the memories of the leaves of some rates, with their places among those of all."""
        rates = {rate for index, rate in enumerate(self._rates) if due >> index & 1}
        slots, place = [], 0
        for leaf in self._leaves.values():
            if leaf.leaf.rate in rates and leaf.memory.is_kept:
                slots.append((leaf.memory, place))
            place += leaf.memory.width
        return NewestMemories(slots)

    @contextmanager
    def _switching_off(self, leaf: LeafStep) -> Iterator[None]:
        try:
            yield
        except PluginFailed as problem:
            self._switch_off(leaf, problem, self._timetable.upcoming)

    def _switch_off(self, leaf: LeafStep, problem: PluginFailed, now: int) -> None:
        leaf.failure = str(problem)
        self._due.clear()
        text = f"{problem}; {leaf.leaf.name} is switched off, its data keep their values"
        self.faults.append(LeafFault(float(now * self._timetable.unit), leaf.leaf.name, text))


def _output_slots(ordered: tuple[Leaf, ...]) -> dict[tuple[str, str], int]:
    """Return the place of each output among the values; "" = that of the first output of a leaf."""
    places: dict[tuple[str, str], int] = {}
    count = 0
    for leaf in ordered:
        places[leaf.name, ""] = count
        for port in leaf.template.outputs:
            places[leaf.name, port.name] = count
            count += 1
    return places


def _writes(model: SystemModel, name: str) -> tuple[Leaf, dict[str, str]]:
    leaf = model.leaves[name]
    return leaf, {link.port: link.data for link in leaf.writes}
