"""Sections that stand for many robots: where they stand, who names them, and how they are saved."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import BadFile
from coopsim.robots import Sources, check, compose, load, sections, update_entity
from coopsim.scene import Object, RobotPlacement, Scenario

Moved = TypeVar("Moved", RobotPlacement, Object)

WORLD = """\
[FLOOR]
size 10 10 0.1
[WALL_1]
type box
size 8 0.2 0.5
position 0 0 0
orientation 0 0 30
[OBJECT_1]
type cylinder
size 2 2 1
position 2 3 0
[OBJECT_2]
type box
size 4 4 0.5
position -3 -3 2
"""
GRID = "[ROBOT_1]\ntype bench\nname r\ngrid 5x4 0.6\ncount 18\nposition 1 2 0\norientation 0 0 90\n"
STREWN = "[ROBOT_2]\ntype single\nname s\ncount 12\nscatter floor\n"

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def scenario(text: str) -> Path:
        (tmp_path / "a.world").write_text(WORLD)
        (tmp_path / "a.scenario").write_text("[WORLD]\nfile a.world\n" + text)
        return tmp_path / "a.scenario"

    return scenario


def mistakes(path: Path) -> list[str]:
    return [problem.text for problem in check(path) if not problem.is_warning]


def test_a_grid_is_filled_row_by_row_around_its_middle(write: Write) -> None:
    robots = load(write(GRID)).scenario.robots
    assert [robot.name for robot in robots] == [f"r{n}" for n in range(1, 19)]
    assert robots[0].position == pytest.approx((1 - 1.2, 2 - 0.9, 0.0))
    assert robots[4].position == pytest.approx((1 + 1.2, 2 - 0.9, 0.0))
    assert robots[17].position == pytest.approx((1.0, 2 + 0.9, 0.0))
    assert {robot.orientation[2] for robot in robots} == {math.pi / 2}
    assert {(robot.count, robot.grid) for robot in robots} == {(None, None)}


def test_a_grid_without_a_count_is_full_and_a_name_comes_from_the_header(write: Write) -> None:
    robots = load(write("[ROBOT_7]\ntype bench\ngrid 2x2 1\n")).scenario.robots
    assert [robot.name for robot in robots] == ["robot_7_1", "robot_7_2", "robot_7_3", "robot_7_4"]


def test_one_robot_is_scattered_where_no_count_is_said(write: Write) -> None:
    (robot,) = load(write("[ROBOT_7]\ntype single\nname s\nscatter floor\n")).scenario.robots
    assert robot.name in {"s", "s1"}


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**63 - 1), count=st.integers(1, 40))
def test_scattered_robots_touch_nothing_and_stay_on_the_floor(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int
) -> None:
    folder = tmp_path_factory.mktemp("strewn")
    (folder / "a.world").write_text(WORLD)
    text = f"[WORLD]\nfile a.world\n[SIMULATION]\nseed {seed}\n{STREWN.replace('count 12', f'count {count}')}"
    (folder / "a.scenario").write_text(text)
    assert check(folder / "a.scenario") == []  # no overlap, nothing off the floor
    robots = load(folder / "a.scenario").scenario.robots
    assert len(robots) == count
    assert max(abs(coordinate) for robot in robots for coordinate in robot.position[:2]) <= 5.0 - 0.25


def test_places_by_chance_follow_the_seed_and_nothing_else(write: Write) -> None:
    first = load(write(STREWN)).scenario.robots
    assert load(write(STREWN)).scenario.robots == first
    robots = load(write(STREWN + "[SIMULATION]\nseed 1\n")).scenario.robots
    assert all(left.position != two.position for left, two in zip(first, robots, strict=True))


def test_robots_are_scattered_over_an_area_and_around_others(write: Write) -> None:
    text = "[ROBOT_9]\ntype team2\nname t\nscatter -5 -5 0 0\ncount 3\n"
    robots = load(write(text + GRID)).scenario.robots
    assert [robot.name for robot in robots[:2]] == ["t1/leader", "t1/helper"]
    assert all(-5 < coordinate < 0 for robot in robots[:6] for coordinate in robot.position[:2])
    assert not any("'t" in problem.text for problem in check(write(text + GRID)))


def test_robots_that_find_no_room_are_a_mistake(write: Write) -> None:
    (mistake,) = mistakes(write(STREWN.replace("scatter floor", "scatter -4 2 -2 4").replace("12", "200")))
    assert mistake.startswith("only ")
    assert "of 200 robots find room in x -4 to -2 m, y 2 to 4 m; make it larger, or count smaller" in mistake


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("count 5", "count needs the key 'grid' or 'scatter': where they stand"),
        ("count 5\ngrid 2x2 1", "a grid of 2x2 has no room for 5 robots"),
        ("grid 2x2 1\nscatter floor", "robots stand in a grid or are scattered, not both"),
        ("grid 2 2 1", "grid takes columns x rows and a distance, as `20x10 0.8`, got 3"),
        ("grid 0x4 1", "grid expects columns x rows, as 20x10; got '0x4'"),
        ("grid 2x2 0", "grid must lie within 0.001 and 100000 m, got 0"),
        ("count 0\nscatter floor", "count must lie within 1 and 100000, got 0"),
        ("scatter everywhere", "scatter takes `floor`, or 4 numbers (x y of two corners), got 1"),
        ("scatter 0 0 1 east", "scatter expects a number, got 'east'"),
        ("scatter floor\nposition 1 0 0", "scattered robots have no position of their own"),
    ],
)
def test_a_wrong_crowd_is_reported_once(write: Write, lines: str, text: str) -> None:
    assert mistakes(write(f"[ROBOT_1]\ntype bench\nname r\n{lines}\n")) == [text]


def test_names_of_a_crowd_are_taken(write: Write) -> None:
    (mistake,) = mistakes(write(GRID + "[ROBOT_3]\ntype bench\nname r7\nposition 4 -4 0\n"))
    assert "the name 'r7' is already taken" in mistake


def test_controllers_and_events_name_many_robots_by_few_words(write: Write) -> None:
    text = GRID + STREWN + "[CONTROLLER_1]\nrun wander\nrobots r1-r3 s*\n[CONTROLLER_2]\nrun wander\nrobots r10\n"
    text += "[EVENT_1]\nat 1\nset r.sonars.noise 0.1\nset all.target.reach 2\nset s2-s3.sonars.reach 1\n"
    scene = load(write(text)).scenario
    assert scene.controllers[0].robots == ("r1", "r2", "r3", *(f"s{n}" for n in range(1, 13)))
    paths = [path for path, _ in scene.events[0].set]
    assert paths[:18] == [f"r{n}.sonars.noise" for n in range(1, 19)]
    assert paths[18:30] == [f"s{n}.target.reach" for n in range(1, 13)]  # a bench has no camera
    assert paths[30:] == ["s2.sonars.reach", "s3.sonars.reach"]


def test_all_names_every_robot(write: Write) -> None:
    scene = load(write(GRID + "[CONTROLLER_1]\nrun wander\nrobots all\n")).scenario
    assert len(scene.controllers[0].robots) == 18


def test_a_mistake_with_many_robots_is_one_short_line(write: Write) -> None:
    text = GRID + STREWN + "[CONTROLLER_1]\nrun wander\nrobots all\n[CONTROLLER_2]\nrun wander\nrobots r* x* r2-r99\n"
    text += "[EVENT_1]\nat 1\nset all.sonars.nose 1\nset r*.target.reach 1\nset all.sonars.noise -1\n"
    messages = mistakes(write(text))
    assert messages[0] == "r1, r2, r3, r4, r5 and 13 more are named twice; one controller drives a robot"
    assert messages[1].startswith("no robot is meant by 'x*'; known: ")
    assert messages[2].startswith("no robot is meant by 'r2-r99'")
    assert messages[3].startswith("sonars has no parameter 'nose' (nose → noise?)")
    assert messages[4].startswith("r1 has no module 'target'")
    assert messages[5].startswith("noise must lie within 0")
    assert max(map(len, messages)) < 250


def test_a_grid_can_be_inserted_and_a_scatter_not() -> None:
    assert len(sections("[ROBOT_1]\ntype bench\ngrid 3x2 1\n").robots) == 6
    with pytest.raises(BadFile, match="a message cannot scatter robots; say grid"):
        sections("[ROBOT_1]\ntype bench\nscatter floor\n")


def opened(write: Write, text: str) -> tuple[Path, Scenario, Sources]:
    path = write(text)
    world = path.with_name("a.world")
    return path, load(path).scenario, Sources(path, world, {path: path.read_text(), world: WORLD})


DRIVEN = "[CONTROLLER_1]\nrun wander\nrobots r s1-s12\n[EVENT_1]\nat 1\nset r.sonars.noise 0.1\nset s*.target.reach 2\n"


def test_a_crowd_that_did_not_change_stays_as_it_was(write: Write) -> None:
    path, scene, sources = opened(write, "# they\n" + GRID + STREWN + DRIVEN)
    assert compose(scene, sources, path) == {path: path.read_text()}


def test_a_crowd_of_which_one_was_moved_becomes_sections_of_their_own(write: Write) -> None:
    path, scene, sources = opened(write, GRID + DRIVEN.replace(" s1-s12", "").replace("set s*.target.reach 2\n", ""))
    robots = tuple(replace(robot, position=(4.0, -4.0, 0.0)) if robot.name == "r7" else robot for robot in scene.robots)
    text = compose(replace(scene, robots=robots), sources, path)[path]
    assert "grid" not in text
    assert "robots r1-r18" in text
    assert "set r1-r18.sonars.noise 0.1" in text
    path.write_text(text)
    assert load(path).scenario.robots == robots


def test_who_is_removed_leaves_controllers_and_events(write: Write) -> None:
    path, scene, sources = opened(write, GRID + STREWN + DRIVEN)
    left = tuple(robot for robot in scene.robots if robot.name not in {"r7", "s12"})
    path.write_text(compose(replace(scene, robots=left), sources, path)[path])
    again = load(path).scenario
    assert set(again.robots) == set(left)
    assert set(again.controllers[0].robots) == {robot.name for robot in left}
    assert "s1-s11" in path.read_text()


def test_a_strewn_crowd_that_would_fall_elsewhere_now_keeps_its_places(write: Write) -> None:
    path, scene, sources = opened(write, STREWN)
    x, y, _ = scene.robots[3].position
    crate = Object("crate", "box", (0.2, 0.2, 0.2), (x, y, 0.5))  # above it, but not above all of the robot's height
    tall = replace(crate, position=(x, y, 0.1))
    for thing, stays in ((replace(crate, position=(x, y, 0.31)), True), (tall, False)):
        changed = replace(scene, world=replace(scene.world, objects=(*scene.world.objects, thing)))
        texts = compose(changed, sources, path, {path.with_name("a.world")})
        assert ("scatter" in texts[path]) is stays


@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_whatever_becomes_of_robots_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("crowd")
    (folder / "a.world").write_text(WORLD)
    path = folder / "a.scenario"
    path.write_text("[WORLD]\nfile a.world\n" + GRID.replace("5x4", "2x2").replace("18", "3") + STREWN + DRIVEN)
    scene, world = load(path).scenario, folder / "a.world"
    removed = data.draw(st.sets(st.sampled_from([robot.name for robot in scene.robots])))
    moved = data.draw(st.sets(st.sampled_from([robot.name for robot in scene.robots])))
    left = [
        replace(robot, position=(0.0, -4.0, 0.0)) if robot.name in moved else robot
        for robot in scene.robots
        if robot.name not in removed
    ]
    extra = data.draw(st.sampled_from([(), (RobotPlacement("late", "bench", (4.5, 4.5, 0.0)),)]))
    wanted = (*left, *extra)
    sources = Sources(path, world, {path: path.read_text(), world: WORLD})
    path.write_text(compose(replace(scene, robots=wanted), sources, path)[path])
    again = load(path).scenario
    assert again.robots == wanted
    driven = {name for controller in again.controllers for name in controller.robots}
    assert driven == {robot.name for robot in left}


def test_a_crowd_of_teams_is_saved_as_it_was_and_one_that_moved_by_itself_as_teams(write: Write) -> None:
    path, scene, sources = opened(write, "[ROBOT_1]\ntype team2\nname t\ngrid 2x1 3\nposition 0 -3 0\n")
    assert compose(scene, sources, path) == {path: path.read_text()}

    def aside(it: Moved) -> Moved:
        x, y, z = it.position
        return replace(it, position=(x, y + 0.5, z)) if it.name.startswith("t2") else it

    moved = tuple(map(aside, scene.robots))
    bars = replace(scene.world, objects=tuple(map(aside, scene.world.objects)))
    path.write_text(compose(replace(scene, robots=moved, world=bars), sources, path)[path])
    assert [robot.name for robot in load(path).scenario.robots] == [robot.name for robot in moved]
    assert "name        t2" in path.read_text()


@pytest.mark.parametrize("line", ["count 3", "grid 2x2 1", "scatter floor"])
def test_a_robot_does_not_become_a_crowd_by_a_message(line: str) -> None:
    with pytest.raises(BadFile, match="remove the robot and insert another"):
        update_entity(RobotPlacement("r1", "bench"), line)
