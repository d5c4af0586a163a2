"""What errors say of words that were probably meant."""

import pytest

from coopsim.suggest import choices, close_words, closest, did_you_mean, hint, listed, quoted

KNOWN = ["sonars", "motors", "odometry"]


@pytest.mark.parametrize(("word", "meant"), [("sonar", "sonars"), ("MOTORS", "motors"), ("xyz", None)])
def test_the_nearest_word_is_found_whatever_its_case(word: str, meant: str | None) -> None:
    assert closest(word, KNOWN) == meant
    assert did_you_mean(word, KNOWN) == (f"; did you mean {meant!r}?" if meant else "")
    assert hint(word, KNOWN) == (f" ({word} → {meant}?)" if meant else "")


def test_several_words_may_be_near() -> None:
    assert close_words("robot", ["robot1", "robot2", "wall"], 3) == ["robot2", "robot1"]


@pytest.mark.parametrize("wrong", ["robot77777", "robto7777", "obot7777"])
def test_of_thousands_of_words_the_nearest_is_found(wrong: str) -> None:
    assert closest(wrong, (f"robot{number}" for number in range(1, 8001))) == "robot7777"


def test_long_lists_and_words_are_cut() -> None:
    names = [f"robot{number}" for number in range(30)]
    assert listed(names, 2) == "robot0, robot1 and 28 more"
    assert (listed([]), choices([])) == ("none", "none")
    assert choices(names).endswith("robot19, ...")
    assert quoted("x" * 50) == repr("x" * 40 + "...")
