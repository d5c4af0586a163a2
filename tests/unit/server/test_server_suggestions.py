"""Names near to one that is not there: found, but never at the cost of others. C-51."""

from collections.abc import Callable

import pytest
from server_fakes import PLAIN, SINGLE, ask, make_layout

from coopsim import suggest
from coopsim.server.modules import suggestions
from coopsim.server.modules.suggestions import Suggestions

FIXED = ("/sim/clock", "/sim/world")


class Clock:
    """Time by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many names were compared, call by call."""
    lengths: list[int] = []
    matches = suggest.difflib.get_close_matches

    def counted(word: str, known: list[str], n: int) -> list[str]:
        lengths.append(len(known))
        return matches(word, known, n)

    monkeypatch.setattr(suggest.difflib, "get_close_matches", counted)
    return lengths


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("/robot1/moters", "/robot1/motors"),
        ("/robt1/motors", "/robot1/motors"),
        ("/robott2", "/robot2"),
        ("/sim/clok", "/sim/clock"),
        ("/zzzzzzzzzzzz", ""),
        ("", ""),
    ],
)
def test_the_name_that_was_probably_meant_is_found(wrong: str, near: str) -> None:
    layout = make_layout(1, {"robot1": SINGLE, "robot2": SINGLE, "plain1": PLAIN})
    assert Suggestions(FIXED, Clock()).near(wrong, layout) == near


def test_few_names_are_compared_however_many_robots_there_are(looked: list[int]) -> None:
    layout = make_layout(1, {f"robot{number}": SINGLE for number in range(2000)})
    assert Suggestions(FIXED, Clock()).near("/robod1500/motors", layout).endswith("/motors")
    assert max(looked) <= 64


@pytest.mark.parametrize("wrong", ["robot77777", "robot777x", "robto7777", "obot7777"])
def test_of_thousands_of_robots_the_nearest_name_is_found(wrong: str) -> None:
    layout = make_layout(1, {f"robot{number}": SINGLE for number in range(1, 8001)})
    near = Suggestions(FIXED, Clock()).near(f"/{wrong}/motors", layout)
    assert near == ("/robot777/motors" if wrong == "robot777x" else "/robot7777/motors")


def test_a_name_is_looked_for_once_per_layout(looked: list[int]) -> None:
    robots, suggestions = {"robot1": SINGLE}, Suggestions(FIXED, Clock())
    for _ in range(100):
        assert suggestions.near("/robot11", make_layout(1, robots)) == "/robot1"
    assert len(looked) == 1
    suggestions.near("/robot11", make_layout(2, robots))
    assert len(looked) == 2


def test_more_names_than_a_person_mistypes_are_not_looked_for(looked: list[int]) -> None:
    layout, clock = make_layout(1, {"robot1": SINGLE}), Clock()
    suggestions = Suggestions(FIXED, clock)
    nearest = [suggestions.near(f"/robot1{number}", layout) for number in range(1000)]
    assert "" in nearest
    assert len(looked) <= 20
    clock.now = 10.0
    assert suggestions.near("/robot1z", layout) == "/robot1"


def test_nobody_waits_for_the_lock_while_a_name_is_looked_for(bench: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    host = bench("real-time")
    owned: list[bool] = []
    monkeypatch.setattr(
        suggestions,
        "closest",
        lambda *_: owned.append(host.modules.lock._lock._is_owned()) or "/sim/clock",  # type: ignore[attr-defined]
    )
    reply = host.ask(ask("/sim/clok", 10))
    assert (reply.error, "did you mean /sim/clock?" in reply.text) == (201, True)
    assert owned == [False]
