"""Errors as programs use them: found by number, with params and a cure of the case, in threads and processes."""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import (
    BadArgument,
    CoopsimError,
    NoSuchName,
    RunError,
    all_errors,
    cure_line,
    error_for,
)

NUMBERED = all_errors()


@given(st.integers(-10, 10_000))
def test_every_number_gives_an_error_of_its_own_or_of_its_range(number: int) -> None:
    error = error_for(number)
    assert issubclass(error, CoopsimError)
    if number in NUMBERED:
        assert error is NUMBERED[number]
    else:
        assert error is NUMBERED.get(number // 100 * 100, CoopsimError)


def test_errors_are_listed_by_number() -> None:
    assert list(NUMBERED) == sorted(NUMBERED)
    assert NUMBERED[1] is CoopsimError
    assert {number // 100 for number in NUMBERED} == set(range(8))


@pytest.mark.parametrize("error", NUMBERED.values(), ids=lambda error: error.__name__)
def test_its_meaning_is_a_sentence_and_its_cure_says_what_to_do(error: type[CoopsimError]) -> None:
    meaning = (error.__doc__ or "").splitlines()[0]
    assert re.fullmatch(r"(?:[A-Z]|coopsim ).*\.", meaning), meaning
    assert error.cure == "" or error.cure.endswith((".", "?")), error.cure
    assert "\n" not in error.cure
    assert len(meaning) < 120


@pytest.mark.parametrize("error", NUMBERED.values(), ids=lambda error: error.__name__)
def test_it_passes_from_process_to_process_with_its_text_params_and_cure(error: type[CoopsimError]) -> None:
    problem = error("what went wrong").bring("name", 3).advise("Do this.")
    again = pickle.loads(pickle.dumps(problem))
    assert type(again) is error
    assert (str(again), again.params, again.cure) == ("what went wrong", ("name", 3), "Do this.")


def test_params_and_cure_are_those_of_one_case_alone() -> None:
    problem = BadArgument("too fast").bring("speed", 0.0, 2.0).advise("")
    assert (problem.params, problem.cure) == (("speed", 0.0, 2.0), "")
    foreign = BadArgument("too slow")
    assert foreign.params == ()
    assert foreign.cure == BadArgument.cure != ""


def test_programs_catch_one_a_range_or_all() -> None:
    for caught in (NoSuchName, error_for(200), CoopsimError):
        with pytest.raises(caught):
            raise NoSuchName("nobody is called so")
    assert not issubclass(NoSuchName, RunError)


@pytest.mark.parametrize(("code", "cure", "line"), [(204, "Wait.", "error 204: Wait."), (204, "", "error 204")])
def test_the_line_below_a_text_has_the_number_and_a_cure_where_there_is_one(code: int, cure: str, line: str) -> None:
    assert cure_line(code, cure) == line
