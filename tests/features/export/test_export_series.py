"""Values over time, and who was there, for pictures of a recording."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from offline_scenes import LATE, eventful, simple, started

from coopsim.errors import BadArgument, NoSuchName
from coopsim.features.export.series import distances, readings, readings_of_many, ways
from coopsim.features.pictures.page_data import page_data, plan
from coopsim.features.pictures.scene import scene_of_recording
from coopsim.recording import Recording, Writer
from coopsim.robots.entities import rows_of
from coopsim.state.edits import Insert


def test_ways_have_a_point_each_tenth_of_a_second_and_the_end(tmp_path: Path) -> None:
    with Recording.open(simple(tmp_path / "a.mcap", 248)) as recording:
        points = ways(recording)
        *_, last = recording.records()
        bodies = recording.layout(last.generation).bodies
    assert list(points) == ["crate", "robot1", "robot2"]
    assert np.allclose(points["robot1"][:-1, 0], np.arange(25) * 0.1)
    assert points["robot1"][-1, 0] == pytest.approx(2.48)
    assert points["robot1"][-1, 1:3].tolist() == last.poses[bodies.index("robot1"), :2].tolist()


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
        series = distances(recording, [("robot1", "robot2"), ("robot1", "red"), ("crate", "wall_1")])
    assert series.labels == ("robot1 to robot2", "robot1 to red", "crate to wall_1")
    assert series.values[0].tolist() == pytest.approx([1.5, math.hypot(6, 3), 3.0])


def test_there_is_nothing_while_a_robot_is_away(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(10)
        run.edit(Insert(LATE))
        run.tick(10)
    with Recording.open(tmp_path / "a.mcap") as recording:
        (series,) = readings(recording, "late.sonars")
        apart = distances(recording, [("late", "robot1")])
    assert np.isfinite(series.values[:, 0]).tolist() == [False] * 11 + [True] * 11
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
        scene = scene_of_recording(recording)
        bodies = recording.layout(recording.generations[0]).bodies
    assert [robot.name for robot in scene.of_kind("robot")] == ["robot1", "robot2", "late"]
    begun = [replace(row, body=bodies.index(row.name) if row.name in bodies else -1) for row in rows_of(spec)]
    assert [row for row in scene.entities if row.name != "late"] == begun


def test_a_recording_that_does_not_say_what_was_run_is_drawn_from_its_layouts(tmp_path: Path) -> None:
    source = simple(tmp_path / "a.mcap", 5)
    with Recording.open(source) as old, Writer(tmp_path / "b.mcap") as new:
        new.layout(old.layout(old.generations[0]))
        for record in old.records():
            new.write(record, b"")
    with Recording.open(tmp_path / "b.mcap") as recording, Recording.open(source) as old:
        scene, original = scene_of_recording(recording), scene_of_recording(old)
    assert scene.entities == original.entities
    assert [thing.is_wall for thing in scene.of_kind("object")] == [True, False]
    assert [robot.name for robot in scene.of_kind("robot")] == ["robot1", "robot2"]
    assert scene.of_kind("robot")[0].visuals[0].shape == "cylinder"
    assert scene.title == "b"


def without_looks(source: Path, target: Path) -> Path:
    """Write a recording as older versions did: layouts without visuals and walls."""
    with Recording.open(source) as old, Writer(target, metadata=old.metadata, attachments=old.attachments) as new:
        for generation in old.generations:
            layout = old.layout(generation)
            rows = (replace(row, is_wall=False, visuals=()) for row in layout.entities)
            new.layout(replace(layout, entities=tuple(rows)))
        for record in old.records():
            new.write(record, b"")
    return target


def test_a_recording_of_a_version_without_visuals_is_drawn_as_before(tmp_path: Path) -> None:
    source = simple(tmp_path / "a.mcap", 5)
    with Recording.open(source) as new, Recording.open(without_looks(source, tmp_path / "b.mcap")) as old:
        current, earlier = scene_of_recording(new), scene_of_recording(old)
        assert page_data(old, plan(old))["entities"] == page_data(new, plan(new))["entities"]
    assert [row.drawn() for row in current.entities] == [row.drawn() for row in earlier.entities]
    assert [row.is_wall for row in current.entities] == [row.is_wall for row in earlier.entities]


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
