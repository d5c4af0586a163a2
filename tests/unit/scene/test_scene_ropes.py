"""`[ROPE_n]`: a section that stands for links and the joints between them."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coopsim.scene import Problems, World, read_additions, read_world, section_text, world_text
from coopsim.scene.specs import Scenario

CRATES = "[OBJECT_1]\ntype box\nsize 1 1 1\nposition {} 0 0\nmass 2\nname {}\n"
ROPE = "# it sags\n[ROPE_1]\nfrom 0 0 0.5\nto 3 0 4.5  # upwards\nlinks 5\nbodies left right\nmass 1\n"
TEXT = CRATES.format(-0.6, "left") + "\n" + ROPE + "\n" + CRATES.format(3.6, "right").replace("_1]", "_2]")


def world(folder: Path, text: str) -> tuple[World, Problems]:
    (folder / "a.world").write_text(text)
    return read_world(folder / "a.world")


def saved(folder: Path, text: str, found: World) -> str:
    return world_text(text, found.floor, found.objects, folder, joints=found.joints)


def test_a_rope_is_a_row_of_links_with_a_pivot_between_each_two(tmp_path: Path) -> None:
    spec, problems = world(tmp_path, TEXT)
    assert str(problems) == ""
    assert [thing.name for thing in spec.objects] == ["left", *(f"rope_1_{k}" for k in range(1, 6)), "right"]
    links = spec.objects[1:6]
    assert {(link.shape, link.size, link.mass) for link in links} == {("box", (1.0, 0.02, 0.02), 0.2)}
    assert [(joint.kind, joint.a, joint.b) for joint in spec.joints] == [
        ("pivot", "rope_1_1", "left"),
        *(("pivot", f"rope_1_{k}", f"rope_1_{k + 1}") for k in range(1, 5)),
        ("pivot", "rope_1_5", "right"),
    ]
    assert all(joint.is_of_world for joint in spec.joints)


def test_links_lie_on_the_line_from_one_end_to_the_other(tmp_path: Path) -> None:
    links = world(tmp_path, TEXT)[0].objects[1:6]
    _, pitch, yaw = links[0].orientation
    along = np.array([math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), -math.sin(pitch)])
    up = np.array([math.sin(pitch) * math.cos(yaw), math.sin(pitch) * math.sin(yaw), math.cos(pitch)])
    np.testing.assert_allclose(along, (0.6, 0.0, 0.8), atol=1e-9)
    middles = np.array([link.position for link in links]) + 0.01 * up
    np.testing.assert_allclose(middles, [np.array([0, 0, 0.5]) + (k + 0.5) * along for k in range(5)], atol=1e-9)


def test_what_did_not_move_is_saved_as_the_section_that_it_was(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, TEXT)
    assert saved(tmp_path, TEXT, spec) == TEXT


def test_a_rope_that_moved_is_saved_as_its_links_and_joints(tmp_path: Path) -> None:
    text = TEXT + "\n[JOINT_1]\ntype weld\nbodies left right\n[ROPE_2]\nfrom 0 5 1\nto 1 5 1\n"
    spec, _ = world(tmp_path, text)
    moved = replace(spec.objects[2], position=(9.0, 1.25, 0.1))
    now = replace(spec, objects=(*spec.objects[:2], moved, *spec.objects[3:]))
    again, problems = world(tmp_path, saved(tmp_path, text, now))
    assert str(problems) == ""
    assert again.objects == now.objects
    assert again.joints == now.joints


def test_a_rope_loses_a_link_and_its_joints(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, TEXT)
    removed = "rope_1_3"
    now = replace(
        spec,
        objects=tuple(thing for thing in spec.objects if thing.name != removed),
        joints=tuple(joint for joint in spec.joints if removed not in (joint.a, joint.b)),
    )
    again, _ = world(tmp_path, saved(tmp_path, TEXT, now))
    assert (again.objects, again.joints) == (now.objects, now.joints)
    assert (len(again.objects), len(again.joints)) == (6, 4)


def test_a_rope_comes_by_message() -> None:
    additions, problems = read_additions("[ROPE_1]\nname line\nfrom 0 0 1\nto 1 0 1\n")
    assert str(problems) == ""
    assert (len(additions.objects), len(additions.joints)) == (10, 9)


def test_a_link_of_a_rope_has_a_section_of_its_own(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, TEXT)
    text = section_text(Scenario(world=spec, joints=spec.joints), "rope_1_2")
    assert text.count("[JOINT_") == 2


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("from 0 0 0", "[ROPE_1] needs the key 'to'"),
        ("from 0 0 0\nto 1 0 0\nlinks 0", "links must lie within 1 and 200"),
        ("from 0 0 0\nto 1 0 0\nlinks 100", "its 100 links would be 0.01 m long each; a link is at least twice"),
        ("from 0 0 0\nto 0 0 0", "its 10 links would be 0 m long each"),
        ("from 0 0 0\nto 1 0 0\nbodies a a", "bodies ties a body to itself; name two"),
        ("from 0 0 0\nto 1 0 0\nbodies a b c", "bodies takes the body that the rope begins at"),
        ("from 0 0 0\nto 1 0 0\nmass 0", "mass must lie within 0.001"),
        ("from 0 0 0\nto 1 0 0\nsize 1 1 1", "[ROPE_1] knows no key 'size'; it knows "),
    ],
)
def test_a_wrong_rope_is_reported(tmp_path: Path, lines: str, text: str) -> None:
    _, problems = world(tmp_path, f"[ROPE_1]\n{lines}\n")
    assert problems.total == 1
    assert next(iter(problems)).text.startswith(text)


def test_names_of_links_are_taken(tmp_path: Path) -> None:
    _, problems = world(tmp_path, TEXT.replace("name left", "name rope_1_2"))
    assert "the name 'rope_1_2' is already taken" in str(problems)
