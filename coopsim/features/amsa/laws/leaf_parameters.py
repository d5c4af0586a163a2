"""Parameters of leaves that step in a client: modules that others change, `/rover/MyFollowerController`."""

from collections.abc import Sequence
from dataclasses import replace

from coopsim.client import Client, Module
from coopsim.features.amsa.components import System
from coopsim.interfaces import Parameter, Value

_EVERY = 50
"""Ticks from one look at the parameters to the next."""


class LeafParameters:
    """Offers the parameters of leaves, or takes those of the modules of these names that a run has already.

    Args:
        sim: The run.
        robot: Under whose name.
        system: Whose leaves.
        leaves: Names of those that step here.
    """

    def __init__(self, sim: Client, robot: str, system: System, leaves: Sequence[str]) -> None:
        self._system, self._looked = system, -float(_EVERY)
        names = set(sim.names(f"/{robot}/"))
        self._modules: dict[str, tuple[Module, list[str]]] = {}
        for leaf in leaves:
            declared = [parameter.parameter for parameter in system.model.leaves[leaf].template.parameters]
            if declared:
                name = f"/{robot}/{leaf}"
                module = sim.module(name) if name in names else self._offer(sim, name, leaf, declared)
                self._modules[leaf] = module, [parameter.name for parameter in declared]

    def _offer(self, sim: Client, name: str, leaf: str, declared: Sequence[Parameter]) -> Module:
        now = [
            replace(parameter, default=_plain(self._system.parameter(leaf, parameter.name))) for parameter in declared
        ]
        return sim.offer(name, {}, now, summary=f"leaf {leaf} of {self._system.model.name}, in a program of its own")

    def renew(self, tick: float) -> None:
        """Take the values over that others have set, now and then."""
        if 0 <= tick - self._looked < _EVERY:
            return
        self._looked = tick
        for leaf, (module, names) in self._modules.items():
            for name in names:
                self._system.set_parameter(leaf, name, module.get_parameter(name))


def _plain(value: Value | bool) -> Value:
    return int(value) if isinstance(value, bool) else value
