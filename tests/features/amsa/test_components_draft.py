"""A file of a system while it is edited: what each change writes, what it refuses, and what is saved."""

from fractions import Fraction
from pathlib import Path

import pytest

from coopsim.errors import BadArgument, BadFile, NoSuchFile, NoSuchName
from coopsim.features.amsa.components import load_system
from coopsim.features.amsa.components.draft import SystemDraft
from coopsim.features.amsa.components.kinds import LeafKind

TEMPLATES = """
Template Source { output out parameter { double step = 1 in 0 .. 10; } }
Template Relay { input in1 output out }
Template Word { output word : text }
"""
SYSTEM = """templates "t.amsatemplate";
System Line {
    // the first one
    sensor first : Source @ 2 Hz { out -> a; }
    control second : Relay @ 2 Hz { in1 <- a; out -> b; }
    control third : Relay @ 2 Hz { in1 <- b; out -> c; }
    composite Group {
        control inner : Relay @ 2 Hz { in1 <- c; out -> d; }
    }
}
"""


@pytest.fixture
def draft(tmp_path: Path) -> SystemDraft:
    (tmp_path / "t.amsatemplate").write_text(TEMPLATES)
    (tmp_path / "line.amsa").write_text(SYSTEM)
    return SystemDraft(tmp_path / "line.amsa")


def reads(draft: SystemDraft, leaf: str) -> dict[str, str]:
    return {link.port: link.data for link in draft.model.leaves[leaf].reads}


def test_an_added_leaf_writes_data_of_its_own_and_keeps_all_other_lines(draft: SystemDraft) -> None:
    draft.add("fourth", "Relay", LeafKind.CONTROL, Fraction(5, 2))
    assert set(SYSTEM.splitlines()) < set(draft.text.splitlines())
    leaf = draft.model.leaves["fourth"]
    assert (leaf.rate, [link.data for link in leaf.writes]) == (Fraction(5, 2), ["fourth_out"])
    assert any("in1" in mistake for mistake in draft.mistakes)
    draft.connect("inner", "out", "fourth", "in1")
    assert reads(draft, "fourth") == {"in1": "d"}
    assert not draft.mistakes


def test_data_of_a_leaf_get_a_name_that_nobody_has(draft: SystemDraft) -> None:
    draft.connect("first", "out", "third", "in1")
    draft.add("again", "Source", LeafKind.SENSOR, Fraction(1))
    draft.remove("again")
    draft.add("a", "Source", LeafKind.SENSOR, Fraction(1), inside="Group")
    assert [link.data for link in draft.model.leaves["a"].writes] == ["a_out"]
    assert draft.composite_of("a").name == "Group"
    assert reads(draft, "third") == {"in1": "a"}


@pytest.mark.parametrize("name", ["first", "Group", "Line", "2nd", "a b", ""])
def test_names_that_are_there_or_are_none_are_refused(draft: SystemDraft, name: str) -> None:
    for change in (
        lambda: draft.add(name, "Source", LeafKind.SENSOR, Fraction(1)),
        lambda: draft.add_composite(name),
    ):
        with pytest.raises(BadArgument, match=r"is there already|is no name"):
            change()
    assert not draft.is_changed


def test_leaves_move_between_composites_that_there_are(draft: SystemDraft) -> None:
    draft.add_composite("Other", inside="Group")
    draft.move("first", "Other")
    assert draft.composite_of("first").name == "Other"
    assert draft.composites == ("Line", "Group", "Other")
    with pytest.raises(NoSuchName):
        draft.move("first", "Nowhere")
    assert draft.composite_of("first").name == "Other"


def test_a_leaf_runs_one_place_earlier_until_it_is_the_first(draft: SystemDraft) -> None:
    for _ in range(3):
        draft.run_earlier("third")
    assert draft.model.root.order[:3] == ("third", "first", "second")
    before = draft.text
    draft.run_earlier("third")
    assert draft.text == before


def test_a_loop_without_an_order_is_ordered_as_it_is_written(draft: SystemDraft) -> None:
    draft.connect("third", "out", "second", "in1")
    assert any("loop" in mistake for mistake in draft.mistakes)
    draft.run_earlier("third")
    assert draft.model.root.order == ("first", "third", "second", "Group")
    assert not draft.mistakes


def test_what_does_not_fit_is_not_connected(draft: SystemDraft) -> None:
    draft.add("speaker", "Word", LeafKind.SENSOR, Fraction(2))
    before = draft.text
    assert draft.why_not("speaker", "word", "second", "in1")
    with pytest.raises(BadArgument):
        draft.connect("speaker", "word", "second", "in1")
    assert draft.text == before
    assert draft.why_not("first", "out", "third", "in1") == ""


def test_parameters_are_checked_and_those_that_are_none_change_nothing(draft: SystemDraft) -> None:
    draft.set_parameter("first", "step", 2.5)
    assert "step = 2.5" in draft.text
    with pytest.raises(BadArgument):
        draft.set_parameter("first", "step", 11.0)
    before = draft.text
    draft.set_parameter("first", "stride", 1.0)
    assert draft.text == before


def test_changes_are_taken_back_one_by_one_to_the_bytes_of_the_file(draft: SystemDraft) -> None:
    assert not draft.can_undo
    draft.disconnect("third", "in1")
    assert reads(draft, "third") == {}
    draft.remove("second")
    assert "second" not in draft.model.leaves
    draft.undo()
    assert "second" in draft.model.leaves
    draft.undo()
    assert (draft.text, draft.is_changed, draft.can_undo) == (SYSTEM, False, False)
    draft.undo()
    assert draft.text == SYSTEM


def test_a_draft_that_is_saved_elsewhere_brings_its_templates(draft: SystemDraft, tmp_path: Path) -> None:
    (tmp_path / "more.amsatemplate").write_text("Template More { output out }")
    (tmp_path / "t.amsatemplate").write_text(f'templates "more.amsatemplate";\n{TEMPLATES}')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "more.amsatemplate").write_text("Template More { output out } // kept")
    draft.set_parameter("first", "step", 3.0)
    draft.save(elsewhere / "own.amsa")
    assert draft.path == elsewhere / "own.amsa"
    assert not draft.is_changed
    assert load_system(elsewhere / "own.amsa").leaves.keys() == {"first", "second", "third", "inner"}
    assert (elsewhere / "more.amsatemplate").read_text().endswith("// kept")
    assert (tmp_path / "line.amsa").read_text() == SYSTEM
    with pytest.raises(NoSuchFile, match="cannot be written"):
        draft.save(tmp_path / "no" / "own.amsa")


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("a.txt", SYSTEM, NoSuchFile),
        ("none.amsa", None, NoSuchFile),
        ("two.amsa", "System A { }\nSystem B { }\n", BadFile),
        ("broken.amsa", "System {", BadFile),
    ],
)
def test_what_is_not_one_system_is_not_edited(tmp_path: Path, name: str, text: str | None, error: type) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(error):
        SystemDraft(tmp_path / name)
