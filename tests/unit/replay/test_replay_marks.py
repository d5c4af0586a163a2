"""What a recording tells of what happened when."""

import json
from pathlib import Path
from typing import Any

import pytest

from coopsim.recording import Recording
from coopsim.replay import marks
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state.edits import Insert, Remove
from coopsim.testkit.recorded_run import RecordedRun

WORLD = """
[FLOOR]
size 10 10 0.1

[OBJECT_1]
type box
name wall
size 0.2 2 1
position 0.6 0 0
mass 0
"""
WALL = """
[WORLD]
file wall.world

[ROBOT_1]
type single
name robot1
position 0 0 0
"""
BALL = "[OBJECT_1]\ntype sphere\nname ball\nsize 0.2 0.2 0.2\nposition 3 3 0\n"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("marks")
    scenario, file = folder / "wall.scenario", folder / "a.mcap"
    scenario.write_text(WALL)
    (folder / "wall.world").write_text(WORLD)
    with RecordedRun(Simulation(load(str(scenario))), file) as recorded:
        recorded.tick(50)
        recorded.simulation.command("robot1", "motors", 10, (0.5, 0.0))
        recorded.tick(150)
        recorded.edit(Remove("wall"))
        recorded.tick(50)
        recorded.edit(Insert(BALL))
        recorded.tick(50)
    with Recording.open(Path(file)) as recording:
        yield recording


def pages(recording: Recording) -> list[dict[str, Any]]:
    contents, first = [], 0
    while first >= 0:
        text, following = marks.marks_from(recording, first)
        contents.append(json.loads(str(text)))
        first = int(following)
    return contents


def test_edits_collisions_and_commands_are_told_with_their_times(recording: Recording) -> None:
    (page,) = pages(recording)
    assert [(at, text) for at, kind, text in page["marks"] if kind == "edit"] == [
        (0.0, "the recording begins"),
        (2.0, "removed wall"),
        (2.5, "inserted ball"),
    ]
    ((at, text),) = [(at, text) for at, kind, text in page["marks"] if kind == "collision"]
    assert 0.5 < at < 2.0
    assert text == "robot1 is touched at its front"
    ((begin, end),) = page["commands"]["robot1"]
    assert begin == pytest.approx(0.5, abs=0.02)
    assert end < 0.6


def test_long_recordings_are_told_page_by_page(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "_MOST_RECORDS", 1)
    told_pages = pages(recording)
    assert len(told_pages) == recording.chunks
    assert sorted(kind for page in told_pages for _, kind, _ in page["marks"]) == ["collision", "edit", "edit", "edit"]


def test_behind_the_end_nothing_is_told(recording: Recording) -> None:
    assert marks.marks_from(recording, 10_000) == ('{"marks":[],"commands":{}}', -1)
