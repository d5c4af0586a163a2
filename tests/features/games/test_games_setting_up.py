"""The set-up of a match: squads whose robots differ stay mixed, and cost what their robots cost."""

import re

from coopsim.features.games.sections.game_sections import game_of
from coopsim.features.games.window.battle import Battle
from coopsim.features.games.window.battlefield import side_color
from coopsim.features.games.window.setting_up import MIXED, MatchSetup
from coopsim.robots import find_file, load


def begun(name: str) -> tuple[MatchSetup, str]:
    """Return the set-up of a built-in match, and its text."""
    spec, setup = load(name), MatchSetup()
    setup.begin(game_of(spec).facts["game"], {robot.name: robot.type for robot in spec.scenario.robots})
    return setup, find_file(name, [".scenario"]).read_text(encoding="utf-8")


def test_mixed_squads_stay_mixed_and_within_the_budget_g13() -> None:
    setup, text = begun("death_match")
    assert setup.squads["a"].kind == MIXED
    assert (setup.spent("west"), setup.is_within("west")) == (170.0, True)
    types = re.compile(r"^type\s+(\S+)", re.MULTILINE)
    assert types.findall(setup.written(text)) == types.findall(text)


def test_a_type_that_is_chosen_is_that_of_all_robots_of_the_squad() -> None:
    setup, text = begun("death_match")
    setup.squads["a"].kind = "game_scout"
    assert setup.spent("west") == 140.0
    written = re.findall(r"^type\s+(\S+)\s+name\s+(\S+)", setup.written(text), re.MULTILINE)
    assert {kind for kind, name in written if name.startswith("a")} == {"game_scout"}
    assert [kind for kind, name in written if name == "b1"] == ["game_tank"]
    assert begun("capture_the_flag")[0].squads["a"].kind == "game_infantry"


def test_a_player_has_the_colour_of_its_robots_where_they_have_one() -> None:
    battle = Battle()
    battle.begin(game_of(load("duel")).facts["game"])
    assert battle.color_of("west") is None  # nothing is known yet
    unlike = side_color(battle, "west"), side_color(battle, "east")
    assert unlike[0] != unlike[1]
    battle.colors = {name: (1.0, 0.0, 0.0) if name.startswith("a") else (0.0, 0.0, 1.0) for name in battle.fighters}
    red, green, blue = side_color(battle, "west")
    assert red > 0.9
    assert green == blue < 0.5
    assert side_color(battle, "east")[2] > 0.9
    battle.colors = {**battle.colors, "a1": (0.0, 1.0, 0.0)}
    assert battle.color_of("west") is None


def test_where_there_are_no_flags_the_floor_is_the_floor_and_there_is_no_base_to_defend_g52() -> None:
    """All flags of a death match are called "", as is what lies below a click on the bare floor."""
    battle = Battle()
    battle.begin(game_of(load("death_match")).facts["game"])
    battle.player = "west"
    battle.choose(["a1"])
    assert battle.meant("", (1.0, -2.0)) == ["a go_to 1.00 -2.00"]
    assert battle.meant("b1", (1.0, -2.0)) == ["a attack b1"]
    assert battle.meant("a1", None) == []
    assert battle.home() == []
