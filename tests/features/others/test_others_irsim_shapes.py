"""Shapes and colours of IR-SIM: outlines of bodies, what stands for them, and values that cannot be."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadFile
from coopsim.features.others.worlds.irsim_shapes import DISC, HEIGHT, IrsimShape, color, joined, moved, read, solids
from coopsim.features.others.worlds.plan import WorldPlan
from coopsim.features.others.worlds.yaml_tree import read_yaml
from coopsim.geometry import edge_distance, in_polygon
from coopsim.scene.polygons import signed_area

pytest.importorskip("yaml")
FILE = Path("corner.yaml")
_lengths, _angles = st.floats(-50.0, 50.0), st.floats(-720.0, 720.0)


def shape_of(text: str, plan: WorldPlan | None = None) -> IrsimShape:
    shape = read(read_yaml(text, FILE), FILE, plan or WorldPlan("IR-SIM"))
    assert shape is not None
    return shape


def losses(text: str) -> list[tuple[str, str]]:
    plan = WorldPlan("IR-SIM")
    read(read_yaml(text, FILE), FILE, plan)
    return [(loss.place, loss.key) for loss in plan.losses]


def test_circles_and_rectangles_have_their_sizes_and_their_middles() -> None:
    assert shape_of("{name: circle, radius: 0.5}") == IrsimShape("disc", 1.0, 1.0)
    assert shape_of("{}") == IrsimShape("disc", 0.4, 0.4)
    assert shape_of("{name: circle, center: [1, 2]}").shift == (1.0, 2.0, 0.0)
    box = shape_of(f"{{name: rectangle, length: 2, width: 1.5, wheelbase: 1.2, pose: [1, 0, {math.pi / 2}]}}")
    assert (box.kind, box.length, box.width, box.wheelbase) == ("box", 2.0, 1.5, 1.2)
    assert box.shift == pytest.approx((1.0, 0.0, 90.0))
    assert box.bounds == (2.0, 1.5)
    assert shape_of("{name: rectangle}").bounds == (1.0, 1.0)


def test_outlines_are_polygons_lines_or_walls_along_what_crosses_itself() -> None:
    polygon = shape_of("{name: polygon, vertices: [[0, 0], [2, 0], [2, 1], [0, 1]]}")
    assert (polygon.kind, polygon.closed, polygon.bounds) == ("polygon", True, (2.0, 1.0))
    line = shape_of("{name: linestring, vertices: [[0, 0], [3, 0], [3, 1]]}")
    assert (line.kind, line.closed, line.points) == ("line", False, ((0.0, 0.0), (3.0, 0.0), (3.0, 1.0)))
    crossed = "name: polygon\nvertices: [[0, 0], [1, 1], [1, 0], [0, 1]]\n"
    assert (shape_of(crossed).kind, shape_of(crossed).closed) == ("line", True)
    assert losses(crossed) == [("corner.yaml:2", "vertices")]
    # the box around a straight line has a width, too
    assert shape_of("{name: linestring, vertices: [[0, 0], [0, 4]]}").bounds == (0.05, 4.0)


def test_a_polygon_by_chance_is_a_regular_one_of_the_mean_and_that_is_said() -> None:
    text = "name: polygon\navg_radius_range: [1, 3]\nnum_vertices_range: [5, 7]\nspikeyness_range: [0, 1]\n"
    shape = shape_of(text)
    assert (shape.kind, len(shape.points)) == ("polygon", 6)
    assert [math.hypot(*point) for point in shape.points] == pytest.approx([2.0] * 6)
    assert losses(text) == [("corner.yaml:1", "name"), ("corner.yaml:4", "spikeyness_range")]
    assert len(shape_of("{name: polygon, num_vertices_range: [1, 1]}").points) == 3


def test_a_compound_is_its_parts_around_one_state() -> None:
    text = "{name: compound, parts: [{name: circle, radius: 1}, {name: rectangle, pose: [2, 0]}, {name: star}]}"
    shape = shape_of(text)
    assert (shape.kind, [part.kind for part in shape.parts]) == ("disc", ["box"])
    disc, box = solids(shape, (1.0, 1.0, 90.0), "red")
    assert (disc.kind, disc.size, disc.color) == ("cylinder", (2.0, 2.0, HEIGHT), "red")
    assert box.kind == "box"
    assert box.pose == pytest.approx((1.0, 3.0, 90.0))
    assert read(read_yaml("{name: compound, parts: [{name: star}]}", FILE), FILE, WorldPlan("IR-SIM")) is None
    assert read(read_yaml("{name: compound}", FILE), FILE, WorldPlan("IR-SIM")) is None


def test_a_robot_of_several_parts_has_the_convex_polygon_around_all_of_them() -> None:
    text = "{name: compound, parts: [{name: circle, radius: 1}, {name: rectangle, pose: [2, 0, 1.5707963], length: 4}]}"
    shape = joined(shape_of(text))
    corners = np.array(shape.points)
    assert (shape.kind, shape.parts, signed_area(shape.points) > 0.0) == ("polygon", (), True)
    assert corners.max(axis=0) == pytest.approx([2.5, 2.0])
    assert corners.min(axis=0) == pytest.approx([-1.0, -2.0], abs=0.01)
    on_circle = np.array([[-math.cos(turn), math.sin(turn)] for turn in np.linspace(-0.5, 0.5, 50)])
    assert in_polygon(0.9999 * on_circle, corners).all()
    assert edge_distance(on_circle, corners).max() < 0.006
    assert joined(DISC) is DISC


def test_outlines_stand_where_their_state_is() -> None:
    (solid,) = solids(shape_of("{name: linestring, vertices: [[0, 0], [1, 0]]}"), (2.0, 3.0, 90.0), "")
    assert [value for point in solid.points for value in point] == pytest.approx([2.0, 3.0, 2.0, 4.0])
    assert (solid.kind, solid.closed) == ("line", False)


def test_what_has_no_counterpart_is_a_loss_with_its_line() -> None:
    assert losses("name: star\n") == [("corner.yaml:1", "name")]
    assert losses("name: circle\nrandom_shape: true\ntexture: wood\n") == [
        ("corner.yaml:2", "random_shape"),
        ("corner.yaml:3", "texture"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: circle\nradius: 0", "corner.yaml:1: radius: expected more than 0 and at most 1000 m, got 0"),
        ("{name: rectangle, width: 1001}", "corner.yaml:1: width: expected more than 0 and at most 1000 m, got 1001"),
        ("{name: circle, radius: wide}", "corner.yaml:1: radius: expected a number"),
        ("{name: polygon, avg_radius_range: [-1, 1]}", "corner.yaml:1: avg_radius_range: expected numbers above 0"),
        ("{name: polygon, avg_radius_range: []}", "corner.yaml:1: avg_radius_range: expected numbers above 0"),
        ("name: polygon\nvertices: [[0, 0]]", "corner.yaml:2: vertices: expected two or more points x y"),
        ("name: polygon\nvertices: [[0], [1]]", "corner.yaml:2: vertices: expected two or more points x y"),
        ("name: polygon\nvertices: 3", "corner.yaml:2: vertices: expected a list of numbers, got '3'"),
    ],
)
def test_values_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(BadFile) as refused:
        read(read_yaml(text, FILE), FILE, WorldPlan("IR-SIM"))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("text", ["{name: circle, center: [1]}", "{name: rectangle, pose: []}"])
def test_a_middle_has_two_numbers(text: str) -> None:
    with pytest.raises(BadFile, match=r"^corner\.yaml:1: (center|pose): expected x y"):
        read(read_yaml(text, FILE), FILE, WorldPlan("IR-SIM"))


@given(_lengths, _lengths, _angles, _lengths, _lengths, _angles)
def test_a_shift_keeps_its_length_and_turns_add_up(
    x: float, y: float, turn: float, forth: float, left: float, more: float
) -> None:
    moved_x, moved_y, heading = moved((x, y, turn), (forth, left, more))
    assert math.hypot(moved_x - x, moved_y - y) == pytest.approx(math.hypot(forth, left), abs=1e-9)
    assert heading == turn + more
    if math.hypot(forth, left) > 1e-3:
        bearing = math.degrees(math.atan2(moved_y - y, moved_x - x) - math.atan2(left, forth))
        assert math.cos(math.radians(bearing - turn)) == pytest.approx(1.0, abs=1e-6)


def test_colours_are_those_of_matplotlib_and_of_css() -> None:
    assert [color(letter) for letter in "kbgrcmyw"] == [
        "black",
        "blue",
        "green",
        "red",
        "cyan",
        "magenta",
        "yellow",
        "white",
    ]
    assert (color("red"), color("")) == ("red", "")
    assert color("#102030") == "16 32 48"
    assert color("rgb(1, 2, 3)") == "1 2 3"
    assert color("no colour") == ""
