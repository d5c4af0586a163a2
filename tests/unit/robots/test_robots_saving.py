"""A scene as the text of its files: teams, worlds beside scenarios, robot types."""

from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import CannotSave
from coopsim.robots import Sources, compose, is_built_in, load
from coopsim.robots.finding import SCENARIOS, WORLDS
from coopsim.robots.teams import fold, joints_of, load_of, members
from coopsim.scene import Object, RobotPlacement, Scenario

WORLD = "[FLOOR]\nsize 10 10 0.1\n[WALL_1]\ntype box\nsize 1 1 1\nposition 0 4 0\n"
SCENARIO = """\
[WORLD]
file yard.world
[ROBOT_1]
type single
name ann
[ROBOT_2]
type team2
name pair
position 2 1 0
orientation 0 0 30
"""
ARENA = (WORLDS / "arena.world").read_text()
PAIR = RobotPlacement("pair", "team2", (2.0, 1.0, 0.0), (0.0, 0.0, 0.5))
CRATE = Object("crate", "box", (1.0, 1.0, 1.0), (1.0, 2.0, 0.0))


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    """A folder with a scenario and its world."""
    (tmp_path / "yard.world").write_text(WORLD)
    (tmp_path / "yard.scenario").write_text(SCENARIO)
    return tmp_path


def opened(yard: Path) -> tuple[Scenario, Sources]:
    scenario, world = yard / "yard.scenario", yard / "yard.world"
    return load(scenario).scenario, Sources(scenario, world, {scenario: SCENARIO, world: WORLD})


def with_crate(scene: Scenario) -> Scenario:
    return replace(scene, world=replace(scene.world, objects=(*scene.world.objects, CRATE)))


def test_nothing_changes_where_nothing_changed(yard: Path) -> None:
    scene, sources = opened(yard)
    path = yard / "yard.scenario"
    assert compose(scene, sources, path) == {path: SCENARIO}


def test_a_changed_world_is_written_in_place_with_its_scenario(yard: Path) -> None:
    scene, sources = opened(yard)
    world, path = yard / "yard.world", yard / "yard.scenario"
    texts = compose(with_crate(scene), sources, path, {world})
    assert list(texts) == [world, path]
    assert texts[world].startswith(WORLD)
    assert texts[path] == SCENARIO


def test_a_changed_world_goes_beside_a_scenario_of_another_name(yard: Path) -> None:
    scene, sources = opened(yard)
    texts = compose(with_crate(scene), sources, yard / "other.scenario", {yard / "yard.world"})
    assert list(texts) == [yard / "other.world", yard / "other.scenario"]
    assert texts[yard / "other.scenario"] == SCENARIO.replace("yard.world", "other.world")


def test_a_copy_called_like_the_world_leaves_that_alone(yard: Path) -> None:
    scene, sources = opened(yard)
    sources = replace(
        sources, scenario=yard / "first.scenario", texts={**sources.texts, yard / "first.scenario": SCENARIO}
    )
    texts = compose(with_crate(scene), sources, yard / "yard.scenario", {yard / "yard.world"})
    assert yard / "yard.world" not in texts
    assert "file yard_changed.world" in texts[yard / "yard.scenario"]


def test_a_world_that_did_not_change_is_named_from_the_new_folder(yard: Path) -> None:
    scene, sources = opened(yard)
    (yard / "sub").mkdir()
    texts = compose(scene, sources, yard / "sub" / "new.scenario")
    assert texts == {yard / "sub" / "new.scenario": SCENARIO.replace("yard.world", "../yard.world")}


def test_a_built_in_world_is_named_by_its_bare_name(tmp_path: Path) -> None:
    scene, path = load("formation").scenario, SCENARIOS / "formation.scenario"
    world = WORLDS / "obstacles.world"
    sources = Sources(path, world, {path: path.read_text(), world: world.read_text()})
    texts = compose(scene, sources, tmp_path / "mine.scenario")
    assert "\nfile        obstacles.world\n" in texts[tmp_path / "mine.scenario"]
    (tmp_path / "mine.scenario").write_text(texts[tmp_path / "mine.scenario"])
    assert load(tmp_path / "mine.scenario").scenario.robots == scene.robots
    assert is_built_in(path)
    assert not is_built_in(tmp_path / "mine.scenario")


def test_a_world_alone_holds_no_robots(yard: Path) -> None:
    scene, sources = opened(yard)
    (text,) = compose(with_crate(scene), sources, yard / "copy.world").values()
    assert text.startswith(WORLD)
    assert "ROBOT" not in text


def test_a_scene_without_files_becomes_a_scenario_and_a_world(tmp_path: Path) -> None:
    scene = with_crate(Scenario(robots=(RobotPlacement("ann", "single"),)))
    texts = compose(scene, Sources(), tmp_path / "new.scenario")
    for path, text in texts.items():
        path.write_text(text)
    again = load(tmp_path / "new.scenario").scenario
    assert (again.robots, again.world.objects, again.world.floor) == (scene.robots, (CRATE,), scene.world.floor)


