"""The recorder of a run, as the launcher sees it: started, watched and stopped while the run goes on."""

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, assert_never

from coopsim.errors import CannotRecord, CoopsimError, cure_line
from coopsim.launch.descriptors import ProcessLinks
from coopsim.launch.options import RunOptions
from coopsim.launch.programs import camera_command
from coopsim.launch.recording.foxglove_watch import FoxgloveReporter, FoxgloveWatch
from coopsim.launch.recording.info import RecordingInfo, asked_place, closing_loss, kept_text
from coopsim.launch.recording.phases import NEXT, Phase, RecordingEvent
from coopsim.launch.recording.process import RecorderProcess
from coopsim.replay.places import new_file
from coopsim.transport.control import (
    FoxgloveClosed,
    FoxgloveFailed,
    FoxgloveProgress,
    ImageChoice,
    ImagesFailed,
    OpenRecording,
    ProcessFailed,
    RecorderStatus,
    RecorderToLauncher,
    RecordFrom,
    RecordingAnswer,
    RecordingBegins,
    RecordingClosed,
    RecordingNews,
    RecordingOpened,
    RecordingRefused,
    RecordingStatus,
    RecordNoMore,
    StartRecording,
    Stop,
    StopRecording,
)

Answer: TypeAlias = Callable[[CoopsimError | None], None]
"""Called with the result of a request: None on success, else the error."""


