"""The files that come with coopsim: found by bare name, without a mistake, and as their users expect them."""

import math
from pathlib import Path

import pytest

import coopsim
from coopsim import interfaces, plugins
from coopsim.errors import NoSuchFile
from coopsim.interfaces import Interface
from coopsim.robots import RunSpec, TypeRegistry, built_in_names, check, find_file, load, load_type
from coopsim.scene import Object

OFFERED = [*vars(interfaces).values(), *(plugins.load("interfaces", name) for name in plugins.registered("interfaces"))]
DEVICES = {var.kind: var for var in OFFERED if isinstance(var, Interface) and var.readings}
LAWS = [
    *("cruise", "formation", "game", "grasp", "orca", "reach", "seek", "shadow", "sphere", "teleoperate"),
    *("transport_helper", "transport_leader", "wander"),
]
REGISTRY = TypeRegistry(devices=DEVICES, controllers=LAWS, engines=["mujoco", "pymunk"])
BUILT_IN = [name + suffix for suffix in (".world", ".scenario", ".robot") for name in built_in_names(suffix)]


def spec(name: str) -> RunSpec:
    return load(name, registry=REGISTRY)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_file_is_without_a_mistake(name: str) -> None:
    assert [str(problem) for problem in check(name, registry=REGISTRY)] == []


def test_the_built_in_files_are_these_C_64() -> None:
    assert {"empty.world", "arena.world", "obstacles.world"} <= set(BUILT_IN)
    assert {"single.scenario", "formation.scenario", "vee.scenario"} <= set(BUILT_IN)
    assert {"corridor.scenario", "maze.scenario", "lab.scenario", "crowd.scenario"} <= set(BUILT_IN)
    assert {"single.robot", "bench.robot", "scout.robot"} <= set(BUILT_IN)


def test_a_bare_name_is_looked_for_inside_the_package_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    package = Path(coopsim.__file__).parent
    assert find_file("formation") == package / "scenarios" / "formation.scenario"
    assert find_file("arena") == package / "worlds" / "arena.world"
    assert find_file("bench") == package / "robots" / "types" / "bench.robot"
    assert find_file("single", [".robot"]) == package / "robots" / "types" / "single.robot"
    assert find_file("arena.world") == package / "worlds" / "arena.world"


def test_a_path_goes_before_a_built_in_file_but_a_folder_of_its_name_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.world").touch()
    (tmp_path / "formation").mkdir()
    assert find_file("arena.world") == Path("arena.world")
    assert find_file("formation").name == "formation.scenario"


def test_an_unknown_name_is_refused_with_the_nearest_built_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoSuchFile, match=r"no such file \(formaton → formation\?\); built-in: abb_irb_120"):
        find_file("formaton")


def test_a_scenario_of_ones_own_may_name_a_built_in_world(tmp_path: Path) -> None:
    (tmp_path / "mine.scenario").write_text("[WORLD]\nfile arena.world\n")
    assert len(load(tmp_path / "mine.scenario", registry=REGISTRY).scenario.world.objects) == 4


def test_the_single_robot_is_as_the_papers_platform_C_100() -> None:
    single = load_type("single", registry=REGISTRY)
    assert (single.shape, single.size, single.mass) == ("cylinder", (0.5, 0.5, 0.3), 20.0)
    assert [device.name for device in single.devices] == ["motors", "sonars", "target", "odometry", "bumpers"]
    motors, sonars = single.devices[:2]
    assert [motors.settings[name] for name in ("half_track", "max_force", "max_speed")] == [0.18, 40.0, 0.5]
    assert [sonars.settings[name] for name in ("count", "sector", "reach")] == [11, 220.0, 3.0]
    assert [device.name for device in single.devices if device.paces] == ["motors"]


