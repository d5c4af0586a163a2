"""Model of a component system: templates, leaves, composites and the data between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.interfaces import Parameter
from coopsim.scene import Span

DataValue: TypeAlias = float | int | bool | str
INITIAL: Final[Mapping[str, DataValue]] = {"double": 0.0, "int": 0, "bool": False, "text": ""}
"""The types of data and parameters, with the value that data have before anything was produced."""
NOWHERE = Span()
"""Place of what was not read from a file."""
DEFAULT_RATE = Fraction(10)
"""Frequency of a leaf that names none [Hz]."""


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a template."""

    name: str
    type: str = "double"
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class TypedParameter:
    """A parameter of a template: as interfaces declare it, with the name of its type in files."""

    parameter: Parameter
    type: str
    span: Span = NOWHERE

    @property
    def name(self) -> str:
        """Its name."""
        return self.parameter.name

    def check(self, value: DataValue) -> DataValue:
        """Return `value` in the parameter's type.

        Raises:
            BadArgument: It has another type, or is out of range.
        """
        checked = self.parameter.check(int(value) if isinstance(value, bool) else value)
        return bool(checked) if self.type == "bool" else checked


@dataclass(frozen=True, slots=True)
class Template:
    """A class of leaves: what they read, write and can be set.

    Source: AMSA, section 2.1.
    """

    name: str
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    parameters: tuple[TypedParameter, ...] = ()
    span: Span = NOWHERE

    def parameter(self, name: str) -> TypedParameter | None:
        """Return the parameter of this name, None if there is none."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


@dataclass(frozen=True, slots=True)
class DataLink:
    """A port and the data that it reads or writes."""

    port: str
    data: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value given to a parameter, or to data as its initial value."""

    name: str
    value: DataValue
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class InterfacePort:
    """An interface that a component provides or requires: a promise between components, which carries no data.

    Attributes:
        name: Of the interface.
        provider: Component whose interface is required, "" = it is provided, or nobody is chosen yet.
    """

    name: str
    provider: str = ""
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Leaf:
    """An instance of a template, stepped at its own frequency.

    Attributes:
        rate: Frequency, exact [Hz].
        reads: Data of each input.
        writes: Data of the outputs; one without data is not seen by anybody.
        settings: Values of parameters that differ from the template's.
        priority: Of two leaves in a loop the one with the larger number runs first.
        provides: Interfaces that others may require.
        requires: Interfaces of others.
    """

    name: str
    template: Template
    kind: LeafKind
    rate: Fraction = DEFAULT_RATE
    reads: tuple[DataLink, ...] = ()
    writes: tuple[DataLink, ...] = ()
    settings: tuple[NamedValue, ...] = ()
    priority: int = 0
    span: Span = NOWHERE
    provides: tuple[InterfacePort, ...] = field(default=(), repr=False)
    requires: tuple[InterfacePort, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Composite:
    """Components that belong together.

    Attributes:
        order: Parts in the order in which they run; where the data go the other way, they arrive a step later.
        auto_scheduling: Whether the order follows from the data; else all parts run by priority, then as written.
        provides: Interfaces that others may require.
        requires: Interfaces of others.
    """

    name: str
    parts: "tuple[Leaf | Composite, ...]" = ()
    order: tuple[str, ...] = ()
    auto_scheduling: bool = True
    priority: int = 0
    span: Span = NOWHERE
    provides: tuple[InterfacePort, ...] = field(default=(), repr=False)
    requires: tuple[InterfacePort, ...] = field(default=(), repr=False)

    def leaves(self) -> Iterator[Leaf]:
        """Go through all leaves, in the order in which they are written."""
        for part in self.parts:
            if isinstance(part, Leaf):
                yield part
            else:
                yield from part.leaves()

    def composites(self) -> "Iterator[Composite]":
        """Go through this composite and all inside it."""
        yield self
        for part in self.parts:
            if isinstance(part, Composite):
                yield from part.composites()


@dataclass(frozen=True, slots=True)
class Alias:
    """A name by which scenarios may call the parameter of one leaf."""

    name: str
    leaf: str
    parameter: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measure of a system: data, and the value that they should have.

    Attributes:
        measures: Names of the figures by which runs are compared, the smallest of each being best; () = the usual ones.
    """

    data: str
    reference: float
    span: Span = NOWHERE
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemModel:
    """A whole system; the composite `root` contains everything.

    Attributes:
        initial: Values of data before anything was produced, where they are not 0.
    """

    root: Composite
    initial: tuple[NamedValue, ...] = ()
    aliases: tuple[Alias, ...] = ()
    evaluation: Evaluation | None = None
    _by_name: dict[str, Leaf] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """Name of the root."""
        return self.root.name

    @property
    def leaves(self) -> dict[str, Leaf]:
        """All leaves by name, in the order in which they are written."""
        if not self._by_name:
            self._by_name.update({leaf.name: leaf for leaf in self.root.leaves()})
        return self._by_name

    def producers(self) -> dict[str, tuple[Leaf, Port]]:
        """Return who writes each data, by the name of the data."""
        ends: dict[str, tuple[Leaf, Port]] = {}
        for end, link in _ends(self.root, "writes"):
            ends.setdefault(link.data, end)
        return ends

    def consumers(self) -> dict[str, list[tuple[Leaf, Port]]]:
        """Return who reads each data, by the name of the data."""
        readers: dict[str, list[tuple[Leaf, Port]]] = {name: [] for name in self.producers()}
        for end, link in _ends(self.root, "reads"):
            readers.setdefault(link.data, []).append(end)
        return readers


def _ends(root: Composite, side: str) -> Iterator[tuple[tuple[Leaf, Port], DataLink]]:
    for leaf in root.leaves():
        ports = {port.name: port for port in (leaf.template.outputs if side == "writes" else leaf.template.inputs)}
        for link in leaf.writes if side == "writes" else leaf.reads:
            if link.port in ports:
                yield (leaf, ports[link.port]), link
