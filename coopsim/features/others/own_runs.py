"""Runs that a script of another simulator begins: in its own process, or in processes that also show them."""

import contextlib
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from coopsim.client import Client, connect
from coopsim.features.beginnings.own_run import awaited_endpoint, end_run
from coopsim.inprocess import LocalServer
from coopsim.interpreter import module_command
from coopsim.recording import Writer
from coopsim.replay.about import BEGINS_RUN, attachments, metadata
from coopsim.replay.places import make_way
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.keyframes import KeyFrames
from coopsim.state import Record


@dataclass(frozen=True, slots=True)
class ShownRun:
    """Options of a run: what is kept of it, and who sees it.

    Attributes:
        words: Options of `coopsim run` by which it is shown.
        is_shown: Whether there is a window or a page; without one it needs no processes of its own.
        record: Recording that it writes; of the second run its name ends in -2.
        overwrite: Whether that replaces an older one.
    """

    words: tuple[str, ...] = ()
    is_shown: bool = False
    record: Path | None = None
    overwrite: bool = False


class OwnRuns:
    """Runs of scenarios, one after the other; a context manager that ends the last one.

    Attributes:
        recorded: Files that were written.
    """

    def __init__(self, options: ShownRun) -> None:
        self._options = options
        self.recorded: list[Path] = []
        self._count = 0
        self._stack = contextlib.ExitStack()

    def begin(self, write: Callable[[Path], Path]) -> Client:
        """Begin a run, after the end of the one before; return a client of it.

        Args:
            write: Writes the scenario and its files into a folder; returns its path.

        Raises:
            NoReply: The run did not start.
            BadFile: The scenario has mistakes.
            CannotRecord: The recording exists or cannot be written.
        """
        self.end()
        self._count += 1
        scenario = write(Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-others-"))))
        record = self._options.record
        if record is not None:
            record = record if self._count == 1 else record.with_stem(f"{record.stem}-{self._count}")
            self.recorded.append(record)
        try:
            if self._options.is_shown:
                return self._stack.enter_context(connect(self._process(scenario, record)))
            return self._stack.enter_context(self._local(scenario, record))
        except BaseException:
            self.end()
            raise

    def _local(self, scenario: Path, record: Path | None) -> Client:
        spec = load(scenario)
        simulation = Simulation(spec)
        if record is None:
            return LocalServer(simulation, is_hashed=False).connect()
        if self._options.overwrite:
            make_way(record)
        about = {**metadata(spec, {}), "begins": BEGINS_RUN}
        writer = self._stack.enter_context(Writer(record, metadata=about, attachments=attachments(spec, {})))
        return LocalServer(simulation, published=_RecordedTicks(simulation, writer).keep).connect()

    def _process(self, scenario: Path, record: Path | None) -> str:
        ready = scenario.with_name("ready.json")
        words = ["run", str(scenario), "--quiet", "--no-controllers", "--port", "0", "--ready", str(ready)]
        words += self._options.words
        if record is not None:
            words += ["--record", str(record), *(["--overwrite"] if self._options.overwrite else [])]
        # a group of its own: Ctrl-C reaches the script, which ends the run in its turn
        process = subprocess.Popen(
            module_command("coopsim", *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._stack.callback(end_run, process)
        return awaited_endpoint(ready, lambda: process.poll() is not None)

    def end(self) -> None:
        """End the run, and close its recording."""
        self._stack.close()

    def __enter__(self) -> "OwnRuns":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class _RecordedTicks:
    """Records of a simulation in this process, on their way into a file."""

    def __init__(self, simulation: Simulation, writer: Writer) -> None:
        self._simulation, self._writer = simulation, writer
        self._frames, self._generation = KeyFrames(), -1

    def keep(self, record: Record) -> None:
        """Write a record, with a key frame where one is due."""
        layout = self._simulation.layout
        if layout.generation != self._generation:
            self._generation = layout.generation
            self._writer.layout(layout)
        self._writer.write(record, self._frames.next(self._simulation))
