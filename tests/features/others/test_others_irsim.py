import math
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.others.worlds.command import read_plan
from coopsim.features.others.worlds.plan import CAR, DIFFERENTIAL, OMNI, WorldPlan
from coopsim.features.others.worlds.writing import texts
from coopsim.robots import load
from coopsim.scene import read_world

WORLD = "world: {width: 20, height: 10, offset: [-5, 0]}\n"


def plan_of(tmp_path: Path, text: str) -> WorldPlan:
    """Return what a file of this text describes."""
    file = tmp_path / "given.yaml"
    file.write_text(text, encoding="utf-8")
    return read_plan(file)


def test_a_world_has_its_size_and_the_middle_that_is_moved_to_the_origin(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, WORLD)
    assert (plan.size, plan.middle) == ((20.0, 10.0), (5.0, 5.0))


@pytest.mark.parametrize(("name", "drive"), [("diff", DIFFERENTIAL), ("omni", OMNI), ("acker", CAR)])
def test_kinematics_become_drives(tmp_path: Path, name: str, drive: str) -> None:
    shape = "{name: rectangle, length: 4.0, width: 2.0, wheelbase: 3}"
    plan = plan_of(
        tmp_path, f"robot: {{kinematics: {{name: {name}}}, shape: {shape}, vel_max: [4, 0.5], state: [1, 1, 1.57]}}"
    )
    (kind,) = plan.kinds
    assert (kind.drive, kind.size[:2]) == (drive, (4.0, 2.0))
    settings = dict(kind.settings)
    if drive == DIFFERENTIAL:
        # the wheels must be able to do both at once
        assert float(settings["max_speed"]) == pytest.approx(4.0 + 0.5 * float(settings["half_track"]))
    if drive == CAR:
        assert float(settings["max_steering"]) == pytest.approx(math.degrees(0.5), abs=1e-3)
        # IR-SIM has the state of a car at its rear axle
        assert plan.robots[0].pose == pytest.approx((1.0, 2.5, 90.0), abs=0.1)


def test_robots_on_a_circle_face_its_middle_and_go_across(tmp_path: Path) -> None:
    places = "distribution: {name: circle, radius: 3, center: [5, 5]}"
    plan = plan_of(tmp_path, f"robot: {{number: 4, kinematics: {{name: diff}}, {places}, behavior: {{name: rvo}}}}")
    assert [value for robot in plan.robots for value in robot.pose[:2]] == pytest.approx([8, 5, 5, 8, 2, 5, 5, 2])
    assert plan.robots[1].pose[2] % 360.0 == pytest.approx(270.0)
    (use,) = plan.laws
    assert (use.law, use.robots) == ("orca", tuple(robot.name for robot in plan.robots))
    assert dict(use.settings)["goals"] == "-3,0;0,-3;3,0;0,3"


def test_the_last_value_of_a_list_holds_for_all_that_follow(tmp_path: Path) -> None:
    shapes = "[{name: circle, radius: 0.5}, {name: circle, radius: 0.1}]"
    plan = plan_of(tmp_path, f"obstacle: {{number: 3, shape: {shapes}, state: [[1, 2], [3, 4], [5, 6]]}}")
    assert [solid.size[0] for solid in plan.solids] == [1.0, 0.2, 0.2]
    assert [solid.pose[:2] for solid in plan.solids] == [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]


def test_a_polygon_is_one_object_turned_with_its_state(tmp_path: Path) -> None:
    shape = "{name: polygon, vertices: [[0, 0], [1, 0], [1, 1]]}"
    plan = plan_of(tmp_path, f"obstacle: {{shape: {shape}, state: [2, 3, {math.pi / 2}]}}")
    (wall,) = plan.solids
    assert (wall.kind, wall.closed) == ("polygon", True)
    assert wall.points[1] == pytest.approx((2.0, 4.0))
    assert wall.points[2] == pytest.approx((1.0, 4.0))


def test_what_is_static_stands_also_with_kinematics(tmp_path: Path) -> None:
    shape = "{name: circle, radius: 0.5}"
    plan = plan_of(tmp_path, f"obstacle: {{shape: {shape}, kinematics: {{name: static}}, state: [2, 3, 0]}}")
    assert (len(plan.solids), len(plan.robots)) == (1, 0)


def test_a_polygon_by_chance_is_a_regular_one_and_said(tmp_path: Path) -> None:
    ranges = "avg_radius_range: [0.5, 1.0], num_vertices_range: [4, 6], spikeyness_range: [0, 0.4]"
    plan = plan_of(tmp_path, f"obstacle: {{shape: {{name: polygon, random_shape: true, {ranges}}}, state: [2, 3, 0]}}")
    (solid,) = plan.solids
    assert [math.dist(point, (2.0, 3.0)) for point in solid.points] == pytest.approx([0.75] * 5)
    assert "a regular polygon of the mean radius" in " ".join(map(str, plan.losses))
    with pytest.raises(BadFile, match="avg_radius_range: expected numbers above 0"):
        plan_of(tmp_path, "obstacle: {shape: {name: polygon, avg_radius_range: [0, 0]}, state: [2, 3, 0]}")


def test_a_polygon_that_crosses_itself_becomes_walls_and_is_said(tmp_path: Path) -> None:
    shape = "{name: polygon, vertices: [[0, 0], [2, 2], [2, 0], [0, 2]]}"
    plan = plan_of(tmp_path, f"obstacle: {{shape: {shape}}}")
    assert [solid.kind for solid in plan.solids] == ["line"]
    assert "walls along its edges: it is no simple polygon" in str(plan.losses[0])


