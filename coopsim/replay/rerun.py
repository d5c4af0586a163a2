"""Does again what a recording says was done: the same edits and commands, tick by tick."""

from dataclasses import replace

from coopsim.errors import BadArgument, DamagedRecording
from coopsim.geometry import Floats
from coopsim.recording import Block
from coopsim.robots import RunSpec
from coopsim.robots.sound import check_devices
from coopsim.simulation import Simulation
from coopsim.simulation.edits import Edit, apply, is_known
from coopsim.simulation.snapshot import restore

PACE = frozenset({"pause", "continue", "step", "set_mode", "set_speed"})
"""Edits that change when ticks are done, not what they do."""


class Rerun:
    """A simulation that follows the records of a file.

    Args:
        spec: What was run.

    Attributes:
        simulation: As far as it has come.
        happened: Timed events of the last tick that was followed, as edits.
    """

    def __init__(self, spec: RunSpec) -> None:
        check_devices(spec.types)
        self.simulation = Simulation(spec)
        self._commands: Floats = self.simulation.commands
        self.simulation.latch = self._latch
        self.happened: list[Edit] = []

    def begin(self, state: bytes, generation: int | None = None) -> None:
        """Go on from a key frame; snapshots that were taken before are kept.

        Args:
            state: The key frame.
            generation: Of the layout there; None = nobody asks.

        Raises:
            BadFile: It is none, or of another engine or version.
        """
        restore(self.simulation, state)
        if generation is not None:
            self.simulation.layout = replace(self.simulation.layout, generation=generation)

    def follow(self, block: Block, row: int) -> bool:
        """Do what led to one record; return whether that was a tick.

        Raises:
            DamagedRecording: The record does not follow the last one.
            CoopsimError: An edit cannot be done again.
        """
        simulation, self.happened = self.simulation, []
        for edit in block.edits.get(row, ()):
            if "event" not in edit:  # timed events come by themselves
                self.edit(edit)
        if int(block.ticks[row]) == simulation.tick_count:
            return False
        self.tick(block, row)
        return True

    def tick(self, block: Block, row: int) -> None:
        """Do the tick of one record, without its edits.

        Raises:
            DamagedRecording: The record does not follow the last one.
        """
        simulation = self.simulation
        if int(block.ticks[row]) != simulation.tick_count + 1:
            raise DamagedRecording(f"tick {block.ticks[row]} comes where {simulation.tick_count + 1} was expected")
        self._commands = block.commands[row]
        simulation.tick()
        self.happened, simulation.happened = simulation.happened, []

    def edit(self, edit: Edit) -> None:
        """Do one edit again.

        Raises:
            CoopsimError: It cannot be done.
        """
        name = edit["edit"]
        if name == "set_step":
            self.simulation.set_step(edit["step"])
        elif is_known(name):
            apply(self.simulation, edit)
        elif name not in PACE:
            raise BadArgument(f"this version of coopsim knows no edit {name!r}")

    def _latch(self, commands: Floats) -> None:
        if commands.shape != self._commands.shape:
            text = f"the recording has {self._commands.size} command columns, the simulation {commands.size}"
            raise DamagedRecording(text)
        commands[:] = self._commands
