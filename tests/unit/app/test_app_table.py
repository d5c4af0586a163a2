from types import SimpleNamespace

from coopsim.app.table import counted, entry, listing, table, width


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
