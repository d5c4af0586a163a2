"""Words that stand for several robots."""

import pytest

from coopsim.scene.patterns import is_pattern, matching, named, without

NAMES = ["r1", "r2", "r3", "r10", "scout", "team/leader"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("all", NAMES),
        ("r*", ["r1", "r2", "r3", "r10"]),
        ("r?", ["r1", "r2", "r3"]),
        ("*", NAMES),
        ("team/*", ["team/leader"]),
        ("r2-r10", ["r2", "r3", "r10"]),
        ("r1-r1", ["r1"]),
        ("r2-r9", []),
        ("r1-s3", []),
        ("r-", []),
        ("x*", []),
    ],
)
def test_patterns_stand_for_robots_in_their_order(word: str, meant: list[str]) -> None:
    assert is_pattern(word)
    assert matching(word, NAMES) == meant


def test_a_name_is_no_pattern() -> None:
    assert not any(map(is_pattern, NAMES))


@pytest.mark.parametrize(
    ("word", "gone", "left"),
    [
        ("r*", {"r1"}, ["r*"]),
        ("r*", {"r1", "r2", "r3", "r10"}, []),
        ("r1-r10", {"r10"}, ["r1-r3"]),
        ("r1-r10", {"r2"}, ["r1-r10"]),
        ("r1-r3", {"r1", "r2"}, ["r3"]),
        ("all", {"r1"}, ["all"]),
    ],
)
def test_a_pattern_forgets_robots_that_are_gone(word: str, gone: set[str], left: list[str]) -> None:
    assert without(word, NAMES, [name for name in NAMES if name not in gone]) == left


def test_names_in_a_row_are_a_range() -> None:
    assert named(["r1", "r2", "r3"]) == ["r1-r3"]
    assert named(["r1", "r3"]) == ["r1", "r3"]
    assert named(["r1"]) == ["r1"]
    assert named(["a1", "b2"]) == ["a1", "b2"]
