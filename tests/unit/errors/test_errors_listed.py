"""Words of refusals: names that are near, and lists that are not without end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument, NoReply
from coopsim.suggest import did_you_mean, listed

NAMES = ("robot1", "robot2", "red", "floor")


@given(st.lists(st.text("abc", min_size=1, max_size=5), max_size=60))
def test_a_list_for_people_stays_short(names: list[str]) -> None:
    assert len(listed(names)) < 400


@given(st.text(max_size=2000))
def test_a_word_of_a_stranger_never_makes_a_suggestion_long(word: str) -> None:
    assert len(did_you_mean(word, NAMES)) < 60


@pytest.mark.parametrize(("word", "near"), [("robto1", "robot1"), ("flor", "floor"), ("rad", "red"), ("xyzzy", "")])
def test_the_nearest_name_is_suggested_and_a_far_one_is_not(word: str, near: str) -> None:
    assert did_you_mean(word, NAMES) == (f"; did you mean {near!r}?" if near else "")


def test_a_problem_keeps_what_it_brings_and_its_own_cure() -> None:
    problem = BadArgument("v must lie within 0 and 1").bring("v", 0.0, 1.0)
    assert (problem.params, str(problem)) == (("v", 0.0, 1.0), "v must lie within 0 and 1")
    advised = NoReply("no reply").advise("Start it.")
    assert advised.cure == "Start it."
    assert NoReply("no reply").cure != "Start it."
