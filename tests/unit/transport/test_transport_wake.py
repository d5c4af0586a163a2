"""Wake-ups by bytes on a pipe."""

import pytest

from coopsim.transport import Notifier


@pytest.fixture
def ends() -> object:
    reading, writing = Notifier.pair()
    yield reading, writing
    reading.close()
    writing.close()


def test_many_wake_ups_are_taken_as_one(ends: tuple[Notifier, Notifier]) -> None:
    reading, writing = ends
    assert reading.drain() == (False, False)
    assert all(writing.notify() for _ in range(3))
    assert reading.drain() == (True, False)
    assert reading.drain() == (False, False)


def test_a_pipe_full_of_wake_ups_neither_blocks_nor_fails(ends: tuple[Notifier, Notifier]) -> None:
    reading, writing = ends
    assert all(writing.notify() for _ in range(70_000))
    assert reading.drain() == (True, False)
    assert reading.drain() == (False, False)


def test_the_end_of_the_writer_is_seen_after_its_last_wake_up(ends: tuple[Notifier, Notifier]) -> None:
    reading, writing = ends
    writing.notify()
    writing.close()
    assert reading.drain() == (True, False)
    assert reading.drain() == (False, True)


def test_waking_a_reader_that_is_gone_says_so(ends: tuple[Notifier, Notifier]) -> None:
    reading, writing = ends
    reading.close()
    assert writing.notify() is False


def test_a_closed_end_reports_that_the_other_is_gone(ends: tuple[Notifier, Notifier]) -> None:
    reading = ends[0]
    reading.close()
    reading.close()
    assert reading.drain() == (False, True)
