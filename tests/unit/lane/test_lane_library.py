"""The compiled library of lockstep: where it is wanted, where it is possible, and what is left where it fails."""

from pathlib import Path

import pytest

from coopsim import lane


def test_it_is_wanted_unless_somebody_has_switched_it_off() -> None:
    assert lane.is_wanted({})
    assert lane.is_wanted({lane.VARIABLE: "on"})
    assert not lane.is_wanted({lane.VARIABLE: "OFF"})


def test_it_is_possible_on_linux_alone() -> None:
    assert lane.is_possible("linux")
    assert not lane.is_possible("darwin")
    assert not lane.is_possible("win32")


def test_its_file_is_opened_where_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "library.so"
    monkeypatch.setattr(lane, "library_file", lambda: file)
    assert lane.load(lambda path: path, {}) == file
    assert lane.load(lambda path: path, {lane.VARIABLE: "off"}) is None
    monkeypatch.setattr(lane, "library_file", lambda: None)
    assert lane.load(lambda path: path, {}) is None


def test_a_file_of_another_version_is_left_aside_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path) -> None:
        raise ValueError(f"{path.name} is of another version")

    monkeypatch.setattr(lane, "library_file", lambda: tmp_path / "library.so")
    assert lane.load(refuse, {}) is None
    assert "library.so is of another version; install coopsim anew" in caplog.text
