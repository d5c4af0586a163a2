"""`[CLOTH_n]` and `[SOFT_n]`: sections that stand for nodes, and for what ties them (SwarmSimX, S-75)."""

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from coopsim.scene import Problems, World, read_additions, read_world, world_text
from coopsim.scene.lattices import elements, surface, surfaces

CLOTH = (
    "# a flag\n[CLOTH_1]\nname flag\nposition 0 0 1\nsize 0.8 0.4  # metres\norientation 0 90 0\nnodes 5 3\nmass 0.3\n"
)
BALL = "[SOFT_1]\nname ball\ntype sphere\nposition 3 0 0\nsize 0.5 0.5 0.5\nnodes 3 3 3\nyoung 8000\n"


def world(folder: Path, text: str) -> tuple[World, Problems]:
    (folder / "a.world").write_text(text)
    return read_world(folder / "a.world")


def saved(folder: Path, text: str, found: World) -> str:
    return world_text(text, found.floor, found.objects, folder, joints=found.joints)


def messages(folder: Path, text: str) -> list[str]:
    return [f"{problem.span.line}:{problem.span.column}: {problem.text}" for problem in world(folder, text)[1]]


def test_a_cloth_is_a_lattice_of_balls_around_its_middle(tmp_path: Path) -> None:
    spec, problems = world(tmp_path, CLOTH)
    assert str(problems) == ""
    assert [node_.name for node_ in spec.objects] == [f"flag_{i}_{j}" for i, j in product(range(1, 6), range(1, 4))]
    middles = np.array([node_.position for node_ in spec.objects]) + np.array([0.0, 0.0, spec.objects[0].size[2] / 2])
    # turned by 90 degrees about y: its columns go downwards
    np.testing.assert_allclose(middles[0], (0.0, -0.2, 1.4), atol=1e-9)
    np.testing.assert_allclose(middles[-1], (0.0, 0.2, 0.6), atol=1e-9)
    assert [node_.mass for node_ in spec.objects] == pytest.approx([0.02] * 15)
    assert {node_.shape for node_ in spec.objects} == {"sphere"}
    node = spec.objects[4].soft
    assert node is not None
    assert (node.whole, node.cell, node.rest, node.dimension) == ("flag", (2, 2, 1), (-0.2, 0.0, 0.0), 2)
    assert (node.young, node.thickness, node.drag) == (2e4, 0.005, pytest.approx(0.1 / 15))


def test_the_nodes_of_a_ball_lie_on_shells_and_fill_its_size(tmp_path: Path) -> None:
    spec, problems = world(tmp_path, BALL)
    assert str(problems) == ""
    ball = spec.objects[0].size[0]
    middles = np.array([node.position for node in spec.objects]) + np.array([-3.0, 0.0, ball / 2 - 0.25])
    away = np.linalg.norm(middles, axis=1)
    assert sorted({round(float(distance), 9) for distance in away}) == [0.0, pytest.approx(0.25 - ball / 2)]
    assert {node.soft.dimension for node in spec.objects if node.soft} == {3}


def test_pins_are_hooks_of_their_own_or_tie_to_bodies(tmp_path: Path) -> None:
    spec, problems = world(tmp_path, CLOTH + "pins 1 1  1 3\n")
    assert str(problems) == ""
    hooks = spec.objects[-2:]
    assert [(hook.name, hook.mass, hook.size[0]) for hook in hooks] == [
        (f"flag_hook_{number}", 0.0, spec.objects[0].size[0] / 2) for number in (1, 2)
    ]
    for hook, node in zip(hooks, (spec.objects[0], spec.objects[2]), strict=True):
        middles = [np.array(body.position) + np.array([0.0, 0.0, body.size[2] / 2]) for body in (hook, node)]
        np.testing.assert_allclose(middles[0], middles[1], atol=1e-9)
    assert [(joint.name, joint.kind, joint.a, joint.b) for joint in spec.joints] == [
        ("flag_pin_1", "pivot", "flag_1_1", "flag_hook_1"),
        ("flag_pin_2", "pivot", "flag_1_3", "flag_hook_2"),
    ]

    post = "\n[OBJECT_1]\nname post\ntype box\nsize 0.1 0.1 2\nposition 1 0 0\n"
    spec, problems = world(tmp_path, CLOTH + "pins 1 1 1 3\nbodies post\n" + post)
    assert str(problems) == ""
    assert [(joint.a, joint.b) for joint in spec.joints] == [("flag_1_1", "post"), ("flag_1_3", "post")]
    assert spec.joints[0].b_span.line == 10


def test_what_did_not_move_is_saved_as_the_section_that_it_was(tmp_path: Path) -> None:
    text = CLOTH + "pins 1 1\n\n" + BALL
    assert saved(tmp_path, text, world(tmp_path, text)[0]) == text


def test_what_moved_is_saved_node_by_node_and_means_the_same(tmp_path: Path) -> None:
    text = CLOTH + "pins 1 1\n\n" + BALL
    spec, _ = world(tmp_path, text)
    moved = replace(spec.objects[1], position=(0.1, -0.123456789, 1.25))
    now = replace(spec, objects=(spec.objects[0], moved, *spec.objects[2:]))
    again = saved(tmp_path, text, now)
    assert "[CLOTH_1]" not in again
    assert "soft        flag 1 2 1 -0.4 0 0 20000 0.3 0.0005 0.005 " in again
    read, problems = world(tmp_path, again)
    assert str(problems) == ""
    assert (read.objects, read.joints) == (now.objects, now.joints)


