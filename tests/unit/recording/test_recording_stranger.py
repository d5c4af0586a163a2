"""Somebody without coopsim reads a recording with the plain `mcap` library."""

import json
from pathlib import Path

import msgpack
import numpy as np
import pytest
from mcap.reader import make_reader
from recording_scenes import SCENARIO, layout, record, write

from coopsim.recording import CHANNELS, layout_from_json

SNIPPET = """
import msgpack, numpy as np
from mcap.reader import make_reader

def values(table, kind):
    words = np.frombuffer(table["planes"], np.uint8).reshape(table["bytes"], -1).T.copy().view(f"<u{table['bytes']}")
    words = (words >> 1 ^ -(words & 1)).reshape(len(table["sums"]), -1)
    for order in 1, 2, 3:
        rows = np.frombuffer(table["sums"], np.uint8) >= order
        words[rows] = words[rows].cumsum(axis=1, dtype=words.dtype)
    return words.view(kind).T

with open(path, "rb") as file:
    for _, _, message in make_reader(file).iter_messages(topics=["/coopsim/ticks"]):
        ticks = msgpack.unpackb(message.data)
        print(ticks["tick"], values(ticks["poses"], "<f4").reshape(ticks["records"], -1, 7)[0, 0, :2])
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording."""
    path = tmp_path_factory.mktemp("stranger") / "a.mcap"
    write(path, 250, generations=2)
    return path


def test_a_few_lines_with_the_plain_library_read_the_poses(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(SNIPPET, {"path": path})
    firsts = [1, 101, 126, 201]
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line[: line.index("]") + 1])[0] for line in lines] == firsts
    for line, first in zip(lines, firsts, strict=True):
        assert line.endswith(str(record(first).poses[0, :2].astype(np.float32)))


def test_every_channel_has_a_schema_that_names_what_its_messages_hold(path: Path) -> None:
    seen = set()
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            assert schema is not None
            assert channel.message_encoding in ("json", "msgpack")
            said = SPEAKS[channel.message_encoding](message.data)
            assert json.loads(schema.data)["properties"].keys() == said.keys()
            seen.add(channel.topic)
    assert seen == {channel.topic for channel in CHANNELS}


SPEAKS = {"json": json.loads, "msgpack": msgpack.unpackb}


def test_attachments_metadata_and_layouts_are_plain(path: Path) -> None:
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        texts = {
            iter_attachment.name: iter_attachment.data.decode()
            for iter_attachment in reader.iter_attachments()
            if iter_attachment.name in SCENARIO
        }
        (about,) = reader.iter_metadata()
        layouts = [message.data for _, _, message in reader.iter_messages(topics=["/coopsim/layouts"])]
    assert texts == SCENARIO
    assert json.loads(about.metadata["seed"]) == 7
    assert list(map(layout_from_json, layouts)) == [layout(0), layout(1)]


def test_times_in_the_file_are_those_of_the_recording(path: Path) -> None:
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    assert summary.statistics is not None
    assert summary.statistics.message_start_time == 10_000_000
