"""Base of the built-in devices: their number parameters are rows of one table."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.calls import AnsweringWorld, CallableWorld, DeviceCalls, perform
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.errors import NoSuchCommand
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Interface, number_names


class ArrayDevice:
    """A device whose numbers fill one table, so that one argument carries all of them into a kernel.

    A subclass has `act_calls` and `sense_calls`, and the methods follow; or it has the methods.

    Attributes:
        numbers: Names of the parameters in the table, by row: all numbers of the interface (`interfaces.columns`).
        table: Values, shape (parameters, n).
        parameters: The changeable ones: rows of the table, or objects for text, shape (n,) each.
        rows: Rows of the robots among the bodies, shape (n,).
        keys: What makes each one's noise its own, shape (n,).
        memory: Arrays by name, see `Device`.
        signals: Those that the interface declares, by name.
        is_stale: Whether a parameter changed since the device last looked; what it derives from them is to be renewed.
    """

    interface: ClassVar[Interface]
    numbers: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        """Find the numbers of the interface, once there is one."""
        super().__init_subclass__(**more)
        interface = getattr(cls, "interface", None)
        if isinstance(interface, Interface):
            cls.numbers = number_names(interface)

    def __init__(self, context: DeviceContext) -> None:
        n = len(context.robots)
        self.rows: Ints = np.ascontiguousarray(context.rows, np.int64)
        self.keys: NDArray[np.uint64] = np.ascontiguousarray(context.keys, np.uint64)
        self.table: Floats = np.empty((len(self.numbers), n))
        self.table[:] = np.array([float(context.settings[name]) for name in self.numbers])[:, np.newaxis]
        self.parameters: dict[str, NDArray[np.float64] | NDArray[np.object_]] = {}
        for parameter in self.interface.parameters:
            if not parameter.fixed:
                self.parameters[parameter.name] = (
                    np.full(n, context.settings[parameter.name], object)
                    if parameter.kind is str
                    else self.column(parameter.name)
                )
        self.memory: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self.labels: tuple[str, ...] = ()
        self.signals: Mapping[str, Floats] = {}
        self.is_stale = True

    def column(self, name: str) -> Floats:
        """Return the values of a number parameter, a view into the table, shape (n,)."""
        column: Floats = self.table[self.numbers.index(name)]
        return column

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Do what `act_calls` says."""
        perform(self.act_calls(commands, bodies, wrench, dt), 0)

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls | None:
        """Return that a sensor has no forces."""
        return DeviceCalls(())

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the readings after the step, as `sense_calls` says."""
        perform(self.sense_calls(AnsweringWorld(world), out), tick)

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None where there is the method alone."""
        return None

    def edit(self, row: int, command: int, data: Sequence[float]) -> None:
        """Refuse: there are no commands of this sort.

        Raises:
            NoSuchCommand: Always.
        """
        raise NoSuchCommand(f"{self.interface.kind} has no command {command} that physics carries out")

    def changed(self, row: int, name: str) -> None:
        """Handle a changed parameter of one robot."""
        self.is_stale = True
