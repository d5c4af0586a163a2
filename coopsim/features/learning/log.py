"""Log of a world's commands, from which its episode is done again alone and becomes an ordinary recording."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from coopsim.errors import CannotRecord
from coopsim.geometry import Floats
from coopsim.inprocess import DirectSource
from coopsim.recording import Writer
from coopsim.replay.about import attachments, chosen, metadata
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.simulation.keyframes import KeyFrames
from coopsim.state import Layout, Record


class CommandLog:
    """Commands of one episode: for how many ticks which of them held."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, Floats]] = []

    def add(self, ticks: int, commands: Floats) -> None:
        """Note commands that hold for some ticks."""
        self._entries.append((ticks, commands.copy()))

    def __iter__(self) -> Iterator[Floats]:
        for ticks, commands in self._entries:
            yield from (commands for _ in range(ticks))


def run_again(simulation: Simulation, log: CommandLog) -> None:
    """Make the ticks of an episode in a simulation that has made none."""
    for commands in log:
        simulation.commands[:] = commands
        simulation.tick()


def save(path: str | Path, spec: RunSpec, log: CommandLog, state_hash: bytes) -> None:
    """Do an episode again alone and write its recording.

    Args:
        path: Of the new file.
        spec: The episode as a scenario.
        log: Its commands.
        state_hash: Of the world as it is now.

    Raises:
        CannotRecord: The file cannot be written, or the episode went another way when it was done again.
    """
    simulation = Simulation(spec)
    texts = attachments(spec)
    with Writer(Path(path), metadata={**metadata(spec, {}), **chosen(texts, spec)}, attachments=texts) as writer:
        frames, layouts = KeyFrames(), list[Layout]()

        def write(record: Record) -> None:
            if not layouts or layouts[-1] is not simulation.layout:
                layouts.append(simulation.layout)
                writer.layout(simulation.layout)
            writer.write(record, frames.next(simulation))

        source = DirectSource(simulation, published=write)
        for commands in log:
            with source.writing() as (_, rows):
                np.copyto(rows, commands)
            source.grant_tick()
            source.work()
    if simulation.state_hash() != state_hash:
        raise CannotRecord(
            f"{path}: the world and its episode run alone have different states, so this would not be its recording"
        )
