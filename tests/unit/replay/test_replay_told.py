"""What programs told each other is shown with the recording, as it was then."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replay_scenes import record
from replay_stage import Stage

from coopsim.recording import Recording
from coopsim.replay.marks import marks_from
from coopsim.replay.offered_modules import OfferedModuleHistory
from coopsim.state.edits import OfferModule, SceneEdit, TuneModule, WithdrawModule, WriteModule

INTENT = "/robot1/intent"
CONTENT = {
    "values": [{"name": "x", "unit": "m"}, {"name": "state"}],
    "parameters": [{"name": "gain", "type": "float", "unit": "1", "default": 1.0, "low": 0.0, "high": 5.0}],
}
SAID: dict[int, list[SceneEdit]] = {
    10: [OfferModule(INTENT, CONTENT)],
    20: [WriteModule(INTENT, {"x": 1.0, "state": "going"}, 1)],
    30: [TuneModule(INTENT, "gain", 2.0)],
    40: [WriteModule(INTENT, {"x": 2.0, "state": "there"}, 5), WriteModule("/robot2/plan", {"y": 7.0}, 3)],
    50: [WithdrawModule(INTENT)],
}


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("talks") / "talk.mcap", 60, edits=SAID)


@pytest.mark.parametrize(
    ("seconds", "read", "gain"),
    [
        (0.0, (("",), (0.0, 0.0, 0.0)), 1.0),
        (0.25, (("going",), (1.0, 1.0, 0.05)), 1.0),
        (0.35, (("going",), (1.0, 1.0, 0.15)), 2.0),
        (0.45, (("there",), (2.0, 5.0, 0.05)), 2.0),
    ],
)
def test_a_module_answers_what_it_answered_then(
    show: Callable[..., Stage], talk: Path, seconds: float, read: tuple[Any, Any], gain: float
) -> None:
    stage = show(talk, paused=True)
    stage.call("seek", seconds)
    answer = stage.edit("read_module", module=INTENT, command=10)
    assert (answer.params, answer.data) == (read[0], pytest.approx(read[1]))
    assert stage.edit("read_module", module=INTENT, command=12).data == (gain,)
    assert stage.edit("read_module", module=INTENT, command=0, name="gain").params == (gain,)


def test_the_names_are_facts_of_the_recording(show: Callable[..., Stage], talk: Path) -> None:
    stage = show(talk, paused=True)
    assert set(stage.link.facts["offered"]) == {INTENT, "/robot2/plan"}
    assert stage.edit("read_module", module="/robot1/plan", command=10).error == 201
    assert stage.edit("read_module", module=INTENT, command=17).error == 202


def test_what_was_offered_before_the_recording_began_is_known_once_it_is_written(talk: Path) -> None:
    with Recording.open(talk) as recording:
        reply = OfferedModuleHistory(recording).read(60, 0.6, "/robot2/plan", 10, "")
    assert reply.data == pytest.approx((7.0, 3.0, 0.2))


def test_messages_do_not_crowd_the_time_line(talk: Path) -> None:
    with Recording.open(talk) as recording:
        text, _ = marks_from(recording, 0)
    marks = [text for _, _, text in json.loads(str(text))["marks"]]
    assert marks == [f"offered {INTENT}", f"{INTENT} gain = 2.0", f"withdrawn {INTENT}"]
