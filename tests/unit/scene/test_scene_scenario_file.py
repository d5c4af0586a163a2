"""`.scenario` files: the paper's template, our sections, and their mistakes."""

import math
from pathlib import Path

import pytest

from coopsim.scene import Controller, Event, Problems, Scenario, Settings, read_scenario

FIG_8 = """\
[WORLD] file\tarena.world
[TARGET]\t
color_1\t3 2 0
color_n\t-3 2 0
[ROBOT_1]
type\tsingle
name\trobot1
position\t1 2 0
orientation\t0 0 90
color\t237 115 33
[ROBOT_N]
type\tteam2
name\tteam1
position\t1 0 0
orientation\t0 0 0
color\t0 255 0
"""
ARENA = "[FLOOR]\nsize 10 10 0.1\n[WALL_1]\ntype box\nsize 10 0.2 0.5\nposition 0 5 0\n"


def scenario(tmp_path: Path, text: str) -> tuple[Scenario, Problems]:
    (tmp_path / "arena.world").write_text(ARENA)
    (tmp_path / "a.scenario").write_text(text)
    return read_scenario(tmp_path / "a.scenario")


def good(tmp_path: Path, text: str) -> Scenario:
    spec, problems = scenario(tmp_path, text)
    assert str(problems) == ""
    return spec


def test_the_template_of_figure_8_filled_in_is_read_as_printed_C_69(tmp_path: Path) -> None:
    spec = good(tmp_path, FIG_8)
    assert len(spec.world.objects) == 1
    assert len(spec.targets) == 2
    assert len(spec.robots) == 2


@pytest.mark.parametrize("text", ["[WORLD]\nfile arena.world\n", "[WORLD] file ./arena.world\n"])
def test_a_world_file_is_found_from_the_folder_of_the_scenario_C_70(tmp_path: Path, text: str) -> None:
    assert good(tmp_path, text).world.objects[0].name == "wall_1"


def test_targets_are_named_by_colour_and_a_literal_color_1_is_a_name_too_C_71(tmp_path: Path) -> None:
    """C-98: `color_1` is a literal key, too, and stands for a colour."""
    spec = good(tmp_path, "[TARGET]\nred 4 3 0\nblue_2 -4 3 0\ncolor_1 1 1 0\ncolor_2 2 2 0\n")
    assert [target.name for target in spec.targets] == ["red", "blue_2", "color_1", "color_2"]
    assert [target.color for target in spec.targets[:2]] == [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    assert [target.color for target in spec.targets[2:]] == [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)], "the first is red"


def test_a_robot_has_type_name_position_orientation_and_color_C_72(tmp_path: Path) -> None:
    robot = good(tmp_path, FIG_8).robots[0]
    assert (robot.type, robot.name, robot.position) == ("single", "robot1", (1.0, 2.0, 0.0))
    assert robot.orientation == pytest.approx((0.0, 0.0, math.pi / 2))
    assert robot.color == pytest.approx((237 / 255, 115 / 255, 33 / 255))


def test_a_scenario_without_a_world_stands_on_the_empty_floor_C_53(tmp_path: Path) -> None:
    spec = good(tmp_path, "[ROBOT_1]\ntype single\n")
    assert (spec.world.objects, spec.robots[0].name) == ((), "robot_1")


@pytest.mark.parametrize("section", ["OBJECT_1", "wall_2", "FLOOR"])
def test_a_section_of_a_world_says_where_it_belongs(tmp_path: Path, section: str) -> None:
    _, problems = scenario(tmp_path, f"[ROBOT_1]\ntype single\n\n[{section}]\nsize 1 1 1\n")
    (problem,) = problems
    assert problem.text == f"[{section}] belongs in a .world file, and `file` of [WORLD] names that"
    assert problem.span.line == 4


def test_a_world_is_looked_for_in_further_folders_too(tmp_path: Path) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "a.world").write_text(ARENA)
    (tmp_path / "a.scenario").write_text("[WORLD]\nfile a.world\n")
    spec, problems = read_scenario(tmp_path / "a.scenario", [tmp_path / "worlds"])
    assert (problems.total, len(spec.world.objects)) == (0, 1)


