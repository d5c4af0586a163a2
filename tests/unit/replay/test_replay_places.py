"""Where recordings may be written: names that come by message stay inside their folder."""

from datetime import datetime
from pathlib import Path

import pytest

from coopsim.errors import CannotRecord, ForbiddenFile
from coopsim.recording import Writer
from coopsim.replay.places import allowed, make_way, new_file, usual_name


@pytest.mark.parametrize("name", ["a.mcap", "sub/a.mcap", "größe.mcap", "..a.mcap"])
def test_a_name_inside_the_folder_is_taken_and_its_folder_made(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "recordings"
    assert allowed(name, folder) == folder / name
    assert (folder / name).parent.is_dir()


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "..",
        "../a",
        "a/../../b",
        "",
        ".",
        "a\0b",
        "a\nb",
        "x" * 201,
        "/",
        "sub/..",
        "conftest.py",
        "a",
        ".mcap",
        "a.mcap.py",
    ],
)
def test_any_other_name_is_forbidden(tmp_path: Path, name: str) -> None:
    with pytest.raises(ForbiddenFile):
        allowed(name, tmp_path / "recordings")
    assert not (tmp_path / "recordings").exists()


def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    with pytest.raises(ForbiddenFile, match="leads out"):
        allowed("out/a.mcap", folder)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("in the way")
    with pytest.raises(CannotRecord, match="recordings"):
        allowed("a.mcap", tmp_path / "recordings")


def test_a_recording_without_a_name_is_called_after_the_scenario_and_the_time_of_day() -> None:
    now = datetime(2026, 3, 4, 5, 6, 7)
    assert usual_name("/somewhere/gap.scenario", now) == "gap-20260304-050607.mcap"
    assert usual_name("", now) == "run-20260304-050607.mcap"


@pytest.mark.parametrize("content", [b"", b"\x89MCAP0\r\n and more", b"\x89MCA"])
def test_an_older_recording_makes_way(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(content)
    make_way(path)
    make_way(path)
    assert not path.exists()


def test_what_is_no_recording_does_not_make_way(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    path.write_text("[ROBOT_1]\n")
    for target in (path, tmp_path):
        with pytest.raises(CannotRecord, match="no recording"):
            make_way(target)
        assert target.exists()


def test_in_a_folder_a_recording_is_always_a_new_file(tmp_path: Path) -> None:
    now = datetime(2026, 1, 31, 8)
    assert new_file(tmp_path / "a.mcap", "lab.scenario", now) == tmp_path / "a.mcap"
    for name in ("lab-20260131-080000.mcap", "lab-20260131-080000-2.mcap", "lab-20260131-080000-3.mcap"):
        file = new_file(tmp_path, "/srv/lab.scenario", now)
        assert file == tmp_path / name
        file.touch()


def test_a_recording_that_is_being_written_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with Writer(path), pytest.raises(CannotRecord, match="a run is recording to this file just now"):
        make_way(path)
    make_way(path)
    assert not path.exists()
