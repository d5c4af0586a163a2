"""Runs that a script of another simulator begins: in its own process, or in processes that also show them."""

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.inprocess import DirectSource
from coopsim.interpreter import module_command
from coopsim.memory import collect_seldom, uncollected
from coopsim.robots import load
from coopsim.simulation import Simulation, warming
from coopsim.simulation.keyframes import KeyFrames
from coopsim.state import Layout, Record

if TYPE_CHECKING:  # imported where they are needed: a run that nobody else sees begins sooner without them
    from coopsim.client import Client
    from coopsim.recording import Writer

_MOST_WAITING = 128  # records, as many as a message of a recording has at most
_LONGEST_WAIT = 0.5  # s; with the second of the writer itself, what a kill may lose


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

    def begin(self, write: Callable[[Path], Path]) -> "Client":
        """Begin a run, after the end of the one before; return a client of it.

        Args:
            write: Writes the scenario and its files into a folder; returns its path.

        Raises:
            NoReply: The run did not start.
            BadFile: The scenario has mistakes.
            CannotRecord: The recording exists or cannot be written.
        """
        from coopsim.client import connect
        from coopsim.inprocess import LocalServer

        scenario, record = self._next(write)
        with self._ended_by_problems():
            if self._options.is_shown:
                return self._stack.enter_context(connect(self._process(scenario, record)))
            simulation, published = self._simulated(scenario, record)
            server = LocalServer(simulation, published=published, is_hashed=record is not None)
            return self._stack.enter_context(server.connect())

    def begin_alone(self, write: Callable[[Path], Path], *, keeps_texts: bool = True) -> DirectSource:
        """Begin a run that nobody else drives or sees, in this process; return what ticks.

        Args:
            write: Writes the scenario and its files into a folder; returns its path.
            keeps_texts: Whether a recording has its files, which are read a second time then. In any case it has the
                run itself, which says the same.

        Raises:
            BadFile: The scenario has mistakes.
            CannotRecord: The recording exists or cannot be written.
        """
        scenario, record = self._next(write)
        with self._ended_by_problems(), uncollected():
            simulation, published = self._simulated(scenario, record, keeps_texts=keeps_texts)
            source = DirectSource(simulation, published=published, is_hashed=record is not None)
            collect_seldom()  # all of this stays
            return source

    def _next(self, write: Callable[[Path], Path]) -> tuple[Path, Path | None]:
        """End the run before; return the scenario and the recording of the next one."""
        self.end()
        self._count += 1
        scenario = write(Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-others-"))))
        record = self._options.record
        if record is not None:
            record = record if self._count == 1 else record.with_stem(f"{record.stem}-{self._count}")
            self.recorded.append(record)
        return scenario, record

    @contextlib.contextmanager
    def _ended_by_problems(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.end()
            raise

    def _simulated(
        self, scenario: Path, record: Path | None, *, keeps_texts: bool = True
    ) -> tuple[Simulation, Callable[[Record], object]]:
        """Return a simulation in this process, and what is to be called with its records."""
        spec = load(scenario)
        warming.leave_out()
        simulation = Simulation(spec)
        if record is None:
            return simulation, _keep_nothing
        from coopsim.recording import Writer
        from coopsim.replay.about import BEGINS_RUN, attachments, metadata
        from coopsim.replay.places import make_way
        from coopsim.replay.run_json import RUN, spec_to_json

        if self._options.overwrite:
            make_way(record)
        about = {**metadata(spec, {}), "begins": BEGINS_RUN}
        texts = attachments(spec, {}) if keeps_texts else {RUN: spec_to_json(spec)}
        writer = self._stack.enter_context(Writer(record, metadata=about, attachments=texts))
        return simulation, self._stack.enter_context(_RecordedTicks(simulation, writer)).keep

    def _process(self, scenario: Path, record: Path | None) -> str:
        from coopsim.features.beginnings.own_run import awaited_endpoint, end_run

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


def _keep_nothing(_: Record) -> None:
    pass


class _RecordedTicks:
    """Records of a simulation in this process, on their way into a file.

    A thread writes them, many at a time: compressing goes on while the next ticks are done.

    Args:
        simulation: What is recorded.
        writer: Writes; a context of its own, entered before this one.
    """

    def __init__(self, simulation: Simulation, writer: "Writer") -> None:
        self._simulation, self._writer = simulation, writer
        self._frames, self._generation = KeyFrames(), -1
        self._waiting: list[Layout | tuple[Record, bytes]] = []
        self._thread = ThreadPoolExecutor(1)
        self._written: Future[None] | None = None
        self._due = time.monotonic() + _LONGEST_WAIT

    def keep(self, record: Record) -> None:
        """Have a record written, with a key frame where one is due.

        Raises:
            CannotRecord: An earlier one could not be written.
        """
        layout = self._simulation.layout
        if layout.generation != self._generation:
            self._generation = layout.generation
            self._waiting.append(layout)
        self._waiting.append((record, self._frames.next(self._simulation)))
        if len(self._waiting) >= _MOST_WAITING or time.monotonic() >= self._due:
            self._hand_over()

    def _hand_over(self) -> None:
        """Have the thread write what waits; wait for it to end with what came before."""
        if self._written is not None:
            self._written.result()
        waiting, self._waiting = self._waiting, []
        self._written = self._thread.submit(self._write, waiting)
        self._due = time.monotonic() + _LONGEST_WAIT

    def _write(self, waiting: list[Layout | tuple[Record, bytes]]) -> None:
        for entry in waiting:
            if isinstance(entry, Layout):
                self._writer.layout(entry)
            else:
                self._writer.write(*entry)

    def __enter__(self) -> "_RecordedTicks":
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until all is written."""
        try:
            self._hand_over()
            if self._written is not None:
                self._written.result()
        finally:
            self._thread.shutdown()
