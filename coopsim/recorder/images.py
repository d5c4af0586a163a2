"""Images for a recording: ordered, record by record, from a process that draws them, and written when they come."""

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, assert_never

import numpy as np

from coopsim import plugins
from coopsim.errors import CoopsimError, NoImage
from coopsim.geometry import Ints
from coopsim.interfaces import CAMERA
from coopsim.interfaces.camera import DEPTH_PNG, PNG
from coopsim.recording import CameraStream, RecordedImage, Writer
from coopsim.state import Layout, Record
from coopsim.transport import Channel
from coopsim.transport.control import (
    CameraImage,
    CameraOrder,
    CameraRefusal,
    CamerasToHost,
    HostToCameras,
    ImageChoice,
    RendererChanged,
    RendererOrder,
)
from coopsim.transport.layouts import unpacked_layout

STARTS = 3
"""How often the process is started in one recording."""
MOST_WAITING = 64
"""Images that may be ordered and not drawn; in real time further ones are left out."""
_PATIENCE = 30.0
"""Time limit for an image, the start of the process included [s]."""
_ENCODINGS = {"color": PNG, "depth": DEPTH_PNG}


class _Ordered(NamedTuple):
    """Images that are drawn at present."""

    stream: CameraStream
    tick: int
    time_ns: int
    position_ns: int


