"""The modules of leaves and data of a system: what clients see of them; the system itself does the work."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.errors import BadFile
from coopsim.features.amsa.components.faces import DATA, LEAF, SHOWN, leaf_interface
from coopsim.geometry import Floats
from coopsim.interfaces import Value

if TYPE_CHECKING:
    from coopsim.features.amsa.devices.component_system import ComponentSystem

SYSTEM_MODULE = "system"
"""Name of the module of a system on its robot."""


class LeafFace(ArrayDevice):
    """A leaf: its outputs, whether it steps, and its parameters."""

    interface = LEAF

    @classmethod
    def for_settings(cls, settings: Mapping[str, Value]) -> "type[LeafFace]":
        """Return the type of device whose interface is that of a leaf."""
        return type(cls.__name__, (cls,), {"interface": leaf_interface(settings)})

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self._system, name = _system(context), str(context.settings[SHOWN])
        self._system.add_face(name, self)
        self._place = self._system.order.index(name)
        leaves = self._system.model.leaves
        self._seen = -1
        self._begin = sum(len(leaves[name].template.outputs) for name in self._system.order[: self._place])

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the outputs, and whether it steps."""
        if self._seen == self._system.changes:
            return  # what it wrote last holds
        self._seen, last = self._system.changes, out.shape[1] - 1
        out[:, :last] = self._system.values[:, self._begin : self._begin + last]
        out[:, last] = self._system.running[:, self._place] > 0.0

    def changed(self, row: int, name: str) -> None:
        """Have the system take the value."""
        self._system.renew_parameters()


class DataFace(ArrayDevice):
    """Data: the newest value, and whether a client writes it."""

    interface = DATA

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self._system = _system(context)
        self._slot, self._seen = self._system.slots[str(context.settings[SHOWN])], -1

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the value."""
        if self._seen == self._system.changes:
            return  # what it wrote last holds
        self._seen = self._system.changes
        out[:, 0] = self._system.values[:, self._slot]
        out[:, 1] = self._system.written[:, self._slot]


def _system(context: DeviceContext) -> "ComponentSystem":
    sibling = context.siblings.get(SYSTEM_MODULE)
    if sibling is None:
        raise BadFile("leaves and data are made by a section [SYSTEM_n] of a scenario, not by a .robot file")
    return cast("ComponentSystem", sibling)
