"""Modules that connected programs offer, by name: who offers it, what was told last and what was told before.

A message is in force from the next tick, as a command is, so that it does not matter who asks first within a tick.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from coopsim.errors import BadArgument, NoSuchName, OwnedByAnother
from coopsim.interfaces import Interface, Value
from coopsim.interfaces.offered import values_of
from coopsim.state import Record

MOST_OFFERS = 100  # modules of programs in one run; each adds columns to every record


class Offerer(Protocol):
    """Owner of a connection; `is_gone` says whether that is over."""

    is_gone: bool


@dataclass(frozen=True, slots=True)
class Told:
    """Values that a program told, and when.

    Attributes:
        values: By name.
        count: How often something was told so far.
        tick: After which it was told; it is in force from the next one.
        time: Simulated time then [s].
    """

    values: dict[str, Value]
    count: int = 0
    tick: int = -1
    time: float = 0.0


@dataclass(slots=True)
class Offer:
    """A module that a program offers.

    Attributes:
        owner: Its connection.
        interface: What it understands.
        settings: Its parameters now.
    """

    owner: Offerer
    interface: Interface
    settings: dict[str, Value] = field(default_factory=dict)
    _last: Told = field(init=False)
    _before: Told = field(init=False)

    def __post_init__(self) -> None:
        """Begin with zeros and empty texts."""
        nothing: dict[str, Value] = {value.name: 0.0 if value.unit else "" for value in values_of(self.interface)}
        self._last = self._before = Told(nothing)
        self.settings = {parameter.name: parameter.default for parameter in self.interface.parameters}

    @property
    def count(self) -> int:
        """Number of values told so far."""
        return self._last.count

    def add(self, values: dict[str, Value], record: Record) -> None:
        """Take in a message that is in force from the tick after `record` on."""
        if self._last.tick < record.tick:
            self._before = self._last
        self._last = Told(values, self._last.count + 1, record.tick, record.time)

    def message_at(self, record: Record) -> Told:
        """Return the message in force at a record."""
        return self._last if self._last.tick < record.tick or record.tick < self._before.tick else self._before


class Offers:
    """Offered modules by name; those of connections that are over are forgotten.

    Args:
        withdrawn: Called with the name of each module that goes.

    Attributes:
        version: Grows whenever a name comes or goes.
    """

    def __init__(self, withdrawn: Callable[[str], object] = lambda _: None) -> None:
        self.version = 0
        self._withdrawn = withdrawn
        self._offers: dict[str, Offer] = {}

    def offer(self, name: str, owner: Offerer, interface: Interface) -> Offer:
        """Take in a module; the same connection may offer it anew.

        Raises:
            OwnedByAnother: Another connection offers it.
            BadArgument: There are too many.
        """
        present = self.find(name)
        if present is not None and present.owner is not owner:
            raise OwnedByAnother(f"{name} is offered by another program").bring(name, "another connection")
        if present is None and len(self._offers) >= MOST_OFFERS:
            raise BadArgument(f"{MOST_OFFERS} modules are offered already")
        self.version += 1
        offer = self._offers[name] = Offer(owner, interface)
        return offer

    def withdraw(self, name: str, owner: Offerer) -> None:
        """Forget a module.

        Raises:
            NoSuchName: It is not offered.
            OwnedByAnother: Another connection offers it.
        """
        present = self.find(name)
        if present is None:
            raise NoSuchName(f"{name[:80]!r} is not offered").bring(name)
        if present.owner is not owner:
            raise OwnedByAnother(f"{name} is offered by another program").bring(name, "another connection")
        self._forget(name)

    def find(self, name: str) -> Offer | None:
        """Return the module of this name, None if it is not offered."""
        return self._offers.get(name)

    def lost(self, owner: Offerer) -> None:
        """Forget what a connection that is over offered."""
        for name in [name for name, offer in self._offers.items() if offer.owner is owner]:
            self._forget(name)

    def names(self) -> list[str]:
        """Return all names."""
        return list(self._offers)

    def _forget(self, name: str) -> None:
        del self._offers[name]
        self.version += 1
        self._withdrawn(name)
