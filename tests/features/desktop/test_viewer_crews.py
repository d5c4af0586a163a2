"""Teams in the window, without one: members, sections that belong together, names and turns."""

import math

import pytest

from coopsim.features.beginnings.crews import called, crews_in, expanded, gathered, joined, swung, team_of
from coopsim.features.beginnings.templates import free_name

NAMES = ("floor", "pair/helper", "pair/leader", "pair/bar", "rest/bar", "ann")
LEADER = "[ROBOT_1]\ntype transport\nname pair/leader\nposition 1 2 0\n\n[JOINT_2]\nname pair/leader/support\n"
BAR = "[OBJECT_1]\nname pair/bar\nposition 1 1 0\n\n[JOINT_2]\nname pair/leader/support\n"


def test_a_team_is_its_members_and_who_leads_stands_for_them() -> None:
    assert crews_in(NAMES) == {"pair": ("pair/bar", "pair/helper", "pair/leader")}
    assert expanded(("ann", "pair"), NAMES) == ("ann", "pair/bar", "pair/helper", "pair/leader")
    assert expanded(("gone",), NAMES) == ("gone",)


def test_a_team_is_selected_where_all_of_it_and_nothing_else_is() -> None:
    crew = crews_in(NAMES)["pair"]
    assert team_of(crew, NAMES) == "pair"
    assert (
        team_of(crew[1:], NAMES)
        == team_of(("ann", *crew), NAMES)
        == team_of((), NAMES)
        == team_of(("ann",), NAMES)
        == ""
    )


def test_sections_of_a_team_become_one_text_with_each_joint_once() -> None:
    text = joined([BAR, LEADER])
    assert text.count("name pair/leader/support") == 1
    assert [line for line in text.splitlines() if line.startswith("[")] == ["[OBJECT_1]", "[ROBOT_2]", "[JOINT_3]"]
    whole = gathered({"pair/bar": BAR, "pair/leader": LEADER, "ann": "[ROBOT_1]\n"}, NAMES[2:])
    assert list(whole) == ["pair", "ann"]
    assert list(gathered({"pair/bar": BAR}, NAMES)) == ["pair/bar"]


def test_a_team_gets_another_name_and_its_copy_another_place() -> None:
    assert called(LEADER, "pair", "duo") == LEADER.replace("pair/", "duo/")
    assert "position 1.5 2 0" in called(LEADER, "pair", "duo", 0.5)
    assert "pair/" not in called(LEADER, "pair", "duo", 0.5)


def test_a_turn_about_a_place_keeps_distances() -> None:
    pose = swung((1.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), math.pi / 2)
    assert pose[:3] == pytest.approx((0.0, 1.0, 0.3))
    assert pose[3:] == pytest.approx((math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))


def test_a_free_name_is_that_of_no_team() -> None:
    assert free_name("pair", NAMES) == "pair2"
    assert free_name("ann1", NAMES) == "ann1"
