from coopsim.app.table import counted, table


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
