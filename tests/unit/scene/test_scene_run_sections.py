"""What people chose while a scene ran, in the file of the scene: its engine, and control laws."""

import pytest

from coopsim.scene import Controller, placements_of, with_engine, with_laws

ROBOTS = """\
# a yard
[ROBOT_1]
type single
name anna   # the first

[ROBOT_2]
type single
name bert

[ROBOT_3]
type single
name c
count 3
grid 3x1 2
"""
WANDER = Controller("wander", ("anna",), (("speed", ("0.2",)),))


def saved(text: str, *laws: Controller) -> str:
    return with_laws(text, laws, placements_of(text))


def test_a_law_that_somebody_started_is_a_section_with_its_options() -> None:
    text = saved(ROBOTS, WANDER)
    assert text == f"{ROBOTS}\n[CONTROLLER_1]\nrun         wander\nrobots      anna\nspeed       0.2\n"
    assert saved(text, WANDER) == text, "it is said once"


def test_a_robot_has_one_law_and_sections_without_robots_leave() -> None:
    text = f"{ROBOTS}\n# all of them\n[CONTROLLER_1]\nrun seek\nrobots anna bert   # two\ntarget red\n"
    one_left = saved(text, WANDER)
    assert "robots bert   # two" in one_left
    assert "[CONTROLLER_2]\nrun         wander\nrobots      anna\n" in one_left
    none_left = saved(text, Controller("orca", ("anna", "bert")))
    assert none_left == f"{ROBOTS}\n[CONTROLLER_1]\nrun         orca\nrobots      anna bert\n"


@pytest.mark.parametrize(
    ("word", "left"), [("c", "c1 c3"), ("c*", "c1 c3"), ("c1-c3", "c1 c3"), ("*", "anna bert c1 c3")]
)
def test_robots_are_found_behind_counted_sections_and_patterns(word: str, left: str) -> None:
    text = f"{ROBOTS}\n[CONTROLLER_1]\nrun seek\nrobots {word}\ntarget red\n"
    assert f"robots {left}\n" in saved(text, Controller("wander", ("c2",)))


def test_of_two_laws_for_a_robot_the_newest_counts() -> None:
    text = saved(ROBOTS, Controller("seek", ("anna", "bert")), WANDER)
    assert "run         seek\nrobots      bert\n" in text
    assert "run         wander\nrobots      anna\n" in text


def test_an_engine_is_written_with_what_is_chosen_of_it_and_the_rest_stays() -> None:
    assert with_engine(ROBOTS, "mujoco") == ROBOTS.replace("[ROBOT_1]", "[SIMULATION]\nengine      mujoco\n\n[ROBOT_1]")
    text = f"{ROBOTS}\n[SIMULATION]\nengine pymunk  # fast\nsubsteps 2\nstep 0.02\n"
    assert with_engine(text, "mujoco+rk4").endswith("[SIMULATION]\nengine mujoco  # fast\nstep 0.02\nintegrator rk4\n")
    assert with_engine(text, "pymunk+2") == text


@pytest.mark.parametrize("text", [ROBOTS, f"{ROBOTS}\n[SIMULATION]\nstep 0.02\n"])
def test_the_usual_engine_needs_no_line(text: str) -> None:
    assert with_engine(text, "pymunk") == text


def test_a_law_that_drives_no_more_leaves_with_the_section_that_was_written_for_it() -> None:
    text = saved(ROBOTS, WANDER)
    assert with_laws(text, (), placements_of(text), dropped=(WANDER,)) == ROBOTS
    seeking = Controller("seek", ("anna",))
    assert with_laws(text, (), placements_of(text), dropped=(seeking,)) == text, "the file has another one"
    assert with_laws(text, (WANDER,), placements_of(text), dropped=(WANDER,)) == text, "it was started again"
