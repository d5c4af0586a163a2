import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coopsim.features.export.series import Series
from coopsim.features.pictures import marks
from coopsim.features.pictures import top_view as top_views
from coopsim.features.pictures.palette import distinct_colors
from coopsim.features.pictures.scene import scene_of_run
from coopsim.features.pictures.svg import Drawing, color, hull, simplified
from coopsim.features.pictures.time_plot import time_plot
from coopsim.geometry import Vector3, quaternion
from coopsim.launch.tracks import Track
from coopsim.robots import RobotBlueprint, RunSpec
from coopsim.scene import Controller, Floor, Object, RobotPlacement, Scenario, TargetSpec, World
from coopsim.state import Visual

SVG = "{http://www.w3.org/2000/svg}"
TYPES = {"single": RobotBlueprint("single", "", "cylinder", (0.5, 0.5, 0.3), 20.0, 0.3, ())}


def top_view(spec: RunSpec, *rest: Any) -> str:
    return top_views.top_view(scene_of_run(spec), *rest)


def footprint(shape: str, size: Vector3, position: Vector3, orientation: Vector3) -> list[tuple[float, float]]:
    return marks.footprint(shape, size, (*position, *quaternion(*orientation)))


def track(name: str, *points: tuple[float, float, float]) -> Track:
    return Track(name, np.array([(*point, 0.0) for point in points]))


def spec(*robots: str, objects: tuple[Object, ...] = (), floor: float = 20.0, law: str = "formation") -> RunSpec:
    placed = tuple(RobotPlacement(name, "single", color=(0.2, 0.4, 0.6)) for name in robots)
    world = World(Floor((floor, floor, 0.1)), objects)
    targets = (TargetSpec("red", (4.0, 3.0, 0.0)),)
    return RunSpec(Scenario(world, targets, placed, (Controller(law, robots),), file="dir/my <run>.scenario"), TYPES)


def drawn(spec: RunSpec, *tracks: Track) -> ET.Element:
    return ET.fromstring(top_view(spec, {track.name: track for track in tracks}))


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_the_top_view_is_well_formed_and_names_robots_target_times_and_scale() -> None:
    root = drawn(spec("robot1"), track("robot1", (0, 0, 0), (4, 4, 0)))
    written = texts(root)
    for words in ("my <run>", "robot1", "red", "1 s", "4.00 m", "every 1 s", "0.5 m"):
        assert words in written


def test_the_way_of_a_robot_is_drawn_in_its_colour() -> None:
    root = drawn(spec("robot1"), track("robot1", (0, 0, 0), (5, 2, 0), (10, 2, 2)))
    (way,) = [
        line
        for line in root.iter(f"{SVG}polyline")
        if line.get("stroke-width") == "3" and line.get("points", "").count(",") == 3
    ]
    assert way.get("stroke") == color((0.2, 0.4, 0.6))


def test_a_team_shows_its_shape_at_each_mark_of_time() -> None:
    ways = [track(f"robot{n}", (0, 0, n), (10, 5, n * n)) for n in (1, 2, 3)]
    root = drawn(spec("robot1", "robot2", "robot3"), *ways)
    shapes = [polygon for polygon in root.iter(f"{SVG}polygon") if polygon.get("stroke-opacity") == "0.35"]
    assert len(shapes) == 11


def test_robots_of_one_controller_that_keep_no_shape_have_none() -> None:
    ways = [track(f"robot{n}", (0, 0, n), (10, 5, n * n)) for n in (1, 2, 3)]
    root = drawn(spec("robot1", "robot2", "robot3", law="wander"), *ways)
    assert not [polygon for polygon in root.iter(f"{SVG}polygon") if polygon.get("stroke-opacity") == "0.35"]
    assert "shape of the team" not in texts(root)


def test_of_a_crowd_the_last_seconds_are_drawn_without_names() -> None:
    names = [f"robot{n}" for n in range(40)]
    ways = [track(name, (0, 0, n), (60, 30, n)) for n, name in enumerate(names)]
    root = drawn(spec(*names, floor=90.0), *ways)
    written = texts(root)
    assert not set(names) & set(written)
    assert {"40 robots", "30.00 m each", "the last 10 s"} <= set(written)
    discs = [circle for circle in root.iter(f"{SVG}circle") if circle.get("fill") == color((0.2, 0.4, 0.6))]
    assert len(discs) == 40 + 1  # one is in the legend


