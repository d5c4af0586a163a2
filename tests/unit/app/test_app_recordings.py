"""The commands that work with recordings, in this process."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coopsim.app.beginning import begin
from coopsim.app.main import run
from coopsim.features.files.judge import goal_lines
from coopsim.recording import Recording, Writer
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


def made(path: Path, ticks: int = 150, v: float = 0.3, **metadata: Any) -> Path:
    """Record the scenario `single` with a robot that drives."""
    spec = load("single")
    with RecordedRun(Simulation(spec), path, metadata=metadata, attachments={RUN: spec_to_json(spec)}) as recorded:
        recorded.tick(50)
        recorded.simulation.command("robot1", "motors", 10, (v, 0.0))
        recorded.tick(ticks - 50)
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return made(tmp_path / "a.mcap")


def last_json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def test_verify_says_identical_and_how_many_ticks(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(recording)]) == 0
    assert "identical, 150 ticks" in capsys.readouterr().out
    assert run(["verify", str(recording), "--json"]) == 0
    said = last_json(capsys)
    assert (said["identical"], said["ticks"], said["first_difference"]) == (True, 150, None)
    assert said["speed"] > 0


def test_verify_of_something_else_than_was_run_is_exit_code_1_and_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = load("single")
    with RecordedRun(Simulation(spec), tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as recorded:
        recorded.tick(10)
        recorded.simulation.command("robot1", "motors", 10, (0.3, 0.0))
        recorded.tick(10)
        moved = recorded.simulation.engine.planar.copy()
        moved[-1, 0] += 0.25
        recorded.simulation.engine.set_state(
            recorded.simulation.layout.robots[0].body + 0 * moved[:1, 0].astype(int), moved[-1:]
        )
        recorded.tick(10)
    assert run(["verify", str(tmp_path / "a.mcap"), "--json"]) == 1
    printed = capsys.readouterr()
    said = json.loads(printed.out.splitlines()[-1])
    assert (said["identical"], said["ticks"]) == (False, 20)
    assert (said["first_difference"]["tick"], said["first_difference"]["entity"]) == (21, "robot1")
    assert "different after 20 identical ticks" in printed.err
    assert "tick 21 (0.210 s): robot1" in printed.err
    assert printed.out.count("\n") == 1


def test_verify_tells_of_other_versions_when_something_differs(
    recording: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("coopsim.recording.versions", lambda: {"numpy": "9.9"})
    monkeypatch.setattr("coopsim.simulation.hashing.StateHash.digest", lambda _: bytes(16))
    assert run(["verify", str(recording)]) == 1
    assert "9.9 now" in capsys.readouterr().out


def test_diff_compares_two_recordings(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", str(recording), str(made(tmp_path / "b.mcap"))]) == 0
    assert "identical, 150 ticks" in capsys.readouterr().out
    assert run(["diff", str(recording), str(made(tmp_path / "c.mcap", 120, v=0.2)), "--json"]) == 1
    out, text = capsys.readouterr()
    assert "tick 51 (0.510 s): robot1 motors.value[0] is 0.3 and 0.2 (first, second)" in text
    assert "only the first holds 30 more ticks" in text
    assert json.loads(out)["first_difference"]["field"] == "motors.value[0]"


def test_info_says_what_is_in_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parent = {"file": "old.mcap", "tick": 7, "time": 0.07}
    path = made(tmp_path / "a.mcap", scenario="single", seed=3, parent=parent)
    assert run(["info", str(path), "--json"]) == 0
    said = last_json(capsys)
    wanted = {"duration": 1.5, "ticks": 150, "robots": 1, "gaps": 0, "complete": True, "parent": parent, "seed": 3}
    assert {name: said[name] for name in wanted} == wanted
    assert said["size_bytes"] == path.stat().st_size
    assert (said["names"], said["attachments"]) == (["robot1"], [RUN])


def test_a_cut_recording_is_told_verified_recovered_and_told_again(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = recording.read_bytes()
    recording.write_bytes(raw[: int(len(raw) * 0.7)])
    assert run(["info", str(recording), "--json"]) == 0
    out, text = capsys.readouterr()
    assert "coopsim recover" in text
    before = json.loads(out)
    assert before["complete"] is False
    assert run(["verify", str(recording)]) == 0
    capsys.readouterr()
    assert run(["recover", str(recording), "--replace", "--json"]) == 0
    report = last_json(capsys)
    assert (report["was_complete"], report["records"]) == (False, before["records"])
    assert run(["recover", str(recording)]) == 0
    assert "is complete; nothing was to be done" in capsys.readouterr().err
    assert run(["info", str(recording), "--json"]) == 0
    assert last_json(capsys)["complete"] is True


def test_recover_leaves_the_only_copy_alone(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = recording.read_bytes()[: recording.stat().st_size * 7 // 10]
    recording.write_bytes(cut)
    assert run(["recover", str(recording), "--json"]) == 0
    whole = recording.with_name("a.recovered.mcap")
    assert last_json(capsys)["file"] == str(whole)
    assert recording.read_bytes() == cut
    assert run(["verify", str(whole)]) == 0
    assert run(["recover", str(recording)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert run(["recover", str(recording), "--replace", "--to", str(whole)]) == 2


def test_recover_writes_a_new_file_when_asked_to(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recover", str(recording), "--to", str(tmp_path / "b.mcap")]) == 0
    assert run(["verify", str(tmp_path / "b.mcap")]) == 0
    assert run(["recover", str(recording), "--to", str(tmp_path / "b.mcap")]) == 1
    assert "exists" in capsys.readouterr().err


def test_export_makes_tables_and_a_page(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "tables", tmp_path / "a.html"
    assert run(["export", str(recording), "--csv", str(out), "--html", str(page), "--rate", "10"]) == 0
    said = capsys.readouterr().out
    assert "poses.csv: 16 rows" in said
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(path.name for path in out.iterdir()) == ["commands.csv", "edits.csv", "poses.csv", "readings.csv"]


def test_export_makes_one_wide_table(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", str(recording), "--csv", str(tmp_path / "tables"), "--wide"]) == 0
    assert "wide.csv: 151 rows" in capsys.readouterr().out
    (file,) = (tmp_path / "tables").iterdir()
    header = file.read_text().partition("\n")[0]
    assert header.startswith("tick,time,robot1.x,robot1.y,")
    assert "robot1.sonars.ranges[3]" in header


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--paths"], "top view"),
        (["--reading", "robot1.sonars"], "robot1.sonars.ranges [m]"),
        (["--distance", "robot1", "red"], "robot1 to red [m]"),
    ],
)
def test_plot_draws_paths_readings_and_distances(
    recording: Path, tmp_path: Path, options: list[str], words: str
) -> None:
    assert run(["plot", str(recording), *options, str(tmp_path / "a.svg")]) == 0
    assert words in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_plot_writes_values_over_time_as_a_page(recording: Path, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    assert run(["plot", str(recording), "--reading", "robot1.sonars", "--distance", "robot1", "red", str(page)]) == 0
    assert '"title":"robot1 to red","unit":"m"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify"],
        ["diff", "a.mcap"],
        ["export", "FILE"],
        ["export", "FILE", "--csv", "x", "--full"],
        ["export", "FILE", "--html", "x", "--wide"],
        ["export", "FILE", "--html", "x", "--rate", "5"],
        ["export", "FILE", "--csv", "x", "--rate", "0"],
        ["plot", "FILE", "x.svg"],
        ["plot", "FILE", "--paths", "x.html"],
        ["plot", "FILE", "--paths", "--reading", "robot1.sonars", "x.svg"],
        ["run", "formation", "--from", "FILE@1"],
        ["run", "formation", "--set", "robot1.sonars.noise=1"],
        ["run", "--from", "FILE@1", "--seed", "4"],
        ["run", "--from", "FILE@soon"],
        ["run", "--from", "FILE@1", "--set", "noise=1"],
        ["run", "--from", "FILE@1", "--record", "FILE", "--overwrite"],
        ["run", "single", "--gateway", "rosbrige"],
    ],
)
def test_options_that_do_not_fit_together_are_exit_code_2(
    recording: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([argument.replace("FILE", str(recording)) for argument in arguments]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "FILE"],
        ["diff", "FILE", "FILE"],
        ["info", "FILE"],
        ["recover", "FILE"],
        ["export", "FILE", "--csv", "OUT"],
        ["export", "FILE", "--html", "OUT"],
        ["plot", "FILE", "--paths", "OUT"],
        ["run", "--from", "FILE@1"],
    ],
)
@pytest.mark.parametrize("content", [None, b"", b"hello", b"\x89MCAP0\r\n"])
def test_what_is_no_recording_is_exit_code_1_in_words(
    tmp_path: Path, arguments: list[str], content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.mcap"
    if content is not None:
        file.write_bytes(content)
    named = {"FILE": str(file), "OUT": str(tmp_path / "out")}
    assert run([argument.replace("FILE", named["FILE"]).replace("OUT", named["OUT"]) for argument in arguments]) == 1
    said = capsys.readouterr().err
    assert str(file) in said
    assert "error 60" in said


def test_a_replay_without_goals_measures_nothing_before_it_begins(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: object) -> None:
        raise AssertionError("the metrics of a crowd take minutes")

    monkeypatch.setattr("coopsim.replay.judging.judged_recording", measure)
    assert goal_lines(str(recording)) == []


def test_a_place_that_cannot_be_written_is_named(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "x")
    for arguments in (["export", str(recording), "--csv"], ["export", str(recording), "--html"]):
        assert run([*arguments, nowhere]) == 1
    assert run(["plot", str(recording), "--paths", nowhere]) == 1
    assert capsys.readouterr().err.count(str(tmp_path / "file")) == 3


def test_a_recording_that_does_not_say_what_was_run_cannot_be_verified_or_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RecordedRun(Simulation(load("single")), tmp_path / "a.mcap") as recorded:
        recorded.tick(3)
    assert run(["verify", str(tmp_path / "a.mcap")]) == 1
    assert run(["run", "--from", f"{tmp_path / 'a.mcap'}@0.01"]) == 1
    assert capsys.readouterr().err.count(RUN) == 2


def test_a_damaged_recording_is_identical_as_far_as_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "long.mcap", 450)
    with Recording.open(path) as opened:
        offset = opened.index.places[1].offset
    raw = bytearray(path.read_bytes())
    raw[offset + 200] ^= 0xFF
    path.write_bytes(raw)
    assert run(["verify", str(path), "--json"]) == 4
    out, text = capsys.readouterr()
    said = json.loads(out)
    assert (said["outcome"], said["identical"], said["total"]) == ("identical as far as compared", False, 450)
    assert f"identical as far as compared, {said['compared']} of 450 ticks" in text
    assert run(["diff", str(path), str(path)]) == 4
    assert run(["recover", str(path)]) == 4


def test_diff_says_how_far_robots_part(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", str(recording), str(made(tmp_path / "c.mcap", 120, v=0.2)), "--json"]) == 1
    out, text = capsys.readouterr()
    (robot,) = json.loads(out)["robots"]
    assert robot["robot"] == "robot1"
    assert robot["largest"] == robot["final"] > robot["mean"] > 0.0
    assert 0.5 < robot["first"] < 0.6
    assert "1 mm from" in text
    assert f"{robot['largest'] * 1000:.3f} mm" in text


def test_info_shows_notes_and_control_laws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    laws = [{"run": "formation", "robots": ["robot1"], "settings": {"shape": "line"}}]
    path = made(tmp_path / "n.mcap", 60, notes={"operator": "Ada"}, controllers=laws)
    assert run(["info", str(path), "--json"]) == 0
    out, text = capsys.readouterr()
    assert (json.loads(out)["notes"], json.loads(out)["controllers"]) == ({"operator": "Ada"}, laws)
    assert "operator Ada" in text
    assert "run formation, robots robot1, settings shape line" in text


def test_a_note_without_a_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "single", "--note", "Ada"]) == 2
    assert "expected NAME=TEXT" in capsys.readouterr().err


@pytest.mark.parametrize(("gap", "words"), [(range(20, 30), "not bit by bit"), (range(0), "bodies touch there")])
def test_a_run_that_cannot_go_on_as_its_parent_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gap: range, words: str
) -> None:
    spec = load("single")
    robots = tuple(replace(robot, position=(0.0, 0.0, 0.0)) for robot in spec.scenario.robots[:1])
    robots += (replace(robots[0], name="other", position=(0.505, 0.01, 0.0)),)
    spec = replace(spec, scenario=replace(spec.scenario, robots=robots, controllers=()))
    path = tmp_path / "a.mcap"
    with RecordedRun(Simulation(spec), path, attachments={RUN: spec_to_json(spec)}) as recorded:
        for name in ("robot1", "other"):
            recorded.simulation.command(name, "motors", 10, (0.4, 0.0) if name == "robot1" else (0.2, 0.3))
        recorded.tick(150)
    if gap:
        cut = tmp_path / "b.mcap"
        with Recording.open(path) as old, Writer(cut, metadata=old.metadata, attachments=old.attachments) as new:
            new.layout(old.layout(old.generations[-1]))
            for number, record in enumerate(old.records()):
                if number in gap:
                    new.gap(1)
                else:
                    new.write(record)
        path = cut
    choices: dict[str, Any] = {"seed": None, "step": None, "engine": None, "duration": None, "record": None}
    begin(None, f"{path}@tick:140", (), choices)
    assert words in capsys.readouterr().err
