"""Values over time, and who was there, for pictures of a recording."""

import math
from pathlib import Path

import numpy as np
import pytest
from offline_scenes import LATE, eventful, make_spec, simple, started

from coopsim.errors import BadArgument, NoSuchName
from coopsim.export.scene_of import _angles, scene_of
from coopsim.export.series import distances, readings, readings_of_many, ways
from coopsim.geometry import quaternion
from coopsim.recording import Recording, Writer
from coopsim.state import EntityRow
from coopsim.state.edits import Insert


def test_ways_have_a_point_each_tenth_of_a_second_and_the_end(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap", 248)) as recording:
        found = ways(recording)
        *_, last = recording.records()
        bodies = recording.layout(last.generation).bodies
    assert list(found) == ["crate", "robot1", "robot2"]
    assert np.allclose(found["robot1"][:-1, 0], np.arange(25) * 0.1)
    assert found["robot1"][-1, 0] == pytest.approx(2.48)
    assert found["robot1"][-1, 1:3].tolist() == last.poses[bodies.index("robot1"), :2].tolist()


def test_a_module_is_shown_with_all_it_reads_values_of_one_unit_together(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap")) as recording:
        speeds, turning = readings(recording, "robot2.motors")
        (ranges,) = readings(recording, "robot2.sonars")
        (alone,) = readings(recording, "robot2.motors.w")
        *_, last = recording.records()
        place = recording.layout(last.generation).robot["robot2"]
    assert (speeds.title, speeds.unit, speeds.labels) == ("robot2.motors", "m/s", ("v", "left", "right"))
    assert (turning.title, turning.unit) == ("robot2.motors.w", "rad/s")
    assert np.array_equal(alone.values, turning.values)
    assert (ranges.values.shape, ranges.labels[10]) == ((251, 11), "[10]")
    assert ranges.values[-1].tolist() == last.readings[place.reading_offset + 4 :][:11].tolist()


def test_distances_are_between_anything_that_has_a_place(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap")) as recording:
        found = distances(recording, [("robot1", "robot2"), ("robot1", "red"), ("crate", "wall_1")])
    assert found.labels == ("robot1 to robot2", "robot1 to red", "crate to wall_1")
    assert found.values[0].tolist() == pytest.approx([1.5, math.hypot(6, 3), 3.0])


def test_there_is_nothing_while_a_robot_is_away(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(10)
        run.edit(Insert(LATE))
        run.tick(10)
    with Recording.open(tmp_path / "a.mcap") as recording:
        (found,) = readings(recording, "late.sonars")
        apart = distances(recording, [("late", "robot1")])
    assert np.isfinite(found.values[:, 0]).tolist() == [False] * 11 + [True] * 11
    assert np.isfinite(apart.values[:, 0]).tolist() == [False] * 11 + [True] * 11


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("robot1", BadArgument, r"expected ROBOT\.MODULE"),
        ("robot1.sonars.ranges.3", BadArgument, r"expected ROBOT\.MODULE"),
        ("robot9.sonars", NoSuchName, "no robot 'robot9' .* it holds: robot1, robot2"),
        ("robot1.radar", NoSuchName, "no module 'radar'; it has: bumpers, motors"),
        ("robot1.sonars.echo", NoSuchName, "no reading 'echo'; it has: ranges"),
    ],
)
def test_a_reading_that_is_not_there_is_refused(tmp_path: Path, path: str, error: type[Exception], words: str) -> None:
    with Recording.open(simple(tmp_path / "a.mcap", 3)) as recording, pytest.raises(error, match=words):
        readings(recording, path)


def test_an_entity_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap", 3)) as recording, pytest.raises(NoSuchName, match="no 'moon'"):
        distances(recording, [("robot1", "moon")])


# who was there


def test_everybody_who_ever_was_there_is_in_the_scene(tmp_path: Path) -> None:
    path, spec = eventful(tmp_path / "a.mcap")
    with Recording.open(path) as recording:
        scene = scene_of(recording).scenario
    assert [robot.name for robot in scene.robots] == ["robot1", "robot2", "late"]
    assert scene.robots[:2] == spec.scenario.robots
    assert scene.world.objects == spec.scenario.world.objects
    assert scene.targets == spec.scenario.targets
    assert scene.events == spec.scenario.events


def test_a_recording_that_does_not_say_what_was_run_is_drawn_from_its_layouts(tmp_path: Path) -> None:
    source = simple(tmp_path / "a.mcap", 5)
    with Recording.open(source) as old, Writer(tmp_path / "b.mcap") as new:
        new.layout(old.layout(old.generations[0]))
        for record in old.records():
            new.write(record, b"")
    with Recording.open(tmp_path / "b.mcap") as recording:
        scene = scene_of(recording)
    spec = make_spec()
    assert scene.scenario.world.objects == spec.scenario.world.objects
    assert [robot.name for robot in scene.scenario.robots] == ["robot1", "robot2"]
    assert scene.types["single"].shape == "cylinder"
    assert scene.scenario.file == "b.mcap"


@pytest.mark.parametrize("angles", [(0.0, 0.0, 1.3), (0.35, -0.52, 1.3), (-2.0, 0.1, -3.0), (0.0, 1.5, 0.0)])
def test_a_tilted_thing_keeps_its_angles(angles: tuple[float, float, float]) -> None:
    row = EntityRow("ramp", "object", "box", -1, (0, 0, 0, *quaternion(*angles)), (1, 1, 1), 0, (1, 0, 0), 0.5)
    assert _angles(row) == pytest.approx(angles)


def test_readings_of_many_robots_share_one_pair_of_axes(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap")) as recording:
        (speeds,) = readings_of_many(recording, "robot*.motors.v")
        (ranges,) = readings_of_many(recording, "robot[12].sonars")
        (alone,) = readings(recording, "robot2.motors.v")
        with pytest.raises(NoSuchName, match=r"no robot of .* has 'x"):
            readings_of_many(recording, "x*.motors.v")
    assert (speeds.title, speeds.unit, speeds.labels) == ("robot*.motors.v", "m/s", ("robot1", "robot2"))
    assert np.array_equal(speeds.values[:, 1], alone.values[:, 0])
    assert ranges.labels[:2] == ("robot1 [0]", "robot1 [1]")
