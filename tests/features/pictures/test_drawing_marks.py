"""Drawing list of entities: what stands in it is what pictures and pages paint."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.features.pictures.marks import PAPER, WALL, WALL_EDGE, DrawnMark, marks_of
from coopsim.features.pictures.page_data import _mark
from coopsim.features.pictures.palette import css
from coopsim.geometry import ORIGIN, Pose, quaternion
from coopsim.robots import load
from coopsim.robots.entities import rows_of
from coopsim.state import EntityRow, Visual

WORLD = """
[WALL_1]
type box
size 4 0.2 0.5
position 0 -2 0

[OBJECT_1]
type box
name crate
size 0.4 0.2 0.3
position 1 0 0
color 0.5 0.25 0

[OBJECT_2]
type cylinder
name drum
size 0.6 0.6 0.5
position 0 1 0

"""
SCENE = """
[WORLD]
file marks

[TARGET]
red 1 1 0

[AREA_1]
type base
points -1 -1  0 -1  0 0  -1 0

[ROBOT_1]
type single
name robot1
position 0 0 0
"""
BLUE = (0.0, 0.25, 1.0)
PAGE = Path("coopsim/features/pictures/page")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EntityRow]:
    file = tmp_path_factory.mktemp("scene") / "marks.scenario"
    file.with_suffix(".world").write_text(WORLD, encoding="utf-8")
    file.write_text(SCENE, encoding="utf-8")
    entities = rows_of(load(file))
    return {**{row.name: row for row in entities}, **{row.kind: row for row in entities if row.kind == "area"}}


def drawn(row: EntityRow, pose: Pose = ORIGIN) -> list[DrawnMark]:
    return list(marks_of(row, pose, BLUE))


def test_an_object_is_closed_in_by_an_edge_that_is_darker_than_it(rows: dict[str, EntityRow]) -> None:
    (crate,) = drawn(rows["crate"])
    assert sorted(crate.points) == [(-0.2, -0.1), (-0.2, 0.1), (0.2, -0.1), (0.2, 0.1)]
    assert (crate.edge, crate.alpha, crate.width) == (BLUE, 1.0, 1.5)
    assert crate.light < 1.0


def test_what_is_round_and_upright_is_a_circle_and_one_that_lies_is_none(rows: dict[str, EntityRow]) -> None:
    (upright,) = drawn(rows["drum"])
    assert (upright.middle, upright.radius) == ((0.0, 0.0), 0.3)
    (lying,) = drawn(rows["drum"], (0.0, 0.0, 0.0, *quaternion(math.pi / 2, 0.0, 0.0)))
    assert lying.radius == 0.0
    ys = [y for _, y in lying.points]
    assert max(ys) - min(ys) == pytest.approx(0.5)


def test_walls_and_paper_have_the_colours_of_the_theme(rows: dict[str, EntityRow]) -> None:
    (wall,) = drawn(rows["wall_1"])
    assert (wall.fill, wall.edge) == (WALL, WALL_EDGE)
    assert PAPER in [mark.fill for mark in drawn(rows["red"])]


def test_a_target_is_as_large_at_every_scale_with_its_smallest_circle_on_top(rows: dict[str, EntityRow]) -> None:
    circles = drawn(rows["red"], (1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert [circle.pixels for circle in circles] == sorted((circle.pixels for circle in circles), reverse=True)
    assert {circle.middle for circle in circles} == {(1.0, 2.0)}
    assert all(circle.radius == 0.0 for circle in circles)


def test_areas_show_what_lies_below(rows: dict[str, EntityRow]) -> None:
    assert [mark.alpha < 1.0 for mark in drawn(rows["area"])] == [True]


def test_robots_stand_out_and_show_where_they_look(rows: dict[str, EntityRow]) -> None:
    marks = drawn(rows["robot1"])
    (arrow,) = [mark for mark in marks if mark.is_arrow]
    (tail_x, tail_y), (tip_x, tip_y) = arrow.points
    assert (tip_x > tail_x, tip_y == tail_y) == (True, True)
    assert {mark.width for mark in marks if not mark.is_arrow} == {2.0}
    assert arrow.width > 2.0
    assert arrow.fill == ""


def test_visuals_come_from_the_lowest_to_the_highest_and_keep_their_own_colour(rows: dict[str, EntityRow]) -> None:
    lamp = Visual("box", (0.1, 0.1, 0.1), (0.0, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    arm = Visual("box", (0.3, 0.1, 0.1), body="arm")
    robot = replace(rows["robot1"], visuals=(lamp, Visual("cylinder"), arm))
    assert [mark.fill for mark in drawn(robot)] == [BLUE, (0.0, 1.0, 0.0)]
    assert len(list(marks_of(robot, ORIGIN, BLUE, "arm"))) == 1


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5])
def test_marks_stand_where_the_body_does(rows: dict[str, EntityRow], turn: float) -> None:
    pose = (3.0, -1.0, 0.0, *quaternion(0.0, 0.0, turn))
    cos, sin = math.cos(turn), math.sin(turn)
    own = {
        (round(3.0 + cos * x - sin * y, 5), round(-1.0 + sin * x + cos * y, 5))
        for x, y in drawn(rows["crate"])[0].points
    }
    assert {(round(x, 5), round(y, 5)) for x, y in drawn(rows["crate"], pose)[0].points} == own


def test_a_page_gets_each_mark_with_what_it_needs_alone(rows: dict[str, EntityRow]) -> None:
    (crate,), (drum,), (wall,) = ([_mark(mark) for mark in drawn(rows[name])] for name in ("crate", "drum", "wall_1"))
    assert list(crate) == ["points", "fill", "alpha", "edge", "light", "width"]
    assert list(drum)[:2] == ["middle", "radius"]
    assert (wall["fill"], wall["edge"]) == ("wall", "wall-edge")
    (arrow,) = [_mark(mark) for mark in drawn(rows["robot1"]) if mark.is_arrow]
    assert (arrow["arrow"], "fill" in arrow) == (True, False)
    assert _mark(drawn(rows["red"])[0])["pixels"] == 26.0


@pytest.mark.parametrize("name", [WALL, WALL_EDGE, PAPER])
def test_the_page_has_the_names_of_the_theme_in_light_and_dark(name: str) -> None:
    root = Path(__file__).parents[3] / PAGE
    assert css().count(f"--{name}:") == 2
    assert f'"{name}"' in (root / "curves.js").read_text(encoding="utf-8")
