"""Costs of recording for the one who is recorded: ticks with and without a recorder, by turns."""

import contextlib
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coopsim.errors import NoReply
from coopsim.interpreter import module_command
from coopsim.launch.child import Child
from coopsim.launch.descriptors import ChildDescriptors
from coopsim.recording import Recording
from coopsim.simulation import Simulation
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.publisher import Publisher
from coopsim.testkit.bench.measuring.workload import STEP, Avoidance, crowd
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import (
    LauncherToRecorder,
    OpenRecording,
    RecorderToLauncher,
    RecordingBegins,
    RecordingClosed,
    RecordingOpened,
    Stop,
)

ROBOTS, WINDOW = 100, 100
"""Ticks of a window of one second: one key frame falls into each."""
_RECORDER = module_command("coopsim.launch.recorder_process")
_SECONDS = 30.0  # s; a process that has not begun by then never will


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost that was measured.

    Attributes:
        plain: CPU time of a tick and its record without a recorder [s].
        ratio: How many times that with a recorder, compared second by second.
        ticks: How many ticks were to be recorded.
        lost: How many of them are not in the file.
    """

    plain: float
    ratio: float
    ticks: int
    lost: int


def measure(path: Path, windows: int) -> Cost:
    """Run 100 robots at 100 Hz, a second without and a second with a recorder by turns.

    Args:
        path: Of the recording.
        windows: How many seconds of each.
    """
    simulation = Simulation(crowd(ROBOTS, "single"), step=STEP, programs=[Avoidance()])
    plain, with_recorder = [], []
    with _publisher(simulation) as alone, _recorded_publisher(simulation, path) as recorded:
        _cost(simulation, alone)
        for _ in range(windows):
            plain.append(_cost(simulation, alone))
            with_recorder.append(_cost(simulation, recorded))
    with Recording.open(path) as recording:
        # the first record is the one that the recording begins with
        lost = windows * WINDOW + 1 - len(recording)
    ratio = statistics.median(after / before for before, after in zip(plain, with_recorder, strict=True))
    return Cost(statistics.median(plain), ratio, windows * WINDOW, lost)


def _cost(simulation: Simulation, publisher: Publisher) -> float:
    """Do a window of ticks on the wall clock; return the CPU time of one."""
    spent, due = 0.0, time.perf_counter()
    for _ in range(WINDOW):
        due += STEP
        time.sleep(max(0.0, due - time.perf_counter()))
        began = time.thread_time()
        simulation.tick()
        _publish(publisher)
        spent += time.thread_time() - began
    return spent / WINDOW


def _publish(publisher: Publisher) -> None:
    publisher.publish(mode="real-time", speed=1.0, paused=False)


class _Ends:
    """Ends of the channels of a publisher and of the recorder."""

    def __init__(self) -> None:
        self.ring = Ring.create()
        self.host, self._host_far = Channel.pair()
        self.launcher, self.launcher_far = Channel.pair()
        self._woken, self.waking = Notifier.pair()
        self.recorder_far, self.recorder = Notifier.pair()

    def close(self) -> None:
        """Close and remove everything."""
        for channel in (self.host, self._host_far, self.launcher, self.launcher_far):
            channel.close()
        for wake in (self._woken, self.waking, self.recorder_far, self.recorder):
            wake.close()
        self.ring.unlink()

    def publisher(self, simulation: Simulation) -> Publisher:
        """Return what writes records into the ring."""
        return Publisher(simulation, self.ring, self.host, self.launcher, self.waking, Lateness())


@contextlib.contextmanager
def _publisher(simulation: Simulation) -> Iterator[Publisher]:
    with contextlib.closing(_Ends()) as ends:
        yield ends.publisher(simulation)


@contextlib.contextmanager
def _recorded_publisher(simulation: Simulation, path: Path) -> Iterator[Publisher]:
    """Give a publisher whose records a real recorder process writes; in the end the file is complete.

    Raises:
        NoReply: The recorder did not begin or end in time.
    """
    with contextlib.closing(_Ends()) as ends:
        publisher = ends.publisher(simulation)
        channel, far_end = Channel.pair()
        arguments = ChildDescriptors(str(ends.ring.path), far_end.fileno(), -1, ends.recorder_far.reader, -1)
        child = Child("recorder process", [*_RECORDER, *arguments.arguments()], pass_fds=arguments.descriptors)
        far_end.close()
        try:
            channel.send(OpenRecording(str(path)))
            _hear(channel, RecordingOpened)
            publisher.record_for(ends.recorder)
            _publish(publisher)
            channel.send(RecordingBegins(ends.ring.position, 0))
            yield publisher
            channel.send(Stop("measured"))
            _hear(channel, RecordingClosed)
        finally:
            child.reap()
            child.close()
            channel.close()


def _hear(channel: Channel[LauncherToRecorder, RecorderToLauncher], kind: type[RecorderToLauncher]) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline and not channel.closed:
        for message in channel.wait(deadline - time.monotonic()):
            if isinstance(message, kind):
                return
    raise NoReply(f"the recorder process never sent {kind.__name__}")
