"""Does again what a recording says was done: the same edits and commands, tick by tick."""

from dataclasses import replace

from coopsim.errors import BadArgument, DamagedRecording
from coopsim.geometry import Floats
from coopsim.recording import RecordBlock
from coopsim.robots import RunSpec
from coopsim.robots.sound import check_devices
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore
from coopsim.state.edits import AnyEdit, AppliedEdit, SceneEdit, UnknownEdit


class Rerun:
    """A simulation that follows the records of a file.

    Args:
        spec: What was run.

    Attributes:
        simulation: As far as it has come.
        happened: Timed events of the last tick that was followed.
    """

    def __init__(self, spec: RunSpec) -> None:
        check_devices(spec.types)
        self.simulation = Simulation(spec)
        self._commands: Floats = self.simulation.commands
        self.simulation.latch = self._latch
        self.happened: list[AppliedEdit] = []

    def begin(self, state: bytes, generation: int | None = None) -> None:
        """Go on from a key frame; snapshots that were taken before are kept.

        Args:
            state: The key frame.
            generation: Of the layout there; None = not compared.

        Raises:
            BadFile: It is none, or of another engine or version.
        """
        restore(self.simulation, state)
        if generation is not None:
            self.simulation.layout = replace(self.simulation.layout, generation=generation)

    def follow(self, block: RecordBlock, row: int) -> bool:
        """Do what led to one record; return whether that was a tick.

        Raises:
            DamagedRecording: The record does not follow the last one.
            CoopsimError: An edit cannot be done again.
        """
        simulation, self.happened = self.simulation, []
        for applied in block.edits.get(row, ()):
            if not applied.is_event:  # timed events come by themselves
                self.edit(applied.edit)
        if int(block.ticks[row]) == simulation.tick_count:
            return False
        self.tick(block, row)
        return True

    def tick(self, block: RecordBlock, row: int) -> None:
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

    def edit(self, edit: AnyEdit) -> None:
        """Do one edit again; one that only says when ticks are done changes nothing.

        Raises:
            CoopsimError: It cannot be done.
        """
        if isinstance(edit, SceneEdit):
            apply(self.simulation, edit)
        elif isinstance(edit, UnknownEdit):
            raise BadArgument(f"this version of coopsim knows no edit {edit.called!r}")

    def _latch(self, commands: Floats) -> None:
        if commands.shape != self._commands.shape:
            text = f"the recording has {self._commands.size} command columns, the simulation {commands.size}"
            raise DamagedRecording(text)
        commands[:] = self._commands
