"""Images of cameras come into the file with their records, and nothing that draws them harms the recording."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import recorder_painter
from recorder_scenes import STEP_NS, shared_ring

from coopsim.errors import CoopsimError
from coopsim.interfaces import CAMERA, width
from coopsim.recorder.images import MOST_WAITING, ImageOrders
from coopsim.recorder.ring_recorder import RingRecorder
from coopsim.recording import CameraStream, Recording, Writer
from coopsim.state import Layout, ModuleLayout, RecordHeader, RobotPlace, TypeLayout
from coopsim.state.record import MODES
from coopsim.transport import Ring, packed_layout
from coopsim.transport.control import ImageChoice

PAINTER = Path(recorder_painter.__file__)
READINGS = width(CAMERA.readings, {})
EVERY = 5
REAL_TIME, LOCKSTEP = MODES.index("real-time"), MODES.index("lockstep")
KIND = TypeLayout("observer", (ModuleLayout("camera", CAMERA, {}, (), -1, 0, READINGS, False),), 0, READINGS)
LAYOUT = Layout(1, (KIND,), (RobotPlace("robot1", KIND, 0, 0, 0),), (), ("robot1",), 0, READINGS)
Make = Callable[..., "Scene"]


class Scene:
    """A run with a camera that takes an image each fifth tick, and the recorder that follows it."""

    def __init__(self, ring: Ring, path: Path, manner: str, choice: ImageChoice, mode: int) -> None:
        self.ring, self.path, self.mode = ring, path, mode
        self.told: list[str] = []
        ring.announce(1, packed_layout(LAYOUT))
        writer = Writer(path, clock=lambda: 0.0)
        command = (sys.executable, str(PAINTER), manner)
        self.images = ImageOrders(choice, "", writer, self.note_problem, command)
        self.recorder = RingRecorder(ring, writer, self.images)
        self.publish(0)
        self.recorder.begin(ring.position, 0)

    def note_problem(self, problem: CoopsimError) -> None:
        """Keep what goes wrong."""
        self.told.append(str(problem))

    def publish(self, tick: int) -> None:
        """Write the record of a tick."""
        head = {"tick": tick, "revision": tick, "time_ns": tick * STEP_NS, "generation": 1, "mode": self.mode}
        values = np.zeros(13 + READINGS)
        values[13 : 13 + 3] = tick // EVERY * EVERY, 4.0, 3.0
        self.ring.append(RecordHeader(bodies=1, readings=READINGS, commands=0, **head), (values,), b"", b"")

    def run(self, ticks: int) -> None:
        """Go on, and close the file when all is written."""
        for tick in range(1, ticks + 1):
            self.publish(tick)
        while not self.recorder.has_read(self.ring.position) or self.images.is_waiting:
            self.recorder.follow()
        self.recorder.close()
        self.recorder.reap()

    @property
    def ticks(self) -> dict[str, list[int]]:
        """Of the images in the file."""
        with Recording.open(self.path) as recording:
            return {stream.topic: sorted(places) for stream, places in recording.images.places.items()}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    with shared_ring() as ring:

        def made(manner: str = "draws", mode: int = LOCKSTEP, **choice: object) -> Scene:
            return Scene(ring, tmp_path / "a.mcap", manner, ImageChoice(**{"kinds": ("color",), **choice}), mode)

        yield made


def test_the_images_of_each_record_come_into_the_file(make: Make) -> None:
    scene = make(kinds=("color", "depth"))
    scene.run(12)
    assert scene.ticks == {"/robot1/camera": [0, 5, 10], "/robot1/camera/depth": [0, 5, 10]}
    with Recording.open(scene.path) as recording:
        color = recording.image(CameraStream("robot1", "camera", "color"), 5)
        depth = recording.image(CameraStream("robot1", "camera", "depth"), 10)
        assert color is not None
        assert depth is not None
        assert (color.png, depth.png, depth.time_ns) == (b"png 5", b"depth-png 10", 10 * STEP_NS)
        assert len(recording) == 13
    assert scene.recorder.status["images"] == 6
    assert scene.told == []


def test_the_file_is_closed_before_a_process_that_was_killed_is_waited_for(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end takes seconds on a busy machine, and a recorder that says nothing meanwhile is killed."""
    order, close, wait = list[str](), Writer.close, subprocess.Popen.wait

    def closed(writer: Writer) -> None:
        close(writer)
        order.append("closed")

    def waited(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        order.append("waited")
        return wait(process, timeout)

    monkeypatch.setattr(Writer, "close", closed)
    monkeypatch.setattr(subprocess.Popen, "wait", waited)
    make().run(5)
    assert order == ["closed", "waited"]


def test_rate_and_limit_are_kept(make: Make) -> None:
    scene = make(rate=10.0, limit=40)
    scene.run(60)
    assert scene.ticks == {"/robot1/camera": [0, 10, 20, 30, 40]}
    assert scene.told == [
        "images of cameras have filled the 4e-05 MB that --images-limit gives them; no more are recorded"
    ]


def test_a_process_that_dies_is_started_again_and_at_last_given_up(make: Make) -> None:
    scene = make("dies")
    for tick in range(1, 61):
        scene.publish(tick)
        while scene.images.is_waiting:
            scene.recorder.follow()
        scene.recorder.follow()
    scene.run(0)
    assert 0 < len(scene.ticks["/robot1/camera"]) < 13
    assert [text.rpartition("; ")[2] for text in scene.told[:2]] == ["another one is started", "no other is started"]
    assert scene.told[-1].endswith("images of cameras are missing in the recording")
    with Recording.open(scene.path) as recording:
        assert (len(recording), recording.complete, recording.gaps) == (61, True, 0)


@pytest.mark.parametrize(("manner", "text"), [("refuses", "there is no OpenGL"), ("late", "3 images of cameras are")])
def test_what_cannot_be_drawn_is_missing_and_that_is_said(make: Make, manner: str, text: str) -> None:
    scene = make(manner)
    scene.run(12)
    assert scene.ticks == {}
    assert any(text in line for line in scene.told)


def test_in_real_time_late_images_are_left_out_and_no_record(make: Make) -> None:
    scene = make(mode=REAL_TIME)
    ticks = EVERY * 4 * MOST_WAITING
    scene.run(ticks)
    assert scene.images.missed > 0
    assert scene.images.missed + scene.images.count == 4 * MOST_WAITING + 1
    with Recording.open(scene.path) as recording:
        assert (len(recording), recording.gaps) == (ticks + 1, 0)
