"""Arrays of a batch by name: readings, commands and parameters of modules, as views into the memory of all worlds."""

import numpy as np
from numpy.typing import ArrayLike

from coopsim.errors import NoSuchName
from coopsim.features.learning.arena import Arena
from coopsim.features.learning.template import WorldTemplate
from coopsim.geometry import Floats
from coopsim.simulation.tables import TypeTable
from coopsim.state.layout import NUMBER, STAMP, VALUES


class BatchArrays:
    """Finds what modules of robots have in all worlds.

    Args:
        template: What a world is.
        arena: Of all worlds.
    """

    def __init__(self, template: WorldTemplate, arena: Arena) -> None:
        self._template, self._arena = template, arena

    def readings(self, module: str, kind: str = "") -> Floats:
        """Return what a module of all robots of a type reads, a view, shape (count, robots, width).

        Args:
            module: Its name.
            kind: The type of the robots; "" = the only one that has it.

        Raises:
            NoSuchName: No type, or more than one, has it.
        """
        block = self._block_with(module, kind)
        layout = block.layout.module(module)
        assert layout is not None  # noqa: S101 - the block was found by it
        return self._arena.of_all(block.out(layout))

    def slots(self, module: str, kind: str = "") -> Floats:
        """Return the commands of a module of all robots of a type: stamp, number, values, a view, as `readings`.

        Raises:
            NoSuchName: No type, or more than one, has it, or it takes no commands.
        """
        block = self._block_with(module, kind)
        layout = block.layout.module(module)
        if layout is None or layout.command_offset < 0:
            raise NoSuchName(f"{module} takes no commands")
        return self._arena.of_all(block.slot(layout))

    def parameter(self, module: str, name: str, kind: str = "") -> Floats:
        """Return a parameter of a module of all robots of a type, a view, shape (count, robots).

        What is written there counts until the next reset of a world, and no recording of it knows.

        Raises:
            NoSuchName: No type, or more than one, has the module, or it has no such number.
        """
        column = self._block_with(module, kind).devices[module].parameters.get(name)
        if column is None or column.dtype != np.float64 or self._template.word_of(column) < 0:
            raise NoSuchName(f"{module} has no number {name!r} that a tick needs")
        return self._arena.of_all(column)

    def command(self, module: str, number: int, values: ArrayLike, kind: str = "") -> None:
        """Command all robots of a type.

        Args:
            module: Name of the module.
            number: Of the command within its interface.
            values: Shape (count, robots, width), or what broadcasts to it.
            kind: As of `readings`.
        """
        slots = self.slots(module, kind)
        slots[..., STAMP] += 1.0
        slots[..., NUMBER] = number
        slots[..., VALUES:] = values

    def has(self, module: str) -> bool:
        """Return whether all robots are of types that have a module, and there is one type alone."""
        blocks = self._template.simulation.tables.blocks
        return len(blocks) == 1 and blocks[0].layout.module(module) is not None

    def number_of(self, module: str, command: str, kind: str = "") -> int:
        """Return the number of a command that a tick takes.

        Raises:
            NoSuchName: No type, or more than one, has the module.
            NoSuchCommand: It has no such command.
        """
        layout = self._block_with(module, kind).layout.module(module)
        assert layout is not None  # noqa: S101 - as above
        return layout.interface.command(command).number

    @property
    def targets(self) -> Floats:
        """X and y of the targets, shape (worlds, targets, 2) [m]; those of the file where no robot looks for them."""
        positions = self._template.simulation.world.target_positions
        count = len(self._arena.words)
        if self._template.word_of(positions) < 0 or not positions.size:
            return np.repeat(positions[np.newaxis, :, :2], count, axis=0)
        return self._arena.of_all(positions)[..., :2]

    def _block_with(self, module: str, kind: str) -> TypeTable:
        blocks = self._template.simulation.tables.blocks
        having = [
            block for block in blocks if block.layout.module(module) is not None and kind in ("", block.blueprint.name)
        ]
        if len(having) != 1:
            kinds = ", ".join(block.blueprint.name for block in having) or "no type of robots"
            raise NoSuchName(f"{kinds} in {self._template.file} has a module {module!r}; name one type that does")
        return having[0]