def test_a_robot_is_drawn_as_its_visuals_say() -> None:
    cart = Visual("box", (1.0, 0.5, 0.2), color=(0.0, 0.0, 1.0))
    lamp = Visual("sphere", (0.2, 0.2, 0.2), (0.4, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0), parent=0)
    scene = scene_of_run(spec("robot1"))
    dressed = [replace(entity, visuals=(cart, lamp)) if entity.kind == "robot" else entity for entity in scene.entities]
    way = track("robot1", (0, 0, 0), (4, 4, 0))
    root = ET.fromstring(top_views.top_view(replace(scene, entities=tuple(dressed)), {"robot1": way}))
    (body,) = [shape for shape in root.iter(f"{SVG}polygon") if shape.get("fill") == "#0000ff"]
    (light,) = [shape for shape in root.iter(f"{SVG}circle") if shape.get("fill") == "#ffff00"]
    xs = [float(pair.split(",")[0]) for pair in str(body.get("points")).split()]
    assert (max(xs) - min(xs)) / float(str(light.get("r"))) == pytest.approx(10.0, rel=0.01)
    assert float(str(light.get("cx"))) == pytest.approx((max(xs) + min(xs)) / 2 + 0.4 * (max(xs) - min(xs)), abs=0.2)


def test_every_body_of_a_robot_is_drawn_where_it_is() -> None:
    visuals = (Visual("cylinder"), Visual("box", (0.4, 0.1, 0.1), color=(0.0, 1.0, 0.0), body="arm"))
    scene = scene_of_run(spec("robot1"))
    dressed = [replace(entity, visuals=visuals) if entity.kind == "robot" else entity for entity in scene.entities]
    ways = {"robot1": track("robot1", (0, 0, 0), (4, 2, 0)), "robot1.arm": track("robot1.arm", (0, 0, 1), (4, 2, 1))}
    root = ET.fromstring(top_views.top_view(replace(scene, entities=tuple(dressed)), ways))
    (arm,) = [shape for shape in root.iter(f"{SVG}polygon") if shape.get("fill") == "#00ff00"]
    corners = [tuple(map(float, pair.split(","))) for pair in str(arm.get("points")).split()]
    (hull_,) = [shape for shape in root.iter(f"{SVG}circle") if shape.get("fill") == color((0.2, 0.4, 0.6))]
    middle = [sum(coordinates) / 4 for coordinates in zip(*corners, strict=True)]
    scale = (max(corners)[0] - min(corners)[0]) / 0.4
    assert middle == pytest.approx([float(str(hull_.get("cx"))), float(str(hull_.get("cy"))) - scale], abs=0.5)


def test_an_object_that_was_pushed_is_where_it_is_and_where_it_was() -> None:
    ball = Object("ball", "sphere", (0.4, 0.4, 0.4), (1.0, 0.0, 0.0), mass=1.0)
    still = drawn(spec(objects=(ball,)), track("ball", (0, 1, 0), (5, 1, 0)))
    pushed = drawn(spec(objects=(ball,)), track("ball", (0, 1, 0), (5, 2, 0)))
    count = [
        len([circle for circle in root.iter(f"{SVG}circle") if circle.get("stroke-dasharray")])
        for root in (still, pushed)
    ]
    assert count == [0, 1]


def test_a_run_without_robots_or_with_a_robot_off_the_floor_can_be_drawn() -> None:
    assert drawn(spec()).tag == f"{SVG}svg"
    assert drawn(spec("robot1", floor=2.0), track("robot1", (0, 0, 0), (9, 50, -50))).tag == f"{SVG}svg"
    assert drawn(spec("robot1"), track("robot1", (0, 0, 0))).tag == f"{SVG}svg"


