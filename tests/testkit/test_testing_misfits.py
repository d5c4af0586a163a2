"""Changes of a recording's parts: one to three places, the same ones for the same seed, and never the original."""

import copy
import random
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from coopsim.testkit.fuzz.misfits import VALUES, changed

SEEDS = st.integers(0, 2**32 - 1)


def parts() -> Any:
    """Return parts as a recording has them: texts, an index, and messages of two topics in chunks."""
    messages = [
        SimpleNamespace(topic=topic, content={"tick": tick, "data": [1.0, 2.0, {"name": "robot1"}], "raw": b"abc"})
        for tick, topic in enumerate(("/state", "/edits", "/state"))
    ]
    return SimpleNamespace(
        metadata={"run": "7", "engine": "pymunk"},
        texts={"scene": "[ROBOT_1]", "more": {"a": [1, 2]}},
        index=[[0, 10], [10, 20]],
        chunks=[messages[:2], messages[2:]],
    )


def plain(of: Any) -> Any:
    chunks = [[(message.topic, message.content) for message in chunk] for chunk in of.chunks]
    return of.metadata, of.texts, of.index, chunks


@given(SEEDS)
def test_the_same_seed_changes_the_same_and_leaves_the_original_as_it_was(seed: int) -> None:
    original = parts()
    before = copy.deepcopy(plain(original))
    first = changed(original, random.Random(seed))
    again = changed(original, random.Random(seed))
    assert repr(plain(first)) == repr(plain(again))
    assert plain(original) == before


def test_every_part_is_changed_sooner_or_later_and_hardly_ever_nothing() -> None:
    before = plain(parts())
    touched: set[int] = set()
    unchanged = 0
    for seed in range(300):
        after = plain(changed(parts(), random.Random(seed)))
        places = {place for place, (old, new) in enumerate(zip(before, after, strict=True)) if repr(old) != repr(new)}
        touched |= places
        unchanged += not places
    assert touched == {0, 1, 2, 3}
    assert unchanged < 60


def test_topics_and_numbers_of_messages_stay() -> None:
    for seed in range(100):
        after = changed(parts(), random.Random(seed))
        assert [[message.topic for message in chunk] for chunk in after.chunks] == [["/state", "/edits"], ["/state"]]


def test_values_that_are_put_in_are_of_every_type_that_a_file_can_hold() -> None:
    kinds = {type(value) for value in VALUES}
    assert kinds >= {int, float, str, bytes, bool, type(None), list, dict}
    whole = [value for value in VALUES if type(value) is int]
    assert {2**31, 2**53, 2**63 - 1, 2**63, 2**64 - 1, -(2**63)} <= set(whole)
    assert all(-(2**63) <= value < 2**64 for value in whole)  # what msgpack can say
