"""`[ARTIFACT_n]` of worlds: read, checked with places, run alone and in scenarios, inserted, saved, recorded."""

from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import BadArgument, BadFile, CannotSave
from coopsim.robots import Sources, check, compose, load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import Insert, Update

WORLD = """[FLOOR]
size 20 20 0.1

# carries crates
[ARTIFACT_1]
type        conveyor
name        belt1   # north
position    0 2 0
size        4 0.8 0.2
set         belt.start 0.3

[ARTIFACT_2]
type        lamp
position    3 3 0
"""
SCENE = "[WORLD]\nfile yard\n[ROBOT_1]\ntype single\nname robot1\n{}\n[SIMULATION]\nduration 1\n"


def scene(folder: Path, world: str = WORLD, more: str = "") -> Path:
    (folder / "yard.world").write_text(world)
    (folder / "run.scenario").write_text(SCENE.format(more))
    return folder / "run.scenario"


def saved(file: Path, robots: object = None) -> dict[str, str]:
    """Return the texts of a scenario and its world as they are saved, by the names of the files."""
    spec, world = load(file), file.with_name("yard.world")
    sources = Sources(file, world, {path: path.read_text() for path in (file, world)})
    changed = replace(spec.scenario, robots=robots(spec.scenario.robots)) if callable(robots) else spec.scenario
    return {path.name: text for path, text in compose(changed, sources, file, {world}).items()}


def test_a_world_and_a_scenario_of_it_have_its_artifacts_with_size_and_settings_of_their_own(tmp_path: Path) -> None:
    for file in (scene(tmp_path), tmp_path / "yard.world"):
        spec = load(file)
        belt = spec.types["conveyor+belt1"]
        assert (belt.size, belt.devices[0].settings["start"]) == ((4.0, 0.8, 0.2), 0.3)
        lamp = next(robot for robot in spec.scenario.robots if robot.name == "artifact_2")
        assert (lamp.type, lamp.is_of_world, spec.scenario.world.artifacts) == ("lamp", True, ())
        sim = Simulation(spec)
        for _ in range(40):
            sim.tick()
        assert sim.reading("belt1", "belt")[0] == pytest.approx(0.3)
        assert sim.reading("artifact_2", "lamp")[0] == 1.0


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("belt.start 0.3", "belt.stat 0.3", "yard.world:10:13: belt knows no setting 'stat' (stat → start?)"),
        ("belt.start 0.3", "bell.start 0.3", "yard.world:10:13: conveyor has no module 'bell' (bell → belt?)"),
        ("belt.start 0.3", "belt.start 90", "yard.world:10:24: start"),
        ("belt.start 0.3", "belt.start", "yard.world:10:13: set takes device.parameter and a value by turns"),
        ("belt.start 0.3", "start 0.3", "yard.world:10:13: set takes device.parameter and a value by turns"),
        ("type        conveyor", "type        conveyer", "yard.world:6:13: no robot type 'conveyer'"),
        ("type        conveyor", "type        team2", "yard.world:6:13: an artifact is one thing"),
        ("size        4 0.8 0.2", "count       3", "yard.world:9:1: [ARTIFACT_1] knows no key 'count'"),
        ("type        conveyor", "type        door", "yard.world:5:1: size: a door has more than one shape"),
        ("name        belt1 ", "name        robot1", "run.scenario:5:6: the name 'robot1' is already taken"),
    ],
)
def test_mistakes_are_named_with_their_place(before: str, after: str, said: str, tmp_path: Path) -> None:
    world = WORLD.replace(before, after)
    if "door" in after:
        world = world.replace("set         belt.start 0.3\n", "")
    problems = [str(problem) for problem in check(scene(tmp_path, world)) if not problem.is_warning]
    assert len(problems) == 1
    assert said in problems[0]


