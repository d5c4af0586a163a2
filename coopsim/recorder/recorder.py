"""The recorder process: reads the ring, writes the file; started on demand; it survives the other processes.

Source: CoopDynSim, section III-A (recording).
"""

import contextlib
import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Protocol, assert_never

from coopsim import plugins
from coopsim.errors import CannotRecord, CoopsimError, NoSuchPlugin
from coopsim.recorder.images import ImageOrders
from coopsim.recorder.ring_recorder import RingRecorder
from coopsim.recording import Writer
from coopsim.recording.container import create
from coopsim.replay.places import make_way
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import (
    FoxgloveClosed,
    FoxgloveFailed,
    FoxgloveProgress,
    ImagesFailed,
    LauncherToRecorder,
    OpenRecording,
    ProcessFailed,
    RecorderStatus,
    RecorderToLauncher,
    RecordingBegins,
    RecordingClosed,
    RecordingOpened,
    Stop,
)
from coopsim.transport.last_words import leave_words

_NAP = 0.03
"""Interval at which it looks for records by itself; to be woken for each would cost the source time [s]."""
_STATUS_EVERY = 0.2  # s; a window shows progress with it
_PARTING = 5.0
"""How long it waits for what will most likely never come, once the others are gone [s]."""


class FileBeside(Protocol):
    """A file for another program that is made of a recording once that is closed.

    Entry points of the group `coopsim.recording_files` name its makers. One is called with the path of the recording
    and `overwrite`, and refuses at once what it could not do later.

    Attributes:
        path: Where it will be.
    """

    path: Path

    def make_way(self) -> None:
        """Remove an older file: it would not belong to the new recording."""

    def write(self, pulse: Callable[[], None]) -> int:
        """Write it, calling `pulse` now and then as a sign of life; return how many messages it has."""


