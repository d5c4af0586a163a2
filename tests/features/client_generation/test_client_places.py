"""Names, places and words of typed clients, whatever a description says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.client_generation.model import Place, about, places
from coopsim.features.client_generation.naming import camel, check_names, constant, pascal, snake
from coopsim.features.client_generation.types import type_of
from coopsim.interfaces import Command, Field, Interface, Parameter

WORDS = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True), min_size=1, max_size=4)


@given(WORDS)
def test_a_name_in_one_convention_is_the_same_name_in_every_other(words: list[str]) -> None:
    name = "_".join(words)
    assert snake(name) == name
    assert constant(name) == name.upper()
    assert pascal(name) == "".join(word[0].upper() + word[1:] for word in words)
    assert camel(name) == pascal(name)[0].lower() + pascal(name)[1:]


def read(place: Place, values: list[int]) -> list[int]:
    """Return the values of a place, as a generated client reads them."""
    if place.count:
        start = place.start if place.start >= 0 else len(values) + place.start
        return values[start : start + place.count]
    run = values[place.start : len(values) - place.end]
    length = len(run) // place.parts
    return run[place.part * length : (place.part + 1) * length]


@given(
    st.lists(st.integers(1, 3), max_size=4),
    st.integers(0, 3),
    st.integers(0, 5),
    st.lists(st.integers(1, 3), max_size=4),
)
def test_each_field_is_read_where_it_stands_however_long_the_runs_between_are(
    before: list[int], runs: int, length: int, behind: list[int]
) -> None:
    counts: list[int | str] = [*before, *["count"] * runs, *behind]
    fields = [Field(f"f{k}", "m", count=count) for k, count in enumerate(counts)]
    values, expected = [], []
    for k, count in enumerate(counts):
        own = [10 * k] * (length if isinstance(count, str) else count)
        values += own
        expected.append(own)
    assert [read(place, values) for place in places(fields)] == expected


def test_a_single_value_is_told_from_a_run_of_one() -> None:
    single, run = places([Field("a", "m"), Field("b", "m", count=0)])
    assert (single.is_single, run.is_single) == (True, False)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.0, 2.0, "0 to 2"),
        (0.5, math.inf, "at least 0.5"),
        (-math.inf, 3.0, "at most 3"),
        (-math.inf, math.inf, ""),
        (0.0, math.inf, "at least 0"),
    ],
)
def test_limits_are_said_as_far_as_there_are_any(low: float, high: float, words: str) -> None:
    assert about(Parameter("x", float, "", low=low, high=high)) == words  # type: ignore[arg-type]
    remark = about(Parameter("x", float, 1.0, "m", low, high, "how far"))
    assert remark == "; ".join(word for word in ("[m] how far", words, "default 1.0") if word)


@pytest.mark.parametrize(
    ("kind", "field", "type_name"),
    [
        ("strange", Field("word"), "value"),
        ("strange", Field("word", encoding="png"), "text"),
        ("clock", Field("word"), "text"),
        ("clock", Field("words", count=0), "texts"),
        ("camera", Field("width"), "text"),
        ("strange", Field("word", default=3), "int"),
        ("strange", Field("word", default=3.5), "float"),
        ("strange", Field("word", choices=("a", 1)), "text"),
        ("strange", Field("word", low=0.0), "int"),
        ("clock", Field("seconds", "s"), "float"),
    ],
)
def test_a_value_of_a_stranger_may_be_anything_that_nothing_shows(kind: str, field: Field, type_name: str) -> None:
    assert type_of(kind, "read", field) == type_name


@pytest.mark.parametrize(
    ("kind", "command", "value", "what"),
    [
        ("a b", "go", "v", "the kind 'a b'"),
        ("k", "1st", "v", "the command '1st'"),
        ("k", "go", "v w", "the value of go 'v w'"),
        ("k", "go", "ä", "the value of go 'ä'"),
    ],
)
def test_every_name_of_a_stranger_is_checked_and_the_bad_one_named(
    kind: str, command: str, value: str, what: str
) -> None:
    interface = Interface(kind, "", (Command(10, command, takes=(Field(value, "m"),)),))
    with pytest.raises(BadArgument, match=f"{what} can be no name in a program"):
        check_names(interface)


def test_names_that_are_well_formed_pass() -> None:
    parameters = (Parameter("max_speed", float, 1.0),)
    check_names(Interface("rover2", "", (Command(10, "go_to", gives=(Field("x", "m"),)),), parameters))
    with pytest.raises(BadArgument, match="the parameter 'max speed'"):
        check_names(Interface("rover", "", (), (Parameter("max speed", float, 1.0),)))
