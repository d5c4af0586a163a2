"""Steps of a leaf: inputs latched at the beginning of a step, outputs written at its end."""

import keyword
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from operator import itemgetter
from typing import Any, TypeAlias

from coopsim import plugins
from coopsim.features.amsa.components.leaf_memory import LeafMemory
from coopsim.features.amsa.components.leaf_random import LeafRandom
from coopsim.features.amsa.components.model import DataValue, Leaf
from coopsim.features.amsa.components.outputs import outputs_of

Latch: TypeAlias = Callable[[list[DataValue]], Sequence[DataValue]]


def record(name: str, fields: Iterable[str]) -> Any:
    """Return a class of named, unchangeable values."""
    return namedtuple(name, list(fields))


def is_field(name: str) -> bool:
    """Return whether a port or parameter of this name can be read as `inputs.name`."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


@dataclass(slots=True)
class LeafCost:
    """Time that the steps of a leaf took.

    Attributes:
        steps: How many there were.
        total_ns: Time of all of them.
        slowest_ns: Time of the longest.
        due_ns: When the steps of this instant were due, by the clock; None where nobody waits for real time.
        begun_ns: When they begin, by the clock of `due_ns`, where that is not the one that measures them.
        late_ns: How late the latest began.
    """

    steps: int = 0
    total_ns: int = 0
    slowest_ns: int = 0
    due_ns: int | None = None
    begun_ns: int | None = None
    late_ns: int = 0

    def add(self, begun: int, ended: int) -> None:
        """Count a step."""
        self.steps += 1
        self.total_ns += ended - begun
        self.slowest_ns = max(self.slowest_ns, ended - begun)
        if self.due_ns is not None:
            self.late_ns = max(self.late_ns, (begun if self.begun_ns is None else self.begun_ns) - self.due_ns)

    def merge(self, other: "LeafCost") -> None:
        """Count the steps of another one, too."""
        self.steps += other.steps
        self.total_ns += other.total_ns
        self.slowest_ns = max(self.slowest_ns, other.slowest_ns)
        self.late_ns = max(self.late_ns, other.late_ns)


class LeafStep:
    """Runs the steps of a leaf.

    Args:
        leaf: Which.
        behavior: What it does.
        slots: Place of each data among the values of the system.
        begin: Place of its first output; the others follow.
        seed: Of its random numbers.

    Attributes:
        parameters: Values by name, as the behavior sees them.
        step: Carries out a step: reads the newest values, and writes the outputs among them when it is over. It raises
            `PluginFailed`, and writes nothing, where the behavior raises or its outputs are no values.
        cost: What its steps took, None where nobody measures.
        failure: Why it is switched off, "" while it is not.
        rests: Whether all its data come from outside, so that it does not step.
        memory: What its behavior remembers, once it is initialised.
    """

    memory: LeafMemory

    def __init__(self, leaf: Leaf, behavior: Any, slots: Mapping[str, int], begin: int, seed: int) -> None:
        self.leaf, self._behavior, self._begin = leaf, behavior, begin
        self._seed = f"{seed}/{leaf.name}"
        reads = {link.port: link.data for link in leaf.reads}
        self._inputs = record("Inputs", [port.name for port in leaf.template.inputs])
        self._latch = _latch([slots[reads[port.name]] for port in leaf.template.inputs])
        self._record = record("Parameters", [parameter.name for parameter in leaf.template.parameters])
        given = {setting.name: setting.value for setting in leaf.settings}
        self.parameters = self._record(
            *(
                parameter.check(given.get(parameter.name, parameter.parameter.default))
                for parameter in leaf.template.parameters
            )
        )
        self.failure = ""
        self.cost: LeafCost | None = None
        self.rests = False
        self._held: tuple[int, ...] = ()
        self.step = self._stepper(behavior.do_step)

    def measure(self, clock: Callable[[], int] | None) -> None:
        """Measure from now on what steps take, by a clock [ns]; None = no longer."""
        self.cost, do_step = None, self._behavior.do_step
        if clock is not None:
            self.cost = LeafCost()
            do_step = _measured(do_step, self.cost, clock)
        self.step = self._stepper(do_step)

    def initialize(self) -> None:
        """Prepare for the first step; a leaf that was switched off runs again.

        Raises:
            PluginFailed: The behavior raises.
        """
        self.failure = ""
        with plugins.blamed(f"component {self.leaf.name}"):
            self._behavior.random = LeafRandom(self._seed)
            initialize = getattr(self._behavior, "initialize", None)
            if initialize is not None:
                initialize()
        self.memory = LeafMemory(self._behavior)

    def set(self, name: str, value: Any) -> None:
        """Change a parameter, from the next step on; the value is checked already."""
        self.parameters = self.parameters._replace(**{name: value})

    def hold(self, data: Iterable[str], slots: Mapping[str, int]) -> None:
        """Leave some data as they are: others write them; if they are all that it writes, it rests."""
        own = {link.data for link in self.leaf.writes}
        held = own.intersection(data)
        self.rests = bool(held) and held == own
        self._held = tuple(sorted(slots[name] for name in held))
        self.step = self._stepper(self._do_step)

    def _stepper(self, do_step: Callable[[Any, Any], Any]) -> Callable[[list[DataValue]], None]:
        """Return the function that carries out a step; tuples of finite numbers are written at once."""
        self._do_step = do_step
        latch, inputs, make = self._latch, self._inputs, tuple.__new__
        begin, count = self._begin, len(self.leaf.template.outputs)
        end, is_plain = begin + count, all(port.type == "double" for port in self.leaf.template.outputs)
        is_single = is_plain and count == 1

        def step(values: list[DataValue]) -> None:
            try:
                outputs = do_step(make(inputs, latch(values)), self.parameters)
                if is_single and type(outputs) is float and isfinite(outputs):
                    values[begin] = outputs
                    return
                if is_plain and type(outputs) is tuple and len(outputs) == count and isfinite(sum(outputs)):
                    values[begin:end] = outputs
                    return
            except BaseException as problem:
                if plugins.is_interrupt(problem):
                    raise
                raise plugins.blame(f"component {self.leaf.name}", problem) from problem
            values[begin:end] = outputs_of(self.leaf, outputs, self._behavior.do_step)

        return _sparing(step, self._held) if self._held else step


def _latch(slots: Sequence[int]) -> Latch:
    """Return a function that takes the values of `slots` at once."""
    if len(slots) > 1:
        return itemgetter(*slots)
    return (lambda values: (values[slots[0]],)) if slots else (lambda _: ())


def _sparing(step: Callable[[list[DataValue]], None], held: Sequence[int]) -> Callable[[list[DataValue]], None]:
    """Return a step that leaves the values of some slots as they were."""

    def sparing(values: list[DataValue]) -> None:
        kept = [values[slot] for slot in held]
        step(values)
        for slot, value in zip(held, kept, strict=True):
            values[slot] = value

    return sparing


def _measured(
    do_step: Callable[[Any, Any], Any], cost: LeafCost, clock: Callable[[], int]
) -> Callable[[Any, Any], Any]:
    def measured(inputs: Any, parameters: Any) -> Any:
        begun = clock()
        outputs = do_step(inputs, parameters)
        cost.add(begun, clock())
        return outputs

    return measured
