"""Recordings that the format's own tools wrote anew: in other chunks, in none, sorted, compressed otherwise."""

from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from recording_scenes import SCENARIO, layout, record, same, write

from coopsim.recording import Recording, Scrubber, recover

COUNT = 600
WAYS: dict[str, dict[str, Any]] = {
    "compressed": {"compression": CompressionType.LZ4},
    "uncompressed": {"compression": CompressionType.NONE},
    "small chunks": {"chunk_size": 500},
    "one chunk": {"chunk_size": 1 << 30},
    "no chunks": {"use_chunking": False},
}


def rewritten(source: Path, target: Path, *, others_first: bool = False, **options: Any) -> Path:
    """Write a recording anew, sorted by time, as `mcap sort`, `compress` and `recover` do."""
    with source.open("rb") as old, target.open("wb") as new:
        reader = make_reader(old)
        writer: Any = McapWriter(new, **options)
        writer.start(reader.get_header().profile, "mcap-cli/0.3.0")
        channels: dict[int, int] = {}
        if others_first:  # so that channels get other numbers
            writer.register_channel("/somebody/else", "json", 0)
        for entry in reader.iter_metadata():
            writer.add_metadata(entry.name, entry.metadata)
        for entry in reader.iter_attachments():
            writer.add_attachment(entry.create_time, entry.log_time, entry.name, entry.media_type, entry.data)
        for schema, channel, message in reader.iter_messages(log_time_order=True):
            if channel.id not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                about = channel.topic, channel.message_encoding, number, channel.metadata
                channels[channel.id] = writer.register_channel(*about)
            writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
        writer.finish()
    return target


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("foreign") / "a.mcap"
    write(path, COUNT, generations=2)
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("others_first", [False, True])
def test_what_another_program_wrote_anew_is_read_in_full(
    tmp_path: Path, original: Path, way: str, others_first: bool
) -> None:
    path = rewritten(original, tmp_path / "b.mcap", others_first=others_first, **WAYS[way])
    with Recording.open(path) as recording, Recording.open(original) as expected:
        assert (recording.complete, recording.rewritten, recording.damaged, recording.gaps) == (
            True,
            "mcap-cli/0.3.0",
            0,
            0,
        )
        assert recording.metadata == expected.metadata
        assert recording.attachments == SCENARIO
        assert len(recording) == COUNT
        assert all(
            same(record_, record(number, record_.edits, record_.keyframe, generation=record_.generation))
            for number, record_ in enumerate(recording.records(), 1)
        )
        assert list(recording.edits()) == list(expected.edits()) != []
        assert recording.keyframe(COUNT) == expected.keyframe(COUNT) is not None
        assert [recording.layout(generation) for generation in recording.generations] == [layout(0), layout(1)]
        assert Scrubber(recording).at_tick(77).tick == 77


@pytest.mark.parametrize("way", ["small chunks", "no chunks"])
def test_recover_gives_it_its_index_back(tmp_path: Path, original: Path, way: str) -> None:
    path = rewritten(original, tmp_path / "b.mcap", others_first=True, **WAYS[way])
    said = recover(path, tmp_path / "c.mcap")
    assert (said.records, said.damaged_chunks, said.was_complete) == (COUNT, 0, False)
    with Recording.open(tmp_path / "c.mcap") as recording, Recording.open(original) as expected:
        assert (recording.complete, recording.rewritten) == (True, "")
        assert recording.index.places == [place for place in recording.index.places if not place.parts]
        assert [record._raw for record in recording.records()] == [record._raw for record in expected.records()]
        assert recording.attachments == SCENARIO


def test_a_rewritten_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path, original: Path) -> None:
    path = rewritten(original, tmp_path / "b.mcap", chunk_size=4000)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with Recording.open(path) as recording:
        assert not recording.complete
        assert 0 < len(recording) < COUNT
