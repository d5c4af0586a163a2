"""Texts out of messages: sections to insert and keys to change."""

import math

import pytest

from coopsim.errors import BadFile
from coopsim.scene import (
    Additions,
    Entity,
    Floor,
    Object,
    Problems,
    RobotPlacement,
    TargetSpec,
    changed,
    read_additions,
)
from coopsim.scene.textures import PATTERNS

BOX = Object("box", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), mass=2.0)
ROBOT = RobotPlacement("robot1", "single")
RED = TargetSpec("red", (0.0, 0.0, 0.0))


def good(text: str) -> Additions:
    additions, problems = read_additions(text)
    assert str(problems) == ""
    return additions


def bad(text: str, taken: tuple[str, ...] = ()) -> str:
    _, problems = read_additions(text, taken)
    assert problems.total
    return str(problems)


def refusal(entity: Entity, text: str) -> str:
    with pytest.raises(BadFile) as caught:
        changed(entity, text)
    assert len(caught.value.problems) == str(caught.value).count("message:")
    return str(caught.value)


def test_objects_walls_robots_and_targets_can_be_inserted_C_56_C_59_C_62() -> None:
    additions = good(
        "[OBJECT_7]\ntype sphere\nsize 1 1 1\nposition 1 2 0\n[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n"
        "[ROBOT_1]\ntype single\nname r\n[TARGET]\nred 1 2 0\nblue 3 4 0\n"
    )
    assert [(thing.name, thing.is_wall) for thing in additions.objects] == [("object_7", False), ("wall_1", True)]
    assert [robot.name for robot in additions.robots] == ["r"]
    assert [target.name for target in additions.targets] == ["red", "blue"]


def test_a_message_cannot_use_a_name_that_is_taken() -> None:
    text = bad("[ROBOT_1]\ntype single\nname robot1\n", taken=("robot1",))
    assert text.startswith("message:3:6: the name 'robot1' is already taken\n")


@pytest.mark.parametrize("section", ["WORLD", "FLOOR", "SIMULATION", "CONTROLLER_1", "EVENT_1"])
def test_a_message_holds_no_section_that_makes_no_entity(section: str) -> None:
    assert bad(f"[{section}]\nfile /etc/passwd\n").startswith("message:1:1: unknown section")


@pytest.mark.parametrize("line", ["texture /etc/passwd", "mesh /etc/passwd", "file /etc/passwd"])
def test_a_message_cannot_name_a_file(line: str) -> None:
    assert "message:5:1: " in bad(f"[OBJECT_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n{line}\n")


@pytest.mark.parametrize("text", ["", "\n# nothing\n"])
def test_an_empty_message_is_refused(text: str) -> None:
    assert bad(text).startswith("message:1:1: the text is empty")


def test_a_message_that_is_too_long_is_refused_unread() -> None:
    assert "longer than 262144 characters" in bad("#" * 300_000)


def test_an_objects_keys_can_be_changed_at_any_time_C_57() -> None:
    after = changed(BOX, "position 1 2 0\nORIENTATION 0 0 90\ntype cylinder\nmass 5\ncolor red")
    assert isinstance(after, Object)
    assert (after.name, after.shape, after.position, after.mass, after.size) == (
        "box",
        "cylinder",
        (1.0, 2.0, 0.0),
        5.0,
        BOX.size,
    )
    assert after.orientation[2] == pytest.approx(math.pi / 2)


def test_position_orientation_and_color_of_a_robot_can_be_changed_C_60_C_61() -> None:
    after = changed(ROBOT, "position 1 2 0\norientation 0 0 180\ncolor blue\n")
    assert after == RobotPlacement("robot1", "single", (1.0, 2.0, 0.0), (0.0, 0.0, math.pi), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("text", ["position 1 2 0", "red 1 2 0", "RED 1 2 0"])
def test_a_target_moves_by_its_position_or_its_own_line(text: str) -> None:
    assert changed(RED, text) == TargetSpec("red", (1.0, 2.0, 0.0))


def test_the_floor_can_be_changed() -> None:
    assert changed(Floor(), "size 5 6 0.2\nfriction 0.5") == Floor((5.0, 6.0, 0.2), friction=0.5)


@pytest.mark.parametrize(
    ("entity", "text", "expected"),
    [
        (BOX, "name other", "name cannot be changed"),
        (BOX, "texture x.png", "a message cannot name a file"),
        (BOX, "mesh x.obj", "a message cannot name a file"),
        (Floor(), "texture x.png", "a message cannot name a file"),
        (BOX, "file x", "a message cannot name a file"),
        (ROBOT, "type bench", "type cannot be changed: remove the robot"),
        (ROBOT, "mass 5", "knows no key 'mass'"),
        (RED, "blue 1 2 3", "knows no key 'blue'"),
        (BOX, "positoin 1 2 3", "this text knows no key 'positoin' (positoin → position?)"),
        (BOX, "size 1 1", "message:1:1: size takes 3 numbers"),
        (BOX, "mass nan", "message:1:6: mass expects a finite number"),
        (BOX, "size 1 2 1\ntype cylinder", "message:1:6: size: length and width of a cylinder"),
        (BOX, "[OBJECT_1]\nmass 1", "message:1:1: [OBJECT_1]: no section is expected here"),
        (BOX, "", "the text is empty"),
        (BOX, "mass", "'mass' has no value"),
        (BOX, "mass -1\nsize 0 0 0\n", "message:2:6: size length must lie"),
    ],
)
def test_a_wrong_change_is_refused_at_its_place(entity: Entity, text: str, expected: str) -> None:
    assert expected in refusal(entity, text)


def test_the_error_of_a_text_holds_every_problem() -> None:
    problems = Problems()
    read_additions("[OBJECT_1]\nx 1\n", problems=problems)
    with pytest.raises(BadFile) as caught:
        problems.raise_any()
    assert caught.value.problems == tuple(problems)
    assert str(caught.value) == "\n".join(map(str, problems))


@pytest.mark.parametrize("texture", [*PATTERNS, "/pictures/a b.png"])
def test_a_message_names_a_pattern_or_a_picture_that_it_may_name(texture: str) -> None:
    pictures = ("/pictures/a b.png",)
    textured = changed(BOX, f"texture {texture}", pictures)
    assert isinstance(textured, Object)
    assert textured.texture == texture
    back = changed(textured, "texture none")
    assert isinstance(back, Object)
    assert back.texture == ""
    text = f"[OBJECT_1]\ntype box\nsize 1 1 1\nposition 0 0 0\ntexture {texture}\n"
    additions, problems = read_additions(text, pictures=pictures)
    assert not problems.total
    assert additions.objects[0].texture == texture
