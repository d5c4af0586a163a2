"""`[GOAL_n]` sections: what they mean, where they are wrong, and that saving keeps them."""

from pathlib import Path

import pytest

from coopsim.robots import check, load
from coopsim.scene import Goal, scenario_text

SCENE = """\
[WORLD]
file arena
[TARGET]
red 3 0 0
[ROBOT_1]
type single
name robot1
position 0 0 0
[ROBOT_2]
type single
name robot2
position -1 0 0
"""


def problems(tmp_path: Path, text: str) -> str:
    path = tmp_path / "a.scenario"
    path.write_text(SCENE + text)
    return "\n".join(str(problem) for problem in check(path))


def goals(tmp_path: Path, text: str) -> tuple[Goal, ...]:
    path = tmp_path / "a.scenario"
    path.write_text(SCENE + text)
    return load(path).scenario.goals


def test_a_goal_without_robots_is_one_of_all_and_has_the_name_of_its_section(tmp_path: Path) -> None:
    (goal,) = goals(tmp_path, "[GOAL_1]\nreach red 0.4\nwithin 20\n")
    assert goal == Goal("goal_1", "reach", "entity", "red", (0.4,), ("robot1", "robot2"), 20.0)


def test_all_kinds_are_read(tmp_path: Path) -> None:
    read_goals = goals(
        tmp_path,
        "[GOAL_1]\nname there\nreach 1 2 0.5\nrobots robot1\n"
        "[GOAL_2]\nkeep formation 0.3\nuntil there\n[GOAL_3]\nkeep distance red 0 4\nrobots robot2\nuntil 5\n"
        "[GOAL_4]\navoid area 1 1 2 2\n[GOAL_5]\navoid clearance 0.1\n[GOAL_6]\navoid reading bumpers.front 0.5\n"
        "[GOAL_7]\nscore path_length\n[GOAL_8]\nscore formation_error_max below 0.5\n",
    )
    assert [goal.measure for goal in read_goals] == [
        *("point", "formation", "distance", "area", "clearance", "reading", "value", "below"),
    ]
    assert (read_goals[1].until_goal, read_goals[2].until, read_goals[2].robots) == ("there", 5.0, ("robot2",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[GOAL_1]\nreach rde 0.4\n", "14:7: no robot, object or target 'rde' (rde → red?)"),
        ("[GOAL_1]\nreach red x\n", "14:11: reach expects a number"),
        ("[GOAL_1]\nreach red\n", "14:1: reach takes `ENTITY DISTANCE` or `X Y DISTANCE`"),
        ("[GOAL_1]\nname a\n", "13:1: [GOAL_1] needs one of reach, keep, avoid, score"),
        ("[GOAL_1]\nreach red 1\nscore time\n", "13:1: [GOAL_1] has reach and score: one goal says one thing"),
        (
            "[GOAL_1]\nkeep formtion 1\n",
            "14:6: keep expects formation, distance; got 'formtion' (formtion → formation?)",
        ),
        ("[GOAL_1]\nkeep distance red 4 1\n", "14:19: keep expects the least distance before the largest"),
        ("[GOAL_1]\navoid reading bumper.front 1\n", "14:15: single has no module 'bumper' (bumper → bumpers?)"),
        ("[GOAL_1]\nscore pathlength\n", "14:7: no metric 'pathlength' (pathlength → path_length?)"),
        ("[GOAL_1]\nscore time under 3\n", "14:12: score takes a metric, then perhaps below or above"),
        ("[GOAL_1]\nkeep formation 1\nuntil there\n", "15:7: no goal to reach 'there'"),
        ("[GOAL_1]\nkeep formation 1\nwithin 3\n", "15:8: within belongs to reach"),
        ("[GOAL_1]\nreach red 1\nrobots robt1\n", "15:8: no robot 'robt1' (robt1 → robot1?)"),
        ("[GOAL_1]\nscore time\nname a\n[GOAL_2]\nscore time\nname a\n", "18:6: a goal called 'a' stands above"),
    ],
)
def test_mistakes_have_their_place_and_their_cure(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in problems(tmp_path, text)


def test_saving_keeps_goals_and_forgets_robots_that_are_gone(tmp_path: Path) -> None:
    text = SCENE + "[GOAL_1]  # first\nreach red 0.4\nrobots robot1 robot2\n[GOAL_2]\nreach red 1\nrobots robot2\n"
    (tmp_path / "a.scenario").write_text(text)
    scene = load(tmp_path / "a.scenario").scenario
    assert scenario_text(text, "", scene.targets, scene.robots) == text
    left = scenario_text(text, "", scene.targets, scene.robots[:1])
    assert "robots robot1\n" in left
    assert "GOAL_2" not in left