@pytest.mark.parametrize(
    ("file", "why"), [("none.world", "there is no such file"), (".", "is a directory, expected a file")]
)
def test_a_world_that_cannot_be_read_is_reported_where_it_is_named(tmp_path: Path, file: str, why: str) -> None:
    _, problems = scenario(tmp_path, f"[WORLD]\nfile   {file}\n")
    assert str(problems).startswith(f"{tmp_path / 'a.scenario'}:2:8: world file ")
    assert why in str(problems)


def test_mistakes_in_the_world_are_reported_in_its_file_after_those_of_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "bad.world").write_text("[FLOOR]\nsize 1\n")
    _, problems = scenario(tmp_path, "[WORLD]\nfile bad.world\n[ROBOT_1]\nname robot1\n")
    assert [problem.span.file for problem in problems] == [str(tmp_path / "a.scenario"), str(tmp_path / "bad.world")]


def test_robots_targets_and_things_of_the_world_share_one_name_space_C_51(tmp_path: Path) -> None:
    text = "[WORLD]\nfile arena.world\n[TARGET]\nred 1 1 0\n"
    text += "".join(f"[ROBOT_{i}]\ntype single\nname {name}\n" for i, name in enumerate(["wall_1", "red", "r", "r"]))
    _, problems = scenario(tmp_path, text)
    assert [problem.span.line for problem in problems] == [7, 10, 16]
    assert f"the name 'wall_1' is already taken at {tmp_path / 'arena.world'}:3:1" in str(problems)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("gren 1 2 3", "'gren' is not a colour (gren → green?)"),
        ("goal 1 2 3", "'goal' is not a colour"),
        ("red 1 2", "red takes 3 numbers (x y z), got 2"),
        ("red 1 2 x", "red expects a number, got 'x'"),
        ("2red 1 2 3", "'2red' is no name"),
    ],
)
def test_a_wrong_target_is_reported(tmp_path: Path, line: str, text: str) -> None:
    spec, problems = scenario(tmp_path, f"[TARGET]\n{line}\n")
    assert text in str(problems)
    assert (problems.total, spec.targets) == (1, ())


def test_a_robot_without_a_type_is_reported_and_its_name_is_kept(tmp_path: Path) -> None:
    spec, problems = scenario(tmp_path, "[ROBOT_1]\nname robot1\n")
    assert "[ROBOT_1] needs the key 'type'" in str(problems)
    assert [(robot.name, robot.type) for robot in spec.robots] == [("robot1", "")]


def test_simulation_settings_are_read_and_those_not_given_are_the_defaults(tmp_path: Path) -> None:
    text = (
        "[SIMULATION]\nmode lockstep\nstep 0.02\nspeed 2\nseed 9007199254740993\nduration 60\npatience 0\npolicy hold\n"
    )
    given = good(tmp_path, text).settings
    assert given == Settings("lockstep", 0.02, 2.0, 9007199254740993, 60.0, 0.0, "hold")
    assert good(tmp_path, "[ROBOT_1]\ntype single\n").settings == Settings()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("step 0", "step must lie within 0.0001 and 1 s, got 0"),
        ("step inf", "step expects a finite number"),
        ("speed 1000", "speed must lie within 0.1 and 100, got 1000"),
        ("seed 1.5", "seed expects a whole number, got '1.5'"),
        ("seed -1", "seed must lie within 0"),
        ("duration 0", "duration must lie within 0.001"),
        ("patience -1", "patience must lie within 0 and 3600 s"),
        ("sped 1", "knows no key 'sped' (sped → speed?)"),
    ],
)
def test_a_wrong_setting_is_reported(tmp_path: Path, line: str, text: str) -> None:
    spec, problems = scenario(tmp_path, f"[SIMULATION]\n{line}\n")
    assert text in str(problems)
    assert (problems.total, spec.settings) == (1, Settings())


