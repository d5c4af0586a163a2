"""Edits as data: their serialised form, their text, their inverse."""

from dataclasses import MISSING, fields
from typing import Any

import msgpack
import pytest

from coopsim.state.edits import (
    EDITS,
    AppliedEdit,
    Checkpoint,
    Continue,
    DeviceCommand,
    Edit,
    Insert,
    Note,
    PaceState,
    Pause,
    Remove,
    Reset,
    SetEngine,
    SetParameter,
    SetSpeed,
    Step,
    UnknownEdit,
)
from coopsim.state.plain import Misfit

EXAMPLES: dict[str, Any] = {
    "topics": ["/game/score"],
    "texts": ["1:0"],
    "sources": ["client 1"],
    "ticks": [3],
    "counts": [1],
    "numbers": [1.0],
    "text": "[OBJECT_1]",
    "name": "crate",
    "type": "pivot",
    "a": "robot1",
    "b": "crate",
    "file": "a.scenario",
    "spec": {"=": "RunSpec"},
    "files": {"a.scenario": "[OBJECT_1]"},
    "engine": "mujoco",
    "robot": "robot1",
    "module": "sonars",
    "value": 0.5,
    "command": 12,
    "data": (1.0, 0.5),
    "what": "stop",
    "mode": "free",
    "speed": 2.0,
    "step": 0.02,
    "first": 3,
    "count": 3,
    "time": 1.5,
    "begin": 0.0,
    "end": 2.0,
    "force": (3.0, 4.0, 0.0),
    "seconds": 0.5,
    "content": {"values": [{"name": "x", "unit": "m"}]},
    "values": {"x": 1.0, "state": "going"},
}


@pytest.mark.parametrize("name", EDITS.names)
def test_every_edit_comes_back_from_its_serialised_form(name: str) -> None:
    kind: Any = EDITS[name]
    edit = kind(**{field.name: EXAMPLES[field.name] for field in fields(kind) if field.default is MISSING})
    plain = edit.to_plain()
    assert plain["edit"] == name == edit.kind
    assert EDITS.from_plain(plain) == edit
    assert edit.as_text()


@pytest.mark.parametrize(
    ("edit", "plain"),
    [
        (Insert("[OBJECT_1]"), {"edit": "insert", "text": "[OBJECT_1]"}),
        (Reset("poses", 7), {"edit": "reset", "what": "poses", "seed": 7}),
        (Reset(), {"edit": "reset"}),
        (
            DeviceCommand("a", "m", 12, (1.0,)),
            {"edit": "device", "robot": "a", "module": "m", "command": 12, "data": (1.0,)},
        ),
        (Note("stop", "a"), {"edit": "note", "what": "stop", "robot": "a"}),
        (
            Checkpoint(PaceState("free", 1.0, False, 0)),
            {"edit": "checkpoint", "pace": {"mode": "free", "speed": 1.0, "paused": False, "steps": 0}},
        ),
    ],
)
def test_recordings_hold_edits_as_they_always_did(edit: Edit, plain: dict[str, Any]) -> None:
    assert edit.to_plain() == plain
    assert AppliedEdit.from_plain(plain) == AppliedEdit(edit)


def test_a_timed_event_says_so_and_why_it_had_no_effect() -> None:
    plain = {"edit": "remove", "name": "crate", "event": 1, "problem": "there is no crate"}
    applied = AppliedEdit.from_plain(plain)
    assert applied == AppliedEdit(Remove("crate"), True, "there is no crate")
    assert applied.to_plain() == plain
    assert applied.as_text() == "event: removed crate"


@pytest.mark.parametrize(
    "plain",
    [
        {"edit": "fold", "robot": "a"},
        {"edit": "remove", "name": "a", "softly": 1},
        {"edit": "", "a": 1},
        {"edit": "remove", "name": "a", "event": 0},
        {"edit": "remove", "name": "a", "event": 1, "problem": ""},
        {"edit": "remove", "name": "a", "event": 1, "problem": 3},
        {"edit": "fold", "event": True},
        {"edit": "fold", "event": 1, "robot": "a"},
        {"edit": "fold", "problem": "bent", "event": 1},
        {"edit": "fold", "problem": "bent"},
        {"edit": "fold", "event": 1, "problem": "bent"},
    ],
)
def test_an_edit_of_another_version_is_kept_as_it_is(plain: dict[str, Any]) -> None:
    applied = AppliedEdit.from_plain(plain)
    assert isinstance(applied.edit, UnknownEdit)
    assert msgpack.packb(applied.to_plain()) == msgpack.packb(plain)


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ({}, "edit: expected a name"),
        ({"edit": 3}, "edit: expected text"),
        ({"edit": "remove"}, "name: expected a value"),
        ({"edit": "set_speed", "speed": "fast"}, "speed: expected a finite number"),
        ({"edit": "checkpoint", "pace": {"mode": 3}}, "pace.mode: expected text"),
    ],
)
def test_an_edit_that_does_not_hold_what_its_name_promises_is_refused(plain: dict[str, Any], text: str) -> None:
    with pytest.raises(Misfit, match=text):
        AppliedEdit.from_plain(plain)
    assert isinstance(Edit.from_plain(plain), UnknownEdit)


def test_what_can_be_undone_says_how() -> None:
    assert Pause().inverse() == Continue()
    assert Continue().inverse() == Pause()
    assert SetEngine("mujoco").inverse("pymunk") == SetEngine("pymunk")
    assert SetSpeed(2.0).inverse(1.0) == SetSpeed(1.0)
    assert SetParameter("a", "sonars", "noise", 0.5).inverse(0.1) == SetParameter("a", "sonars", "noise", 0.1)
    assert Remove("crate").inverse() is None
    assert Step(3).inverse() is None
