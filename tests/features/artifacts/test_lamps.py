"""Lamps: switched, dimmed and coloured; felt by sensors of light, and drawn as they shine."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.artifacts.interfaces import LAMP
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.label_rows import LabelRows
from coopsim.features.desktop.lamps import shine
from coopsim.features.desktop.model import SceneModel
from coopsim.features.pictures.lights import recorded_lights
from coopsim.features.pictures.page_data import page_data
from coopsim.features.pictures.page_data import plan as page_plan
from coopsim.features.pictures.scene import scene_of_recording
from coopsim.features.pictures.top_view import top_view, top_view_of_run
from coopsim.features.web.film import film
from coopsim.features.web.film import plan as film_plan
from coopsim.interfaces import command_numbers
from coopsim.launch.tracks import Track, Tracks
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

LAMP_COMMANDS = command_numbers(LAMP)
ROOM = """[FLOOR]
size 20 20 0.1
{wall}
[ARTIFACT_1]
type      lamp
name      lamp1
position  3 0 0
set       lamp.start 0.5 lamp.red 1 lamp.green 0.5 lamp.blue 0

[ARTIFACT_2]
type      lamp
name      lamp2
position  0 4 0
set       lamp.start 0
"""
ROBOT = """[BODY]
type cylinder
size 0.3 0.3 0.2
mass 5
[DEVICE_1]
type light
name light
ambient 2
intensity 90
"""
WALL = "[WALL_1]\ntype box\nsize 0.1 2 2\nposition 1.5 0 0\n"


def room(folder: Path, wall: str = "") -> Simulation:
    (folder / "room.world").write_text(ROOM.format(wall=wall))
    (folder / "looker.robot").write_text(ROBOT)
    (folder / "run.scenario").write_text("[WORLD]\nfile room\n[ROBOT_1]\ntype looker\nname r\nposition 0 0 0\n")
    sim = Simulation(load(folder / "run.scenario"))
    sim.tick()
    return sim


def light(sim: Simulation, lamp: str, command: int, *values: float) -> np.ndarray:
    sim.command(lamp, "lamp", command, values)
    sim.tick()
    sim.tick()
    return np.array(sim.reading(lamp, "lamp"))


def test_s_14_a_lamp_of_a_world_keeps_what_it_was_commanded_last_within_its_range(tmp_path: Path) -> None:
    sim = room(tmp_path)
    assert sim.reading("lamp1", "lamp") == pytest.approx((0.5, 1.0, 0.5, 0.0))
    assert light(sim, "lamp1", LAMP_COMMANDS.switch_off) == pytest.approx((0.0, 1.0, 0.5, 0.0))
    assert light(sim, "lamp1", LAMP_COMMANDS.switch_on) == pytest.approx((1.0, 1.0, 0.5, 0.0))
    assert light(sim, "lamp1", LAMP_COMMANDS.dim, 0.25) == pytest.approx((0.25, 1.0, 0.5, 0.0))
    assert light(sim, "lamp1", LAMP_COMMANDS.shine, 0.75, 0.0, 0.5, 1.0) == pytest.approx((0.75, 0.0, 0.5, 1.0))
    assert light(sim, "lamp1", LAMP_COMMANDS.shine, 7.0, -1.0, np.nan, np.inf) == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert sim.reading("lamp2", "lamp")[0] == 0.0


def test_s_14_light_falls_with_the_square_of_the_distance_and_adds_up(tmp_path: Path) -> None:
    sim = room(tmp_path)
    # 90 cd at half brightness in 3 m: 5 lx of red, 2.5 of green
    assert sim.reading("r", "light") == pytest.approx((2.0 + 7.5 / 3.0, 5.0, 2.5, 0.0))
    light(sim, "lamp2", LAMP_COMMANDS.shine, 1.0, 0.0, 0.0, 1.0)
    assert sim.reading("r", "light") == pytest.approx((2.0 + 7.5 / 3.0 + 5.625 / 3.0, 5.0, 2.5, 5.625))


def test_s_14_timed_events_take_and_give_the_power_of_a_lamp_which_keeps_its_command(tmp_path: Path) -> None:
    room(tmp_path)
    with (tmp_path / "run.scenario").open("a") as file:
        file.write("[EVENT_1]\nat 0.1\nset lamp1.lamp.power 0.4\n[EVENT_2]\nat 0.2\nset lamp1.lamp.power 1\n")
    sim = Simulation(load(tmp_path / "run.scenario"))
    sim.command("lamp1", "lamp", LAMP_COMMANDS.shine, (0.5, 1.0, 0.0, 0.0))
    seen = {}
    for tick in range(1, 31):
        sim.tick()
        seen[tick] = sim.reading("lamp1", "lamp")[0], sim.reading("r", "light")[1]
    # of 90 cd in 3 m
    assert seen[9] == pytest.approx((0.5, 5.0))
    assert seen[15] == pytest.approx((0.2, 2.0))
    assert seen[30] == pytest.approx((0.5, 5.0))


def test_a_wall_hides_a_lamp_unless_the_sensor_looks_through_it(tmp_path: Path) -> None:
    assert room(tmp_path, WALL).reading("r", "light") == pytest.approx((2.0, 0.0, 0.0, 0.0))
    (tmp_path / "looker.robot").write_text(ROBOT + "occlusion 0\n")
    sim = Simulation(load(tmp_path / "run.scenario"))
    sim.tick()
    assert sim.reading("r", "light")[1] == pytest.approx(5.0)


def test_top_views_and_pages_of_a_recording_show_lamps_as_they_shine_at_its_end(tmp_path: Path) -> None:
    sim, path, tracks = room(tmp_path), tmp_path / "a.mcap", Tracks()
    with RecordedRun(sim, path) as run:
        run.tick(5)
        light(sim, "lamp1", LAMP_COMMANDS.shine, 1.0, 0.0, 1.0, 0.0)
        run.tick(5)
    with Recording.open(path) as recording:
        ways = dict.fromkeys(("lamp1", "lamp2", "r"), np.array([[0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0]]))
        drawn = top_view(scene_of_recording(recording), {name: Track(name, way) for name, way in ways.items()})
        for record in recording.records():
            tracks.add(recording.layout(record.generation), record)
        flat = page_data(recording, page_plan(recording))
        (part,) = film(recording, film_plan(recording))["parts"]
    assert ' fill="#00ff00"' in drawn
    assert ' fill="#26221b"' in drawn
    assert ' fill="#00ff00"' in top_view_of_run(load(tmp_path / "run.scenario"), tracks.all())
    lamp1 = next(robot for robot in flat["robots"] if robot["name"] == "lamp1")
    assert lamp1["readings"][0]["column"] == lamp1["lamp"]
    shining = [(group["kind"], group["robots"]) for group in part["facts"]["sensors"]]
    assert shining == [("lights", ["lamp1"]), ("lights", ["lamp2"])]
    assert [length for _, length in part["sensors"]] == [4, 4]


def test_pictures_show_a_lamp_in_the_colour_of_its_light_and_labels_stay(tmp_path: Path) -> None:
    sim = room(tmp_path)
    layout = sim.layout
    model = SceneModel(layout.entities, layout.bodies)
    rows, labels = DrawList(model), LabelRows(model)
    before, kept = rows.rows["i_color"].copy(), labels.rows["i_color"].copy()
    light(sim, "lamp1", LAMP_COMMANDS.shine, 1.0, 0.0, 1.0, 0.0)
    shine(model, recorded_lights(layout, sim.readings))
    rows.update()
    labels.update()
    of_lamp = model.entity == model.numbers["lamp1"]
    assert rows.rows["i_color"][of_lamp].tolist() == [[0, 255, 0, 255]] * int(of_lamp.sum())
    off = rows.rows["i_color"][model.entity == model.numbers["lamp2"]][0]
    assert off.tolist() == [38, 34, 27, 255]
    unchanged = ~of_lamp & (model.entity != model.numbers["lamp2"])
    np.testing.assert_array_equal(rows.rows["i_color"][unchanged], before[unchanged])
    np.testing.assert_array_equal(labels.rows["i_color"], kept)