def test_the_bench_robot_is_a_disc_with_motors_and_sonars() -> None:
    bench = load_type("bench", registry=REGISTRY)
    assert (bench.size, bench.mass) == ((0.36, 0.36, 0.2), 8.0)
    assert [device.name for device in bench.devices] == ["motors", "sonars"]
    assert [bench.devices[1].settings[name] for name in ("count", "sector", "reach")] == [11, 180.0, 2.0]


def test_the_arena_is_ten_by_ten_metres_between_walls_and_the_empty_world_has_but_a_floor_C_53() -> None:
    arena, empty = spec("arena").scenario.world, spec("empty").scenario.world
    assert (arena.floor.size[:2], len(arena.objects)) == ((10.0, 10.0), 4)
    assert empty.objects == ()


def test_the_obstacles_are_box_cylinder_and_sphere_fixed_and_movable_C_52() -> None:
    things = [thing for thing in spec("obstacles").scenario.world.objects if not thing.is_wall]
    assert {thing.shape for thing in things if thing.mass == 0} == {"box", "cylinder", "sphere"}
    assert {thing.shape for thing in things if thing.mass > 0} == {"box", "cylinder", "sphere"}


@pytest.mark.parametrize(("name", "count", "shape"), [("formation", 3, "triangle"), ("vee", 5, "vee")])
def test_a_formation_drives_far_enough_to_a_red_target_past_three_obstacles_C_52(
    name: str, count: int, shape: str
) -> None:
    scenario = spec(name).scenario
    names = tuple(f"robot{number + 1}" for number in range(count))
    assert tuple(robot.name for robot in scenario.robots) == names
    assert scenario.controllers[0].robots == names
    assert ("shape", (shape,)) in scenario.controllers[0].arguments
    target = scenario.targets[0]
    assert target.name == "red"
    assert math.dist(scenario.robots[0].position, target.position) >= 8.75
    between = [thing for thing in scenario.world.objects if not thing.is_wall and abs(thing.position[1]) < 1.2]
    assert {thing.shape for thing in between} == {"box", "cylinder", "sphere"}
    assert scenario.settings.duration == 60.0


def gap(thing: Object, place: tuple[float, ...]) -> float:
    """Return the distance of a place from the footprint of an upright thing."""
    x, y, turn = place[0] - thing.position[0], place[1] - thing.position[1], thing.orientation[2]
    if thing.shape != "box":
        return math.hypot(x, y) - thing.size[0] / 2
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return math.hypot(max(abs(along) - thing.size[0] / 2, 0.0), max(abs(across) - thing.size[1] / 2, 0.0))


@pytest.mark.parametrize("name", built_in_names(".scenario"))
def test_nobody_stands_inside_anything_at_the_start(name: str) -> None:
    run = spec(name)
    things, robots = run.scenario.world.objects, run.scenario.robots
    for robot in robots:
        blueprint = run.types[robot.type]
        radius = blueprint.size[0] / 2 if blueprint.shape == "cylinder" else math.hypot(*blueprint.size[:2]) / 2
        half = [side / 2 - radius for side in run.scenario.world.floor.size[:2]]
        assert all(abs(place) < limit for place, limit in zip(robot.position, half, strict=False))
        assert all(
            math.dist(robot.position, neighbour.position) > 2 * radius for neighbour in robots if neighbour is not robot
        )
        beside = [thing for thing in things if thing.position[2] < robot.position[2] + blueprint.size[2]]
        assert all(gap(thing, robot.position) > radius for thing in beside)


def test_the_scout_has_a_camera_ahead_a_compass_and_a_gps() -> None:
    scout = load_type("scout", registry=REGISTRY)
    settings = {device.name: device.settings for device in scout.devices}
    assert list(settings) == ["motors", "sonars", "target", "odometry", "bumpers", "compass", "gps"]
    assert settings["target"]["field"] == pytest.approx(math.radians(120))
    assert settings["target"]["occlusion"] == 1
    assert settings["compass"]["noise"] == pytest.approx(math.radians(2))
    assert (settings["gps"]["rate"], settings["gps"]["delay"]) == (4.0, 0.2)
