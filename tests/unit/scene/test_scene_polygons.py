"""Objects that are polygons: read, checked, changed by message, drawn and saved."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.pictures.scene import scene_of_run
from coopsim.features.pictures.top_view import top_view
from coopsim.robots import load
from coopsim.robots.entities import rows_of
from coopsim.robots.placed_solid import PlacedSolid, overlap
from coopsim.robots.plain import from_plain, to_plain
from coopsim.scene import Object, Span, read_additions, read_world, world_text
from coopsim.scene.edit import changed
from coopsim.scene.polygons import convex_parts, moments, signed_area
from coopsim.state.plain_entities import entities_from_plain, entities_to_plain

WORLD = """[WALL_1]   # a harbour
type polygon
name harbour
points 0 0  3 0  3 3  2 3  2 1  1 1  1 3  0 3
height 0.6

[OBJECT_1]
type polygon
points -1 -1  1 -1  0 1   # a wedge
position -3 0 0
orientation 0 0 90
mass 5
"""
U_SHAPE = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.world"
    path.write_text(WORLD)
    return path


def flaws(path: Path, text: str) -> list[str]:
    path.write_text(text)
    return [str(problem).splitlines()[0].removeprefix(str(path)) for problem in read_world(path)[1]]


def test_points_without_a_position_are_those_of_the_floor(file: Path) -> None:
    harbour, wedge = read_world(file)[0].objects

    assert (harbour.name, harbour.shape, harbour.is_wall) == ("harbour", "polygon", True)
    assert (harbour.position, harbour.size) == ((1.5, 1.5, 0.0), (3.0, 3.0, 0.6))
    assert harbour.points[0] == (-1.5, -1.5)
    assert (wedge.position, wedge.size, wedge.mass) == ((-3.0, 0.0, 0.0), (2.0, 2.0, 0.5), 5.0)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("0 0 1 0", ":3:1: points takes x and y of at least 3 points, got 4 numbers"),
        ("0 0 1 0 2 0", "points is no simple polygon"),
        ("0 0 2 2 2 0 0 2", ":3:16: points is no simple polygon: the edges from point 1 and from point 3"),
        ("0 0 1 0 0.5 1e-6", "points has no area: expected 1e-06 m2, got 5e-07"),
        ("0 0 1 0 1 1 0 0", "points ends where it begins"),
        (" ".join(f"{k} {k * k}" for k in range(201)), "points takes at most 200 points, got 201"),
        ("0 0 1 0 1", "points takes x and y of at least 3 points, got 5 numbers"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, points: str, expected: str) -> None:
    (flaw,) = flaws(tmp_path / "bad.world", f"[OBJECT_1]\ntype polygon\npoints {points}\n")

    assert expected in flaw
    assert flaw.startswith(":3:")


def test_a_polygon_has_no_size_and_a_box_no_points(tmp_path: Path) -> None:
    path = tmp_path / "bad.world"

    assert "knows no key 'size'" in flaws(path, "[OBJECT_1]\ntype polygon\npoints 0 0 1 0 0 1\nsize 1 1 1\n")[0]
    assert "needs the key 'points'" in flaws(path, "[OBJECT_1]\ntype polygon\n")[0]
    assert "knows no key 'points'" in flaws(path, "[OBJECT_1]\ntype box\nsize 1 1 1\nposition 0 0 0\npoints 0 0\n")[0]
    assert "polygon" in flaws(path, "[OBJECT_1]\ntype polygone\nsize 1 1 1\nposition 0 0 0\n")[0]


def test_a_saved_world_is_the_same_again_and_again(file: Path) -> None:
    world, _ = read_world(file)
    moved = [replace(world.objects[0], position=(5.0, 1.5, 0.0)), world.objects[1]]
    text = world_text("[FLOOR]\n", world.floor, moved, file.parent)
    (file.parent / "saved.world").write_text(text)

    saved, problems = read_world(file.parent / "saved.world")

    assert not problems.total
    assert list(saved.objects) == moved
    assert world_text(text, saved.floor, saved.objects, file.parent) == text


def test_a_moved_polygon_keeps_the_points_of_its_file(file: Path) -> None:
    world, _ = read_world(file)

    assert world_text(WORLD, world.floor, world.objects, file.parent) == WORLD
    moved = [replace(world.objects[0], position=(5.0, 1.5, 0.0)), world.objects[1]]
    assert "points 0 0  3 0  3 3  2 3  2 1  1 1  1 3  0 3" in world_text(WORLD, world.floor, moved, file.parent)


def test_a_message_inserts_and_changes_a_polygon() -> None:
    additions, problems = read_additions("[OBJECT_1]\nname gate\ntype polygon\npoints 0 0 2 0 2 1 0 1\nmass 3\n")
    (gate,) = additions.objects

    assert not problems.total
    assert gate.position == (1.0, 0.5, 0.0)
    moved = changed(gate, "position 4 4 0\nheight 0.2\n")
    assert (moved.position, moved.size, moved.points) == ((4.0, 4.0, 0.0), (2.0, 1.0, 0.2), gate.points)
    cut = changed(gate, "points 0 0 4 0 0 2\n")
    assert (cut.size, cut.position, cut.points[0]) == ((4.0, 2.0, 0.5), gate.position, (-2.0, -1.0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("points 0 0 2 2 2 0 0 2\n", "message:1:16: points is no simple polygon"),
        ("type box\n", "type"),
        ("size 1 1 1\n", "knows no key 'size'"),
    ],
)
def test_a_message_is_refused_with_a_place(text: str, expected: str) -> None:
    gate = Object("gate", "polygon", (1.0, 1.0, 0.5), (0.0, 0.0, 0.0), points=((-0.5, -0.5), (0.5, -0.5), (0.0, 0.5)))

    with pytest.raises(BadFile, match=expected):
        changed(gate, text)


def test_a_box_does_not_become_a_polygon_by_message() -> None:
    box = Object("box", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))

    with pytest.raises(BadFile, match="type expects box, cylinder, sphere; got 'polygon'"):
        changed(box, "type polygon\n")


def test_recordings_and_viewers_know_the_corners(file: Path) -> None:
    scenario = file.with_suffix(".scenario")
    scenario.write_text("[WORLD] file harbour.world\n[ROBOT_1]\ntype scout\nposition 1.5 2 0\n")
    spec = load(scenario)

    assert from_plain(to_plain(spec)) == spec
    rows = rows_of(spec)
    assert entities_from_plain(entities_to_plain(rows)) == rows
    harbour = next(row for row in rows if row.name == "harbour")
    assert (harbour.type, harbour.drawn()[0].corners[0], harbour.size) == ("polygon", (-1.5, -1.5), (3.0, 3.0, 0.6))
    drawing = top_view(scene_of_run(spec), {})
    assert any(line.count(",") == len(U_SHAPE) for line in drawing.splitlines() if "<polygon" in line)


def test_who_stands_in_a_notch_does_not_overlap(file: Path) -> None:
    harbour = read_world(file)[0].objects[0]
    parts = PlacedSolid.all_of(harbour, is_fixed=True)
    turned = PlacedSolid.all_of(replace(harbour, orientation=(0.0, 0.0, math.pi / 2)), is_fixed=True)

    def depth(x: float, y: float, solids: list[PlacedSolid]) -> float:
        size = (0.5, 0.5, 0.3)
        robot = PlacedSolid.of("ann", "cylinder", size, (x, y, 0.0), (0.0, 0.0, 0.0), Span(), is_fixed=False)
        return max(overlap(robot, solid) for solid in solids)

    assert depth(1.5, 2.0, parts) == 0.0
    assert depth(1.5, 1.2, parts) == pytest.approx(0.05)
    assert depth(0.8, 2.0, parts) > 0.25
    assert depth(1.0, 1.5, turned) == 0.0
    assert depth(1.5, 2.3, turned) > 0.0


def test_two_polygons_overlap_by_their_edges(file: Path) -> None:
    wedge = read_world(file)[0].objects[1]
    (first,) = PlacedSolid.all_of(replace(wedge, orientation=(0.0, 0.0, 0.0), position=(0.0, 0.0, 0.0)), is_fixed=True)

    def beside(x: float) -> float:
        (second,) = PlacedSolid.all_of(
            replace(wedge, orientation=(0.0, 0.0, math.pi), position=(x, 0.0, 0.0)), is_fixed=True
        )
        return overlap(first, second)

    # upside down they share a slanting edge at 1 m; the boxes around them would overlap by a metre
    assert beside(1.0) == pytest.approx(0.0, abs=1e-9)
    assert beside(1.01) == 0.0
    assert beside(0.9) == pytest.approx(0.1 * 2.0 / math.sqrt(5.0))


def test_convex_parts_cover_a_polygon_whichever_way_it_runs() -> None:
    for points in (U_SHAPE, U_SHAPE[::-1]):
        parts = convex_parts(points)
        assert math.fsum(map(signed_area, parts)) == pytest.approx(7.0)
        assert moments(points).centre == pytest.approx((1.5, 9.5 / 7.0))
    assert len(convex_parts([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)])) == 1
