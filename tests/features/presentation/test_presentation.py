"""How a scene is shown: the section `[VIEW]`."""

from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.presentation import PRESENTATION, Presentation, presentation_of
from coopsim.features.studies.job import Task, run_task
from coopsim.features.studies.trial import ScenarioJob, recording_of
from coopsim.inprocess import connect
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.robots.finding import WORLDS
from coopsim.scene import placements_of, read_scenario, scenario_text
from coopsim.simulation import Simulation

SCENES = WORLDS.parent / "scenarios"
TEXT = """\
[VIEW]           # as in the paper
caption  Two robots,  one of them at rest
camera   {camera}

[ROBOT_1]
type single
name robot1

[ROBOT_2]
type single
name robot2
position 2 0 0

[SIMULATION]
duration 0.1
"""


def _file(folder: Path, camera: str) -> Path:
    path = folder / "a.scenario"
    path.write_text(TEXT.format(camera=camera))
    return path


@pytest.mark.parametrize(
    ("words", "camera"),
    [("top", "top"), ("ISO", "iso"), ("follow robot2", "robot2"), ("0 -9 4.5  0 0 0", "0,-9,4.5,0,0,0")],
)
def test_caption_and_camera_are_read_saved_and_told(tmp_path: Path, words: str, camera: str) -> None:
    path = _file(tmp_path, words)
    spec = load(path)
    shown = presentation_of(spec)
    assert shown.facts == {"caption": "Two robots, one of them at rest", "camera": camera}
    text = path.read_text()
    assert scenario_text(text, "", (), placements_of(text)) == text
    with connect(Simulation(spec)) as sim:
        assert {"caption", "camera"} <= set(sim.info())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("above", "3:1: camera takes iso, top"),
        ("tpo", "tpo → top?"),
        ("0 0 0 0 0 0", "somewhere else"),
        ("0 0 5 0 0 x", "3:20: camera expects a number"),
        ("follow", "takes iso"),
        ("follow robot3", "3:17: no robot, object or target 'robot3' (robot3 → robot"),
    ],
)
def test_what_is_no_camera_is_named_with_its_place(tmp_path: Path, words: str, problem: str) -> None:
    with pytest.raises(BadFile) as caught:
        load(_file(tmp_path, words))
    assert problem in str(caught.value)


def test_a_caption_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    path.write_text(f"[VIEW]\ncaption {'x' * 201}\n")
    assert "at most 200" in str(next(iter(read_scenario(path)[1])))


def test_a_camera_forgets_a_robot_that_is_gone() -> None:
    text = TEXT.format(camera="follow robot1")
    left = [placement for placement in placements_of(text) if placement.name != "robot1"]
    saved = scenario_text(text, "", (), left)
    assert "caption" in saved
    assert "camera" not in saved
    stays = [placement for placement in placements_of(text) if placement.name != "robot2"]
    assert "follow robot1" in scenario_text(text, "", (), stays)


def test_a_recording_says_how_its_scene_is_shown(tmp_path: Path) -> None:
    job = ScenarioJob(load(_file(tmp_path, "top")), 0.1, record="all", folder=str(tmp_path))
    assert not run_task(job, Task(0, {}, 1)).get("error")
    with Recording.open(recording_of(job, Task(0, {}, 1))) as recording:
        assert recording.metadata["camera"] == "top"
        assert recording.metadata["caption"].startswith("Two robots")


def test_a_scenario_without_the_section_says_nothing() -> None:
    assert Presentation().facts == {}


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.scenario")), ids=lambda path: path.stem)
def test_every_built_in_scene_says_what_happens_in_it_and_where_to_look_from(path: Path) -> None:
    scenario, problems = read_scenario(path, (WORLDS,))
    assert not list(problems)
    assert set(PRESENTATION.of(scenario).facts) == {"caption", "camera"}
