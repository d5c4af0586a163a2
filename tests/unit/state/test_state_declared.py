"""Dataclasses of a vocabulary: names, equality, what is known of a message, and values that cannot travel."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from coopsim.state.plain import Misfit
from coopsim.state.vocabulary import Declared, Vocabulary, members, name_of, plain_of


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetSpeed(Declared):
    speed: float
    until: float = 0.0


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetSpeedSlowly(SetSpeed):
    pass


@dataclass(frozen=True, slots=True)
class Stop:
    word: ClassVar[str] = "halt"


class Reading:
    """Knows how to be plain by itself."""

    def to_plain(self) -> dict[str, Any]:
        return {"own": 1}


@pytest.fixture
def words() -> Vocabulary[Any]:
    return Vocabulary("word", (SetSpeed, Stop))


def test_a_dataclass_is_called_as_its_class_or_as_it_says(words: Vocabulary[Any]) -> None:
    assert (name_of(SetSpeed), name_of(SetSpeedSlowly), name_of(Stop)) == ("set_speed", "set_speed_slowly", "halt")
    assert words.names == ["set_speed", "halt"]
    assert words["halt"] is Stop
    assert ("set_speed" in words, "stop" in words, 3 in words) == (True, False, False)


def test_the_same_class_may_be_added_again_and_no_other_of_its_name(words: Vocabulary[Any]) -> None:
    words.register(Stop)

    class Other:
        word = "halt"

    with pytest.raises(ValueError, match="there are two of the name 'halt': Stop and Other"):
        words.register(Other)


def test_what_is_equal_is_of_one_class_with_equal_fields() -> None:
    assert SetSpeed(1.0) == SetSpeed(1.0, 0.0)
    assert hash(SetSpeed(1.0)) == hash(SetSpeed(1.0))
    assert SetSpeed(1.0) != SetSpeed(2.0)
    assert SetSpeed(1.0) != SetSpeedSlowly(1.0)
    assert SetSpeed(1.0) != "SetSpeed"
    assert repr(SetSpeed(1.0)) == "SetSpeed(speed=1.0, until=0.0)"


@pytest.mark.parametrize(
    ("plain", "is_known"),
    [
        ({"word": "set_speed", "speed": 1.0}, True),
        ({"word": "set_speed", "speed": "fast"}, True),
        ({"word": "set_speed", "pace": 1.0}, False),
        ({"word": "go"}, False),
    ],
)
def test_a_message_is_known_by_its_name_and_the_names_of_its_fields(
    words: Vocabulary[Any], plain: dict[str, Any], is_known: bool
) -> None:
    assert words.knows(plain) is is_known


@pytest.mark.parametrize("plain", [{}, {"word": None}, {"word": 3}])
def test_a_message_without_a_name_is_refused_with_the_place_of_it(words: Vocabulary[Any], plain: Any) -> None:
    with pytest.raises(Misfit) as refusal:
        words.knows(plain)
    assert "word" in str(refusal.value)
    with pytest.raises(Misfit):
        words.from_plain(plain)


def test_only_dataclasses_travel_and_what_makes_itself_plain() -> None:
    assert plain_of(SetSpeed(1.0)) == members(SetSpeed(1.0)) == {"speed": 1.0}
    assert plain_of(Reading()) == {"own": 1}
    with pytest.raises(TypeError, match="a list cannot travel"):
        plain_of([1])
