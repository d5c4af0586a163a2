"""Parameters of a control law that others may change while it drives."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from coopsim.client import Client, Module
from coopsim.interfaces import Parameter

Law = TypeVar("Law")


class Tuned(Generic[Law]):
    """A law's numbers as parameters of a module `/robot1/orca`, of its first robot and its name.

    Args:
        name: Of the law.
        law: Its parameters as they begin, a frozen dataclass.
        parameters: As it declares them; texts are not offered.
        every: Ticks from one look at the parameters to the next.
    """

    def __init__(self, name: str, law: Law, parameters: Sequence[Parameter], every: int = 10) -> None:
        self._name, self._law, self._every = name, law, every
        self._parameters = [parameter for parameter in parameters if parameter.kind is not str]
        self._module: Module | None = None
        self._asked = 0

    def offer(self, sim: Client, robots: Sequence[str]) -> None:
        """Offer the parameters as they are now, under the name of the first robot."""
        now = [
            dataclasses.replace(parameter, default=getattr(self._law, parameter.name)) for parameter in self._parameters
        ]
        self._module = sim.offer(f"/{robots[0]}/{self._name}", {}, now, summary=f"{self._name} drives {len(robots)}")
        self._asked = 0

    def at(self, tick: int) -> Law:
        """Return the law as it is to be at a tick, the same one until it changes; it is asked for now and then."""
        if self._module is not None and tick >= self._asked + self._every:
            self._asked = tick
            values = self._module.settings()
            chosen: dict[str, Any] = {
                parameter.name: parameter.kind(value) for parameter, value in zip(self._parameters, values, strict=True)
            }
            if any(getattr(self._law, name) != value for name, value in chosen.items()):
                self._law = dataclasses.replace(self._law, **chosen)  # type: ignore[type-var]
        return self._law
