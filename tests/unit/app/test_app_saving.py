"""Files that commands make: what must stay stays, and half a file is none."""

from pathlib import Path

import click
import pytest

from coopsim.app.main import run
from coopsim.app.saving import check_place, save, spare, writing
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    spec = load("single")
    path = tmp_path / "a.mcap"
    with RecordedRun(Simulation(spec), path, attachments={RUN: spec_to_json(spec)}) as recorded:
        recorded.tick(5)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["plot", "{it}", "--paths", "{it}"],
        ["plot", "{it}", "--paths", "{link}"],
        ["plot", "{it}", "--paths", "{other}"],
        ["export", "{it}", "--html", "{it}"],
        ["export", "{it}", "--html", "{other}"],
        ["run", "single", "--port", "0", "--plot", "{it}"],
        ["run", "{scenario}", "--port", "0", "--plot", "{scenario}"],
        ["run", "single", "--port", "0", "--plot", "{new}", "--record", "{new}"],
    ],
)
def test_no_picture_or_page_takes_the_place_of_a_recording_or_of_what_it_is_made_from(
    arguments: list[str], recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second, link, scenario = tmp_path / "b.mcap", tmp_path / "link.svg", tmp_path / "mine.scenario"
    second.write_bytes(recording.read_bytes())
    link.symlink_to(recording)
    scenario.write_text("[WORLD]\nfile arena.world\n")
    before = {file: file.read_bytes() for file in (recording, second, scenario)}
    places = {"it": recording, "other": second, "link": link, "scenario": scenario, "new": tmp_path / "new"}
    assert run([argument.format(**places) for argument in arguments]) == 2
    assert "coopsim: " in capsys.readouterr().err
    assert {file: file.read_bytes() for file in before} == before
    assert not places["new"].exists()


def test_an_older_picture_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text("old")
    check_place(path, "OUT")
    spare(path, "OUT", tmp_path / "a.mcap")
    save(path, "new")
    assert path.read_text() == "new"


def test_a_folder_that_is_missing_is_named_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match=f"--plot .*: there is no folder {tmp_path / 'no'}"):
        check_place(tmp_path / "no" / "way" / "a.svg", "--plot")


def test_the_last_folder_of_a_path_is_made_as_it_is_for_a_recording(tmp_path: Path) -> None:
    check_place(tmp_path / "new" / "a.svg", "--plot")
    assert not (tmp_path / "new").exists()
    save(tmp_path / "new" / "a.svg", "<svg/>")
    assert (tmp_path / "new" / "a.svg").read_text() == "<svg/>"


def test_a_folder_that_may_not_be_written_is_named_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != tmp_path)
    with pytest.raises(click.UsageError, match="it may not be written"):
        check_place(tmp_path / "a.svg", "--plot")


def test_half_a_new_file_is_not_left_behind_and_an_older_one_is_kept(tmp_path: Path) -> None:
    new, old = tmp_path / "new.svg", tmp_path / "old.svg"
    old.write_text("old")

    def half_write(path: Path) -> None:
        with writing(path):
            path.touch()
            raise OSError(28, "No space left on device")

    for path in (new, old):
        with pytest.raises(click.ClickException, match=r"\.svg cannot be written: No space left on device"):
            half_write(path)
    assert (new.exists(), old.read_text()) == (False, "old")