def test_a_message_inserts_one(tmp_path: Path) -> None:
    additions, problems = read_additions(CLOTH + "pins 1 1\nbodies robot1\n")
    assert str(problems) == ""
    assert len(additions.objects) == 15
    assert [(joint.a, joint.b) for joint in additions.joints] == [("flag_1_1", "robot1")]
    assert str(read_additions("[CLOTH_1]\nname a\nposition 0 0 0\nsize 1 1\nyoung x\n")[1]).startswith("message:5:7: ")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "nodes 5 3",
            "nodes 41 10",
            "7:1: nodes takes at most 400 nodes together, got 410; ask for fewer along its sides",
        ),
        ("nodes 5 3", "nodes 5 0", "7:9: nodes must lie within 2 and 400, got 0"),
        ("nodes 5 3", "nodes 5", "7:1: nodes takes 2 numbers (columns rows), got 1"),
        ("nodes 5 3", "young -1", "7:7: young must lie within 1 and 1e+09 Pa, got -1"),
        ("nodes 5 3", "poisson 0.5", "7:9: poisson must lie within 0 and 0.49, got 0.5"),
        ("nodes 5 3", "thickness 0", "7:11: thickness must lie within 1e-05 and 1 m, got 0"),
        ("nodes 5 3", "pins 1 1 10 9", "7:10: there is no node 10 9 to tie: column row go to 9 9"),
        ("nodes 5 3", "pins 1 1 2", "7:6: pins takes column row of each node that is tied, got 3 numbers"),
        ("nodes 5 3", "pins 1 1 1 1", "7:10: the node 1 1 is tied twice"),
        ("nodes 5 3", "pins 0 1", "7:6: pins must lie within 1 and 400, got 0"),
        ("nodes 5 3", "node_size 0.4", "5:6: its nodes are 0.4 m wide, and none of its sides may be shorter than that"),
        (
            "nodes 5 3",
            "bodies post",
            "7:1: bodies takes one name for each of the 0 nodes that 'pins' ties, or one for all; got 1",
        ),
        ("size 0.8 0.4  # metres", "size 0.8", "5:1: size takes the length and the width, got 1 values"),
        ("size 0.8 0.4  # metres", "mass 1", "2:1: [CLOTH_1] needs the key 'size'"),
    ],
)
def test_mistakes_are_told_by_their_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    text = CLOTH.replace("mass 0.3\n", "") if new.startswith("mass") else CLOTH
    assert problem in messages(tmp_path, text.replace(old, new))


def test_a_node_is_a_sphere_with_a_mass(tmp_path: Path) -> None:
    node = "[OBJECT_1]\ntype {}\nsize 1 1 1\nposition 0 0 0\nmass {}\nsoft a 1 1 1 0 0 0 1e4 0.3 {} 0 0\n"
    assert messages(tmp_path, node.format("sphere", 1, 0)) == []
    flaw = "6:6: a node of a cloth or a soft body is a sphere with a mass, without parts"
    assert messages(tmp_path, node.format("box", 1, 0)) == [flaw]
    assert messages(tmp_path, node.format("sphere", 0, 0)) == [flaw]
    assert messages(tmp_path, node.format("sphere", 1, -2)) == ["6:28: soft must lie within 0 and 10 s, got -2"]
    assert messages(tmp_path, node.format("sphere", 1, "0 0"))[0].startswith(
        "6:1: soft takes `NAME COLUMN ROW LAYER X Y Z"
    )


def test_tetrahedra_fill_a_block_and_its_surface_is_closed() -> None:
    cells = list(product(range(1, 4), range(1, 5), range(1, 3)))
    places, parts = np.array(cells, float), elements(cells, 3)
    sides = np.array([places[list(part[1:])] - places[part[0]] for part in parts])
    volumes = np.linalg.det(sides) / 6.0
    assert volumes.min() > 0.0
    assert volumes.sum() == pytest.approx(2 * 3 * 1)
    corners = np.array([places[list(side)] for side in surface(parts)])
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
    assert np.linalg.norm(normals, axis=1).sum() == pytest.approx(2 * (2 * 3 + 2 * 1 + 3 * 1))
    # by the theorem of Gauss: outwards, and without a gap
    np.testing.assert_allclose(normals.sum(axis=0), 0.0, atol=1e-12)
    assert np.einsum("ij,ij->", normals, corners.mean(axis=1)) / 3.0 == pytest.approx(6.0)


def test_where_a_node_is_gone_there_is_a_hole() -> None:
    cells = [(i, j) for i, j in product(range(1, 5), range(1, 4)) if (i, j) != (2, 2)]
    (triangles,) = surfaces([("sheet", cell) for cell in cells]).values()
    assert len(triangles) == 2 * (3 * 2 - 4)
    places = np.array(cells, float)
    areas = [np.linalg.det(places[list(triangle[1:])] - places[triangle[0]]) / 2.0 for triangle in triangles]
    assert math.fsum(areas) == pytest.approx(2.0)
