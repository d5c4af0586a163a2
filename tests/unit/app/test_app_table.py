from pathlib import Path
from types import SimpleNamespace

import pytest

from coopsim.app.main import run
from coopsim.app.table import counted, entry, fitted, listing, table, width
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun


def test_columns_of_numbers_stand_to_the_right_and_words_to_the_left() -> None:
    drawn = table(("robot", "x [m]"), [("robot1", "1.250"), ("r2", "-10.000")])
    assert drawn.splitlines() == [
        "robot     x [m]",
        "------  -------",
        "robot1    1.250",
        "r2      -10.000",
    ]


def test_what_is_not_there_is_a_dash() -> None:
    assert table(("case", "bound"), [("W", 500.0), ("single", None)]).splitlines()[-1] == "single      -"


def test_a_table_without_rows_is_its_head() -> None:
    assert table(("robot", "x"), []).splitlines() == ["robot  x", "-----  -"]


def test_one_thing_is_one_thing() -> None:
    assert [counted(number, "part") for number in range(3)] == ["0 parts", "1 part", "2 parts"]
    assert counted(2, "index", "indices") == "2 indices"


def test_a_table_that_is_too_wide_breaks_its_last_column() -> None:
    drawn = table(("about", "a.mcap"), [("names", "robot1, robot2, robot3, robot4, robot5"), ("seed", "3")], 40)
    assert drawn.splitlines() == [
        "about  a.mcap",
        "-----  ---------------------------------",
        "names  robot1, robot2, robot3, robot4,",
        "       robot5",
        "seed   3",
    ]


def test_a_last_column_without_room_stands_below_its_rows() -> None:
    rows = [(0.0, 23.6, "behavior=1 Kv=0.35"), (200.0, 7.45, "behavior=3")]
    assert table(("from [s]", "largest", "parameters"), rows, 30).splitlines() == [
        "from [s]  largest",
        "    parameters",
        "--------  -------",
        "       0     23.6",
        "    behavior=1 Kv=0.35",
        "     200     7.45",
        "    behavior=3",
    ]
    assert table(("from [s]", "largest", "parameters"), rows, 40).splitlines()[2].endswith("behavior=1 Kv=0.35")


def test_lines_of_a_text_are_broken_and_go_on_further_in() -> None:
    text = "proved:\n  states (205 records: hashes, poses)\n"
    assert fitted(text, 24) == "proved:\n  states (205 records:\n    hashes, poses)\n"
    assert fitted(text) == text


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "scenes",
        "explain",
        "explain 402",
        "doctor",
        "components run challenge --scenario scenario1",
        "components check challenge",
        "verify a.mcap",
        "info a.mcap",
        "diff a.mcap a.mcap",
    ],
)
def test_what_commands_print_fits_a_terminal(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("coopsim.app.table.width", lambda: 80)
    monkeypatch.setenv("COLUMNS", "80")  # of which help texts ask
    monkeypatch.chdir(tmp_path)
    if "a.mcap" in words:
        spec = load("single")
        with RecordedRun(Simulation(spec), tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as recorded:
            recorded.tick(3)
    assert run(words.split()) in {0, 1}
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    assert lines
    assert [line for line in lines if len(line) > 80] == []


def test_a_pipe_has_endless_lines_and_a_terminal_those_of_its_size(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert width() > 10_000
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    assert width() == 72


def test_entries_of_a_manual_stand_below_their_heads() -> None:
    assert entry("10  set_velocity", "Drive at a speed while turning.", columns=30) == (
        "  10  set_velocity\n      Drive at a speed while turning."
    )
    assert listing([("a", "one two three four five six seven"), ("bcd", "x")], columns=20) == (
        "  a    one two three four\n       five six seven\n  bcd  x"
    )
