"""Whose edit goes next."""

from collections.abc import Callable

from coopsim.server.fair_queue import FairQueue


def starter(started: list[str], name: str) -> Callable[[], None]:
    return lambda: started.append(name)


def test_a_connection_has_one_edit_under_way_and_others_come_in_between() -> None:
    turns, started = FairQueue(most=2), []
    for number in range(3):
        turns.enter("flood", starter(started, f"flood {number}"))
    turns.enter("other", starter(started, "other"))
    assert started == ["flood 0", "other"]
    turns.leave("flood")
    assert started == ["flood 0", "other", "flood 1"]


def test_no_more_than_some_are_under_way_at_once_and_the_longest_waiting_is_next() -> None:
    turns, started = FairQueue(most=2), []
    for who in ("a", "b", "c", "d"):
        turns.enter(who, starter(started, who))
    turns.enter("a", starter(started, "a again"))
    assert started == ["a", "b"]
    for who in ("a", "b", "c"):
        turns.leave(who)
    assert started == ["a", "b", "c", "d", "a again"]


def test_what_lasts_for_long_does_not_keep_its_owner_from_ending_it() -> None:
    turns, started = FairQueue(most=1), []
    turns.enter("a", starter(started, "step"), occupies=False)
    turns.enter("a", starter(started, "pause"))
    assert started == ["step", "pause"]


def test_what_is_answered_at_once_needs_no_deep_stack() -> None:
    turns, started = FairQueue(), []

    def answered() -> None:
        started.append("a")
        turns.leave("a")

    turns.enter("a", lambda: None)
    for _ in range(10_000):
        turns.enter("a", answered)
    assert turns.is_waiting("a")
    turns.leave("a")
    assert len(started) == 10_000
    assert not turns.is_waiting("a")


def test_nothing_more_is_started_for_one_who_is_gone() -> None:
    turns, started = FairQueue(), []
    turns.enter("a", starter(started, "first"))
    turns.enter("a", starter(started, "second"))
    turns.forget("a")
    turns.leave("a")
    assert started == ["first"]
