"""What was run stands in the recording, so that it can be run again without its files."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgpack
import pytest

from coopsim.errors import DamagedRecording
from coopsim.recording import Recording, Writer
from coopsim.replay.about import attachments, metadata
from coopsim.replay.run_json import RUN, robot_types, spec_from_json, spec_of, spec_to_json
from coopsim.robots import RunSpec, load
from coopsim.robots.plain import to_plain
from coopsim.scene import Controller, Event, Floor, Object, RobotPlacement, Scenario, Settings, TargetSpec, World

SCENE = """
[SIMULATION]
mode lockstep
duration 3
seed 12345678901234567
[TARGET]
red 3 1 0
[ROBOT_1]
type single
name robot1
orientation 0 0 33.3
[CONTROLLER_1]
run formation
robots robot1
shape line
[EVENT_1]
at 0.1
set robot1.sonars.noise 0.05
[EVENT_2]
at 0.3
reset all
"""


def written(folder: Path, text: str = SCENE) -> RunSpec:
    """Return the run that a text describes."""
    file = folder / "some.scenario"
    file.write_text(text, encoding="utf-8")
    return load(file)


@pytest.mark.parametrize("name", ["formation", "single", "vee", "arena"])
def test_a_run_comes_back_as_it_was(name: str) -> None:
    spec = load(name)
    assert spec_from_json(spec_to_json(spec)) == spec


def test_everything_a_scenario_can_say_comes_back(tmp_path: Path) -> None:
    spec = written(tmp_path)
    copied = spec_from_json(spec_to_json(spec))
    assert copied == spec
    assert copied.scenario.events == spec.scenario.events != ()
    assert copied.scenario.controllers == spec.scenario.controllers != ()


def test_a_run_that_was_built_in_a_program_comes_back() -> None:
    objects = (Object("ball", "sphere", (0.3, 0.3, 0.3), (0.1 + 0.2, 0.0, 1e-300), mass=1, is_wall=False),)
    scenario = Scenario(
        World(Floor((3.0, 4.0, 0.1), texture="wood"), objects),
        (TargetSpec("red", (1.0, 2.0, 3.0)),),
        (RobotPlacement("robot1", "bench"),),
        (Controller("python x", ("robot1",), (("gain", ("1", "2")),)),),
        (Event(0.5, (("robot1.sonars.noise", "0.1"),)),),
        Settings(mode="free", patience=0.0),
    )
    spec = RunSpec(scenario, commands=scenario.controllers)
    assert spec_from_json(spec_to_json(spec)) == spec


WRONG = ("", "{", "[]", "3", '{"=": "Floor"}', '{"=": "NoSuchThing"}', '{"=": "RunSpec", "x": 1}')


@pytest.mark.parametrize("text", WRONG)
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(DamagedRecording, match="what was run cannot be read"):
        spec_from_json(text)


def test_a_recording_tells_what_was_run(tmp_path: Path) -> None:
    spec = written(tmp_path)
    Writer(tmp_path / "a.mcap", attachments=attachments(spec)).close()
    Writer(tmp_path / "b.mcap").close()
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert spec_of(recording) == spec
    with Recording.open(tmp_path / "b.mcap") as recording, pytest.raises(DamagedRecording, match=RUN):
        spec_of(recording)


def test_the_texts_of_all_files_are_attached(tmp_path: Path) -> None:
    texts = attachments(written(tmp_path))
    assert texts["some.scenario"] == SCENE
    assert set(texts) == {RUN, "some.scenario", "single.robot"}
    assert "[DEVICE_1]" in texts["single.robot"]
    assert "obstacles.world" in attachments(load("formation"))


def test_two_files_of_one_name_are_both_attached(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    world, scene = "[FLOOR]\nsize 9 9 0\n", f"[WORLD]\nfile deep/some.scenario\n{SCENE}"
    (tmp_path / "deep" / "some.scenario").write_text(world, encoding="utf-8")
    written(tmp_path)
    (tmp_path / "some.scenario").write_text(scene, encoding="utf-8")
    texts = attachments(load(tmp_path / "some.scenario"))
    assert {scene, world} <= set(texts.values())


def test_texts_that_say_something_else_than_what_is_run_are_left_out(tmp_path: Path) -> None:
    spec = written(tmp_path)
    (tmp_path / "some.scenario").write_text(f"{SCENE}[ROBOT_9]\ntype single\nname late\n", encoding="utf-8")
    assert set(attachments(spec)) == {RUN}
    (tmp_path / "some.scenario").write_text("[ROBOT_9]\nnonsense\n", encoding="utf-8")
    assert set(attachments(spec)) == {RUN}


def test_files_that_are_gone_or_never_were_are_left_out(tmp_path: Path) -> None:
    spec = written(tmp_path)
    (tmp_path / "some.scenario").unlink()
    assert set(attachments(spec)) == {RUN, "single.robot"}
    assert set(attachments(RunSpec(Scenario()))) == {RUN}


def test_metadata_say_what_people_want_to_know_first(tmp_path: Path) -> None:
    about = metadata(written(tmp_path), {"port": 0}, {"file": "b.mcap", "tick": 5})
    assert about == {
        "scenario": "some",
        "seed": 12345678901234567,
        "engine": "pymunk",
        "step": 0.01,
        "mode": "lockstep",
        "flags": {"port": 0},
        "parent": {"file": "b.mcap", "tick": 5},
    }
    assert "parent" not in metadata(RunSpec(Scenario()), {})


def test_metadata_say_notes_and_how_control_laws_were_set(tmp_path: Path) -> None:
    spec = written(tmp_path)
    about = metadata(spec, {}, notes={"operator": "Ada"}, controllers=spec.scenario.controllers)
    assert about["notes"] == {"operator": "Ada"}
    assert about["controllers"] == [{"run": "formation", "robots": ["robot1"], "settings": {"shape": "line"}}]
    assert "notes" not in metadata(spec, {})
    assert "controllers" not in metadata(spec, {})


@pytest.mark.parametrize(
    "more",
    [
        "[MAP]\nimage walls.png\n",
        "[FLOOR]\ntexture wood.png\n",
        "[OBJECT_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n  Mesh box.obj\n",
    ],
)
def test_texts_that_name_pictures_or_meshes_stay_attached(tmp_path: Path, more: str) -> None:
    spec = written(tmp_path)
    (tmp_path / "some.scenario").write_text(f"{SCENE}# [x]\n{more}", encoding="utf-8")
    assert set(attachments(spec)) == {RUN, "some.scenario", "single.robot"}


class KeyFrame:
    """A recording with a key frame alone."""

    def __init__(self, types: Any) -> None:
        self._frame = SimpleNamespace(state=msgpack.packb({"types": to_plain(types)}))

    def __len__(self) -> int:
        return 1

    def keyframe(self, _: int) -> SimpleNamespace:
        return self._frame


def test_robot_types_are_those_of_the_last_key_frame(tmp_path: Path) -> None:
    types = written(tmp_path).types
    assert robot_types(KeyFrame(types)) == types  # type: ignore[arg-type]


@pytest.mark.parametrize("types", [("single",), "single", {"single": Floor()}, {"single": 3}])
def test_what_is_no_robot_type_is_not_drawn_as_one(types: Any) -> None:
    assert robot_types(KeyFrame(types)) == {}  # type: ignore[arg-type]
