"""One entity as the section of a file that says it."""

from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import NoSuchName
from coopsim.robots import load
from coopsim.scene import read_additions, section_text

SCENE = """[WORLD]
file        a.world

[TARGET]
red         4 3 0

[ROBOT_1]
type        single
name        robot1
position    -3 -3 0
orientation 0 0 45
"""
WORLD = """[WALL_1]
type        box
size        2 0.2 0.5
position    0 4 0

[OBJECT_1]
type        sphere
name        ball
size        0.4 0.4 0.4
position    1 1 0
mass        2
restitution 0.5

[OBJECT_2]
type        box
name        crate
size        1 1 1
position    2 3 0
mass        1

[JOINT_1]
type        weld
name        glue
bodies      ball crate
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.world").write_text(WORLD, encoding="utf-8")
    file = tmp_path / "a.scenario"
    file.write_text(SCENE, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["wall_1", "ball", "robot1", "red", "crate"])
def test_what_it_says_is_read_back_as_the_same(file: Path, name: str) -> None:
    scene = load(str(file)).scenario
    before = {entity.name: entity for entity in (*scene.world.objects, *scene.robots, *scene.targets)}
    again, _ = read_additions(section_text(scene, name))
    (entity,) = (*again.objects, *again.robots, *again.targets)
    assert entity == before[name]


def test_the_joints_that_hold_it_come_with_it(file: Path) -> None:
    scene = load(str(file)).scenario
    scene = replace(scene, joints=scene.world.joints)
    assert "[JOINT_2]\ntype        weld\nname        glue\nbodies      ball crate" in section_text(scene, "ball")
    assert section_text(scene, "glue").startswith("[JOINT_1]")


def test_the_floor_has_none(file: Path) -> None:
    with pytest.raises(NoSuchName, match="floor"):
        section_text(load(str(file)).scenario, "floor")
