"""Reading of model files token by token: what comes, what was expected, and how reading goes on behind a mistake."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.amsa.components.cursor import Cursor, Unexpected
from coopsim.features.amsa.components.tokens import END, tokens_of
from coopsim.scene import Problems


class Read:
    """A text and what was noted of it."""

    def __init__(self, text: str) -> None:
        self.problems = Problems()
        self.cursor = Cursor(tokens_of(text, "a.amsa", self.problems), "a.amsa", self.problems)

    def refused(self, read: Callable[[], object]) -> str:
        """Return what is noted when something cannot be read."""
        with pytest.raises(Unexpected):
            read()
        return self.noted()[-1]

    def noted(self) -> list[str]:
        return [line for line in str(self.problems).splitlines() if line.startswith("a.amsa:")]


def test_tokens_are_taken_one_after_the_other_and_the_end_stays() -> None:
    cursor = Read("data x = 1; // the rest is a comment").cursor
    words = []
    while cursor.next.kind != END:
        words.append(cursor.next_token().text)
    assert words == ["data", "x", "=", "1", ";"]
    assert cursor.next_token().kind == cursor.next_token().kind == END
    assert cursor.mistakes == 0


def test_a_text_is_no_sign_though_it_looks_like_one() -> None:
    cursor = Read('"{" {').cursor
    assert not cursor.comes('"{"')
    cursor.next_token()
    assert cursor.comes("{")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.35", 0.35),
        ("-3", -3),
        ("+7", 7),
        ("1e3", 1000.0),
        ('"a \\"b\\""', 'a "b"'),
        ("true", True),
        ("false", False),
    ],
)
def test_a_value_is_a_number_a_text_or_yes_or_no(text: str, value: object) -> None:
    read = Read(text).cursor.value()
    assert (read, type(read)) == (value, type(value))


@given(st.fractions(-(10**9), 10**9, max_denominator=1).map(int), st.integers(0, 9999))
def test_numbers_are_exact(whole: int, thousandths: int) -> None:
    text = f"{whole}.{thousandths:04d}"
    assert Read(text).cursor.number("a rate") == Fraction(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fast", "expected a rate, a number, got 'fast'"),
        ("1e31", "expected a rate, a number of usual size"),
        ("1e-31", "of usual size"),
        ("1" * 41, "of usual size"),
        ("1e999", "of usual size"),
        ("", "expected a rate, a number, got the end of the file"),
    ],
)
def test_what_is_no_number_of_usual_size_is_refused_with_its_place(text: str, says: str) -> None:
    read = Read(text)
    assert says in read.refused(lambda: read.cursor.number("a rate"))


def test_a_semicolon_that_is_missing_at_the_end_of_a_line_is_noted_where_it_should_be() -> None:
    read = Read("data x\ndata y;")
    read.cursor.next_token()
    read.cursor.next_token()
    read.cursor.expect(";")
    assert read.cursor.comes("data")
    assert read.noted() == ["a.amsa:1:6: expected ';' behind 'x'"]


def test_within_a_line_it_is_missed_as_everything_else() -> None:
    read = Read("data x data y;")
    read.cursor.next_token()
    read.cursor.next_token()
    assert "1:8: expected ';', got 'data'" in read.refused(lambda: read.cursor.expect(";"))


def test_a_word_that_is_nearly_right_is_guessed() -> None:
    read = Read("senser")
    said = read.refused(lambda: read.cursor.one_of(("sensor", "observer"), "a kind"))
    assert "expected a kind, got 'senser'" in said
    assert "sensor" in said.partition("senser")[2]
    assert Read("observer").cursor.one_of(("sensor", "observer"), "a kind").text == "observer"


@pytest.mark.parametrize("text", ["12", '"name"', "{", ""])
def test_a_name_is_a_word(text: str) -> None:
    read = Read(text)
    assert "expected a name, got" in read.refused(lambda: read.cursor.name("a name"))


def statements(read: Read) -> list[str]:
    """Return the names of the statements `data NAME;` of a block that can be read."""
    names: list[str] = []

    def statement() -> None:
        read.cursor.expect("data")
        name = read.cursor.name("a name").text
        read.cursor.expect(";")
        names.append(name)

    read.cursor.block(statement)
    return names


@pytest.mark.parametrize(
    ("text", "names", "mistakes"),
    [
        ("{ data a; data b; }", ["a", "b"], 0),
        ("{ dota a; data b; }", ["b"], 1),
        ("{ data 1; data b; data; data c; }", ["b", "c"], 2),
        ("{ wrong { data x; data y; } data b; }", ["b"], 1),
        ("{ data { } data b; }", ["b"], 1),
        ("{ }", [], 0),
    ],
)
def test_behind_a_mistake_reading_goes_on_with_the_next_statement(text: str, names: list[str], mistakes: int) -> None:
    read = Read(text)
    assert statements(read) == names
    assert len(read.noted()) == mistakes
    assert read.cursor.next.kind == END


def test_a_block_that_is_not_closed_ends_with_the_file() -> None:
    read = Read("{ data a;")
    assert "expected '}', got the end of the file" in read.refused(lambda: statements(read))


def test_blocks_in_each_other_have_a_limit() -> None:
    read = Read("{" * 100)

    def deeper() -> None:
        read.cursor.block(deeper)

    with pytest.raises(Unexpected):
        deeper()
    assert any("more than 64 blocks are in each other" in line for line in read.noted())


@given(st.text('{}();:,.=@/-><"ab1 \n', max_size=60))
def test_whatever_stands_there_reading_comes_to_an_end(text: str) -> None:
    read = Read("{" + text)
    try:
        statements(read)
    except Unexpected:
        assert read.noted()