def test_no_number_is_missing_or_infinite() -> None:
    text = top_view(spec("robot1"), {"robot1": track("robot1", (0, 0, 0), (3, 1, 1))})
    assert "nan" not in text
    assert "inf" not in text


def test_y_points_up() -> None:
    on = Drawing((0, 0), (10, 10), 10.0, (0, 0, 0, 0))
    assert on.at(0, 10) == (0.0, 0.0)
    assert on.at(10, 0) == (100.0, 100.0)


def test_a_box_covers_what_it_covers_however_it_is_turned() -> None:
    upright = footprint("box", (2.0, 1.0, 3.0), (5.0, 5.0, 0.0), (0.0, 0.0, math.pi / 2))
    assert sorted(upright) == [(4.5, 4.0), (4.5, 6.0), (5.5, 4.0), (5.5, 6.0)]
    lying = footprint("box", (2.0, 1.0, 3.0), (0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))
    assert sorted(lying) == [(-1.0, -3.0), (-1.0, 0.0), (1.0, -3.0), (1.0, 0.0)]


def test_a_cylinder_and_a_sphere_are_round() -> None:
    for shape in ("cylinder", "sphere"):
        outline = footprint(shape, (2.0, 2.0, 2.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.7))
        assert len(outline) == 48
        assert {round(math.dist(point, (1.0, 0.0)), 5) for point in outline} == {1.0}


def test_a_capsule_and_a_cone_cover_what_they_cover_however_they_are_turned() -> None:
    lying = footprint("capsule", (1.0, 1.0, 3.0), (0.0, 0.0, 0.0), (0.0, math.pi / 2, 0.0))
    assert (min(lying)[0], max(lying)[0]) == (0.0, 3.0)
    assert max(y for _, y in lying) == 0.5
    cone = footprint("cone", (1.0, 1.0, 3.0), (0.0, 0.0, 0.0), (0.0, math.pi / 2, 0.0))
    assert max(cone) == (3.0, 0.0)
    assert min(cone) == (0.0, -0.5)


def test_the_hull_leaves_out_what_lies_inside() -> None:
    assert sorted(hull([(0, 0), (2, 0), (2, 2), (0, 2), (1, 1), (1, 0)])) == [(0, 0), (0, 2), (2, 0), (2, 2)]
    assert hull([(1, 1), (1, 1)]) == [(1, 1)]


@pytest.mark.parametrize("tolerance", [0.01, 0.1])
def test_a_simplified_way_stays_within_the_tolerance(tolerance: float) -> None:
    way = [(x / 50, math.sin(x / 50)) for x in range(300)]
    few = simplified(way, tolerance)
    assert len(few) < 60
    xs, ys = zip(*few, strict=True)
    assert max(abs(y - np.interp(x, xs, ys)) for x, y in way) < 2 * tolerance


def test_a_way_that_comes_back_to_its_start_is_kept() -> None:
    assert simplified([(0, 0), (1, 0), (0, 0)], 0.01) == [(0, 0), (1, 0), (0, 0)]


def test_colours_can_be_darkened_and_lightened() -> None:
    assert color((1.0, 0.5, 0.0)) == "#ff8000"
    assert color((1.0, 0.5, 0.0), 0.5) == "#804000"
    assert color((1.0, 0.5, 0.0), 1.5) == "#ffbf80"


def test_the_ways_of_other_runs_are_dashed_over_the_first_and_named_in_the_legend() -> None:
    crate = Object("crate", "box", (0.4, 0.4, 0.3), (2.0, 0.0, 0.0), mass=4.0)
    scene = spec("robot1", objects=(crate,))
    first = {"robot1": track("robot1", (0, 0, 0), (4, 3, 0)), "crate": track("crate", (0, 2, 0), (4, 2, 0))}
    other_run = {"robot1": track("robot1", (0, 0, 0), (4, 3, 1)), "crate": track("crate", (0, 2, 0), (4, 3, 0))}
    root = ET.fromstring(top_view(scene, first, {"mujoco": other_run, "kinematic": first}, "pymunk"))
    dashed = [line.get("stroke-dasharray") for line in root.iter(f"{SVG}polyline") if line.get("stroke-width") == "1.8"]
    assert dashed == ["7 4", "7 4", "2 4"]  # a crate that stood still has no way
    assert {"pymunk", "mujoco", "kinematic"} <= set(texts(root))
    assert not {"pymunk", "mujoco"} & set(texts(drawn(scene, *first.values())))