def test_a_polygon_of_a_file_is_written_as_one_that_coopsim_reads(tmp_path: Path) -> None:
    shape = "{name: polygon, vertices: [[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]]}"
    plan = plan_of(tmp_path, f"obstacle: {{shape: {shape}, state: [1, 1, 0]}}")
    (tmp_path / "made.world").write_text(texts(plan, "made")["made.world"])
    world, problems = read_world(tmp_path / "made.world")
    (wedge,) = world.objects
    assert not problems.total
    assert (wedge.shape, len(wedge.points), wedge.size) == ("polygon", 5, (2.0, 2.0, 0.5))


@pytest.mark.parametrize(("kinematics", "is_car"), [("diff", False), ("acker", True)])
def test_a_polygon_of_a_robot_is_its_body_around_what_it_turns_about(
    tmp_path: Path, kinematics: str, is_car: bool
) -> None:
    shape = "{name: polygon, vertices: [[1, 0], [-0.4, 0.5], [0, 0], [-0.4, -0.5]]}"
    plan = plan_of(tmp_path, f"robot: {{kinematics: {{name: {kinematics}}}, shape: {shape}, state: [2, 3, 0]}}")
    (kind,), (robot,) = plan.kinds, plan.robots
    ahead = robot.pose[0] - 2.0  # of a car what it turns about is before its state
    assert kind.points[1] == pytest.approx((-0.4 - ahead, 0.5))
    assert [y for _, y in kind.points] == [0.0, 0.5, 0.0, -0.5]
    assert (ahead > 0.0) == is_car
    assert kind.mass == pytest.approx(80.0 * 0.5)  # of its ground, not of the box around it
    for name, text in texts(plan, "made").items():
        (tmp_path / name).write_text(text)
    spec = load(tmp_path / "made.scenario")
    hull = spec.types[kind.name].hull
    assert hull is not None
    assert hull.size == pytest.approx((1.4, 1.0, 0.3))
    assert hull.position == pytest.approx((0.3 - ahead, 0.0, 0.0))


def test_a_lidar_is_a_laser_and_its_noise_counts_where_it_is_switched_on(tmp_path: Path) -> None:
    sensor = (
        "{type: lidar2d, number: 90, range_max: 4, angle_range: 3.14159265, noise: %s, std: 0.1, offset: [0.1, 0, 0]}"
    )
    for word, noise in (("true", "0.1"), ("false", None)):
        plan = plan_of(tmp_path, f"robot: {{kinematics: {{name: diff}}, sensors: [{sensor % word}]}}")
        settings = dict(plan.kinds[0].devices[-1].settings)
        assert (settings["count"], settings["sector"], settings["reach"], settings["x"]) == ("90", "180", "4", "0.1")
        assert settings.get("noise") == noise


def test_what_is_left_out_is_named_once_with_its_line(tmp_path: Path) -> None:
    text = "robot:\n  - number: 5\n    kinematics: {name: diff}\n    flies: true\n    vel_min: [-1, -1]\n"
    losses = [str(loss) for loss in plan_of(tmp_path, text).losses]
    assert len(losses) == len(set(losses))
    assert f"{tmp_path / 'given.yaml'}:4: flies: left out: it has no counterpart" in losses
    assert any(loss.startswith(f"{tmp_path / 'given.yaml'}:5: vel_min:") for loss in losses)


def test_robots_of_one_design_are_of_one_type(tmp_path: Path) -> None:
    robot = "{kinematics: {name: diff}, shape: {name: circle, radius: %s}}"
    plan = plan_of(tmp_path, f"robot: [{robot % 0.2}, {robot % 0.2}, {robot % 0.3}]")
    assert [placed.kind for placed in plan.robots] == ["irsim_diff", "irsim_diff", "irsim_diff_2"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("world: {width: -1}", r"given.yaml:1: width and height: expected more than 0"),
        ("world: [1", r"given.yaml:1:10: no YAML"),
        ("", r"given.yaml: the file is empty"),
        ("robot: {number: 0}", r"given.yaml:1: number: expected 1 to 10000"),
        ("robot: {number: .inf}", r"given.yaml:1: number: expected a number"),
        ("\nobstacle: {shape: {name: circle, radius: 0}}", r"given.yaml:2: radius: expected more than 0"),
        ("obstacle: {shape: {name: polygon, vertices: [[0, 0]]}}", r"vertices: expected two or more points"),
        ("robot: 5", r"given.yaml:1: expected keys and values, got '5'"),
        ("a: &a [x, x]\nb: &b [*a, *a]\n" + "".join(f"c{k}: &c{k} [*b, *b]\n" for k in range(3)), None),
    ],
)
def test_mistakes_are_located(tmp_path: Path, text: str, complaint: str | None) -> None:
    if complaint is None:
        assert plan_of(tmp_path, text).losses
        return
    with pytest.raises(BadFile, match=complaint):
        plan_of(tmp_path, text)


def test_aliases_without_end_are_refused(tmp_path: Path) -> None:
    levels = "".join(f"l{k}: &l{k} [{', '.join([f'*l{k - 1}'] * 9)}]\n" for k in range(1, 12))
    with pytest.raises(BadFile, match="more than 200000 values"):
        plan_of(tmp_path, "l0: &l0 [x, x, x, x, x, x, x, x, x]\n" + levels)
