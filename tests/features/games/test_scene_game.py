"""`[GAME]`, `[PLAYER_n]` and `[SQUAD_n]` sections: what they mean, where they are wrong, and that saving keeps them."""

from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import CannotSave
from coopsim.features.games.sections.game_sections import game_of
from coopsim.robots import Sources, check, compose, load
from coopsim.robots.finding import SCENARIOS

SCENE = """\
[TARGET]
red 0 -4 0
blue 0 4 0
[AREA_1]
type base
name south
points -1 -5  1 -5  1 -3
[AREA_2]
type base
name north
points -1 3  1 3  1 5
[AREA_3]
type water
name lake
points 3 -1  4 -1  4 1
[ROBOT_1]
type game_scout
name a
count 4
grid 4x1 1
[ROBOT_2]
type game_tank
name b1
position 0 2 0
[ROBOT_3]
type single
name c
position 0 -2 0
"""
GAME = """\
[GAME]   # who plays
rules  capture_the_flag
[PLAYER_1]
name one
flag red
base south
[PLAYER_2]
name two
flag blue
base north
bot  easy
"""
SQUADS = """\
[SQUAD_1]
name a
player one
robots a1 a2-a4     # all scouts
power 3
[SQUAD_2]
name b
player two
robots b1
"""


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "a.scenario"
    path.write_text(SCENE + text)
    return [str(problem) for problem in check(path)]


