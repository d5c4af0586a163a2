"""Results of faults hold while the code means the same: moved, renamed or reformatted, and no longer."""

from dataclasses import replace
from pathlib import Path

import pytest
from mutants_faults import Fault
from mutants_meaning import digest_of_fault, digest_of_test
from mutants_results import Results

CODE = '''"""Speeds."""

from coopsim.motion.limits import MOST

LEAST = 0.5


class Motor:
    """Drives."""

    def speed(self, power: float) -> float:
        """Return a speed in m/s."""
        # slower than the wheel
        share = power * MOST
        return min(share, LEAST)

    def power(self) -> float:
        return 1.0
'''
TESTS = '''"""C-1."""

from coopsim.motion.motor import Motor

POWER = 2.0


def driven(motor: Motor) -> float:
    return motor.speed(POWER)


def test_c_1_motors_are_slow() -> None:
    """C-1."""
    expected = 0.5
    assert driven(Motor()) == expected


def test_others() -> None:
    assert Motor()
'''
FAULT = Fault("f", "coopsim/motion/motor.py", "min(share", "max(share", "it is fast", ("C-1",))
TEST = "tests/unit/test_motor.py::test_c_1_motors_are_slow"
SAME_CODE = {
    "an import from another room": ("coopsim.motion.limits", "coopsim.features.motion.limits"),
    "a comment": ("# slower than the wheel", "# as slow as the wheel"),
    "a docstring": ("Return a speed in m/s.", "Return the speed, in metres per second."),
    "another way to write it": (
        "return min(share, LEAST)",
        "return min(\n            share,\n            LEAST,\n        )",
    ),
    "another function": ("return 1.0", "return 2.0"),
    "a line above": ("LEAST = 0.5", "OTHER = 1\nLEAST = 0.5"),
}
OTHER_CODE = {
    "another operator": ("power * MOST", "power / MOST"),
    "another constant": ("share, LEAST", "share, MOST"),
    "arguments exchanged": ("min(share, LEAST)", "min(LEAST, share)"),
}
OTHER_TESTS = {
    "the test": ("expected = 0.5", "expected = 0.6"),
    "a helper": ("motor.speed(POWER)", "motor.speed(-POWER)"),
    "a constant": ("POWER = 2.0", "POWER = 3.0"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for file, text in ((FAULT.file, CODE), (TEST.partition("::")[0], TESTS)):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


def kept(root: Path) -> Results:
    results = Results(root, root / "results.json")
    results.keep_fault(FAULT, "caught", [TEST])
    assert results.is_known(FAULT)
    return results


def holds(root: Path, fault: Fault = FAULT) -> bool:
    """Return whether the result in the file holds for a project that is read anew."""
    return Results(root, root / "results.json").is_known(fault)


def put(root: Path, file: str, text: str) -> None:
    """Write a project in a folder beside the one of which results are kept."""
    path = root / "later" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def later(root: Path, code: str = CODE, tests: str = TESTS, fault: Fault = FAULT) -> bool:
    """Return whether what is kept of a project holds for one with other files."""
    kept(root)
    put(root, fault.file, code)
    put(root, TEST.partition("::")[0], tests)
    return Results(root / "later", root / "results.json").is_known(fault)


@pytest.mark.parametrize("change", SAME_CODE.values(), ids=SAME_CODE)
def test_a_result_holds_where_the_function_with_the_fault_means_the_same(root: Path, change: tuple[str, str]) -> None:
    code = CODE.replace(*change)
    assert code != CODE
    old = "min(\n            share" if "share,\n" in code else FAULT.old
    assert later(root, code, fault=replace(FAULT, old=old, new=old.replace("min", "max")))


@pytest.mark.parametrize("change", OTHER_CODE.values(), ids=OTHER_CODE)
def test_a_result_is_out_of_date_where_the_function_does_something_else(root: Path, change: tuple[str, str]) -> None:
    fault = replace(FAULT, old="return min(", new="return max(")
    Results(root, root / "results.json").keep_fault(fault, "caught", [TEST])
    assert holds(root, fault)
    (root / FAULT.file).write_text(CODE.replace(*change))
    assert not holds(root, fault)


def test_a_result_holds_where_locals_are_renamed_and_files_moved(root: Path) -> None:
    kept(root)
    moved = replace(FAULT, file="coopsim/features/motion/motor.py", old="min(part", new="max(part")
    put(root, moved.file, CODE.replace("share", "part"))
    put(root, "tests/features/test_motor.py", TESTS.replace("coopsim.motion", "coopsim.features.motion"))
    assert holds(root / "later", moved) is False  # nothing is kept there
    assert Results(root / "later", root / "results.json").is_known(moved)


def test_a_result_is_out_of_date_where_the_fault_is_another_one(root: Path) -> None:
    kept(root)
    assert not holds(root, replace(FAULT, new="sum(share"))
    assert not holds(root, replace(FAULT, items=("C-1", "C-2")))


@pytest.mark.parametrize("change", OTHER_TESTS.values(), ids=OTHER_TESTS)
def test_a_result_is_out_of_date_where_the_test_or_what_it_uses_changed(root: Path, change: tuple[str, str]) -> None:
    tests = TESTS.replace(*change)
    assert tests != TESTS
    assert not later(root, tests=tests)


def test_a_result_holds_where_other_tests_of_the_file_changed(root: Path) -> None:
    assert later(root, tests=TESTS.replace("assert Motor()", "assert Motor().power()"))


def test_what_survived_is_run_anew_where_another_test_names_its_item(root: Path) -> None:
    results = Results(root, root / "results.json")
    results.keep_fault(FAULT, "survives", [])
    assert holds(root)
    put(root, FAULT.file, CODE)
    put(root, TEST.partition("::")[0], TESTS.replace("test_others", "test_others_of_c_1"))
    assert not Results(root / "later", root / "results.json").is_known(FAULT)
    results.keep_fault(FAULT, "caught", [TEST])
    assert Results(root / "later", root / "results.json").is_known(FAULT)


def test_faults_of_constants_and_of_other_files_have_digests_of_what_they_change(root: Path) -> None:
    constant = replace(FAULT, old="LEAST = 0.5", new="LEAST = 0.6")
    before = digest_of_fault(constant, root)
    assert before != digest_of_fault(replace(constant, new="LEAST = 0.7"), root)
    (root / FAULT.file).write_text(CODE.replace("power * MOST", "power / MOST"))
    assert digest_of_fault(constant, root) == before
    (root / "a.txt").write_text("a = 1\n\nb = 2\n")
    text = Fault("t", "a.txt", "b = 2", "b = 3", "b", ("C-1",))
    before = digest_of_fault(text, root)
    (root / "a.txt").write_text("a  = 1\nb = 2\n")
    assert digest_of_fault(text, root) == before
    (root / "a.txt").write_text("a = 2\nb = 2\n")
    assert digest_of_fault(text, root) != before


def test_names_of_fixtures_count_in_tests(root: Path) -> None:
    put(root, "tests/test_a.py", "def test_a(one: int) -> None:\n    assert one\n")
    put(root, "tests/test_b.py", "def test_a(two: int) -> None:\n    assert two\n")
    later_root = root / "later"
    assert digest_of_test("tests/test_a.py::test_a", later_root) != digest_of_test(
        "tests/test_b.py::test_a", later_root
    )
