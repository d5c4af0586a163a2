"""Links permit what they say and no more, and hold as long as their file is kept."""

import json
import stat
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.web.links import DRIVE, EDIT, WATCH, Links, Permission
from coopsim.interfaces import CLOCK, MOTORS, SONARS, WORLD
from coopsim.interfaces.common import COMMON

_SET = next(command for command in COMMON if command.name == "set_parameter")
_GET = next(command for command in COMMON if command.name == "get_parameter")
_DRIVE = MOTORS.command("set_velocity")


def test_who_has_no_token_watches_and_who_has_a_wrong_one_is_nobody() -> None:
    links = Links.new()
    assert links.permission("") == Permission(WATCH)
    assert links.permission("guessed") is None


def test_each_role_may_do_what_it_says() -> None:
    pause, status = CLOCK.command("pause"), CLOCK.command("status")
    permitted = {
        role: [
            not Permission(role).refusal("/sim/clock", CLOCK, status),
            not Permission(role).refusal("/robot1/sonars", SONARS, _GET),
            not Permission(role).refusal("/robot1/motors", MOTORS, _DRIVE),
            not Permission(role).refusal("/robot1/sonars", SONARS, _SET),
            not Permission(role).refusal("/sim/clock", CLOCK, pause),
            not Permission(role).refusal("/sim/world", WORLD, WORLD.command("insert")),
        ]
        for role in (WATCH, DRIVE, EDIT)
    }
    assert permitted == {
        WATCH: [True, True, False, False, False, False],
        DRIVE: [True, True, True, True, False, False],
        EDIT: [True] * 6,
    }


def test_a_link_to_one_robot_drives_no_other_one() -> None:
    permission = Permission(DRIVE, ("robot1",))
    assert permission.refusal("/robot1/motors", MOTORS, _DRIVE) == ""
    assert "robot1 alone, not robot2" in permission.refusal("/robot2/motors", MOTORS, _DRIVE)
    assert "not robot1/leader" in permission.refusal("/robot1/leader/motors", MOTORS, _DRIVE)
    assert permission.refusal("/robot2/sonars", SONARS, _GET) == ""


def test_links_in_a_file_hold_the_next_time_and_new_ones_are_added(tmp_path: Path) -> None:
    file = tmp_path / "links.json"
    first = Links.kept_in(file).lines("http://here/")
    second = Links.kept_in(file, ["robot1"]).lines("http://here/")
    assert [line.split()[-1] for line in second][: len(first)] == [line.split()[-1] for line in first]
    assert second[-1].startswith("drive robot1")
    assert len(second) == len(first) + 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["links.json"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a": {}}', '{"a": {"role": "king"}}', '{"a": {"role": "drive", "robots": 3}}']
)
def test_a_file_that_holds_no_links_is_named_with_its_cure(tmp_path: Path, text: str) -> None:
    file = tmp_path / "links.json"
    file.write_text(text)
    with pytest.raises(BadFile, match=r"links\.json: expected links as JSON") as problem:
        Links.kept_in(file)
    assert "remove the file" in str(problem.value)
    assert file.read_text() == text


def test_the_address_for_a_phone_has_the_link_to_edit() -> None:
    links = Links.new(["robot1"])
    token = links.address("http://here/").partition("#")[2]
    assert links.permission(token) == Permission(EDIT)
    assert json.dumps(token) == f'"{token}"'