def test_a_game_has_players_and_squads_robot_by_robot(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    path.write_text(SCENE + GAME + SQUADS)
    game = game_of(load(path))
    assert (game.rules, game.time, game.budget) == ("capture_the_flag", 300.0, 200.0)
    assert [(player.name, player.flag, player.base, player.bot) for player in game.players] == [
        ("one", "red", "south", "none"),
        ("two", "blue", "north", "easy"),
    ]
    assert [(squad.name, squad.player, squad.robots) for squad in game.squads] == [
        ("a", "one", ("a1", "a2", "a3", "a4")),
        ("b", "two", ("b1",)),
    ]
    assert (game.squads[0].power, game.squads[1].health, game.squads[1].formation) == (3.0, 100.0, "wedge")
    assert game.facts["game"]["squads"][0]["robots"] == ["a1", "a2", "a3", "a4"]


def test_a_scenario_without_a_game_tells_nothing_of_one() -> None:
    assert game_of(load("formation")).facts == {}


@pytest.mark.parametrize(
    ("before", "after", "place", "said"),
    [
        ("rules  capture_the_flag", "rules chess", (2, 7), "chess"),
        ("rules  capture_the_flag", "time 20", (1, 1), "[GAME] needs the key 'rules'"),
        ("flag red", "flag rde", (5, 6), "no target 'rde' (rde → red?); known: red, blue"),
        ("base south", "base lake", (6, 6), "no area of the kind base 'lake'; known: south, north"),
        ("flag red\n", "", (3, 1), "capture_the_flag takes a flag of each player: add a key 'flag'"),
        ("name two", "name one", (8, 6), "there is a player 'one' already"),
        ("bot  easy", "bot  genius", (11, 6), "genius"),
        ("player one", "player oen", (14, 8), "no player 'oen' (oen → one?)"),
        ("name b", "name a", (18, 6), "there is a squad 'a' already"),
        ("robots b1", "robots b1 a2", (20, 11), "'a2' is in squad 'a' already"),
        ("robots b1", "robots b1 x9", (20, 11), "no robot 'x9'"),
        ("robots b1", "robots c b1", (20, 8), "'c' has no pose, intelligence: it takes a robot of games"),
        ("robots b1", "robots", (20, 1), "robots"),
        ("power 3", "power -3", (16, 7), "power"),
        ("power 3", "health 1000\npower 1000", (12, 1), "the squads of 'one' cost 2440, more than the budget of 200"),
    ],
)
def test_mistakes_are_told_at_the_word(
    tmp_path: Path, before: str, after: str, place: tuple[int, int], said: str
) -> None:
    text = GAME + SQUADS
    assert before in text
    messages = problems(tmp_path, text.replace(before, after, 1))
    line = SCENE.count("\n") + place[0]
    assert any(f"a.scenario:{line}:{place[1]}: " in message and said in message for message in messages), messages


def test_players_and_squads_without_a_game_and_a_game_without_them_are_mistakes(tmp_path: Path) -> None:
    text = "\n".join(problems(tmp_path, SQUADS))
    assert "no player 'one'" in text
    assert "[SQUAD_1] belongs to a game: add a section [GAME]" in text
    (alone,) = problems(tmp_path, "[GAME]\nrules death_match\n")
    assert "[GAME] takes at least 2 players, got 0: add a section [PLAYER_n]" in alone
    idle = problems(tmp_path, GAME + SQUADS.partition("[SQUAD_2]")[0])
    assert any("player 'two' has no squad: add a section [SQUAD_n]" in message for message in idle)


def test_a_squad_has_at_most_a_hundred_robots(tmp_path: Path) -> None:
    many = SCENE.replace("count 4\ngrid 4x1 1", "count 101\ngrid 101x1 0.5")
    path = tmp_path / "a.scenario"
    text = many + GAME.replace("rules  ", "budget 1e6\nrules  ") + SQUADS.replace("a1 a2-a4", "a*")
    path.write_text(text)
    (problem,) = check(path)
    assert ":44:8: a squad has at most 100 robots, here are 101" in str(problem)


def test_saving_keeps_a_game_letter_by_letter() -> None:
    for name in ("capture_the_flag", "death_match"):
        path = SCENARIOS / f"{name}.scenario"
        scene = load(name).scenario
        world = Path(scene.world.file) if scene.world.file else None
        texts = {file: file.read_text() for file in (path, world) if file is not None}
        assert compose(scene, Sources(path, world, texts), path)[path] == texts[path]


def test_a_robot_that_leaves_leaves_its_squad_too(tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    text = SCENE.replace("name a\ncount 4\ngrid 4x1 1", "name a1") + GAME + SQUADS.replace("a1 a2-a4", "a1")
    text = text.replace("[ROBOT_2]", "[ROBOT_4]\ntype game_scout\nname a2\nposition 1 0 0\n[ROBOT_2]")
    text = text.replace("robots a1", "robots a1 a2")
    path.write_text(text)
    scene = load(path).scenario
    left = replace(scene, robots=tuple(robot for robot in scene.robots if robot.name != "a2"))
    after = compose(left, Sources(path, None, {path: text}), path)[path]
    assert "robots a1     # all scouts" in after
    assert "[GAME]   # who plays" in after
    path.write_text(after)
    assert game_of(load(path)).squads[0].robots == ("a1",)


def saved(tmp_path: Path, text: str, gone: str) -> str:
    """Return a scenario as it is saved without some robots or targets; it can be read again."""
    path = tmp_path / "a.scenario"
    path.write_text(text)
    scene = load(path).scenario
    robots = tuple(robot for robot in scene.robots if robot.name not in gone.split())
    landmarks = tuple(target for target in scene.targets if target.name not in gone.split())
    after = compose(replace(scene, robots=robots, targets=landmarks), Sources(path, None, {path: text}), path)[path]
    path.write_text(after)
    load(path)
    return after


TWO_PLAYERS = SCENE.replace("name a\ncount 4\ngrid 4x1 1", "name a1") + GAME + SQUADS.replace("a1 a2-a4", "a1")
LAW = "[CONTROLLER_1]\nrun game\nrobots a1 b1\n"


def test_a_game_leaves_with_the_last_robots_of_its_last_but_one_player(tmp_path: Path) -> None:
    after = saved(tmp_path, TWO_PLAYERS + LAW, "b1")
    assert not [word for word in ("GAME", "PLAYER", "SQUAD", "CONTROLLER", "b1") if word in after]
    assert "name a1" in after


def test_a_player_of_three_leaves_with_its_last_robots(tmp_path: Path) -> None:
    third = "[PLAYER_3]\nname three\nflag green\nbase south\n[SQUAD_3]\nname c\nplayer three\nrobots c1\n"
    scene = TWO_PLAYERS.replace("red 0 -4 0", "red 0 -4 0\ngreen 2 -4 0")
    text = scene + "[ROBOT_9]\ntype game_scout\nname c1\nposition 1 0 0\n" + third
    after = saved(tmp_path, text + LAW.replace("b1", "b1 c1"), "b1")
    assert "name two" not in after
    assert "robots a1 c1" in after
    assert [player.name for player in game_of(load(tmp_path / "a.scenario")).players] == ["one", "three"]


def test_a_flag_that_the_rules_need_is_said_when_it_is_gone(tmp_path: Path) -> None:
    with pytest.raises(CannotSave, match="'blue', the flag of player 'two', is gone, and capture_the_flag needs it"):
        saved(tmp_path, TWO_PLAYERS, "blue")
    death_match = TWO_PLAYERS.replace("capture_the_flag", "death_match")
    after = saved(tmp_path, death_match, "blue")
    assert "flag blue" not in after
    assert "flag red" in after
