"""Areas of the floor: how they are read, written, inserted and drawn."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import BadArgument, BadFile
from coopsim.features.pictures.scene import scene_of_run
from coopsim.features.pictures.top_view import top_view
from coopsim.robots import load
from coopsim.robots.entities import rows_of
from coopsim.robots.plain import from_plain, to_plain
from coopsim.robots.sound import check_run
from coopsim.scene import read_additions, read_scenario, scenario_text, section_text, world_text
from coopsim.scene.polygons import crossing, is_inside, overlap, signed_area, triangles
from coopsim.simulation.scene import Scene
from coopsim.simulation.scene_edits import inserted, removed, updated
from coopsim.state.edits import Insert, Remove, Update
from coopsim.state.plain_entities import entities_from_plain, entities_to_plain

WORLD = """# a pond
[FLOOR]
size 20 20 0.1

[AREA_1]   # the pond
type water
points 1.0 1 3 1 3 3 1 3
"""
SCENARIO = """[WORLD] file pond.world

[ROBOT_1]
type scout

[AREA_1]
name north
type base
points -4 -4 -2 -4 -3 -2  # three
color red

[GOAL_1]
reach north 0

[GOAL_2]
avoid area area_1
"""
U_SHAPE = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)]


def square(x: float, y: float, side: float = 1.0) -> list[tuple[float, float]]:
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "pond.world").write_text(WORLD)
    path = tmp_path / "pond.scenario"
    path.write_text(SCENARIO.replace("[AREA_1]\nname", "[AREA_2]\nname"))
    return path


def flaws(text: str) -> list[str]:
    _, problems = read_additions(text)
    return [f"{problem.span.line}:{problem.span.column} {problem.text}" for problem in problems]


def test_areas_of_worlds_and_scenarios_become_rows_without_bodies(file: Path) -> None:
    spec = load(file)
    water, base = spec.scenario.world.areas[0], spec.scenario.areas[0]
    assert (water.name, water.kind, water.is_of_world, water.color) == ("area_1", "water", True, None)
    assert (base.name, base.kind, base.points[2], base.color) == ("north", "base", (-3.0, -2.0), (1.0, 0.0, 0.0))
    row = next(row for row in rows_of(spec) if row.name == "area_1")
    assert (row.kind, row.type, row.body, row.pose[:3], row.size[:2]) == ("area", "water", -1, (2, 2, 0), (2, 2))
    assert row.visuals[0].points == (-1, -1, 1, -1, 1, 1, -1, 1)
    assert not any(body.name in ("area_1", "north") for body in Scene.of(spec).bodies)
    assert entities_from_plain(entities_to_plain([row])) == (row,)


def test_goals_name_areas_and_take_their_corners(file: Path) -> None:
    reach, avoid = load(file).scenario.goals
    assert (reach.measure, reach.subject, reach.numbers) == ("inside", "north", (-4, -4, -2, -4, -3, -2, 0))
    assert (avoid.measure, avoid.subject, avoid.numbers) == ("polygon", "area_1", (1, 1, 3, 1, 3, 3, 1, 3))
    file.write_text(file.read_text().replace("avoid area area_1", "avoid area are_1"))
    with pytest.raises(BadFile, match=r"no area 'are_1' \(are_1 → area_1\?\)"):
        load(file)


def test_a_run_with_areas_comes_back_from_a_recording_and_older_ones_have_none(file: Path) -> None:
    spec = load(file)
    plain = to_plain(spec)
    assert from_plain(plain) == spec
    del plain["scenario"]["areas"], plain["scenario"]["world"]["areas"]
    assert from_plain(plain).scenario.areas == ()
    plain["scenario"]["areas"] = [{**to_plain(spec.scenario.areas[0]), "points": [(0.0, 0.0), (1.0, 0.0)]}]
    with pytest.raises(BadFile, match="has 2 corners; expected 3 to 200"):
        check_run(from_plain(plain))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("type water\npoints 0 0 1 0", "3:1 points takes x and y of at least 3 points, got 4 numbers"),
        ("type water\npoints 0 0 1 1 1 0 0 1", "3:16 points is no simple polygon: the edges from point 1 and from"),
        ("type water\npoints 0 0 2 0 1 0", "3:12 points is no simple polygon"),
        ("type water\npoints 0 0 1 0 1 1 0 0", "3:20 points ends where it begins"),
        ("type water\npoints 0 0 1 0 1 x", "3:18 points expects a number"),
        ("type see\npoints 0 0 1 0 1 1", "2:6 type expects"),
        ("type water", "1:1 [AREA_1] needs the key 'points'"),
    ],
)
def test_flaws_are_told_where_they_are(text: str, expected: str) -> None:
    messages = flaws(f"[AREA_1]\n{text}\n")
    assert len(messages) == 1
    assert messages[0].startswith(expected)


def test_kinds_that_must_not_share_floor_are_refused_where_the_second_stands(file: Path) -> None:
    assert flaws("[AREA_1]\ntype water\npoints 0 0 2 0 2 2 0 2\n[AREA_2]\ntype base\npoints 1 1 3 1 3 3 1 3\n") == [
        "6:8 the base 'area_2' overlaps the water 'area_1'; they may touch"
    ]
    assert not flaws("[AREA_1]\ntype water\npoints 0 0 2 0 2 2 0 2\n[AREA_2]\ntype base\npoints 2 0 3 0 3 3 2 3\n")
    assert not flaws("[AREA_1]\ntype region\npoints 0 0 2 0 2 2 0 2\n[AREA_2]\ntype base\npoints 1 1 3 1 3 3 1 3\n")
    file.write_text(file.read_text().replace("-4 -4 -2 -4 -3 -2", "0 0 2 0 2 2"))
    _, problems = read_scenario(file)
    assert [problem.text for problem in problems] == ["the base 'north' overlaps the water 'area_1'; they may touch"]


def test_saving_keeps_every_byte_and_changes_what_changed(file: Path) -> None:
    scenario = load(file).scenario
    world, areas = scenario.world, scenario.areas
    text = file.read_text()
    assert world_text(WORLD, world.floor, (), file.parent, areas=world.areas) == WORLD
    assert scenario_text(text, "", (), scenario.robots, areas=areas) == text
    area = updated(Scene.of(load(file)), Update("north", "points -4 -4 -2.5 -4 -3 -2")).areas["north"]
    changed = scenario_text(text, "", (), scenario.robots, areas=[area])
    assert changed == text.replace("-4 -4 -2 -4", "-4 -4 -2.5 -4")
    assert "AREA" not in scenario_text(text, "", (), scenario.robots)
    new = scenario_text("", "", (), (), areas=areas)
    words = "[AREA_1] type base name north points -4 -4 -2 -4 -3 -2 color red"
    assert new.split() == words.split()
    assert section_text(scenario, "north") == new


def test_areas_come_change_and_go_while_a_run_goes_on(file: Path) -> None:
    scene = Scene.of(load(file))
    more = inserted(scene, Insert("[AREA_9]\ntype region\npoints 0 0 1 0 1 1\n"))
    assert [*more.areas] == ["area_1", "north", "area_9"]
    assert updated(more, Update("area_9", "type border\ncolor 0 0 1")).areas["area_9"].kind == "border"
    assert [*removed(more, Remove("area_1")).areas] == ["north", "area_9"]
    with pytest.raises(BadArgument, match="the base 'area_3' overlaps the water 'area_1'"):
        inserted(scene, Insert("[AREA_3]\ntype base\npoints 2 2 4 2 4 4\n"))
    with pytest.raises(BadArgument, match="overlaps"):
        updated(more, Update("north", "points 1 1 2 1 2 2"))


def test_the_top_view_shows_areas_and_their_names(file: Path) -> None:
    svg = top_view(scene_of_run(load(file)), {})
    assert svg.count('fill-opacity="0.7"') == 2
    assert ">north<" in svg
    assert ">area_1<" in svg


def test_overlaps_of_all_sorts() -> None:
    assert overlap(square(0, 0), square(0, 0))
    assert overlap(square(0, 0, 3), square(1, 1))
    assert overlap(square(0, 0, 2), [(1, 0), (3, 0), (3, 2), (1, 2)])
    assert overlap([(-1, 1), (4, 1), (4, 2), (-1, 2)], [(1, -1), (2, -1), (2, 4), (1, 4)])
    assert not overlap(square(0, 0), square(1, 0))
    assert not overlap(square(0, 0), square(1, 1))
    assert not overlap(U_SHAPE, square(1, 1))
    assert not overlap(U_SHAPE, square(1.2, 1.2, 0.5))
    assert overlap(U_SHAPE, square(1, 0.9))
    assert crossing(U_SHAPE) is None
    assert is_inside((0.5, 2.0), U_SHAPE)
    assert not is_inside((1.5, 2.0), U_SHAPE)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=9), st.booleans())
def test_triangles_cover_a_simple_polygon(corners: list[tuple[int, int]], is_star: bool) -> None:
    if is_star:
        corners = [corner for pair in zip(U_SHAPE, U_SHAPE, strict=True) for corner in pair][::2]
    points = [(float(x), float(y)) for x, y in corners]
    if crossing(points) is None:
        parts = [signed_area([points[i] for i in triangle]) for triangle in triangles(points)]
        assert len(parts) == len(points) - 2
        assert min(parts) >= 0.0
        assert sum(parts) == pytest.approx(abs(signed_area(points)))
