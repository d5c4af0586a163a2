"""What the rules of a match forbid: orders to others' squads, the wrong side, flags that cannot be picked up."""

import numpy as np
import pytest

from coopsim.features.games.logic.model import PICK_UP_REACH, DataModel, RobotState, begin
from coopsim.features.games.logic.orders import read_order

GAME = {
    "players": [
        {"name": "south", "flag": "blue", "base": "south_base"},
        {"name": "north", "flag": "red", "base": "north_base"},
        {"name": "guest", "flag": "", "base": ""},
    ],
    "squads": [
        {"name": "a", "player": "south", "robots": ["a1", "a2"], "formation": "wedge", "spacing": 1},
        {"name": "b", "player": "north", "robots": ["b1"], "formation": "line", "spacing": 0.8},
        {"name": "lost", "player": "south", "robots": ["c1"], "formation": "line", "spacing": 0.8},
    ],
}
PLACES = {"blue": (-4.0, 0.0), "red": (4.0, 0.0)}


def _robot(index: int, name: str, player: str, squad: str, **more: object) -> RobotState:
    can = frozenset({"drive", "swim"} if name == "a1" else {"drive"})
    facts = {"abilities": can, "health": 100.0, "power": 5.0, "damage": 10.0, "range": 2.0, "radius": 0.15}
    return RobotState(name, player, squad, index, index, **{**facts, **more})  # type: ignore[arg-type]


@pytest.fixture
def model() -> DataModel:
    robots = [
        _robot(0, "a1", "south", "a"),
        _robot(1, "a2", "south", "a"),
        _robot(2, "b1", "north", "b", range=3.0, radius=0.2),
        _robot(3, "c1", "south", "lost", health=0.0),
    ]
    return begin(GAME, robots, PLACES)


@pytest.mark.parametrize(
    ("order", "refusal"),
    [
        ("a go_to 1 2", ""),
        ("a attack b1", ""),
        ("a attack b", ""),
        ("a attack red", ""),
        ("a capture red", ""),
        ("a defend a2", ""),
        ("a defend blue", ""),
        ("a bring south_base", ""),
        ("a bring somewhere", ""),
        ("aa stop", "there is no squad aa; did you mean 'a'?"),
        ("b stop", "squad b is north's"),
        ("lost stop", "squad lost has nobody left"),
        ("a capture green", "there is no flag green"),
        ("a capture rd", "there is no flag rd; did you mean 'red'?"),
        ("a capture blue", "blue is south's own flag"),
        ("a attack blue", "blue is south's own flag"),
        ("a attack a2", "a2 is south's own"),
        ("a attack lost", "lost is south's own"),
        ("a defend b1", "b1 is north's, and may be attacked"),
        ("a defend b", "b is north's, and may be attacked"),
        ("a bring north_base", "north_base is north's base, and south_base is south's"),
    ],
)
def test_an_order_is_refused_for_the_first_rule_that_it_breaks(model: DataModel, order: str, refusal: str) -> None:
    assert model.refusal("south", read_order(order)) == refusal


def test_a_flag_is_picked_up_by_others_who_are_near_while_nobody_carries_it(model: DataModel) -> None:
    robot = model.robots["a1"]
    model.positions[0] = 4.0 - PICK_UP_REACH + 1e-9, 0.0
    assert model.pick_up_refusal(robot, "red") == ""
    model.positions[0] = 4.0, 1.25
    assert model.pick_up_refusal(robot, "red") == f"red is 1.25 m away, and {PICK_UP_REACH:g} m are allowed"
    assert model.pick_up_refusal(robot, "green") == "there is no flag green"
    assert model.pick_up_refusal(robot, "blue") == "blue is its own flag"
    model.flags["red"].carrier = "a2"
    assert model.pick_up_refusal(robot, "red") == "a2 carries red"


def test_the_middle_of_a_squad_is_of_those_who_obey_else_of_those_who_live_else_of_all(model: DataModel) -> None:
    model.positions[:] = [(0.0, 0.0), (2.0, 4.0), (9.0, 9.0), (5.0, 5.0)]
    squad = model.squads["a"]
    assert model.middle(squad).tolist() == [1.0, 2.0]
    model.robots["a1"].is_taken = True
    assert model.middle(squad).tolist() == [2.0, 4.0]
    model.robots["a2"].health = 0.0
    assert model.middle(squad).tolist() == [0.0, 0.0]
    model.robots["a1"].health = 0.0
    assert model.middle(squad).tolist() == [1.0, 2.0]
    assert model.middle(model.squads["lost"]).tolist() == [5.0, 5.0]


def test_a_squad_swims_where_all_of_it_do(model: DataModel) -> None:
    assert (model.robots["a1"].swims, model.squads["a"].swims) == (True, False)
    model.robots["a2"].abilities = frozenset({"swim"})
    assert model.squads["a"].swims


def test_a_match_begins_with_flags_where_their_targets_stand(model: DataModel) -> None:
    assert {name: (flag.player, flag.place, flag.carrier) for name, flag in model.flags.items()} == {
        "blue": ("south", (-4.0, 0.0), ""),
        "red": ("north", (4.0, 0.0), ""),
    }
    assert model.bases == {"south": "south_base", "north": "north_base", "guest": ""}
    assert model.positions.shape == (4, 2)
    assert model.players() == ["south", "north"]


def test_kernels_get_robots_by_row_whatever_order_they_came_in() -> None:
    robots = [
        _robot(3, "c1", "south", "lost"),
        _robot(2, "b1", "north", "b", range=3.0, radius=0.2),
        _robot(1, "a2", "south", "a"),
        _robot(0, "a1", "south", "a"),
    ]
    roster = begin(GAME, robots, PLACES).roster
    assert [robot.name for robot in roster.robots] == ["a1", "a2", "b1", "c1"]
    assert roster.players.tolist() == [0, 0, 1, 0]
    assert (roster.ranges.tolist(), roster.radii.tolist()) == ([2.0, 2.0, 3.0, 2.0], [0.15, 0.15, 0.2, 0.15])
    members, starts = roster.squads
    assert (members.tolist(), starts.tolist()) == ([0, 1, 2, 3], [0, 2, 3, 4])


def test_what_is_logged_has_the_time_of_the_match(model: DataModel) -> None:
    model.time = 12.5
    model.note("a", "waits", "a waits")
    assert (model.log[-1].time, model.log[-1].source, model.log[-1].rule) == (12.5, "a", "waits")
    assert np.array_equal(model.position(model.robots["b1"]), model.positions[2])
