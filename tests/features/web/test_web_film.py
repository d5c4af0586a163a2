"""The page of a recording: what its film holds, and that nothing in it can break out."""

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forger import Opened, forge
from offline_scenes import LATE, eventful, make_spec, simple, started

from coopsim.errors import DamagedRecording
from coopsim.features.web.film import film, packed_steps, page, plan
from coopsim.recording import Recording, Writer
from coopsim.state import Visual
from coopsim.state.edits import Insert, Note, Remove


def filmed(path: Path, *, full: bool = True) -> dict[str, Any]:
    with Recording.open(path) as recording:
        return film(recording, plan(recording, full=full))


def unpacked(text: str, rows: int, size: int = 4) -> np.ndarray[Any, Any]:
    """Return whole numbers as the page reads them, shape (rows, columns)."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).reshape(-1, size, rows)
    folded = sum(planes[:, k].astype(np.uint64) << np.uint64(8 * k) for k in range(size))
    steps = (folded >> np.uint64(1)).astype(np.int64) ^ -(folded & np.uint64(1)).astype(np.int64)
    return np.cumsum(steps, axis=1).T


@pytest.mark.parametrize("size", [4, 8])
def test_numbers_come_back_as_they_were(size: int) -> None:
    largest = 2**30 if size == 4 else 2**52
    table = np.array([[0, -5], [largest, 7], [1 - largest, 7], [3, -8]], np.int64)
    assert unpacked(packed_steps(table, size), 4, size).tolist() == table.tolist()


def test_frames_are_the_recorded_poses_and_readings(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.mcap", 60)
    (part,) = filmed(path)["parts"]
    with Recording.open(path) as recording:
        records = list(recording.records())
        layout = recording.layout(records[0].generation)
    frames = part["frames"]
    assert frames == len(records)
    moments = unpacked(part["moments"], frames, 8)
    assert moments[:, 0].tolist() == [round(1e9 * record.time) for record in records]
    assert moments[:, 1].tolist() == [record.tick for record in records]
    poses = unpacked(part["poses"], frames).reshape(frames, -1, 7) * np.array([1e-4] * 3 + [5e-5] * 4)
    assert np.abs(poses - np.array([record.poses for record in records])).max() < 6e-5
    readings = unpacked(part["readings"], frames)
    recorded = np.array([record.readings for record in records])
    assert (np.where(readings == 2**30, np.nan, 1e-4 * readings) - recorded)[np.isfinite(recorded)].max() < 6e-5
    ((at, length),) = part["sensors"][1:2]
    ranges = layout.robot["robot2"].type.module("sonars")
    assert ranges is not None
    assert (at, length) == (layout.robot["robot2"].reading_offset + ranges.reading_offset, 11)


def test_who_comes_and_goes_is_in_scenes_of_its_own(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap") as run:
        run.tick(20)
        run.edit(Insert(LATE))
        run.tick(20)
        run.edit(Remove("late"))
        run.tick(20)
    parts = filmed(tmp_path / "a.mcap")["parts"]
    names = [{entity["name"] for entity in part["facts"]["entities"]} for part in parts]
    assert ["late" in there for there in names] == [False, True, False]
    assert ["late" in part["robots"] for part in parts] == [False, True, False]


def test_modules_and_messages_are_told(tmp_path: Path) -> None:
    path, _ = eventful(tmp_path / "a.mcap")
    data = filmed(path)
    motors = next(module for module in data["types"]["single"] if module["name"] == "motors")
    assert [(field["field"], field["unit"]) for field in motors["fields"]][2:] == [("v", "m/s"), ("w", "rad/s")]
    assert "event: robot1.sonars.noise = 0.05" in [message["text"] for message in data["messages"]]


def test_patterns_and_meshes_of_the_working_folder_are_in_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mesh = tmp_path / "wedge.stl"
    facet = "facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
    mesh.write_text(f"solid wedge\n{facet}endsolid wedge\n")
    spec = make_spec(1)
    kind = replace(spec.types["single"], visuals=(Visual("box", texture="wood"), Visual("mesh", mesh=str(mesh))))
    with started(tmp_path / "a.mcap", replace(spec, types={"single": kind})) as run:
        run.tick(3)
    data = filmed(tmp_path / "a.mcap")
    assert data["patterns"]["wood"].startswith("data:image/png;base64,iVBOR")
    ((file, content),) = data["parts"][0]["facts"]["meshes"].items()
    triangles = np.frombuffer(zlib.decompress(base64.b64decode(data["meshes"][content])), "<f4")
    assert (file, triangles.tolist()) == (str(mesh), [1, 0, 0, 0, 1, 0, 0, 0, 1])
    monkeypatch.chdir(Path(__file__).parent)
    assert filmed(tmp_path / "a.mcap")["meshes"] == {}  # whoever wrote a recording reads no other file by it
    monkeypatch.chdir(tmp_path)
    mesh.unlink()
    assert filmed(tmp_path / "a.mcap")["meshes"] == {}


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    with started(tmp_path / "a.mcap", scenario="</script><script>alert(1)</script>&") as run:
        run.edit(Note("<img src=x onerror=alert(2)>", "</script>"))
    with Recording.open(tmp_path / "a.mcap") as recording:
        text = page(recording)
    (held,) = re.findall(r'<script type="application/json" id="film">(.*?)</script>', text)
    assert json.loads(held)["title"] == "</script><script>alert(1)</script>&"
    assert "<img src=x" not in text
    assert "<title>&lt;/script&gt;" in text
    assert "connect-src" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|img)[^>]* (src|href)=\"(?!data:,)", text)


def test_a_long_recording_has_fewer_frames_and_says_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = simple(tmp_path / "a.mcap", 248)
    (part,) = filmed(path, full=False)["parts"]
    assert part["frames"] == 51
    monkeypatch.setattr("coopsim.features.web.film._MOST_POSE_VALUES", 530)
    monkeypatch.setattr("coopsim.features.web.film._MOST_READING_VALUES", 100)
    data = filmed(path, full=False)
    assert "left out" in data["note"]
    assert (data["parts"][0]["width"], data["parts"][0]["sensors"]) == (0, [])
    assert data["parts"][0]["frames"] < 30


def test_nothing_is_no_film_and_who_has_the_body_of_somebody_else_stands_still(tmp_path: Path) -> None:
    Writer(tmp_path / "a.mcap").close()
    with (
        Recording.open(tmp_path / "a.mcap") as recording,
        pytest.raises(DamagedRecording, match="holds no record"),
    ):
        film(recording, plan(recording))
    path, _ = eventful(tmp_path / "b.mcap")

    def rename(opened: Opened) -> None:
        for layout in opened.layouts.values():
            next(entity for entity in layout["entities"] if entity["name"] == "robot1")["name"] = "x"

    data = filmed(forge(path, tmp_path / "forged.mcap", rename))
    rows = {entity["row"] for part in data["parts"] for entity in part["facts"]["entities"] if entity["name"] == "x"}
    assert rows == {-1}
