"""Faults of single tokens: which tokens are drawn, and that a change elsewhere draws no others."""

import ast
import json
from pathlib import Path

import pytest
from mutants_drawn import candidates, drawn
from mutants_drawn_run import FILE, files_of_tests, judgements

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


def test_each_room_is_drawn_from_and_each_fault_leaves_a_program(tree: Path) -> None:
    found = drawn(4, tree)
    assert {fault.room for fault in found} == {"one", "two"}
    assert len(found) == 6  # three of each at least
    for fault in found:
        text = fault.source(tree)
        ast.parse(text)
        assert text != TEXT
        assert len(text.splitlines()) == len(TEXT.splitlines())
    assert found == drawn(4, tree)


def test_a_change_elsewhere_draws_no_others(tree: Path) -> None:
    before = {(fault.file, fault.key) for fault in drawn(4, tree)}
    for file in tree.glob("coopsim/*/file.py"):
        file.write_text(TEXT.replace("from math", "import math\n\nfrom math"))
    assert {(fault.file, fault.key) for fault in drawn(4, tree)} == before


def test_tests_that_speak_of_the_module_come_first(tree: Path) -> None:
    assert files_of_tests(drawn(4, tree)[0], tree) == ["tests/unit/one/test_b.py", "tests/unit/one/test_a.py"]


def test_every_drawn_fault_that_survived_is_judged() -> None:
    results = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    survivors = {key for key, result in results.items() if not result["by"]}
    assert sorted(survivors - set(judgements())) == []
    assert sorted(set(judgements()) - set(results)) == []
