"""Dataclasses as plain data and back."""

from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from coopsim.state.plain import AnyFloat, Misfit
from coopsim.state.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Place:
    x: float
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class GoTo:
    place: Place
    ways: tuple[Place, ...] = ()
    named: dict[str, Place] = field(default_factory=dict)
    last: Place | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    word: ClassVar[str] = "noise"

    level: AnyFloat


WORDS: Vocabulary[GoTo | Heard] = Vocabulary("word", (GoTo, Heard))


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        (Heard(2.5), {"word": "noise", "level": 2.5}),
        (GoTo(Place(1.0)), {"word": "go_to", "place": {"x": 1.0}}),
        (GoTo(Place(1.0, 2.0), names=("a",)), {"word": "go_to", "place": {"x": 1.0, "y": 2.0}, "names": ("a",)}),
        (GoTo(Place(1.0), last=Place(3.0)), {"word": "go_to", "place": {"x": 1.0}, "last": {"x": 3.0}}),
    ],
)
def test_a_message_comes_back_as_it_was(message: GoTo | Heard, plain: dict[str, object]) -> None:
    assert WORDS.to_plain(message) == plain
    assert WORDS.from_plain(plain) == message


def test_dataclasses_in_tuples_and_maps_are_made_from_plain_data() -> None:
    plain = {"word": "go_to", "place": {"x": 1.0}, "ways": [{"x": 2.0}], "named": {"home": {"x": 3.0}}}
    assert WORDS.from_plain(plain) == GoTo(Place(1.0), (Place(2.0),), {"home": Place(3.0)})


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ([], "expected a map, found list of 0"),
        ({}, "word: expected a name, found None"),
        ({"word": 3}, "word: expected text, found 3"),
        ({"word": "run"}, "word: expected one of go_to, noise, found 'run'"),
        ({"word": "noise"}, "level: expected a value, found None"),
        ({"word": "noise", "level": "loud"}, "level: expected a number, found 'loud'"),
        ({"word": "noise", "level": 1.0, "pitch": 2}, "pitch: expected no field of this name, but level, found 2"),
        ({"word": "go_to", "place": {"x": "a"}}, "place.x: expected a finite number, found 'a'"),
        ({"word": "go_to", "place": 3}, "place: expected a map, found 3"),
        ({"word": "go_to", "place": {"x": 1}, "ways": [3]}, r"ways\[0\]: expected a map, found 3"),
        ({"word": "go_to", "place": {"x": 1}, "named": {"a": 3}}, "named.a: expected a map, found 3"),
        ({"word": "go_to", "place": {"x": 1}, "names": [3]}, r"names\[0\]: expected text, found 3"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(plain: object, text: str) -> None:
    with pytest.raises(Misfit, match=text):
        WORDS.from_plain(plain)


def test_a_number_that_is_not_finite_is_taken_where_that_is_said() -> None:
    assert WORDS.from_plain({"word": "noise", "level": float("inf")}) == Heard(float("inf"))
    with pytest.raises(Misfit, match="finite"):
        WORDS.from_plain({"word": "go_to", "place": {"x": float("inf")}})


def test_two_of_one_name_are_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Noise:
        pass

    with pytest.raises(ValueError, match="two of the name 'noise': Heard and Noise"):
        Vocabulary("word", (Heard, Noise))
