"""Taking the newest commands at the beginning of a tick."""

from typing import Protocol

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels.sequence import KernelCall
from coopsim.simulation import command_kernel
from coopsim.simulation.simulation import Simulation
from coopsim.state import Layout
from coopsim.state.layout import STAMP, VALUES, TypeLayout
from coopsim.transport import Ring


class HoldsCommands(Protocol):
    """Holder of command rows that servers write: shared memory, or an array of this process."""

    def latch(self, generation: int, out: Floats) -> bool:
        """Copy the command rows of `generation` into `out`; False, `out` untouched, if there are none yet."""
        ...


class CommandLatch:
    """Fills the command rows from what the host wrote.

    After a reset a slot is void until its stamp changes, so that no robot drives on by a command from before.

    Args:
        simulation: Whose layout and resets count.
        rows: Where the host writes.
    """

    def __init__(self, simulation: Simulation, rows: HoldsCommands) -> None:
        self._simulation, self._rows = simulation, rows
        self._resets = simulation.resets
        self._layout = self._newest = simulation.layout
        self._void: dict[tuple[str, str], float] = {}
        self._spare = np.zeros(0)
        self._find_slots()

    def __call__(self, commands: Floats) -> None:
        """Fill `commands`; during a write the ones of the last tick hold."""
        simulation = self._simulation
        if simulation.layout.generation != self._layout.generation:
            self._layout = simulation.layout
            self._find_slots()
        taken = self._copy(commands)
        if simulation.resets != self._resets and taken:
            self._void_commands(commands)
        if self._void:
            self._blank(commands)

    @property
    def is_plain(self) -> bool:
        """Whether it does nothing but copy rows, as `calls` does."""
        is_calm = not self._void and self._simulation.resets == self._resets
        return is_calm and self._simulation.layout.generation == self._layout.generation

    def calls(self, commands: Floats) -> tuple[KernelCall, ...]:
        """Return what filling `commands` comes to while it is plain; nothing if Python must do it.

        The call expects that there are rows, and that the host is not writing at this moment.
        """
        if self._place is None or not self.is_plain:
            return ()
        arguments = self._place, np.empty_like(commands), commands
        return (KernelCall(command_kernel.copy_rows, arguments, expects=command_kernel.TAKEN),)

    def _copy(self, commands: Floats) -> bool:
        """Copy the rows there are; False if there are none yet."""
        if self._place is not None:
            if commands.size != self._spare.size:
                self._spare = np.empty_like(commands)
            taken = command_kernel.copy_rows(self._place, self._spare, commands)
            if taken != command_kernel.BUSY:
                return taken == command_kernel.TAKEN
        return self._rows.latch(self._layout.generation, commands)  # it waits for whoever is writing

    def forget(self) -> None:
        """After an edit put everything back, count what was commanded up to now as void.

        Otherwise the first command after it, which the next tick latches, would be void as well.
        """
        newest, self._newest = self._newest, self._simulation.layout
        if self._simulation.resets == self._resets:
            return
        for layout in (newest, self._layout):  # other edits since the last tick may have changed the layout
            commands = np.zeros(layout.command_size)
            if self._rows.latch(layout.generation, commands):
                self._layout = layout
                self._find_slots()
                self._void_commands(commands)
                return

    def _void_commands(self, commands: Floats) -> None:
        self._resets = self._simulation.resets
        # by stamps: the first command after the reset has another one, and counts at once
        self._void = dict(zip(self._slots, commands[self._stamps].tolist(), strict=True))
        self._find_slots()

    def _find_slots(self) -> None:
        """Note where the slots of this generation begin, and which stamps are void."""
        self._place = command_kernel.rows_address(self._rows, self._layout) if isinstance(self._rows, Ring) else None
        starts = slots(self._layout)
        self._slots = list(starts)
        self._stamps = np.array([begin + STAMP for begin, _ in starts.values()], np.int64)
        widths = np.array([width for _, width in starts.values()], np.int64)
        self._slot_of = np.repeat(np.arange(len(starts)), widths)
        self._columns = np.concatenate([np.arange(b, b + w) for b, w in starts.values()] or [np.zeros(0, np.int64)])
        self._void_stamps = np.array([self._void.get(key, np.nan) for key in self._slots])

    def _blank(self, commands: Floats) -> None:
        void = commands[self._stamps] == self._void_stamps
        # all slots were commanded anew: from here on nothing is compared
        if not void.any():
            self._void = {}
            return
        stamps = commands[self._stamps]
        commands[self._columns[void[self._slot_of]]] = 0.0
        # stamps stay, else a void slot would look like one that was commanded
        commands[self._stamps] = stamps


def slots(layout: Layout) -> dict[tuple[str, str], tuple[int, int]]:
    """Return begin and width of every command slot in the flat vector, by robot and module."""
    slots_of_types = {kind.name: _slots_of_type(kind) for kind in layout.types}
    return {
        (place.name, module): (place.command_offset + offset, width)
        for place in layout.robots
        for module, offset, width in slots_of_types[place.type.name]
    }


def _slots_of_type(kind: TypeLayout) -> list[tuple[str, int, int]]:
    """Return module, first column and width of every command slot in the command row of a robot."""
    return [
        (module.name, module.command_offset, VALUES + module.interface.setting_width)
        for module in kind.modules
        if module.command_offset >= 0
    ]
