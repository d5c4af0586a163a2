"""C-34: composed objects in files and messages: `part_n` lines."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.scene import Object, ObjectPart, changed, read_additions, read_world, world_text

HAMMER = """\
[FLOOR]
size 10 10 0.1

# a hammer
[OBJECT_1]
name     hammer
type     box
size     1 0.1 0.1
position 1 2 0
mass     3
part_4   sphere 0.2 0.2 0.2  -0.5 0 0   # its end
part_2   cylinder 0.4 0.4 0.3  0.5 0 0 friction 0.9 MASS 2 color red
"""
HEAD = ObjectPart("cylinder", (0.4, 0.4, 0.3), (0.5, 0.0, 0.0), 2, 2.0, 0.9, (1.0, 0.0, 0.0))
END = ObjectPart("sphere", (0.2, 0.2, 0.2), (-0.5, 0.0, 0.0), 4)
THING = Object("hammer", "box", (1.0, 0.1, 0.1), (1.0, 2.0, 0.0), mass=3.0, parts=(HEAD, END))


def world_in(folder: Path, text: str = HAMMER) -> str:
    """Write a world, and return its mistakes."""
    (folder / "a.world").write_text(text)
    return str(read_world(folder / "a.world")[1])


def saved(folder: Path, *things: Object, text: str = HAMMER) -> str:
    world_in(folder, text)
    ground = read_world(folder / "a.world")[0].floor
    return world_text(text, ground, things, folder)


def test_parts_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    assert world_in(tmp_path) == ""
    (thing,) = read_world(tmp_path / "a.world")[0].objects
    assert thing == THING
    assert [shape.number for shape in thing.shapes] == [0, 2, 4]


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        (
            "part_1 box 1 1",
            "11:1: part_1 takes `KIND LENGTH WIDTH HEIGHT X Y Z`, then perhaps orientation, mass",
        ),
        ("part_1 bxo 1 1 1 0 0 0", "11:8: part_1 expects box, cylinder, sphere, polygon; got 'bxo'"),
        ("part_1 box 1 0 1 0 0 0", "11:14: part_1 width must lie within 0.001"),
        ("part_1 box 1 1 1 0 o 0", "11:20: part_1 expects a number, got 'o'"),
        ("part_1 sphere 1 1 2 0 0 0", "11:15: part_1 size: a sphere's three sizes"),
        (
            "part_1 box 1 1 1 0 0 0 mess 2",
            "11:24: part_1 expects orientation, mass, friction, color behind the place; got 'mess'",
        ),
        ("part_1 box 1 1 1 0 0 0 mass -2", "11:29: part_1 mass must lie within 1e-06 and 1e+09 kg"),
        ("part_1 box 1 1 1 0 0 0 mass", "11:24: part_1 mass takes 1 number, got 0"),
        ("part_1 box 1 1 1 0 0 0 orientation 0 0", "11:24: part_1 orientation takes 3 numbers"),
        ("part_1 box 1 1 1 0 0 0 orientation 0 x 0", "11:38: part_1 orientation expects a number, got 'x'"),
        ("part_1 box 1 1 1 0 0 0 mass 1 mass 1", "11:31: part_1 says mass twice"),
        ("part_1 box 1 1 1 0 0 0 mass 3", "11:8: the parts weigh 3 kg, and the whole 3 kg"),
        ("part_n box 1 1 1 0 0 0", "11:1: [OBJECT_1] knows no key 'part_n' (part_n → part_1?)"),
        ("part_0 box 1 1 1 0 0 0", "11:1: [OBJECT_1] knows no key 'part_0'"),
        ("part_1 box 1 1 1 0 0 0\npart_1 box 1 1 1 0 0 0", "12:1: 'part_1' is given twice, first on line 11"),
        ("mass_1 2", "11:1: [OBJECT_1] knows no key 'mass_1'"),
    ],
)
def test_mistakes_in_parts_are_told_with_their_places(tmp_path: Path, line: str, mistake: str) -> None:
    assert f"a.world:{mistake}" in world_in(tmp_path, f"{HAMMER.partition('part_4')[0]}{line}\n")


def test_parts_of_a_fixed_object_weigh_nothing_and_there_are_not_too_many(tmp_path: Path) -> None:
    assert "a part of a fixed object has no mass" in world_in(tmp_path, HAMMER.replace("mass     3", "mass     0"))
    many = "".join(f"part_{number} box 1 1 1 0 0 0\n" for number in range(10, 41))
    assert "at most 32 parts, got 33" in world_in(tmp_path, HAMMER + many)


def test_saving_changes_the_parts_that_changed_alone(tmp_path: Path) -> None:
    assert saved(tmp_path, THING) == HAMMER
    heavier = replace(THING, parts=(replace(HEAD, mass=2.5), END))
    assert saved(tmp_path, heavier) == HAMMER.replace(
        "0.4 0.4 0.3  0.5 0 0 friction 0.9 MASS 2 color red", "0.4 0.4 0.3  0.5 0 0 mass 2.5 friction 0.9 color red"
    )
    turned = replace(THING, parts=(HEAD, replace(END, orientation=(0.0, 0.0, math.radians(-45.0)))))
    text = saved(tmp_path, turned)
    assert text == HAMMER.replace("  -0.5 0 0   #", " -0.5 0 0 orientation 0 0 -45   #")
    (tmp_path / "a.world").write_text(text)
    assert read_world(tmp_path / "a.world")[0].objects == (turned,)
    assert saved(tmp_path, turned, text=text) == text
    assert saved(tmp_path, replace(THING, parts=(END,))) == HAMMER[: HAMMER.index("part_2")]
    more = replace(THING, parts=(*THING.parts, ObjectPart("box", (0.1, 0.1, 0.1), (0.0, 0.0, 0.1), 5)))
    assert saved(tmp_path, more) == HAMMER + "part_5   box 0.1 0.1 0.1 0 0 0.1\n"


def test_a_new_composed_object_is_written_and_read_again(tmp_path: Path) -> None:
    text = saved(tmp_path, THING, text="[FLOOR]\nsize 10 10 0.1\n")
    assert world_in(tmp_path, text) == ""
    assert read_world(tmp_path / "a.world")[0].objects == (THING,)


def test_a_message_changes_adds_and_removes_parts() -> None:
    """C-58: objects of several parts."""
    additions, problems = read_additions(HAMMER.partition("\n\n")[2])
    assert (additions.objects, str(problems)) == ((THING,), "")
    new = changed(THING, "part_4 none\npart_1 box 0.1 0.1 0.1 0 0 0.1\nmass 4")
    assert new == replace(THING, mass=4.0, parts=(ObjectPart("box", (0.1, 0.1, 0.1), (0.0, 0.0, 0.1), 1), HEAD))
    with pytest.raises(BadFile, match="message:1:6: the parts weigh 2 kg, and the whole 1 kg"):
        changed(THING, "mass 1")
    with pytest.raises(BadFile, match="part_1 expects box, cylinder, sphere"):
        changed(THING, "part_1 nothing 1 1 1 0 0 0")