class Recorders:
    """At most one recorder at a time, one after the other.

    A recording begins in four steps: the process opens the file; the source starts to record; it reports where in the
    ring that begins; the process begins there. `phases` has the table of what follows what.

    Args:
        links: Ring and channels of the run.
        start: Starts a recorder process; None = this run cannot be recorded.
        about: Asked when a recording begins.
        view: What people see.

    Attributes:
        status: Of the present recording, or of the last one: file, duration, ticks, size_bytes, gaps.
        has_begun: Whether a recording has begun since the start of the run.
        has_died: Whether a recorder ended unasked.
        has_failed: Whether a recording that had begun could not be written any more.
        foxglove: The file for Foxglove that is made from a recording in the end.
    """

    def __init__(
        self,
        links: ProcessLinks,
        start: Callable[[], RecorderProcess] | None,
        about: Callable[[], RecordingInfo],
        view: FoxgloveReporter,
    ) -> None:
        self._links, self._start, self._about, self._view = links, start, about, view
        self._phase = Phase.IDLE
        self._process: RecorderProcess | None = None
        self._path = Path()
        self._started: Answer | None = None
        self._stopped: Answer | None = None
        self._ready: set[str] = set()
        self._awaited_since: float | None = None
        self._has_complained = self._is_last = False
        self.status: dict[str, Any] = {}
        self.has_begun = self.has_died = self.has_failed = False
        self.foxglove = FoxgloveWatch(view)

    @property
    def is_recording(self) -> bool:
        """Whether a recording has begun and is not closed yet."""
        return self._phase.is_recording

    @property
    def is_active(self) -> bool:
        """Whether there is a recorder process."""
        return self._process is not None

    @property
    def pending(self) -> bool:
        """Whether something waits to be sent to it."""
        return self._process is not None and self._process.pending

    @property
    def progress(self) -> dict[str, Any]:
        """Progress of the present recording, and how long the run has been waiting for it [s]; {} = there is none."""
        if not self.is_recording:
            return {}
        since = self._awaited_since
        return self.status if since is None else {**self.status, "awaited": time.monotonic() - since}

    def _follow(self, event: RecordingEvent) -> Phase | None:
        """Go on to the phase that follows; return the one before, None where the event means nothing."""
        before = self._phase
        if event not in NEXT[before]:
            return None
        self._phase = NEXT[before][event]
        return before

    # requests

    def start(
        self,
        path: Path,
        answer: Answer,
        *,
        overwrite: bool = False,
        foxglove: bool = False,
        images: ImageChoice | None = None,
        is_from_start: bool = False,
    ) -> None:
        """Begin a recording; call `answer` when it has begun, or with the error.

        Args:
            path: Its file.
            answer: Called once.
            overwrite: Whether it may replace an older one.
            foxglove: Whether a file for Foxglove is made from it in the end.
            images: Which images of cameras it carries; None = none.
            is_from_start: Whether it begins with the run.
        """
        if self._start is None:
            answer(CannotRecord("what runs here is a recording already; only live runs are recorded"))
            return
        if self._process is not None:
            answer(CannotRecord(self._busy))
            return
        try:
            self._process = self._start()
        except CannotRecord as problem:
            answer(problem)
            return
        self._follow(RecordingEvent.STARTED)
        self._path, self._started, self._awaited_since, self.status = path, answer, None, {}
        self.foxglove.expect(path, is_wanted=foxglove)
        said, texts = self._about().said(is_from_start=is_from_start)
        self._process.send(OpenRecording(str(path), overwrite, foxglove, said, texts, images, camera_command()))

    def record_run(self, options: RunOptions, scenario: str, answer: Answer) -> None:
        """Begin the recording that the command line asks for."""
        if options.record is not None:
            path = new_file(options.record, scenario, datetime.now())
            more = {"overwrite": options.overwrite, "foxglove": options.foxglove, "is_from_start": True}
            self.start(path, answer, images=options.images, **more)

    @property
    def _busy(self) -> str:
        if self.foxglove.is_written:
            return f"{self.foxglove.file} is still being written; try again when that is done"
        return f"this run is being recorded already, to {self._path}; stop that first"

    def stop(self, answer: Answer | None = None, reason: str = "") -> None:
        """End the recording; call `answer` when the file is closed. Without one, the run ends."""
        self._is_last |= answer is None
        if self._process is None or self._follow(RecordingEvent.STOPPED) is None:
            if answer is not None:
                answer(CannotRecord("nothing is being recorded"))
            return
        self._stopped = answer
        self._answer_start(CannotRecord("the recording was stopped before it had begun"))
        self._process.stop(reason)

    def handle(self, request: StartRecording | StopRecording) -> None:
        """Carry out what a client asked the host for."""

        def answer(problem: CoopsimError | None) -> None:
            refusal = () if problem is None else (problem.code, str(problem))
            self._links.host.send(RecordingAnswer(request.id, self._status_message, *refusal))

        if isinstance(request, StopRecording):
            self.stop(answer)
            return
        try:
            path = asked_place(request.file, self._about().scenario)
        except CoopsimError as problem:
            answer(problem)
            return
        self.start(path, answer, foxglove=request.foxglove, images=request.images)

    def release(self) -> None:
        """Detach it from the source: what it does not read in time will be missing."""
        self._links.ring.detach_reader()

    # what the others say

    def awaited(self, *, is_awaited: bool) -> None:
        """Handle the source's message that the run waits for the recorder, or no longer."""
        self._awaited_since = time.monotonic() if is_awaited else None
        if is_awaited and not self._has_complained:
            self._has_complained = True
            self._view.complain(
                "the run waits for the recorder, which has read nothing for a while: is it stopped, or its disk slow?"
                "\n  `coopsim call /sim/recorder stop` ends the recording, Ctrl-C the run"
            )
        self._report()

    def ready(self, name: str) -> None:
        """Note that a process listens: `physics` or `host`."""
        self._ready.add(name)
        self._ask_source()
        self._report()

    def _ask_source(self) -> None:
        if "physics" in self._ready and self._follow(RecordingEvent.SOURCE_READY) is not None:
            self._links.physics.send(RecordFrom())

    def start_at(self, message: RecordingBegins | RecordingRefused) -> None:
        """Handle the source's answer: where the recording begins, or why it cannot."""
        event = RecordingEvent.REFUSED if isinstance(message, RecordingRefused) else RecordingEvent.PLACED
        if self._process is None or self._follow(event) is None:
            return
        if isinstance(message, RecordingRefused):
            self._refuse(message.exception)
            self._process.send(Stop("the source cannot be recorded"))
            return
        self._process.send(message)
        self.has_begun = True
        self._view.note(f"recording to {self._path}")
        self._answer_start(None)
        self._report()

    # what the recorder says

    def poll(self) -> None:
        """Handle its messages, and its end."""
        process = self._process
        if process is None:
            if self._links.ring.recorder_cursor >= 0:
                self._links.ring.detach_reader()  # the source may have waited for one that died before it had begun
            return
        if self._phase.is_stopping:
            process.kill_if_stalled()
        has_ended = process.has_ended  # asked before reading, so that no message is missed
        for message in process.receive():
            self._receive(message)
        if has_ended:
            self._bury(process)

    def _receive(self, message: RecorderToLauncher) -> None:
        match message:
            case RecordingOpened():
                self._follow(RecordingEvent.OPENED)
                self._ask_source()
            case RecorderStatus():
                self._notice_gaps(message.gaps)
                self.status = asdict(message)
                self._report()
            case ProcessFailed():
                self._fail(message.exception)
            case RecordingClosed():
                self._close(message.status)
            case ImagesFailed():
                self._view.complain(f"{message.text}\n  {cure_line(message.error, message.cure or '')}".rstrip())
            case FoxgloveProgress():
                pass  # it is alive
            case FoxgloveClosed():
                self.status = {**self.status, **self.foxglove.close(message.messages)}
            case FoxgloveFailed():
                problem = message.exception
                self.status = {**self.status, **self.foxglove.lose(problem)}
                self._refuse(problem)
            case _:
                assert_never(message)

    def _notice_gaps(self, gaps: int) -> None:
        if gaps and not self.status.get("gaps"):
            self._view.complain(f"the recorder does not keep up: {gaps} records are missing so far in {self._path}")

    def _close(self, status: RecorderStatus | None) -> None:
        before = self._follow(RecordingEvent.CLOSED)
        if before is not None and before.is_recording and status is not None:
            self.status = asdict(status)
            missing = f", {status.gaps} records are missing" if status.gaps else ""
            missing += f", {status.images} images" if status.images else ""
            loss = closing_loss(self._path, status.size_bytes)
            self.has_failed |= bool(loss)
            what = f"recorded {status.duration:.2f} s, {status.ticks} ticks, {status.size_bytes / 1e6:.2f} MB"
            (self._view.complain if loss else self._view.note)(f"{what} to {self._path}{missing}{loss}")
            if self.foxglove.begin():
                self._detach_source()
        self._report()

    def _fail(self, problem: CoopsimError) -> None:
        """The file cannot be opened, or written any more; the run goes on."""
        before = self._follow(RecordingEvent.FAILED)
        if before is not None and before.is_recording:
            self.has_failed = True
            self._view.complain(f"{problem}\n  the run goes on; {kept_text(self._path)}")
            self.status = {**self.status, "problem": str(problem)}
        self._refuse(problem)

    def _refuse(self, problem: CoopsimError) -> None:
        """Answer the request with the error."""
        self._answer_start(problem)
        stopped, self._stopped = self._stopped, None
        if stopped is not None:
            stopped(problem)

    def _bury(self, process: RecorderProcess) -> None:
        """Handle its end: the source no longer waits for it."""
        self._detach_source()
        was_recording = self.is_recording
        self._follow(RecordingEvent.ENDED)
        if was_recording or self.foxglove.is_written or self._started is not None:
            self.has_died = True
            self._report_end(process.cause, was_recording=was_recording)
        process.close()
        self._process = None
        self._report()
        stopped, self._stopped = self._stopped, None
        if stopped is not None:
            stopped(None)

    def _detach_source(self) -> None:
        """Stop the source's waiting and its key frames."""
        self._links.ring.detach_reader()
        self._links.physics.send(RecordNoMore())

    def _report_end(self, problem: CoopsimError, *, was_recording: bool) -> None:
        """Report its unexpected end."""
        if self.foxglove.is_written:
            self.status = {**self.status, **self.foxglove.lose(problem)}
        if was_recording:
            kept = f"what it wrote to {self._path} can be read, see `coopsim recover`"
            self._view.complain(f"{problem}; {'' if self._is_last else 'the run goes on; '}{kept}")
            self.status = {**self.status, "problem": str(problem)}
        self._refuse(problem)

    def _answer_start(self, problem: CoopsimError | None) -> None:
        started, self._started = self._started, None
        if started is not None:
            started(problem)

    # reports

    @property
    def news(self) -> dict[str, Any]:
        """Answer to `/sim/recorder status`; empty before the first recording."""
        if not self._path.name:
            return {}
        status = {**self.status, "recording": int(self.is_recording), "file": str(self._path)}
        if self.is_recording and self._awaited_since is not None:
            status["problem"] = "the run waits for the recorder, which reads nothing"
        return status

    @property
    def _status_message(self) -> RecordingStatus | None:
        news = self.news
        return RecordingStatus(**news) if news else None

    def _report(self) -> None:
        if "host" in self._ready:
            self._links.host.send(RecordingNews(self._status_message))

    def hasten(self) -> None:
        """Give one that is to stop a moment, no more, to write what there is."""
        if self._process is None:
            return
        self._process.wait()
        self.poll()
        if self.is_active:
            kept = f"what it wrote to {self._path} can be read, see `coopsim recover`"
            if self.foxglove.is_written:
                kept = self.foxglove.cure
                self.foxglove.is_missing = True
            self._view.complain(f"the recorder was killed, since there was no time to wait for it; {kept}")

    def reap(self) -> None:
        """End it and leave nothing behind; it has a moment to write what there is."""
        if self._process is None:
            return
        if not self._phase.is_stopping:
            self._process.send(Stop("the launcher ends"))
            self._process.wait()
        self._process.close()
        self._process, self._phase = None, Phase.IDLE
