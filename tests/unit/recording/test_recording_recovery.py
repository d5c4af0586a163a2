"""Giving a cut file its index back."""

import os
from pathlib import Path

import pytest
from mcap.reader import make_reader
from recording_scenes import SCENARIO, full_after, layout, record, same, write

from coopsim.errors import CannotRecord, DamagedRecording, NotARecording
from coopsim.recording import Recording, recover


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """Return a recording of 600 records of which 400 and a half chunk are left."""
    path = tmp_path / "cut.mcap"
    write(path, 600, generations=2)
    with Recording.open(path) as recording:
        end = recording.index.places[4].offset
    os.truncate(path, end + 500)
    return path


def test_a_cut_file_gets_its_index_back_in_its_place(cut: Path) -> None:
    said = recover(cut)
    assert (said.records, said.was_complete, said.damaged_chunks, said.missing_records) == (400, False, 0, 0)
    assert said.lost_bytes == 500
    assert said.seconds == pytest.approx(3.99)
    with Recording.open(cut) as recording:
        assert (len(recording), recording.complete) == (400, True)
        assert (recording.attachments, recording.metadata["seed"]) == (SCENARIO, 7)
        assert recording.layout(1) == layout(1)
        assert [edit.tick for edit in recording.edits()] == [70, 140, 210, 280, 350]
        keyframe = recording.keyframe(350)
        assert keyframe is not None
        assert keyframe.tick == 300
    assert os.listdir(cut.parent) == [cut.name]


def test_a_second_recovery_has_nothing_to_do(cut: Path) -> None:
    recover(cut)
    before = cut.read_bytes()
    said = recover(cut)
    assert (said.was_complete, said.records, said.lost_bytes) == (True, 400, 0)
    assert cut.read_bytes() == before


def test_the_old_file_stays_when_a_new_one_is_asked_for(cut: Path) -> None:
    before = cut.read_bytes()
    recover(cut, cut.with_name("new.mcap"))
    assert cut.read_bytes() == before
    assert len(Recording.open(cut.with_name("new.mcap"))) == 400


def test_the_new_file_never_takes_the_place_of_another(cut: Path) -> None:
    cut.with_name("new.mcap").write_text("mine")
    with pytest.raises(CannotRecord, match="exists already"):
        recover(cut, cut.with_name("new.mcap"))
    assert cut.with_name("new.mcap").read_text() == "mine"


@pytest.mark.parametrize("room", [0, 2000, 20_000])
def test_the_old_file_stays_when_the_disk_is_full(cut: Path, room: int) -> None:
    before = cut.read_bytes()
    with pytest.raises(CannotRecord, match="No space left"):
        recover(cut, opener=full_after(room))
    assert cut.read_bytes() == before
    assert os.listdir(cut.parent) == [cut.name]


def test_a_damaged_chunk_is_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    write(path, 600)
    with Recording.open(path) as recording:
        place = recording.index.places[3]
    content = bytearray(path.read_bytes())
    content[place.offset + 300] ^= 4
    path.write_bytes(content)
    said = recover(path)
    assert (said.records, said.damaged_chunks, said.missing_records, said.was_complete) == (500, 1, 100, False)
    with Recording.open(path) as recording:
        assert (recording.complete, recording.gaps) == (True, 100)
        ticks = [record.tick for record in recording.records()]
    assert ticks == [*range(1, 301), *range(401, 601)]


def test_a_damaged_attachment_is_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    write(path, 10)
    path.write_bytes(path.read_bytes().replace(b"[FLOOR]", b"[FLOOD]"))
    with pytest.raises(DamagedRecording, match="attachment"):
        assert Recording.open(path).attachments
    assert recover(path).damaged_chunks == 1
    assert Recording.open(path).attachments == {"two.scenario": SCENARIO["two.scenario"]}


def test_what_another_program_attached_stays_as_it_is(tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n\xff\x00"
    path = tmp_path / "a.mcap"
    write(path, 200, attachments=SCENARIO | {"floor.png": picture})
    os.truncate(path, path.stat().st_size - 40)
    recover(path)
    with path.open("rb") as file:
        attached = {
            iter_attachment.name: (iter_attachment.media_type, iter_attachment.data)
            for iter_attachment in make_reader(file).iter_attachments()
        }
    assert attached["floor.png"] == ("application/octet-stream", picture)
    assert attached["two.scenario"] == ("text/plain", SCENARIO["two.scenario"].encode())


def test_a_file_whose_index_is_damaged_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    write(path, 600)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    assert not Recording.open(path).complete
    said = recover(path)
    assert (said.records, said.damaged_chunks, said.lost_bytes) == (600, 0, 0)
    assert Recording.open(path).complete


def test_a_recording_in_progress_is_left_alone(tmp_path: Path) -> None:
    writer = write(tmp_path / "a.mcap", 200, close=False)
    with pytest.raises(CannotRecord, match="still being recorded"):
        recover(tmp_path / "a.mcap")
    writer.write(record(201))
    writer.close()
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert len(recording) == 201
        assert same([*recording.records()][-1], record(201))


def test_what_is_no_recording_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_text("hello")
    with pytest.raises(NotARecording):
        recover(tmp_path / "a.mcap")
    with pytest.raises(NotARecording, match="No such file"):
        recover(tmp_path / "b.mcap")
    assert (tmp_path / "a.mcap").read_text() == "hello"
    assert os.listdir(tmp_path) == ["a.mcap"]