def unsaid(*robots: str) -> RunSpec:
    placed = tuple(RobotPlacement(name, "single") for name in robots)
    targets = (TargetSpec("red", (4.0, 3.0, 0.0)), TargetSpec("blue", (-4.0, 3.0, 0.0), (0.0, 0.0, 1.0)))
    return RunSpec(Scenario(World(), targets, placed, file="yard.scenario"), TYPES)


def test_robots_without_a_colour_are_told_apart_and_from_targets() -> None:
    names = ("ann", "bob", "cid")
    root = drawn(unsaid(*names), *(track(name, (0, 0, n), (5, 3, n)) for n, name in enumerate(names)))
    paints = {line.get("stroke") for line in root.iter(f"{SVG}polyline") if line.get("stroke-width") == "3"}
    assert len(paints & {line.get("stroke") for line in root.iter(f"{SVG}line")}) == 3
    assert not paints & {"#ff0000", "#0000ff"}


def test_colours_are_given_by_order_and_those_that_were_chosen_stay() -> None:
    chosen = {"a": (0.93, 0.45, 0.13), "b": (0.1, 0.9, 0.1), "c": (0.93, 0.45, 0.13)}
    given = distinct_colors(chosen)
    assert given["b"] == chosen["b"]
    assert given["a"] == chosen["a"] != given["c"]
    many = distinct_colors({f"r{n}": chosen["a"] for n in range(8)}, [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])
    assert min(math.dist(paint, (0.0, 0.0, 1.0)) for paint in many.values()) > 0.45


def test_the_grid_has_coordinates() -> None:
    written = texts(drawn(spec("robot1", floor=8.0), track("robot1", (0, -3, -3), (4, 3, 3))))
    assert {"\u22122", "0", "2"} <= set(written)


def test_times_do_not_cover_one_another() -> None:
    short = drawn(spec("robot1"), track("robot1", (0, 0, 0), (8, 0.1, 0)))
    assert {text for text in texts(short) if re.fullmatch(r"\d+ s", text)} == {"1 s"}


def test_every_svg_reader_knows_the_colours() -> None:
    picture = top_view(unsaid("ann", "bob"), {"ann": track("ann", (0, 0, 0), (4, 4, 0))})
    lines = Series("robot1.sonars", "m", tuple("abcdefghijk"), np.arange(3.0), np.ones((3, 11), np.float32))
    for text in (picture, time_plot("t", "s", [lines])):
        paints = {element.get(name) for element in ET.fromstring(text).iter() for name in ("fill", "stroke")} - {None}
        assert all(paint == "none" or re.fullmatch("#[0-9a-f]{6}", str(paint)) for paint in paints), paints


def test_a_mesh_covers_what_its_points_do_and_one_that_cannot_be_read_its_box(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 4 0 0\nv 0 2 0\nv 0 0 1\nv 1 0.5 0.1\nf 1 2 3\nf 1 2 4\nf 3 4 5\n")
    (tmp_path / "b.obj").write_text("nothing")
    level = (1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    outline = marks.footprint("mesh", (4.0, 2.0, 1.0), level, str(tmp_path / "a.obj"))
    assert sorted(outline) == [(-1.0, 1.0), (-1.0, 3.0), (3.0, 1.0)]
    upright = (0.0, 0.0, 0.0, *quaternion(0.0, math.pi / 2, 0.0))  # z is where x was
    tilted = marks.footprint("mesh", (4.0, 2.0, 1.0), upright, str(tmp_path / "a.obj"))
    assert sorted(tilted) == [(0.0, -1.0), (0.0, 1.0), (1.0, -1.0)]
    box = marks.footprint("mesh", (4.0, 2.0, 1.0), level, str(tmp_path / "b.obj"))
    assert sorted(box) == [(-1.0, 1.0), (-1.0, 3.0), (3.0, 1.0), (3.0, 3.0)]
