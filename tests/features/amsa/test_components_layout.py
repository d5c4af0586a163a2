"""The usual layout of model files, and changes that touch nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import NoSuchName
from coopsim.features.amsa.components.files import BUILT_IN
from coopsim.features.amsa.components.formatting import formatted
from coopsim.features.amsa.components.parsing import parse
from coopsim.features.amsa.components.text_edits import (
    moved,
    value_text,
    with_link,
    with_order,
    with_parameter,
    with_part,
    without_leaf,
    without_link,
)
from coopsim.features.amsa.components.tokens import all_tokens
from coopsim.scene import Problems

BUILT_IN_TEXTS = {file.name: file.read_text(encoding="utf-8") for file in sorted(BUILT_IN.iterdir()) if file.is_file()}
WORDS = st.sampled_from(
    ["{", "}", ";", "a", "->", ".", "3.5", '"t"', "// c\n", "/* d */", "\n\n", "Template", "input", "Hz", "(", ")", ","]
)


def same_statements(first: str, second: str) -> bool:
    """Return whether two texts differ in their layout alone."""
    return [token.text for token in all_tokens(first)] == [token.text for token in all_tokens(second)]


@pytest.mark.parametrize("name", BUILT_IN_TEXTS)
def test_the_layout_keeps_all_words_and_comments(name: str) -> None:
    once = formatted(BUILT_IN_TEXTS[name])
    assert same_statements(once, BUILT_IN_TEXTS[name])
    assert formatted(once) == once
    assert (once == BUILT_IN_TEXTS[name]) == name.startswith("challenge")


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_the_layout_of_any_text_is_its_own_layout(text: str) -> None:
    once = formatted(text)
    assert same_statements(once, text)
    assert formatted(once) == once


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60) | st.lists(WORDS, max_size=40).map(" ".join))
def test_no_text_brings_the_reader_down(text: str) -> None:
    for beginning in ("", "System s {", "Template t {", "Scenario s {"):
        parse(beginning + text, "file", Problems())


BEFORE = """System s { // mine
    sensor gps  : GPS @ 4 Hz { posX <- x; /* why */ lost = 3; }
    sensor bare : GPS;
    sensor empty : GPS { }
    sensor long : GPS {
        posX <- x;  // from there
    }
}
"""


@pytest.mark.parametrize(
    ("leaf", "old", "new"),
    [
        ("gps", "lost = 3;", "lost = 7;"),
        ("bare", "sensor bare : GPS;", "sensor bare : GPS { lost = 7; }"),
        ("empty", "sensor empty : GPS { }", "sensor empty : GPS { lost = 7; }"),
        ("long", "posX <- x;  // from there", "posX <- x;\n        lost = 7;  // from there"),
    ],
)
def test_a_parameter_is_changed_or_added_and_nothing_else(leaf: str, old: str, new: str) -> None:
    assert with_parameter(BEFORE, leaf, "lost", 7) == BEFORE.replace(old, new)


def test_a_link_is_changed_and_a_leaf_is_added() -> None:
    assert with_link(BEFORE, "gps", "posX", "y", writes=False) == BEFORE.replace("posX <- x; /*", "posX <- y; /*")
    assert with_part(BEFORE, "s", "sensor new : GPS;") == BEFORE[:-2] + "\n    sensor new : GPS;\n}\n"
    for change in (lambda: with_parameter(BEFORE, "gsp", "lost", 1), lambda: with_part(BEFORE, "t", "")):
        with pytest.raises(NoSuchName):
            change()


def test_links_and_leaves_are_taken_out_and_nothing_else() -> None:
    text = BEFORE.replace("{ // mine", "{ // mine\n    order empty gps gps2;")
    assert without_link(text, "gps", "posX") == text.replace(" posX <- x; /* why", " /* why")
    assert without_link(text, "long", "posX") == text.replace("posX <- x;  // from", "// from")
    assert without_link(text, "gps", "lost") == text
    without = text.replace("    sensor gps  : GPS @ 4 Hz { posX <- x; /* why */ lost = 3; }\n", "")
    assert without_leaf(text, "gps") == without.replace("empty gps gps2", "empty gps2")
    assert without_leaf(text, "bare") == text.replace("    sensor bare : GPS;\n", "")
    with pytest.raises(NoSuchName):
        without_leaf(text, "gsp")


NESTED = """System s {
    order a b c;
    sensor a : GPS @ 4 Hz {
        lost = 3;  // mine
    }
    composite inner {
        order b d;
        sensor b : GPS; // stays
        composite deep { sensor c : GPS; }
        sensor d : GPS;
    }
}
"""


def test_a_leaf_moves_with_all_its_lines_and_orders_that_still_hold_it_name_it() -> None:
    into = moved(NESTED, "a", "deep", {"s", "inner", "deep"})
    assert "    order a b c;\n    composite inner" in into
    inside = "            sensor a : GPS @ 4 Hz {\n                lost = 3;  // mine\n            }\n"
    assert f"sensor c : GPS;\n{inside}        }}\n" in into
    out = moved(NESTED, "b", "s", {"s"})
    assert "order a b c;" in out
    assert "        order d;\n        // stays\n" in out
    assert out.endswith("    }\n\n    sensor b : GPS;\n}\n")
    with pytest.raises(NoSuchName):
        moved(NESTED, "a", "nowhere", set())


def test_an_order_is_replaced_where_it_is_or_written_first() -> None:
    assert with_order(NESTED, "s", "cab") == NESTED.replace("order a b c;", "order c a b;")
    assert with_order(NESTED, "inner", "db") == NESTED.replace("order b d;", "order d b;")
    assert with_order(NESTED, "deep", "c") == NESTED.replace("deep { sensor", "deep {\n            order c; sensor")


def test_values_are_written_as_they_are_read() -> None:
    assert [value_text(value) for value in (True, 3, 0.05, 'a "b"')] == ["true", "3", "0.05", '"a \\"b\\""']
