"""Edits in words."""

from typing import Any

import pytest

from coopsim.state.edits import AppliedEdit


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"edit": "set_parameter", "robot": "a", "module": "m", "name": "n", "value": 0.5}, "a.m.n = 0.5"),
        ({"edit": "reset", "event": 1}, "event: everything put back"),
        ({"edit": "reset", "what": "poses"}, "poses put back"),
        ({"edit": "reset", "seed": 7}, "everything put back, seed 7"),
        ({"edit": "insert", "text": "[ROBOT_1]\ntype single\nname late\n\n[ROBOT_2]\nname b"}, "inserted late, b"),
        ({"edit": "insert", "text": "[OBJECT_3]\ntype box\n"}, "inserted object_3"),
        ({"edit": "update", "name": "crate", "text": "mass  9\ncolor red\n"}, "changed crate: mass 9; color red"),
        ({"edit": "remove", "name": "crate"}, "removed crate"),
        (
            {"edit": "device", "robot": "a", "module": "odometry", "command": 12, "data": [1.0, 0.5]},
            "/a/odometry command 12 1 0.5",
        ),
        ({"edit": "note", "what": "stop", "robot": "a"}, "stop a"),
        ({"edit": "snapshot", "name": "x"}, "snapshot x taken"),
        ({"edit": "restore", "name": "x"}, "back to snapshot x"),
        ({"edit": "set_speed", "speed": 2.0}, "set speed speed 2.0"),
        ({"edit": "from_the_future", "a": 1}, "from the future a 1"),
    ],
)
def test_an_edit_is_told_in_one_line(edit: dict[str, Any], words: str) -> None:
    assert AppliedEdit.from_plain(edit).as_text() == words