class Recorder:
    """Records from `RecordFrom` of the launcher to `Stop`, or to the end of the other processes.

    Args:
        ring: Shared memory of the run.
        launcher: Channel to the launcher.
        woken: Rung by the source when the ring is full; its end is the source's.
        clock: Real time [s].
        opener: Makes the file; tests give one that fails.
    """

    def __init__(
        self,
        ring: Ring,
        launcher: Channel[RecorderToLauncher, LauncherToRecorder],
        woken: Notifier,
        *,
        clock: Callable[[], float] = time.monotonic,
        opener: Callable[[Path], BinaryIO] = create,
    ) -> None:
        self._ring, self._launcher, self._woken = ring, launcher, woken
        self._clock, self._opener = clock, opener
        self._ring_recorder: RingRecorder | None = None
        self._path = Path()
        self._foxglove: FileBeside | None = None
        self._is_source_gone = False
        self._end: int | None = None
        self._deadline: float | None = None
        self._reported_at = 0.0
        self._messages = select.poll()
        self._messages.register(launcher.fileno(), select.POLLIN)
        self._all = select.poll()
        for descriptor in (launcher.fileno(), woken.reader):
            self._all.register(descriptor, select.POLLIN)

    def run(self) -> int:
        """Record; return the exit code."""
        try:
            while not self._is_done():
                self._turn()
            self._finish()
        except (CannotRecord, NoSuchPlugin) as problem:
            self._ring.detach_reader()
            leave_words(problem)
            self._say(ProcessFailed(problem.code, str(problem)))
            return 1
        return 0

    def _turn(self) -> None:
        self._listen()
        if self._ring_recorder is None or not self._ring_recorder.has_begun:
            self._messages.poll(1000.0 * _STATUS_EVERY)
            return
        if not self._ring_recorder.follow():
            self._wait()
        self._report_status(self._ring_recorder)

    def _wait(self) -> None:
        """Let records come for a moment; a word of the launcher, or a full ring, interrupts."""
        ready = dict(self._all.poll(1000.0 * _NAP))
        if self._woken.reader in ready and self._woken.drain()[1]:
            self._is_source_gone = True
            self._all.unregister(self._woken.reader)

    # the launcher

    def _listen(self) -> None:
        self._launcher.flush()
        for message in self._launcher.receive():
            self._handle(message)
        if self._launcher.closed and self._deadline is None:
            self._all.unregister(self._launcher.fileno())
            self._messages.unregister(self._launcher.fileno())
            self._deadline = self._clock() + _PARTING

    def _handle(self, message: LauncherToRecorder) -> None:
        match message:
            case OpenRecording():
                self._open(message)
            case RecordingBegins():
                if self._ring_recorder is not None:
                    self._ring_recorder.begin(message.position, message.revision)
            case Stop():
                self._end = self._ring.position
                self._deadline = self._clock() + _PARTING
            case _:
                assert_never(message)

    def _open(self, order: OpenRecording) -> None:
        self._path = Path(order.file)
        with contextlib.suppress(OSError):  # what is wrong with the folder, the writer will say
            self._path.parent.mkdir(exist_ok=True)
        if order.foxglove:
            # loading it takes a while, and few ask for it
            self._foxglove = plugins.load("recording_files", "foxglove")(self._path, overwrite=order.overwrite)
        if order.overwrite:
            make_way(self._path)
            if self._foxglove is not None:
                self._foxglove.make_way()
        about: dict[str, Any] = {"metadata": order.metadata, "attachments": order.attachments}
        writer = Writer(self._path, **about, clock=self._clock, opener=self._opener)
        images = None
        if order.images is not None:
            ring, renderer = str(self._ring.path), str(order.metadata.get("renderer", ""))
            more: dict[str, Any] = {"command": order.cameras, "clock": self._clock, "renderer": renderer}
            images = ImageOrders(order.images, ring, writer, self._miss_images, **more)
        self._ring_recorder = RingRecorder(self._ring, writer, images)
        self._launcher.send(RecordingOpened())

    def _miss_images(self, problem: CoopsimError) -> None:
        self._launcher.send(ImagesFailed.of(problem))

    def _report_status(self, ring_recorder: RingRecorder) -> None:
        if self._clock() - self._reported_at >= _STATUS_EVERY and not self._launcher.pending:
            self._reported_at = self._clock()
            self._launcher.send(RecorderStatus(**ring_recorder.status))

    def _say(self, message: RecorderToLauncher) -> None:
        """Send a last message and wait until it is on its way."""
        self._launcher.send(message)
        deadline = self._clock() + _PARTING
        while self._launcher.pending and not self._launcher.closed and self._clock() < deadline:
            waiter = select.poll()
            waiter.register(self._launcher.fileno(), select.POLLOUT)
            waiter.poll(100)
            self._launcher.flush()

    # the end

    def _is_done(self) -> bool:
        if self._deadline is None:
            return False
        ring_recorder = self._ring_recorder
        if ring_recorder is None or not ring_recorder.has_begun:
            return True
        if self._end is None:  # the launcher is gone: the source sees that too, and ends
            is_complete = ring_recorder.is_over or self._is_source_gone
            return (is_complete and ring_recorder.has_read(self._ring.position)) or self._clock() > self._deadline
        return ring_recorder.has_read(self._end)

    def _finish(self) -> None:
        ring_recorder = self._ring_recorder
        if ring_recorder is None:
            return
        ring_recorder.close(is_source_gone=self._is_source_gone or self._woken.drain()[1])
        if not ring_recorder.has_begun:
            self._path.unlink(missing_ok=True)
        self._say(RecordingClosed(RecorderStatus(**ring_recorder.status) if ring_recorder.has_begun else None))
        if ring_recorder.has_begun and self._foxglove is not None:
            self._show(self._foxglove)
        ring_recorder.reap()

    def _show(self, file: FileBeside) -> None:
        """Write the file for Foxglove; the recording is closed, and no process waits for it."""
        try:
            count = file.write(self._pulse)
        except CannotRecord as problem:
            self._say(FoxgloveFailed.of(problem))
        else:
            self._say(FoxgloveClosed(count, file.path.stat().st_size))

    def _pulse(self) -> None:
        if self._clock() - self._reported_at >= _STATUS_EVERY and not self._launcher.closed:
            self._reported_at = self._clock()
            self._launcher.send(FoxgloveProgress())
            self._launcher.flush()
