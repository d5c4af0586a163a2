"""The loop that every source of records runs in: from the launcher's start to its stop, with answers for the host."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias, assert_never

from coopsim.errors import CoopsimError
from coopsim.state import Layout, Record
from coopsim.state.edits import AnyEdit, EditResult
from coopsim.transport.channel import Channel
from coopsim.transport.control import (
    Answer,
    Configure,
    EditRequest,
    Halt,
    HostToSource,
    LauncherToSource,
    ProcessFailed,
    Ready,
    RecordFrom,
    RecordNoMore,
    SourceSummary,
    SourceToHost,
    SourceToLauncher,
    Start,
    Stop,
)
from coopsim.transport.last_words import leave_words

HostChannel: TypeAlias = Channel[SourceToHost, HostToSource]
LauncherChannel: TypeAlias = Channel[SourceToLauncher, LauncherToSource]


class SourceProcess(ABC):
    """Common part of the physics process and the playback.

    Args:
        host: Control channel: edits in, answers and facts out.
        launcher: Control channel: start, stop and record in, the summary out.
        clock: Monotonic real time [ns].
    """

    def __init__(
        self, host: HostChannel, launcher: LauncherChannel, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._host, self._launcher, self._clock = host, launcher, clock
        self._started = self._stopped = False

    def run(self) -> None:
        """Run until the launcher says stop or is gone."""
        while not self._started and not self._stopped:
            self._wait()
            self.serve()
        began = self._clock()
        self._work()
        self._launcher.send(self._summary((self._clock() - began) * 1e-9))
        self._host.close()
        while self._launcher.pending and not self._launcher.closed:
            self._launcher.flush()

    def serve(self) -> None:
        """Obey the launcher; carry out and answer the edits of the host."""
        # read in this order: what the launcher said before it let the host load a scene is about the scene before
        requests = self._host.receive()
        for message in self._launcher.receive():
            self._handle(message)
        for request in requests:
            self._edit(request)
        for channel in (self._launcher, self._host):
            channel.flush()
            self._stopped |= channel.closed

    @abstractmethod
    def _wait(self) -> None:
        """Wait for a message."""

    @abstractmethod
    def _work(self) -> None:
        """Write records until the launcher says stop, and a last one."""

    @abstractmethod
    def _carry_out(self, edit: AnyEdit) -> EditResult:
        """Do what the host asks for.

        Raises:
            CoopsimError: It cannot be done.
        """

    @abstractmethod
    def _halt(self) -> None:
        """Let time stand still: the run is over, and stays."""

    @abstractmethod
    def _record(self, *, is_wanted: bool) -> None:
        """Begin, or end, to be recorded."""

    @property
    @abstractmethod
    def now(self) -> tuple[Layout, Record]:
        """The newest record and its layout."""

    @property
    def _tick(self) -> int:
        return self.now[1].tick

    def _begin(self) -> None:
        """Start the time."""
        self._started = True

    def _handle(self, message: LauncherToSource) -> None:
        match message:
            case Start():
                self._begin()
            case Stop():
                self._stopped = True
            case Halt():
                self._halt()
            case RecordFrom() | RecordNoMore():
                self._record(is_wanted=isinstance(message, RecordFrom))
            case Configure():
                pass  # read before the source was made
            case _:
                assert_never(message)

    def _edit(self, request: EditRequest) -> None:
        try:
            result = self._carry_out(request.edit)
        except CoopsimError as problem:
            self._answer(request.id, EditResult(), problem)
        else:
            self._settle(request, result)

    def _settle(self, request: EditRequest, result: EditResult) -> None:
        """Answer an edit that was carried out."""
        self._answer(request.id, result)

    def _answer(self, request: int, result: EditResult, problem: CoopsimError | None = None) -> None:
        self._host.send(Answer.of(request, self._tick, result, problem))

    def _summary(self, wall_time: float) -> SourceSummary:
        return SourceSummary.of(*self.now, wall_time)


def run_source(make: Callable[[], SourceProcess], launcher: LauncherChannel) -> int:
    """Make a source of records and run it; return the exit code of its process.

    Args:
        make: Returns the source.
        launcher: Gets a message when it is ready, or why it cannot go on.
    """
    try:
        process = make()
        launcher.send(Ready())
        process.run()
    except CoopsimError as problem:
        leave_words(problem)
        launcher.send(ProcessFailed.of(problem))
        return 1
    return 0
