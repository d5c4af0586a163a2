"""Faults of single tokens: which tokens are drawn, and that a change elsewhere draws no others."""

import ast
from pathlib import Path

import pytest
from mutants_drawn import candidates, drawn, room_of
from mutants_drawn_results import Drawn, page
from mutants_drawn_run import files_of_tests

TEXT = '''"""Docstring with 1 + 1."""

from math import pi

LIMIT = 3


def clamped(value: float, most: float = 2.0) -> float:
    """Return at most 7."""
    if not value < -most and value is not None:
        raise ValueError(f"{value + 1}")
    return min(value * pi, *[most, 0.5])
'''


def replaced(text: str) -> set[tuple[str, str]]:
    return {(fault.old, fault.new) for fault in candidates("coopsim/room/file.py", text)}


def test_operators_numbers_and_words_of_what_runs_are_replaced_and_nothing_else() -> None:
    expected = {("3", "4"), ("<", "<="), ("and", "or"), ("min", "max"), ("*", "/"), ("0.5", "1.0"), ("not", "")}
    assert replaced(TEXT) == expected


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for room in ("one", "two"):
        folder = tmp_path / "coopsim" / room
        folder.mkdir(parents=True)
        (folder / "file.py").write_text(TEXT)
        tests = tmp_path / "tests" / "unit" / room
        tests.mkdir(parents=True)
        (tests / "test_a.py").write_text("nothing")
        (tests / "test_b.py").write_text(f"import coopsim.{room}.file")
    return tmp_path


@pytest.fixture
def results(tree: Path) -> Drawn:
    return Drawn(tree, tree / "drawn.json", tree / "judgements.toml")


def test_each_room_is_drawn_from_and_each_fault_leaves_a_program(tree: Path) -> None:
    faults = drawn(4, tree)
    assert {fault.room for fault in faults} == {"one", "two"}
    assert len(faults) == 6  # three of each at least
    for fault in faults:
        text = fault.source(tree)
        ast.parse(text)
        assert text != TEXT
        assert len(text.splitlines()) == len(TEXT.splitlines())
    assert faults == drawn(4, tree)


def test_a_feature_is_a_room_of_its_own_and_files_beside_the_rooms_are_in_none() -> None:
    assert room_of("coopsim/features/games/logic/model.py") == "features/games"
    assert room_of("coopsim/server/modules/robot.py") == "server"
    assert room_of("coopsim/geometry.py") == room_of("coopsim/features/__init__.py") == ""


def test_a_change_elsewhere_draws_no_others(tree: Path) -> None:
    before = {(fault.file, fault.key) for fault in drawn(4, tree)}
    for file in tree.glob("coopsim/*/file.py"):
        file.write_text(TEXT.replace("from math", "import math\n\nfrom math"))
    assert {(fault.file, fault.key) for fault in drawn(4, tree)} == before


def test_tests_that_import_the_module_come_first_wherever_they_are(tree: Path) -> None:
    fault = drawn(4, tree)[0]
    assert files_of_tests(fault, tree) == ["tests/unit/one/test_b.py", "tests/unit/one/test_a.py"]
    (tree / "tests/papers").mkdir()
    (tree / "tests/papers/test_c.py").write_text("from coopsim.one import file")
    (tree / "tests/papers/test_d.py").write_text("from coopsim.one import files")
    assert [Path(file).name for file in files_of_tests(fault, tree)] == ["test_b.py", "test_c.py", "test_a.py"]


def test_a_room_without_a_folder_of_tests_has_those_that_import_it(tree: Path) -> None:
    (tree / "tests/unit/two").rename(tree / "tests/unit/other")
    fault = next(fault for fault in drawn(4, tree) if fault.room == "two")
    assert files_of_tests(fault, tree) == ["tests/unit/other/test_b.py"]


def test_a_result_holds_until_its_function_changes_or_its_test_is_gone(tree: Path, results: Drawn) -> None:
    fault = next(fault for fault in drawn(4, tree) if fault.line > 8)
    assert not results.is_known(fault)
    test = tree / "tests/unit/one/test_b.py"
    test.write_text("def test_it(): pass")
    results.keep(fault, {"by": "tests/unit/one/test_b.py::test_it[1]".partition("[")[0], "elsewhere": ""})
    again = Drawn(tree, tree / "drawn.json", tree / "judgements.toml")
    assert again.is_known(fault)
    test.write_text("")
    assert not again.is_known(fault)
    results.keep(fault, {"by": "", "elsewhere": ""})
    assert results.is_known(fault)
    file = tree / fault.file
    file.write_text(file.read_text().replace("0.5", "0.25"))
    assert not results.is_known(fault)


def test_the_page_counts_by_room_and_shows_what_is_said_of_survivors(tree: Path, results: Drawn) -> None:
    faults = drawn(4, tree)
    outcomes = [("tests/unit/one/test_b.py::test_it", ""), ("", ""), ("", "tests/x.py::test_y")]
    for fault, (by, elsewhere) in zip(faults, outcomes, strict=False):
        results.keep(fault, {"by": by, "elsewhere": elsewhere})
    said = {faults[1].key: "it changes nothing"}
    text = page(faults, results.kept, said)
    assert "1 of 3 are caught by the unit tests of their rooms: 33%" in text
    assert "3 were not run." in text
    assert "| one | 3 | 1 | 1 | 1 | 0 |" in text
    assert "| it changes nothing |" in text
    assert "| caught by tests/x.py::test_y |" in text
    assert "| one | 3 | 1 | 1 | 0 | 1 |" in page(faults, results.kept, {})
    assert not results.reaches_goal(faults)


def test_survivors_alone_are_judged_and_tests_that_are_named_did_fail() -> None:
    results = Drawn()
    survivors = {key for key, result in results.kept.items() if not result["by"]}
    said = results.judgements()
    assert sorted(set(said) - survivors) == []
    tests = [key for key, verdict in said.items() if verdict.startswith("tests/")]
    assert [key for key in tests if results.kept[key]["elsewhere"] != said[key]] == []
