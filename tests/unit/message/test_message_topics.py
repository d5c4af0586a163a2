"""Topics of events and of states: which are ones, and where their length ends."""

import pytest

from coopsim.errors import BadArgument
from coopsim.message import TopicPattern
from coopsim.message._events import LONGEST_EVENT_TOPIC, check_event
from coopsim.message._state import split_topic

LONGEST = f"/{'a' * 63}/{'b' * 63}"


@pytest.mark.parametrize("text", ["", "game", "/", "/game//score", "/ga me", f"{LONGEST}b"])
def test_what_is_no_topic_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="a topic is like `/game/score`"):
        check_event(text, "", ())


@pytest.mark.parametrize("text", ["", "game", "/*game", "/**/score", f"{LONGEST}b"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="a topic is like `/game/score`"):
        TopicPattern(text)


def test_the_longest_topic_is_one() -> None:
    assert len(LONGEST) == LONGEST_EVENT_TOPIC
    check_event(LONGEST, "", ())
    assert TopicPattern(LONGEST).matches(LONGEST)


def test_a_topic_of_states_names_a_robot_and_one_of_how_many_records() -> None:
    assert split_topic("/robot1") == ("/robot1", 1)
    assert split_topic("/robot1@20") == ("/robot1", 20)
    for text in ("robot1", "/robot1@", "/robot1@x", "/robot1@0", "/robot1@-1", "/robot1@12345678", "/robot1@\u0662"):
        assert split_topic(text) is None