def test_a_robot_type_that_the_folder_does_not_know_is_refused(yard: Path, tmp_path: Path) -> None:
    scene, sources = opened(yard)
    scene = replace(scene, robots=(*scene.robots, RobotPlacement("late", "mine")))
    with pytest.raises(CannotSave, match=r"holds no mine\.robot"):
        compose(scene, sources, tmp_path / "new.scenario")
    (tmp_path / "mine.robot").write_text("[BODY]\nmass 3\n")
    assert "type        mine" in compose(scene, sources, tmp_path / "new.scenario")[tmp_path / "new.scenario"]


def test_members_are_put_together_as_the_file_placed_them() -> None:
    assert fold(members(PAIR), [PAIR], [load_of(PAIR)]) == (PAIR,)
    (again,) = fold(members(PAIR), (), [load_of(PAIR)])
    assert again.position == pytest.approx(PAIR.position)
    assert replace(again, position=PAIR.position) == PAIR


def test_a_team_that_moved_as_a_whole_is_placed_anew() -> None:
    moved = replace(PAIR, position=(-1.0, 3.0, 0.0))
    assert fold(members(moved), [PAIR], [load_of(moved)]) == (moved,)


def test_a_team_keeps_the_length_and_the_mass_of_its_bar() -> None:
    long = replace(PAIR, length=2.5, mass=5.0)
    (again,) = fold(members(long), [], [load_of(long)])
    assert (again.length, again.mass) == (2.5, 5.0)


def test_members_whose_bar_is_not_that_of_their_team_stay_apart() -> None:
    assert fold(members(PAIR), [PAIR]) == members(PAIR)
    assert fold(members(PAIR), [PAIR], [replace(load_of(PAIR), friction=0.5)]) == members(PAIR)
    assert fold(members(PAIR), [PAIR], [load_of(PAIR)], joints_of(PAIR)[:1]) == members(PAIR)
    assert fold(members(PAIR), [PAIR], [load_of(PAIR)], joints_of(PAIR)) == (PAIR,)
    assert fold((), [PAIR], [load_of(PAIR)]) == ()


def test_a_team_with_its_bar_is_saved_as_it_was_placed_and_as_it_was_changed(yard: Path) -> None:
    path = yard / "yard.scenario"
    text = SCENARIO.replace("name pair", "name pair\nlength 2.5  # long\nmass 5")
    path.write_text(text)
    scene = load(path).scenario
    sources = Sources(path, yard / "yard.world", {path: text, yard / "yard.world": WORLD})
    assert compose(scene, sources, path) == {path: text}
    (bar,) = (thing for thing in scene.world.objects if thing.name == "pair/bar")
    rest = tuple(thing for thing in scene.world.objects if thing is not bar)
    heavier = replace(scene, world=replace(scene.world, objects=(*rest, replace(bar, mass=6.0))))
    assert compose(heavier, sources, path) == {path: text.replace("mass 5", "mass 6")}


@pytest.mark.parametrize(
    "crew",
    [
        members(PAIR)[:1],
        (members(PAIR)[0], replace(members(PAIR)[1], position=(0.0, 0.0, 0.0))),
        (members(PAIR)[0], replace(members(PAIR)[1], color=(1.0, 0.0, 0.0))),
    ],
)
def test_members_that_are_no_team_any_more_stay_apart(crew: tuple[RobotPlacement, ...]) -> None:
    assert fold(crew, [PAIR], [load_of(PAIR)]) == crew


@pytest.mark.parametrize("change", ["moved", "coloured", "removed", "unbarred"])
def test_a_team_with_a_member_of_its_own_is_saved_and_read_again(yard: Path, change: str) -> None:
    path = yard / "yard.scenario"
    text = f"{SCENARIO}\n[CONTROLLER_1]\nrun wander\nrobots pair/leader pair/helper\n"
    path.write_text(text)
    scene = load(path).scenario
    sources = Sources(path, yard / "yard.world", {path: text, yard / "yard.world": WORLD})
    leader = next(robot for robot in scene.robots if robot.name == "pair/leader")
    edited = {
        "moved": replace(leader, position=(4.0, 4.0, 0.0)),
        "coloured": replace(leader, color=(1.0, 0.0, 0.0)),
        "unbarred": leader,
    }
    robots = tuple(edited.get(change) if robot is leader else robot for robot in scene.robots)
    things, joints = scene.world.objects, scene.joints
    if change in {"removed", "unbarred"}:
        joints = tuple(joint for joint in joints if not joint.name.startswith("pair/leader"))
    if change == "unbarred":
        things, joints = tuple(entity for entity in things if entity.name != "pair/bar"), ()
    left = tuple(robot for robot in robots if robot is not None)
    changed = replace(scene, robots=left, world=replace(scene.world, objects=things), joints=joints)
    for file, written in compose(changed, sources, path, [yard / "yard.world"]).items():
        file.write_text(written)
    again = load(path).scenario
    assert again.robots == left
    assert (set(again.world.objects), set(again.joints)) == (set(things), set(joints))
    driven = ("pair/helper",) if change == "removed" else ("pair/leader", "pair/helper")
    assert again.controllers[0].robots == driven


def test_a_built_in_world_stays_named_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mine.scenario"
    for name in ("arena", "arena.world"):
        path.write_text(SCENARIO.replace("yard.world", name))
        scene = load(path).scenario
        sources = Sources(path, Path(scene.world.file), {path: path.read_text(), Path(scene.world.file): ARENA})
        assert compose(scene, sources, path) == {path: path.read_text()}
