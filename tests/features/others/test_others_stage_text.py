"""Text of worlds of Stage: macros, includes, values with their lines, and files that are broken in any way."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadFile
from coopsim.features.others.worlds import stage_text
from coopsim.features.others.worlds.stage_text import StageModel, read_world

FILE = Path("simple.world")
_words = st.sampled_from(
    ["define", "include", "position", "pose", "(", ")", "[", "]", '"a b"', '"', "1", "-2.5", "x", "#c\n", "\n"]
)


def read(text: str, file: Path = FILE) -> StageModel:
    return read_world(text, file)


def test_keys_hold_numbers_texts_and_rows_each_with_its_line() -> None:
    world = read('name "two words"\nsize [4 3.5]\n\nspeedup -1 # as it likes\ncolor red\nmixed [ 1 "2" x ]\n')
    assert {name: key.value for name, key in world.keys.items()} == {
        "name": "two words",
        "size": (4.0, 3.5),
        "speedup": -1.0,
        "color": "red",
        "mixed": (1.0, "2", "x"),
    }
    assert {name: key.place for name, key in world.keys.items()} == {
        "name": "simple.world:1",
        "size": "simple.world:2",
        "speedup": "simple.world:4",
        "color": "simple.world:5",
        "mixed": "simple.world:6",
    }
    assert (world.row("size", (0.0, 0.0, 7.0)), world.row("pose", (1.0, 2.0))) == ((4.0, 3.5, 7.0), (1.0, 2.0))
    assert (world.number("speedup", 1.0), world.number("none", 5.0)) == (-1.0, 5.0)
    assert (world.text("color"), world.text("speedup"), world.text("none", "usual")) == ("red", "-1.0", "usual")
    with pytest.raises(BadFile, match=r"simple\.world:5: color: expected numbers, got 'red'"):
        world.row("color", (0.0,))


def test_a_number_that_is_too_large_or_none_is_a_word() -> None:
    world = read("a 1e9\nb nan\nc inf\nd 999999999\n")
    assert [key.value for key in world.keys.values()] == ["1e9", "nan", "inf", 999999999.0]


def test_models_stand_in_their_order_and_marks_within_texts_are_text() -> None:
    world = read('position ( name "(" pose [ 1 2 0 90 ] ranger ( ) )\nmodel( name ")" )\n')
    first, second = world.children
    assert (first.kind, first.place, first.text("name")) == ("position", "simple.world:1", "(")
    assert [child.kind for child in first.children] == ["ranger"]
    assert (second.kind, second.place, second.text("name")) == ("model", "simple.world:2", ")")
    assert (first.total, second.total, world.total) == (2, 1, 4)


def test_a_macro_brings_its_keys_and_models_and_later_words_win() -> None:
    world = read(
        "define eye ranger ( range 5 )\n"
        "define rover position ( size [ 0.4 0.3 0.2 ] color red eye ( ) )\n"
        "rover ( color blue )\n"
        "rover ( eye ( range 9 ) )\n"
    )
    first, second = world.children
    assert [model.kind for model in (first, second)] == ["position", "position"]
    assert [model.word for model in (first, second)] == ["rover", "rover"]
    assert (first.place, second.place) == ("simple.world:3", "simple.world:4")
    assert (first.text("color"), second.text("color")) == ("blue", "red")
    assert first.row("size", ()) == second.row("size", ()) == (0.4, 0.3, 0.2)
    assert [eye.number("range", 0.0) for eye in first.children] == [5.0]
    assert [eye.number("range", 0.0) for eye in second.children] == [5.0, 9.0]


def test_included_files_are_found_beside_above_and_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "library").mkdir()
    (tmp_path / "worlds" / "map.inc").write_text(
        'define wall model ( color gray bitmap "cave.png" )\n', encoding="utf-8"
    )
    (tmp_path / "robots.inc").write_text("define rover position ( color red )\ngui_nose 1\n", encoding="utf-8")
    (tmp_path / "library" / "sensors.inc").write_text("define eye ranger ( range 8 )\n", encoding="utf-8")
    monkeypatch.setenv("STAGEPATH", str(tmp_path / "library"))
    file = tmp_path / "worlds" / "simple.world"
    world = read('include "map.inc"\ninclude "robots.inc"\ninclude "sensors.inc"\nwall ( ) rover ( eye ( ) )\n', file)
    wall, rover = world.children
    assert (wall.folder, wall.text("color")) == (tmp_path / "worlds", "gray")
    assert rover.children[0].number("range", 0.0) == 8.0
    # a key of an included file is one of the world
    assert world.keys["gui_nose"].place == f"{tmp_path / 'robots.inc'}:2"


def test_a_picture_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "walls.inc").write_text('define wall model ( bitmap "a.png" )\n', encoding="utf-8")
    world = read('include "library/walls.inc"\nwall ( )\nwall ( bitmap "b.png" )\n', tmp_path / "simple.world")
    assert [wall.folder for wall in world.children] == [tmp_path / "library", tmp_path]


def test_files_that_include_each_other_come_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "a.inc").write_text('\ninclude "b.inc"\n', encoding="utf-8")
    (tmp_path / "b.inc").write_text('include "a.inc"\n', encoding="utf-8")
    with pytest.raises(BadFile, match=r"b\.inc:1: a\.inc includes itself"):
        read('include "a.inc"', tmp_path / "simple.world")
    # one that is included twice is no circle
    (tmp_path / "b.inc").write_text("x 1\n", encoding="utf-8")
    assert read('include "b.inc" include "b.inc"', tmp_path / "simple.world").number("x", 0.0) == 1.0


def test_an_included_file_that_is_missing_or_too_large_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "simple.world"
    with pytest.raises(BadFile, match=r"simple\.world:2: none\.inc cannot be read: No such file"):
        read('\ninclude "none.inc"', file)
    (tmp_path / "large.inc").write_text("a 1\n" * 50, encoding="utf-8")
    monkeypatch.setattr(stage_text, "_LARGEST", 100)
    with pytest.raises(BadFile, match=r"large\.inc: expected at most 100 bytes"):
        read('include "large.inc"', file)


def test_macros_of_macros_do_not_bring_more_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_text, "MOST_MODELS", 500)
    lines = ["define m0 model ( )"]
    lines += [f"define m{k} model ( {' '.join([f'm{k - 1} ( )'] * 4)} )" for k in range(1, 12)]
    with pytest.raises(BadFile, match=r"simple\.world:\d+: more than 500 models"):
        read("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("position ( name", "simple.world:1: the file ends in the midst"),
        ("a 1\nposition (", "simple.world:2: the file ends in the midst"),
        ("a [ 1 2", "simple.world:1: the file ends in the midst"),
        ("define", "simple.world:1: the file ends in the midst"),
        ('a "no end\nb 1', 'simple.world:1: a text has no end: expected "'),
        (")", "simple.world:1: expected a key or a model, got ')'"),
        ('\n"text" 1', "simple.world:2: expected a key or a model, got 'text'"),
        ("a [ 1\n( 2 ]", "simple.world:2: expected ] or a value, got '('"),
        ("define m model x", "simple.world:1: expected ( after model, got 'x'"),
        ("model ( " * 40, "simple.world:1: more than 32 models in each other"),
    ],
)
def test_broken_files_are_refused_with_their_line(text: str, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        read(text)
    assert str(refused.value).startswith(said)


@given(st.lists(_words, max_size=40))
def test_any_words_are_a_world_or_a_mistake_with_a_place(words: list[str]) -> None:
    world = None
    with contextlib.suppress(BadFile):
        world = read(" ".join(words))
    if world is None:
        with pytest.raises(BadFile, match=r"^simple\.world:\d+: "):
            read(" ".join(words))
        return
    assert world.total == 1 + sum(child.total for child in world.children)
