"""Where a match begins: flags that none of the others can fetch, and robots that stand where they must not be."""

from pathlib import Path

import pytest

from coopsim.robots import check, find_file

WALL = "[WORLD]\nfile walls.world\n"
BLOCK = """\
[FLOOR]
size 20 20 0.1
[OBJECT_1]
type box
name block
size 1 1 1
mass 0
position 0 4 0
orientation 0 0 45
"""
AT = "blue        0 4 0"
FLAG = "flag        blue"


def text() -> str:
    return find_file("capture_the_flag", [".scenario"]).read_text()


def problems(tmp_path: Path, scenario: str) -> list[str]:
    (tmp_path / "walls.world").write_text(BLOCK)
    path = tmp_path / "a.scenario"
    path.write_text(scenario)
    return [str(problem) for problem in check(path)]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (FLAG, "flag red", "'red' is the flag of player 'south_team' already"),
        (AT, "blue 9 9 0", "the flag 'blue' lies outside of the border 'field': put it where robots of others can be"),
        (AT, "blue -3 0 0", "the flag 'blue' lies in the water 'lake'"),
        (AT, f"blue 0.6 4 0\n{WALL}", "the flag 'blue' lies in 'block'"),
    ],
)
def test_a_flag_that_nobody_can_fetch_is_a_mistake_with_its_place(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    scenario = text().replace(before, after)
    (problem,) = problems(tmp_path, scenario)
    line = (
        next(
            number for number, splitline in enumerate(scenario.splitlines(), 1) if splitline == "name        north_team"
        )
        + 1
    )
    assert f"a.scenario:{line}:" in problem
    assert said in problem


def test_a_flag_beside_a_block_or_on_an_island_of_amphibians_is_none(tmp_path: Path) -> None:
    assert problems(tmp_path, text().replace(AT, f"blue 0.6 4.6 0\n{WALL}")) == []
    swimmer = "type        game_amphibian\nname        a1"
    scenario = text().replace(AT, "blue -3 0 0").replace("type        game_infantry\nname        a1", swimmer)
    assert problems(tmp_path, scenario) == []
    its_own = "type        game_amphibian\nname        b1"
    scenario = text().replace(AT, "blue -3 0 0").replace("type        game_infantry\nname        b1", its_own)
    assert len(problems(tmp_path, scenario)) == 1


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("position    0 -8 0", "'a1' begins outside of the border 'field', which the rules of the match forbid"),
        ("position    -3 0 0", "'a1' begins in the water 'lake', which the rules of the match forbid"),
    ],
)
def test_who_begins_where_the_rules_forbid_it_is_warned_of(tmp_path: Path, after: str, said: str) -> None:
    scenario = text().replace("position    0 -3 0", after)
    (problem,) = problems(tmp_path, scenario)
    assert said in problem
    assert "warning" in problem
    swimmer = "type        game_amphibian\nname        a1"
    scenario = scenario.replace("type        game_infantry\nname        a1", swimmer)
    assert len(problems(tmp_path, scenario)) == ("border" in said)


def test_of_several_borders_one_around_a_robot_is_enough(tmp_path: Path) -> None:
    more = "[AREA_8]\ntype border\nname yard\npoints 30 30 40 30 40 40 30 40\n"
    assert problems(tmp_path, f"{text()}\n{more}") == []
    beyond = problems(tmp_path, f"{text()}\n{more}".replace(AT, "blue 35 45 0"))
    assert ["lies outside of the border" in line for line in beyond] == [True]
