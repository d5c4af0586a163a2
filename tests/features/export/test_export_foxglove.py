"""Recordings as Foxglove's messages, decoded by the official libraries."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from offline_scenes import LATE, drive, make_spec, started

from coopsim.errors import NoSuchPlugin
from coopsim.features.export.foxglove import export_foxglove
from coopsim.features.export.foxglove_messages import Messages
from coopsim.recording import CameraStream, RecordedImage, Recording, Writer
from coopsim.state import EntityRow, Layout, Visual
from coopsim.state.edits import Insert

WELL_KNOWN = {"/tf": "foxglove.FrameTransforms", "/scene": "foxglove.SceneUpdate", "/events": "foxglove.Log"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("foxglove") / "a.mcap"
    with started(path, make_spec()) as run:
        drive(run)
        run.tick(20)
        run.edit(Insert(LATE))
        run.tick(10)
    return path


@pytest.fixture(scope="module")
def decoded(recorded: Path) -> dict[str, list[tuple[Any, Any, Any]]]:
    """Return schema, message and what it says, by topic."""
    out = recorded.with_name("foxglove.mcap")
    with Recording.open(recorded) as recording:
        count = export_foxglove(recording, out)
    messages_of: dict[str, list[tuple[Any, Any, Any]]] = {}
    with out.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for schema, channel, message in reader.iter_messages():
            said = json.loads(message.data) if channel.message_encoding == "json" else None
            if said is None:
                decoder = DecoderFactory().decoder_for(channel.message_encoding, schema)
                assert decoder is not None
                said = decoder(message.data)
            messages_of.setdefault(channel.topic, []).append((schema, message, said))
    assert count == sum(map(len, messages_of.values()))
    return messages_of


def test_transforms_are_the_recorded_poses(recorded: Path, decoded: dict[str, list[tuple[Any, Any, Any]]]) -> None:
    with Recording.open(recorded) as recording:
        records = list(recording.records())
        layouts = [recording.layout(record.generation) for record in records]
    assert len(decoded["/tf"]) == len(records)
    for record, layout, (_, _, said) in zip(records, layouts, decoded["/tf"], strict=True):
        assert [transform.child_frame_id for transform in said.transforms] == list(layout.bodies)
        assert {transform.parent_frame_id for transform in said.transforms} == {"world"}
        transforms = [
            [getattr(transform.translation, name) for name in "xyz"]
            + [getattr(transform.rotation, name) for name in "wxyz"]
            for transform in said.transforms
        ]
        assert np.array_equal(np.array(transforms), record.poses)


def test_schemas_are_well_known_and_times_are_dates(
    recorded: Path, decoded: dict[str, list[tuple[Any, Any, Any]]]
) -> None:
    for topic, name in WELL_KNOWN.items():
        assert {schema.name for schema, _, _ in decoded[topic]} == {name}
        assert {schema.encoding for schema, _, _ in decoded[topic]} == {"protobuf"}
    with Recording.open(recorded) as recording:
        began = recording.began_ns
    _, message, said = decoded["/tf"][20]
    assert message.log_time == began + 200_000_000
    assert said.transforms[0].timestamp.ToNanoseconds() == message.log_time
    assert 0 <= message.publish_time - began < 3600 * 10**9


def test_scans_lie_in_the_sector_and_are_measured_from_the_middle(
    recorded: Path, decoded: dict[str, list[tuple[Any, Any, Any]]]
) -> None:
    with Recording.open(recorded) as recording:
        records = list(recording.records())
        layout = recording.layout(records[0].generation)
    place = layout.robot["robot1"]
    module = place.type.module("sonars")
    assert module is not None
    scans = decoded["/robot1/sonars/scan"]
    assert {schema.name for schema, _, _ in scans} == {"foxglove.LaserScan"}
    for record, (_, _, said) in zip(records, scans, strict=True):
        begin = record.readings[layout.robot["robot1"].reading_offset + module.reading_offset :]
        assert len(said.ranges) == module.counts["count"]
        if record.generation == layout.generation:
            assert np.allclose(np.array(said.ranges) - begin[: len(said.ranges)], said.ranges[0] - begin[0])
        assert math.isclose(said.end_angle, -said.start_angle)
        assert 0.0 < said.end_angle < math.pi
        assert said.frame_id == "robot1"
        assert np.isfinite(said.ranges).all()


def test_readings_are_numbers_by_name(decoded: dict[str, list[tuple[Any, Any, Any]]]) -> None:
    schema, _, said = decoded["/robot1/motors"][-1]
    assert schema.encoding == "jsonschema"
    assert json.loads(schema.data)["properties"].keys() == said.keys()
    values = [value for reading in said.values() for value in (reading if isinstance(reading, list) else [reading])]
    assert values
    assert all(math.isfinite(value) for value in values)
    assert any(value != 0.0 for value in values)


def test_the_scene_shows_bodies_with_shape_size_and_colour(decoded: dict[str, list[tuple[Any, Any, Any]]]) -> None:
    first, second = (said for _, _, said in decoded["/scene"])
    assert {entity.id for entity in first.entities} == {"floor", "wall_1", "crate", "red", "robot1", "robot2"}
    assert {entity.id for entity in second.entities} - {entity.id for entity in first.entities} == {"late"}
    by_name = {entity.id: entity for entity in first.entities}
    assert by_name["wall_1"].frame_id == "world"
    assert by_name["robot1"].frame_id == "robot1"
    assert by_name["robot1"].frame_locked
    (wall,) = by_name["wall_1"].cubes
    assert (wall.size.x, wall.size.y, wall.size.z) == (0.2, 10.0, 0.5)
    assert (wall.pose.position.x, wall.pose.position.z) == (5.0, 0.25)
    assert len(by_name["robot1"].cylinders) == 1
    assert len(by_name["robot1"].arrows) == 1
    assert by_name["red"].cylinders[0].color.r > 0.5


def test_visuals_are_drawn_where_their_parents_put_them() -> None:
    left = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    mast = Visual("cylinder", (0.1, 0.1, 1.0), (1.0, 0.0, 0.0, *left))
    lamp = Visual("cone", (0.2, 0.2, 0.4), (0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0), parent=0)
    row = EntityRow("post", "object", "box", -1, (0, 0, 2, *left), (1, 1, 1), 0.0, (0, 0, 1), 0.5, visuals=(mast, lamp))
    (drawn,) = Messages().scene(Layout(1, (), (), (row,)), 0).entities
    pole, top = drawn.cylinders
    assert [
        (primitive.pose.position.x, primitive.pose.position.y, primitive.pose.position.z) for primitive in (pole, top)
    ] == [
        pytest.approx((0.0, 1.0, 2.5)),
        pytest.approx((-0.5, 1.0, 3.2)),
    ]
    assert (pole.color.b, top.color.r, top.color.g) == (1.0, 1.0, 1.0)
    assert (pole.top_scale, top.top_scale) == (1.0, 0.0)


def test_each_body_of_a_robot_has_a_frame_of_its_own() -> None:
    visuals = (Visual("cylinder"), Visual("box", body="arm"))
    row = EntityRow("r", "robot", "cart", 0, (0, 0, 0, 1, 0, 0, 0), (1, 1, 1), 5.0, (0, 0, 1), 0.5, visuals=visuals)
    base, arm = Messages().scene(Layout(1, (), (), (row,)), 0).entities
    assert [(entity.id, entity.frame_id) for entity in (base, arm)] == [("r", "r"), ("r.arm", "r.arm")]
    assert (len(base.cylinders), len(arm.cubes)) == (1, 1)


def test_events_are_logs(decoded: dict[str, list[tuple[Any, Any, Any]]]) -> None:
    texts = [said.message for _, _, said in decoded["/events"]]
    assert "inserted late" in texts


def test_fewer_messages_come_at_a_rate(recorded: Path, tmp_path: Path) -> None:
    with Recording.open(recorded) as recording:
        assert export_foxglove(recording, tmp_path / "b.mcap", 10.0) * 3 < export_foxglove(
            recording, tmp_path / "c.mcap"
        )


def test_packages_that_are_missing_are_named(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str, *rest: Any) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("coopsim.features.export.foxglove_messages.importlib.import_module", nothing)
    with Recording.open(recorded) as recording, pytest.raises(NoSuchPlugin, match=r"\[foxglove\]"):
        export_foxglove(recording, tmp_path / "b.mcap")


def test_images_of_a_recording_are_shown_as_images(tmp_path: Path) -> None:
    path, out = tmp_path / "a.mcap", tmp_path / "foxglove.mcap"
    with started(path, make_spec()) as run:
        drive(run)
        run.tick(20)
    with Recording.open(path) as recording, Writer(tmp_path / "b.mcap", metadata=recording.metadata) as writer:
        writer.layout(recording.layout(recording.generations[0]))
        for record in recording.records():
            position = writer.write(record)
            for kind in ("color", "depth") if record.tick in (3, 4, 9) else ():
                writer.image(
                    RecordedImage(CameraStream("robot1", "eye", kind), record.tick, position, "cG5n"), position
                )
    with Recording.open(tmp_path / "b.mcap") as recording:
        began = recording.began_ns
        export_foxglove(recording, out, 20.0)
    with out.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        images = [*reader.iter_decoded_messages(topics=["/robot1/eye/image", "/robot1/eye/depth"])]
    assert {(channel.topic, schema.name) for schema, channel, _, _ in images if schema} == {
        ("/robot1/eye/image", "foxglove.CompressedImage"),
        ("/robot1/eye/depth", "foxglove.CompressedImage"),
    }
    assert {(image.frame_id, image.format, image.data) for *_, image in images} == {("robot1", "png", b"png")}
    assert sorted({message.log_time - began for _, _, message, _ in images}) == [30_000_000, 90_000_000]
