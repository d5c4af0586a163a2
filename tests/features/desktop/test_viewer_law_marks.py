"""Control laws on the time line: when they start and end, and what their last words were."""

from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.features.desktop.link import RunFacts
from coopsim.features.desktop.marks import Mark, Marks
from coopsim.features.desktop.playback_facts import PlaybackFacts
from coopsim.features.desktop.watching import RunWatcher


def law(name: str, began: float = 0.0, ended: float | None = None, reason: str = "") -> dict[str, Any]:
    return {"name": name, "robots": ["robot1"], "began": began, "ended": ended, "reason": reason}


class Watched:
    """A run that is watched."""

    def __init__(self) -> None:
        self.marks, self.lines = Marks(), list[str]()
        console: Any = SimpleNamespace(append=lambda kind, text: self.lines.append(text))
        self.watcher = RunWatcher(self.marks, console)

    def see(self, time: float) -> None:
        self.watcher.notice(SimpleNamespace(time=time, readings=None), {})  # type: ignore[arg-type]

    def hear(self, *rows: dict[str, Any], begins: int = 1, playback: Any = None) -> None:
        standing = {"begins": begins, "controllers": list(rows)}
        facts = RunFacts("live", playback=playback, standing=standing)
        self.watcher.watch(SimpleNamespace(facts=facts, commanded=[], happened=[], scene=None))  # type: ignore[arg-type]

    @property
    def texts(self) -> list[tuple[float, str]]:
        return [(mark.time, mark.text) for mark in self.marks.marks]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_a_law_is_marked_when_it_starts_and_ends(watched: Watched) -> None:
    watched.see(0.0)
    watched.hear(law("seek"))
    watched.hear(law("seek"), law("wander", 2.0))
    watched.hear(law("seek", 0.0, 5.0, "has ended: all robots are there"), law("wander", 2.0))
    assert watched.texts == [
        (0.0, "seek starts, drives robot1"),
        (2.0, "wander starts, drives robot1"),
        (5.0, "seek has ended: all robots are there"),
    ]
    assert watched.marks.marks[0] == Mark(0.0, "event", "seek starts, drives robot1")
    assert watched.lines[-1] == "5.00 s  seek has ended: all robots are there"


def test_what_a_window_sees_late_is_marked_where_it_was_and_nothing_twice(watched: Watched) -> None:
    ended = law("seek", 1.0, 4.0, "was stopped")
    watched.hear(ended)
    watched.marks.clear()  # as with the first state that comes
    watched.see(9.0)
    for _ in range(3):
        watched.hear(ended)
    assert watched.texts == [(1.0, "seek starts, drives robot1"), (4.0, "seek was stopped")]


def test_lines_that_a_law_prints_are_marked_once_where_they_were_printed(watched: Watched) -> None:
    first, second, third = (0, 0.5, "robot1 turns"), (1, 1.5, "robot1 is lost"), (2, 2.5, "robot1 is lost")
    watched.hear({**law("seek"), "said": [first]})
    watched.marks.clear()  # as with the first state that comes
    watched.see(3.0)
    watched.hear({**law("seek"), "said": [first, second]})
    watched.hear({**law("seek"), "said": [second, third]})
    lines = [(0.5, "seek: robot1 turns"), (1.5, "seek: robot1 is lost"), (2.5, "seek: robot1 is lost")]
    assert watched.texts == [(0.0, "seek starts, drives robot1"), *lines]
    watched.marks.clear()
    watched.see(1.0)  # time began anew: these lines were printed before
    watched.hear({**law("seek"), "said": [second, third]})
    assert watched.texts == [(0.0, "seek starts, drives robot1")]


def test_time_that_begins_anew_brings_back_only_what_was_by_then(watched: Watched) -> None:
    watched.see(8.0)
    rows = law("first"), law("late", 3.0), law("over", 0.0, 6.0, "has ended")
    watched.hear(*rows)
    watched.marks.clear()
    watched.see(0.5)
    watched.hear(*rows)
    assert watched.texts == [(0.0, "first starts, drives robot1")]


def test_laws_of_a_run_that_began_again_are_marked_again(watched: Watched) -> None:
    watched.see(0.0)
    watched.hear(law("seek"))
    watched.marks.clear()
    watched.see(0.0)
    watched.hear(law("seek"), begins=2)
    assert watched.texts == [(0.0, "seek starts, drives robot1")]


def test_a_recording_has_marks_of_its_own(watched: Watched) -> None:
    watched.see(0.0)
    watched.hear(law("seek"), playback=PlaybackFacts(0.0, 9.0, 1.0, True, 1.0, None))
    watched.hear()
    assert watched.texts == []