def test_a_controller_has_a_law_robots_and_arguments(tmp_path: Path) -> None:
    text = "[CONTROLLER_1]\nrun formation\nrobots robot1 robot2\nShape triangle\nspacing 0.8\n"
    arguments = (("shape", ("triangle",)), ("spacing", ("0.8",)))
    assert good(tmp_path, text).controllers == (Controller("formation", ("robot1", "robot2"), arguments),)


def test_a_controller_may_be_a_command_of_several_words(tmp_path: Path) -> None:
    spec = good(tmp_path, "[CONTROLLER_1]\nrun python my law.py\nrobots robot1\n")
    assert spec.controllers[0].run == "python my law.py"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("robots robot1\n", "needs the key 'run'"),
        ("run wander\nrobts robot1\n", "needs the key 'robots' (robts → robots?)"),
        ("run wander\nrobots robot1\nspac;ing 1\n", "'spac;ing' cannot be the name of an argument"),
        ("run wander\nrobots robot1\nspacing 1\nspacing 2\n", "'spacing' is given twice"),
    ],
)
def test_a_wrong_controller_is_reported(tmp_path: Path, text: str, expected: str) -> None:
    _, problems = scenario(tmp_path, "[CONTROLLER_1]\n" + text)
    assert expected in str(problems)
    assert problems.total == 1


def test_events_set_parameters_and_reset_at_a_time(tmp_path: Path) -> None:
    text = "[EVENT_1]\nat 20\nset robot1.sonars.noise 0.05\nset robot1.target.robots a b\n[EVENT_2]\nat 40\nreset all\n"
    first, second = good(tmp_path, text).events
    assert first == Event(20.0, (("robot1.sonars.noise", "0.05"), ("robot1.target.robots", "a b")))
    assert second == Event(40.0, (), "all")


@pytest.mark.parametrize(
    ("line", "reset", "seed"),
    [
        ("reset poses", "poses", None),
        ("reset ALL seed=7", "all", 7),
        ("reset poses SEED=9223372036854775807", "poses", 2**63 - 1),
    ],
)
def test_an_event_puts_poses_or_all_back_and_may_change_the_seed(
    tmp_path: Path, line: str, reset: str, seed: int | None
) -> None:
    assert good(tmp_path, f"[EVENT_1]\nat 20\n{line}\n").events == (Event(20.0, (), reset, seed),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reset all\n", "needs the key 'at'"),
        ("at -1\nreset all\n", "at must lie within 0"),
        ("at 1\n", "[EVENT_1] does nothing"),
        ("at 1\nreset everything\n", "reset expects poses, all; got 'everything'"),
        ("at 1\nreset pose\n", "(pose → poses?)"),
        ("at 1\nreset all 7\n", "reset takes poses or all, then perhaps seed=N; got 'all 7'"),
        ("at 1\nreset all seed=7 8\n", "then perhaps seed=N"),
        ("at 1\nreset all seed=-1\n", "reset seed must lie within 0"),
        ("at 1\nreset all seed=\n", "reset seed expects a number"),
        ("at 1\nset robot1.sonars.noise\n", "set takes robot.module.parameter and a value"),
    ],
)
def test_a_wrong_event_is_reported(tmp_path: Path, text: str, expected: str) -> None:
    _, problems = scenario(tmp_path, "[EVENT_1]\n" + text)
    assert expected in str(problems)
    assert problems.total == 1


def test_lines_are_kept_as_written_with_the_place_of_every_word(tmp_path: Path) -> None:
    entry = good(tmp_path, "[EVENT_1]\nat 20\n  Set  robot1.sonars.noise\t0.05 # why\n").events[0].entries[1]
    assert (entry.key, entry.values) == ("Set", ("robot1.sonars.noise", "0.05"))
    assert [(span.line, span.column, span.length) for span in (entry.span, *entry.value_spans)] == [
        (3, 3, 3),
        (3, 8, 19),
        (3, 28, 4),
    ]
