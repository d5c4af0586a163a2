"""`[WIND]` sections: the air of a world, or of a scenario in its place, at all robots with rotors."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.space.wind_interface import WIND
from coopsim.interfaces import ROTORS, command_numbers
from coopsim.robots import check, load
from coopsim.scene import Floor, world_text
from coopsim.simulation import Simulation

ROBOT = """[BODY]
type   cylinder
size   0.4 0.4 0.1
mass   1
wheels no
[DEVICE_1]
type   rotors
name   rotors
paces  no
lag    0
drag   {}
"""
WORLD = "[FLOOR]\nsize 50 50 0.1\n# the air\n[WIND]\nmean 4 -2 0  # from the sea\n"
SCENE = """[WORLD]
file yard
[ROBOT_1]
type flyer
name q
position 0 0 5
[ROBOT_2]
type rover
name ground
position 3 0 0
{}
[SIMULATION]
engine {}
step 0.02
"""
SET, MEAN = command_numbers(ROTORS).set_thrusts, command_numbers(WIND).set_mean


def scene(folder: Path, world: str = WORLD, more: str = "", engine: str = "mujoco", drag: float = 0.5) -> Path:
    (folder / "flyer.robot").write_text(ROBOT.format(drag))
    (folder / "yard.world").write_text(world)
    (folder / "run.scenario").write_text(SCENE.format(more, engine))
    return folder / "run.scenario"


def hover(sim: Simulation, ticks: int) -> np.ndarray:
    """Let the rotors carry the robot's weight, and return its velocity."""
    for _ in range(ticks):
        sim.command("q", "rotors", SET, (9.81 / 4.0,) * 4)
        sim.tick()
    return sim.engine.twists[list(sim.engine.names).index("q"), :3].copy()


def test_the_wind_of_a_world_takes_robots_with_rotors_along_by_their_own_drag(tmp_path: Path) -> None:
    spec = load(scene(tmp_path))
    sim = Simulation(spec)
    velocity = hover(sim, 50)
    share = 1.0 - np.exp(-0.5)
    np.testing.assert_allclose(velocity, (4.0 * share, -2.0 * share, 0.0), atol=1e-6)
    assert sim.reading("q", "wind") == pytest.approx((4.0, -2.0, 0.0))
    assert "wind" not in [device.kind for device in spec.types["rover"].devices]


def test_air_at_rest_brakes_as_rotors_without_the_section_do(tmp_path: Path) -> None:
    velocities = []
    for world in ("[FLOOR]\nsize 50 50 0.1\n", "[FLOOR]\nsize 50 50 0.1\n[WIND]\nmean 0 0 0\n"):
        sim = Simulation(load(scene(tmp_path, world)))
        row = np.array([list(sim.engine.names).index("q")])
        twists = np.array([[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
        sim.engine.set_spatial_state(row, sim.engine.poses[row], twists)
        velocities.append(hover(sim, 40))
    np.testing.assert_allclose(velocities[1], velocities[0], rtol=1e-12, atol=1e-12)
    assert 0.5 < velocities[0][0] < 2.5


def test_the_wind_of_a_scenario_counts_instead_of_its_worlds_and_a_preset_is_changed_by_keys(tmp_path: Path) -> None:
    more = "[WIND]\npreset moderate\nmean 1 0 0\ngust 0.25\ndrag 0.7\nfield 9\n"
    spec = load(scene(tmp_path, more=more))
    (wind,) = [device for device in spec.types["flyer"].devices if device.kind == "wind"]
    expected = {"x": 1.0, "y": 0.0, "gust": 0.25, "gust_vertical": 1.54, "length": 43.8, "drag": 0.7, "field": 9}
    assert {name: wind.settings[name] for name in expected} == expected
    (rotors,) = [device for device in spec.types["flyer"].devices if device.kind == "rotors"]
    assert rotors.settings["drag"] == 0.5


def test_a_message_changes_the_wind_at_a_robot_and_one_of_its_own_stays_its_own(tmp_path: Path) -> None:
    file = scene(tmp_path)
    sim = Simulation(load(file))
    sim.command("q", "wind", MEAN, (0.0, 7.0, 0.0))
    sim.tick()
    assert sim.reading("q", "wind") == pytest.approx((0.0, 7.0, 0.0))
    own = "[DEVICE_2]\ntype wind\nname breeze\nx 0.5\n"
    (tmp_path / "flyer.robot").write_text(ROBOT.format(0.5) + own)
    assert [device.name for device in load(file).types["flyer"].devices] == ["rotors", "breeze"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mean 1 2", "yard.world:4:1: mean takes 3 numbers"),
        ("mean 1 2 900", "yard.world:4:10: mean"),
        ("gust -1", "yard.world:4:6: gust"),
        ("preset strong", "yard.world:4:8: preset"),
        ("gusts 1", "yard.world:4:1: "),
        ("field 1.5", "yard.world:4:7: field"),
    ],
)
def test_mistakes_are_named_with_their_place_once(line: str, said: str, tmp_path: Path) -> None:
    file = scene(tmp_path, f"[FLOOR]\nsize 50 50 0.1\n[WIND]\n{line}\n")
    for path in (tmp_path / "yard.world", file):
        (problem,) = [str(problem) for problem in check(path) if not problem.is_warning]
        assert said in problem
    with pytest.raises(BadFile):
        load(file)


def test_a_wind_that_blows_at_no_robot_is_warned_of(tmp_path: Path) -> None:
    file = scene(tmp_path)
    file.write_text(file.read_text().replace("type flyer", "type rover").replace("0 0 5", "0 0 0"))
    (warning,) = [problem for problem in check(file) if "this wind blows at none" in problem.text]
    assert warning.is_warning
    assert str(warning).startswith(f"{tmp_path / 'yard.world'}:4:1: ")


def test_a_world_that_is_saved_keeps_its_wind_with_its_comments(tmp_path: Path) -> None:
    saved = world_text(WORLD, Floor(size=(20.0, 30.0, 0.1)), [], tmp_path)
    assert saved == WORLD.replace("50 50", "20 30")
