"""What is warned of: scenes that can be run but are probably not meant so."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.robots import check
from coopsim.robots.placed_solid import PlacedSolid, overlap
from coopsim.robots.remarks import bottom
from coopsim.scene import LinkSpec, ObjectPart, Span

WORLD = "[FLOOR]\nsize 10 10 0.1\n[WALL_1]\ntype box\nsize 2 2 0.5\nposition 3 0 0\norientation 0 0 45\n"
FLAT = (0.0, 0.0, 0.0)


def warnings(folder: Path, robots: str, world: str = WORLD) -> list[str]:
    (folder / "a.world").write_text(world)
    (folder / "a.scenario").write_text("[WORLD]\nfile a.world\n" + robots)
    problems = check(folder / "a.scenario")
    assert all(problem.is_warning for problem in problems)
    return [str(problem).split("\n")[0].partition("warning: ")[2] for problem in problems]


def robot(number: int, x: float, y: float = 0.0, kind: str = "single") -> str:
    return f"[ROBOT_{number}]\ntype {kind}\nposition {x} {y} 0\n"


def solid(shape: str, size: float, place: tuple[float, float, float], turn: tuple[float, float, float]) -> PlacedSolid:
    return PlacedSolid.of("it", shape, (size, size, size), place, turn, Span(), is_fixed=False)


def test_overlapping_robots_are_named_with_the_depth(tmp_path: Path) -> None:
    assert warnings(tmp_path, robot(1, 0.0) + robot(2, 0.1)) == [
        "'robot_2' and 'robot_1' overlap by 0.4 m and will be pushed apart"
    ]


def test_robots_that_touch_are_not(tmp_path: Path) -> None:
    assert warnings(tmp_path, robot(1, 0.0) + robot(2, 0.5)) == []


@pytest.mark.parametrize(("x", "depth"), [(3.0, "1.2"), (1.5, "0.16"), (1.3, "")])
def test_a_robot_in_a_turned_wall_is_named(tmp_path: Path, x: float, depth: str) -> None:
    expected = [f"'robot_1' and 'wall_1' overlap by {depth} m and will be pushed apart"] if depth else []
    assert warnings(tmp_path, robot(1, x)) == expected


def test_what_never_moves_may_overlap(tmp_path: Path) -> None:
    more = "[WALL_2]\ntype box\nsize 4 1 0.5\nposition 3 0 0\n"
    assert warnings(tmp_path, robot(1, -3.0), WORLD + more) == []


def test_what_stands_on_something_else_does_not_overlap_it(tmp_path: Path) -> None:
    box = "[OBJECT_1]\ntype box\nsize 1 1 0.4\nposition -2 0 {z}\nmass 1\n[OBJECT_2]\ntype box\nsize 1 1 0.4\nmass 1\n"
    below = "position -2 0 0\n"
    assert warnings(tmp_path, robot(1, 0.0), WORLD + box.format(z=0.4) + below) == []
    assert warnings(tmp_path, robot(1, 0.0), WORLD + box.format(z=0.3) + below) == [
        "'object_2' and 'object_1' overlap by 0.1 m and will be pushed apart"
    ]


def test_nodes_of_one_cloth_and_what_holds_them_do_not_overlap(tmp_path: Path) -> None:
    cloth = "[CLOTH_1]\nname a\nposition 0 0 1\nsize 1 1\nnodes 2 3\nnode_size 0.6\npins 1 1\n"
    assert warnings(tmp_path, robot(1, -3.0), WORLD + cloth) == []
    ball = "[OBJECT_1]\ntype sphere\nname b\nsize 0.2 0.2 0.2\nposition 0.5 0 0.9\nmass 1\n"
    remarks = warnings(tmp_path, robot(1, -3.0), WORLD + cloth + ball)
    assert remarks == ["'b' and 'a_2_2' overlap by 0.4 m and will be pushed apart"]


def test_what_is_off_the_floor_is_named(tmp_path: Path) -> None:
    far = "[WALL_2]\ntype box\nsize 4 0.2 0.5\nposition 0 5 0\n[WALL_3]\ntype box\nsize 1 1 1\nposition 0 -8 0\n"
    assert warnings(tmp_path, robot(1, 15.0), WORLD + far) == [
        "'robot_1' is off the floor: x 15 m, and the floor ends at 5 m",
        "'wall_3' is off the floor: y -8 m, and the floor ends at -5 m",
    ]


def test_of_many_robots_of_a_section_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    row = "[ROBOT_1]\ntype single\nname r\ncount 20\ngrid 20x1 {apart}\n"
    floor = "[FLOOR]\nsize 10 10 0.1\n"
    off = warnings(tmp_path, row.format(apart=1.0), floor)
    assert [text.split(":")[0] for text in off] == [f"'r{k}' is off the floor" for k in (1, 2, 3)]
    assert off[-1].endswith("; so are 7 more of this section")
    pairs = warnings(tmp_path, row.format(apart=0.4), floor)
    assert len(pairs) == 3
    assert pairs[-1].endswith("will be pushed apart; so do 16 more pairs of this section")


def test_an_angle_that_looks_like_radians_is_warned_of(tmp_path: Path) -> None:
    text = "[ROBOT_1]\ntype single\norientation 0 0 -1.57\n"
    assert warnings(tmp_path, text) == ["-1.57 is -1.57 degrees, as all angles in files; did you mean -90?"]
    assert warnings(tmp_path, text.replace("-1.57", "1.5")) == []


def test_a_file_with_mistakes_is_not_searched_for_overlaps(tmp_path: Path) -> None:
    (tmp_path / "a.scenario").write_text(robot(1, 0.0) + robot(2, 0.1, kind="nosuch"))
    assert [problem.is_warning for problem in check(tmp_path / "a.scenario")] == [False]


@settings(deadline=None, max_examples=60)
@given(
    shapes=st.tuples(*[st.sampled_from(["box", "cylinder"])] * 2),
    way=st.floats(0.0, 3.0),
    heading=st.floats(-math.pi, math.pi),
    turns=st.tuples(*[st.floats(-math.pi, math.pi)] * 2),
)
def test_upright_solids_overlap_exactly_while_points_of_one_lie_in_the_other(
    shapes: tuple[str, str], way: float, heading: float, turns: tuple[float, float]
) -> None:
    lower = solid(shapes[0], 1.0, FLAT, (0.0, 0.0, turns[0]))
    upper = solid(shapes[1], 1.6, (way * math.cos(heading), way * math.sin(heading), 0.0), (0.0, 0.0, turns[1]))
    gap = _gap(lower, upper)
    assert (overlap(lower, upper) > 0.0) == (gap < 0.0) or abs(gap) < 0.02
    assert overlap(lower, upper) == pytest.approx(overlap(upper, lower))


@pytest.mark.parametrize(("x", "z"), [(0.0, 0.0), (0.7, 0.0), (1.4, 0.0), (0.2, 0.95), (0.9, 0.6), (0.0, -0.8)])
def test_cylinders_that_stand_overlap_as_those_that_lean_a_little(x: float, z: float) -> None:
    lower, upper = solid("cylinder", 1.0, FLAT, FLAT), solid("cylinder", 1.6, (x, 0.0, z), FLAT)
    leaning = solid("cylinder", 1.0, FLAT, (1e-6, 0.0, 0.0))
    assert lower.is_standing_cylinder
    assert not leaning.is_standing_cylinder
    assert overlap(lower, upper) == pytest.approx(overlap(leaning, upper), abs=1e-5)


def _gap(one: PlacedSolid, other: PlacedSolid) -> float:
    """Return how far the nearest of many points of `one` is from `other`, seen from above; below 0 inside."""
    angles = np.linspace(0.0, 2.0 * math.pi, 720, endpoint=False)
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(720)])
    if one.shape == "box":
        rim /= np.abs(rim[:, :2]).max(axis=1)[:, np.newaxis]
    points = np.vstack([one.half[0] * share * rim for share in np.linspace(0.0, 1.0, 41)])
    local = (one.middle + points @ one.turn.T - other.middle) @ other.turn
    sides = np.abs(local[:, :2]).max(axis=1) if other.shape == "box" else np.hypot(local[:, 0], local[:, 1])
    return float((sides - other.half[0]).min())


@pytest.mark.parametrize(("height", "depth"), [(1.1, 0.0), (0.9, 0.1)])
def test_a_ball_over_the_corner_of_a_leaning_box_is_met_there(height: float, depth: float) -> None:
    box = solid("box", 1.0, (0.0, 0.0, -0.5), (math.pi / 4, math.atan(math.sqrt(0.5)), 0.0))
    corner = box.middle + 0.5 * box.turn @ np.array([-1.0, 1.0, 1.0])
    along = (corner - box.middle) / np.linalg.norm(corner - box.middle)
    ball = solid("sphere", 2.0, tuple(corner + height * along - [0.0, 0.0, 1.0]), FLAT)
    assert overlap(box, ball) == pytest.approx(depth, abs=1e-9)


def test_nothing_follows_where_all_of_a_section_are_named(tmp_path: Path) -> None:
    row = "[ROBOT_1]\ntype single\nname r\ncount {count}\ngrid {count}x1 1\nposition 20 0 0\n"
    floor = "[FLOOR]\nsize 10 10 0.1\n"
    three, four = (warnings(tmp_path, row.format(count=count), floor) for count in (3, 4))
    assert len(three) == len(four) == 3
    assert "more of this section" not in three[-1]
    assert four[-1].endswith("so are 1 more of this section")


def test_of_many_sections_the_first_are_named_and_the_remarks_on_others_counted(tmp_path: Path) -> None:
    floor = "[FLOOR]\nsize 10 10 0.1\n"
    off = warnings(tmp_path, "".join(robot(k, 10.0 + 2.0 * k) for k in range(1, 31)), floor)
    assert len(off) == 8
    assert off[0] == "'robot_1' is off the floor: x 12 m, and the floor ends at 5 m"
    assert off[-1] == "'robot_8' is off the floor: x 26 m, and the floor ends at 5 m; so are 22 more of later sections"
    pairs = warnings(tmp_path, "".join(robot(k, 0.4 * k - 4.0) for k in range(1, 20)), floor)
    assert len(pairs) == 8
    assert pairs[-1].endswith("will be pushed apart; so do 10 more pairs of later sections")


@pytest.mark.parametrize(
    ("height", "orientation"), [(0.0, "0 0 30"), (0.12, "0 0 0"), (0.13, "0 0 0"), (0.0, "0 20 0")]
)
def test_a_robot_whose_links_begin_inside_the_floor_is_named_with_the_height_that_stands(
    tmp_path: Path, height: float, orientation: str
) -> None:
    place = f"position 0 0 {height}\norientation {orientation}\n"
    text = "[ROBOT_1]\ntype quadrotor_gripper\nname q\n" + place + "[SIMULATION]\nengine mujoco\n"
    deep = 0.13 - height
    # how deep a tilted one is depends on what it stands on: nobody is told a height that is wrong
    is_told = deep > 0.0 and orientation.startswith("0 0")
    expected = [f"'q' begins {deep:.2g} m inside the floor; it stands on it at z 0.13"] if is_told else []
    assert warnings(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("part", "low"),
    [
        (ObjectPart("sphere", (0.2, 0.2, 0.2), (0.0, 0.0, -0.5), orientation=(0.6, 0.0, 0.0)), -0.5175),
        (ObjectPart("box", (0.2, 0.4, 0.2), (0.0, 0.0, -0.5)), -0.7),
        (ObjectPart("cylinder", (0.4, 0.4, 0.2), (0.0, 0.0, -0.5)), -0.7),
        (ObjectPart("box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.5), points=(0.0, -0.25, 0.0, 0.0, 0.5, 1.0)), -0.25),
    ],
)
def test_the_lowest_point_of_a_link_is_that_of_its_shapes_as_they_are_turned(part: ObjectPart, low: float) -> None:
    # the second axis of the link points up
    turn = 0.0 if part.shape == "sphere" else math.pi / 2
    position = (0.0, 0.0, 0.0) if part.shape == "sphere" else (0.0, 0.0, -0.5 if part.points is None else 0.0)
    link = LinkSpec("l", "box", (1.0, 1.0, 1.0), 1.0, position, (turn, 0.0, 0.0), parts=(part,))
    assert bottom(link) == pytest.approx(low, abs=1e-4)
    assert bottom(replace(link, parts=None, orientation=FLAT)) == position[2]
