"""Values as lines of text: every number keeps its type and its bits, and `n:` stands for both."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.testkit.conformance.values import alike, read, read_list, written, written_list

INTEGERS = st.integers(-(2**63), 2**64 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.one_of(INTEGERS, st.floats(allow_nan=False), TEXTS)


@given(VALUES)
def test_a_value_comes_back_in_its_type_with_all_of_its_bits(value: float | str) -> None:
    again = read(written(value))
    assert type(again) is type(value)
    assert written(again) == written(value)
    if isinstance(value, float):
        assert isinstance(again, float)
        assert struct.pack(">d", again) == struct.pack(">d", value)
    else:
        assert again == value


@given(st.lists(VALUES, max_size=6))
def test_a_list_is_its_values_with_blanks_between_them(values: list[float | str]) -> None:
    text = written_list(values)
    assert len(text.split()) == len(values)
    assert written_list(read_list(text)) == text


def test_not_a_number_and_the_sign_of_zero_are_kept() -> None:
    assert math.isnan(float(read(written(math.nan))))
    assert math.copysign(1.0, float(read(written(-0.0)))) == -1.0
    assert written(0) != written(0.0) != written(-0.0)


@pytest.mark.parametrize("text", ["", "i:", "i:1.5", "f:3ff0", "f:zzzzzzzzzzzzzzzz", "s:zz", "s:ff", "x:1", "12", "n:"])
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text)


@given(st.integers(-(2**53), 2**53))
def test_a_number_without_a_type_means_the_integer_and_the_float(number: int) -> None:
    either = f"n:{struct.pack('>d', float(number)).hex()}"
    assert alike(written(number), either)
    assert alike(written(float(number)), either)
    assert not alike(written(number + 1.5), either)
    assert not alike(written(str(number)), either)


@pytest.mark.parametrize(
    ("wanted", "found", "is_alike"),
    [
        ("i:1 i:2", "i:1 i:2", True),
        ("i:1 i:2", "i:1", False),
        ("i:1", "i:1 i:2", False),
        ("", "", True),
        ("i:1", "f:3ff0000000000000", False),
        ("s:61", "n:3ff0000000000000", False),
        ("i:1 s:61", "n:3ff0000000000000 s:61", True),
    ],
)
def test_fields_mean_the_same_where_all_of_their_values_do(wanted: str, found: str, is_alike: bool) -> None:
    assert alike(wanted, found) == is_alike
