"""Images of cameras in recordings: found again in whole files, cut ones, and such as other programs wrote anew."""

import base64
import os
from pathlib import Path

import pytest
from mcap.reader import make_reader
from recording_scenes import STEP_NS, layout, record, write
from test_recording_foreign import rewritten

from coopsim.errors import DamagedRecording
from coopsim.recording import CameraStream, RecordedImage, Recording, Writer, examine, recover

COLOR, DEPTH = CameraStream("robot1", "camera", "color"), CameraStream("robot2", "eye", "depth")
TICKS = {COLOR: [10, 20, 30, 40], DEPTH: [15, 35]}


def image_of(stream: CameraStream, tick: int) -> RecordedImage:
    return RecordedImage(stream, tick, tick * STEP_NS, base64.b64encode(f"{stream.topic} {tick}".encode()).decode())


def write_images(path: Path, *, close: bool = True) -> Writer:
    writer = Writer(path, metadata={"seed": 7}, clock=lambda: 0.0)
    writer.layout(layout())
    for number in range(1, 46):
        position = writer.write(record(number))
        for stream, ticks in TICKS.items():
            if number in ticks:
                writer.image(image_of(stream, number), position)
        if number % 20 == 0:
            writer.flush()
    if close:
        writer.close()
    return writer


def ticks_of(recording: Recording) -> dict[CameraStream, list[int]]:
    return {stream: sorted(places) for stream, places in recording.images.places.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.mcap"
    write_images(path)
    return path


def test_images_are_found_by_camera_and_tick(path: Path) -> None:
    with Recording.open(path) as recording:
        assert (ticks_of(recording), recording.attachment_names, recording.note) == (TICKS, [], "")
        assert recording.image(COLOR, 30) == image_of(COLOR, 30)
        assert recording.image(DEPTH, 15) == image_of(DEPTH, 15)
        assert recording.image(COLOR, 31) is None
        assert len(recording) == 45


def test_other_programs_find_them_under_the_names_of_the_cameras(path: Path) -> None:
    with path.open("rb") as file:
        messages = [*make_reader(file).iter_messages(topics=["/robot1/camera", "/robot2/eye/depth"])]
    assert {schema.name for schema, _, _ in messages if schema} == {"foxglove.CompressedImage"}
    assert sorted(message.log_time // STEP_NS for _, _, message in messages) == [10, 15, 20, 30, 35, 40]


def test_without_images_a_file_is_what_it_was(tmp_path: Path) -> None:
    write(tmp_path / "a.mcap", 20)
    raw = (tmp_path / "a.mcap").read_bytes()
    assert b"CompressedImage" not in raw
    assert b"coopsim.images" not in raw


def test_a_file_that_was_cut_off_has_the_images_up_to_there(path: Path) -> None:
    with Recording.open(path) as recording:
        place = recording.images.find(COLOR, 40)
    assert place is not None
    os.truncate(path, place.offset + 5)
    with Recording.open(path) as recording:
        assert ticks_of(recording) == {COLOR: [10, 20], DEPTH: [15]}
        assert recording.image(COLOR, 20) == image_of(COLOR, 20)
    recover(path)
    with Recording.open(path) as recording:
        assert recording.complete
        assert ticks_of(recording) == {COLOR: [10, 20], DEPTH: [15]}
        assert recording.image(DEPTH, 15) == image_of(DEPTH, 15)


@pytest.mark.parametrize("options", [{}, {"chunk_size": 500}, {"use_chunking": False}])
def test_what_another_program_wrote_anew_keeps_its_images(tmp_path: Path, path: Path, options: dict[str, int]) -> None:
    rewritten_file = rewritten(path, tmp_path / "b.mcap", others_first=True, **options)
    with Recording.open(rewritten_file) as recording:
        assert ticks_of(recording) == TICKS
        assert recording.image(COLOR, 20) == image_of(COLOR, 20)
    recover(rewritten_file, tmp_path / "c.mcap")
    with Recording.open(tmp_path / "c.mcap") as recording:
        assert (ticks_of(recording), len(recording)) == (TICKS, 45)


def test_an_image_that_is_none_is_said_with_its_place(path: Path) -> None:
    with Recording.open(path) as recording:
        place = recording.images.find(COLOR, 10)
        assert place is not None
        recording.images.places[COLOR][11] = place
        with pytest.raises(DamagedRecording, match="/robot1/camera at tick 11 is another one"):
            recording.image(COLOR, 11)
        recording.images.places[COLOR][12] = place._replace(number=99)
        with pytest.raises(DamagedRecording, match="/robot1/camera at tick 12"):
            recording.image(COLOR, 12)
    with pytest.raises(DamagedRecording, match="tick 3 is no base64"):
        _ = RecordedImage(COLOR, 3, 0, "%").png
    for raw in (b"{", b"[]", b"[" * 100_000, image_of(COLOR, 1).pack().replace(b"color", b"sound")):
        with pytest.raises(ValueError, match=r"."):
            RecordedImage.unpack(raw)


def test_damaged_images_leave_the_records_readable(path: Path) -> None:
    with Recording.open(path) as recording:
        place = recording.images.find(COLOR, 30)
    assert place is not None
    raw = bytearray(path.read_bytes())
    raw[place.offset + 60 : place.offset + 90] = b"x" * 30
    path.write_bytes(raw)
    assert examine(path).damaged_chunks == 1
    recover(path)
    with Recording.open(path) as recording:
        assert (len(recording), recording.complete) == (45, True)
        assert ticks_of(recording)[COLOR] == [10, 20]