def test_a_type_of_ones_own_stands_beside_the_world_not_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "worlds").mkdir()
    own = "[BODY]\ntype box\nsize 1 1 1\nmass 9\nwheels no\n[DEVICE_1]\ntype simulation_time\nname time\n"
    (tmp_path / "worlds" / "clock.robot").write_text(own)
    (tmp_path / "worlds" / "yard.world").write_text("[ARTIFACT_1]\nmodel clock.robot\nname clock\nposition 1 1 0\n")
    (tmp_path / "run.scenario").write_text("[WORLD]\nfile worlds/yard.world\n")
    sim = Simulation(load(tmp_path / "run.scenario"))
    sim.tick()
    assert sim.reading("clock", "time") == pytest.approx((0.01,))


def test_patterns_of_robots_mean_no_artifacts_and_their_names_do(tmp_path: Path) -> None:
    more = (
        "[EVENT_1]\nat 0.1\nset *.motors.watchdog 1\nset belt1.belt.start 0.7\n[CONTROLLER_1]\nrun wander\nrobots *\n"
    )
    spec = load(scene(tmp_path, more=more))
    sim = Simulation(spec)
    for _ in range(80):
        sim.tick()
    assert sim.reading("belt1", "belt")[0] == pytest.approx(0.7)
    assert [controller.robots for controller in spec.scenario.controllers] == [("robot1",)]


def test_saving_keeps_artifacts_in_their_world_and_changes_what_has_changed(tmp_path: Path) -> None:
    file = scene(tmp_path)
    assert saved(file) == {"run.scenario": file.read_text()}
    moved = saved(
        file,
        lambda robots: tuple(
            replace(robot, position=(1.0, -2.0, 0.0)) if robot.name == "belt1" else robot for robot in robots
        ),
    )
    assert moved["yard.world"] == WORLD.replace("position    0 2 0", "position    1 -2 0")
    assert moved["run.scenario"] == file.read_text()
    files = saved(file, lambda robots: tuple(robot for robot in robots if robot.name != "artifact_2"))
    assert "[ARTIFACT_2]" not in files["yard.world"]
    assert "# north" in files["yard.world"]


def test_an_artifact_that_a_message_inserts_is_saved_with_its_world(tmp_path: Path) -> None:
    file = scene(tmp_path)
    sim = Simulation(load(file))
    apply(sim, Insert("[ARTIFACT_1]\ntype conveyor\nname belt2\nposition 0 -3 0\nsize 2 1 0.1\nset belt.start 0.1\n"))
    apply(sim, Update("belt2", "position 0 -4 0"))
    for _ in range(20):
        sim.tick()
    assert sim.reading("belt2", "belt")[0] == pytest.approx(0.1)
    with pytest.raises(BadFile, match="size cannot be changed: remove"):
        apply(sim, Update("belt2", "size 1 1 1"))
    with pytest.raises((BadFile, BadArgument), match="knows no setting 'end'"):
        apply(sim, Insert("[ARTIFACT_1]\ntype lamp\nname lamp9\nset lamp.end 1\n"))
    robots = tuple(sim.scene.robots.values())
    texts = saved(file, lambda _: robots)
    section = "[ARTIFACT_3]\ntype conveyor\nname belt2\nposition 0 -4 0\nsize 2 1 0.1\nset belt.start 0.1\n"
    words = [line.split() for line in texts["yard.world"].splitlines()]
    for line in section.splitlines():
        assert line.split() in words
    assert texts["run.scenario"] == file.read_text()
    (tmp_path / "yard.world").write_text(texts["yard.world"])
    assert load(file).types["conveyor+belt2"].size == (2.0, 1.0, 0.1)


def test_a_world_is_not_saved_where_a_type_of_its_own_is_missing(tmp_path: Path) -> None:
    file = scene(tmp_path, "[ARTIFACT_1]\ntype buoy\nposition 1 1 0\n")
    (tmp_path / "buoy.robot").write_text("[BODY]\ntype box\nsize 1 1 1\nmass 9\nwheels no\n")
    spec, world = load(file), tmp_path / "yard.world"
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(CannotSave, match=r"holds no buoy\.robot"):
        compose(spec.scenario, Sources(file, world, {}), tmp_path / "elsewhere" / "other.world")