class ImageOrders:
    """Has images drawn of the records that cameras took them at.

    Args:
        choice: Which ones.
        ring: Name of the shared memory that the process draws from.
        writer: Where they go.
        tell: Takes what goes wrong; the recording goes on.
        command: Of the process; the ring, two channels and a recording are appended.
        clock: Real time [s].

    Attributes:
        count: How many were written.
        missed: How many were not, though they were wanted.
    """

    def __init__(
        self,
        choice: ImageChoice,
        ring: str,
        writer: Writer,
        tell: Callable[[CoopsimError], None],
        command: tuple[str, ...] | None = None,
        clock: Callable[[], float] = time.monotonic,
        renderer: str = "",
    ) -> None:
        self._renderer = RendererOrder(0, "", renderer)
        self._choice, self._ring, self._writer, self._tell, self._clock = choice, ring, writer, tell, clock
        self.count = self.missed = 0
        self._command = command or plugins.process_command("cameras")
        self._bytes, self._starts, self._next = 0, STARTS, 1
        self._reported: set[str] = set()
        self._layout = b""
        self._cameras: list[tuple[str, str]] = []
        self._columns: Ints = np.zeros(0, np.int64)
        self._due: dict[tuple[str, str], int] = {}
        self._waiting: dict[int, _Ordered] = {}
        self._since = 0.0
        self._channel: Channel[HostToCameras, CamerasToHost] | None = None
        self._words: Channel[None, Any] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._killed: list[subprocess.Popen[bytes]] = []

    @property
    def is_waiting(self) -> bool:
        """Whether images are drawn at present."""
        return bool(self._waiting)

    def order(self, layout: bytes, record: Record, position_ns: int, *, may_wait: bool) -> None:
        """Order the images that belong to a record.

        Args:
            layout: Of the record, packed.
            record: The next one.
            position_ns: Where it lies on the time line of the recording.
            may_wait: Whether the run waits for the recorder; where it does not, images that are late are left out.
        """
        if layout is not self._layout:
            self._layout = layout
            self._learn(unpacked_layout(layout))
        if not len(self._columns):
            return
        for index in np.flatnonzero(record.readings[self._columns] == record.tick):
            camera = self._cameras[index]
            if self._is_wanted(camera, position_ns) and record.readings[self._columns[index] + 1] >= 1.0:
                self._order(camera, record, position_ns, may_wait=may_wait)

    def receive(self, seconds: float = 0.0) -> None:
        """Write what was drawn.

        Args:
            seconds: How long to wait for it.
        """
        channel = self._channel
        if channel is None:
            return
        for message in channel.wait(seconds) if seconds else channel.receive():
            self._since = self._clock()
            self._write(message)
        channel.flush()
        if channel.closed:
            self._lose("ended")
        elif self._waiting and self._clock() - self._since > _PATIENCE:
            self._lose(f"has drawn nothing for {_PATIENCE:g} s")

    def close(self) -> None:
        """End the process."""
        self._end()
        if self.missed:
            self._say(NoImage(f"{self.missed} images of cameras are missing in the recording").advise(""))

    def reap(self) -> None:
        """Wait for the ends of processes, which take seconds on a busy machine: the file must be closed before."""
        for process in self._killed:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)

    def _learn(self, layout: Layout) -> None:
        cameras_and_columns = [
            ((place.name, module.name), place.reading_offset + module.reading_offset)
            for place in layout.robots
            for module in place.type.modules
            if module.interface.kind == CAMERA.kind
        ]
        self._cameras = [camera for camera, _ in cameras_and_columns]
        self._columns = np.array([column for _, column in cameras_and_columns], np.int64)

    def _is_wanted(self, camera: tuple[str, str], position_ns: int) -> bool:
        if self._is_full():
            return False
        if self._choice.rate and position_ns < self._due.get(camera, 0):
            return False
        if self._choice.rate:
            period = round(1e9 / self._choice.rate)
            self._due[camera] = max(self._due.get(camera, position_ns) + period, position_ns + 1)
        return True

    def _is_full(self) -> bool:
        """Return whether there is no room for more images, which is said."""
        if not self._choice.limit or self._bytes < self._choice.limit:
            return False
        limit = f"images of cameras have filled the {self._choice.limit / 1e6:g} MB"
        self._say(NoImage(f"{limit} that --images-limit gives them; no more are recorded").advise(""))
        return True

    def _order(self, camera: tuple[str, str], record: Record, position_ns: int, *, may_wait: bool) -> None:
        for kind in self._choice.kinds:
            channel = self._started()
            if channel is None or (not may_wait and len(self._waiting) >= MOST_WAITING):
                self.missed += 1
                continue
            if not self._waiting:
                self._since = self._clock()
            stream = CameraStream(*camera, kind)
            self._waiting[self._next] = _Ordered(stream, record.tick, record.header.time_ns, position_ns)
            channel.send(CameraOrder(self._next, *camera, record.tick, _ENCODINGS[kind]))
            self._next += 1

    def _write(self, message: CamerasToHost) -> None:
        ordered = self._waiting.pop(message.id, None)
        if ordered is None or self._is_full():
            return
        match message:
            case CameraImage() if message.tick == ordered.tick:
                text = "".join(message.texts)
                image = RecordedImage(ordered.stream, message.tick, ordered.time_ns, text)
                self._writer.image(image, ordered.position_ns)
                self.count += 1
                self._bytes += len(text)
            case CameraImage():  # its record was overwritten
                self.missed += 1
            case CameraRefusal():
                self.missed += 1
                self._say(message.exception)
            case RendererChanged():
                pass
            case _:
                assert_never(message)

    # the process

    def _started(self) -> Channel[HostToCameras, CamerasToHost] | None:
        """Return the channel to the process, which is started where there is none; None = it ended too often."""
        if self._channel is not None or not self._starts:
            return self._channel
        self._starts -= 1
        self._channel, ordering = Channel.pair()
        if self._renderer.scene:
            self._channel.send(self._renderer)
        self._words, child_end = Channel.pair()  # what it says there is in its answers, too
        ends = child_end.fileno(), ordering.fileno()
        command = [*self._command, self._ring, *map(str, ends), ""]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, pass_fds=ends)
        except OSError as problem:
            self._say(NoImage(f"no process that draws images can be started: {problem.strerror}"))
            self._end()
        finally:
            ordering.close()
            child_end.close()
        return self._channel

    def _lose(self, ending: str) -> None:
        """Give up what the process owes; the next image starts another one."""
        self.missed += len(self._waiting)
        self._waiting = {}
        self._end()
        following = "another one is started" if self._starts else "no other is started"
        self._say(NoImage(f"the process that draws the images of the recording {ending}; {following}").advise(""))

    def _end(self) -> None:
        for channel in (self._channel, self._words):
            if channel is not None:
                channel.close()
        self._channel = self._words = None
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            self._killed.append(process)

    def _say(self, problem: CoopsimError) -> None:
        """Say something, once."""
        if str(problem) not in self._reported:
            self._reported.add(str(problem))
            self._tell(problem)
