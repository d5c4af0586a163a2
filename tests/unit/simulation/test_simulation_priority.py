"""Real-time priority: raised while ticks are paced, refused in words."""

import os

import pytest

from coopsim.errors import NotPermitted
from coopsim.simulation.priority import LEVEL, Priority


class System:
    """What the operating system is asked for; it refuses if told so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, refusal: OSError | None = None) -> None:
        self.asked: list[tuple[int, int]] = []
        self.refusal = refusal
        monkeypatch.setattr(os, "sched_setscheduler", self.schedule)

    def schedule(self, pid: int, policy: int, param: os.sched_param) -> None:
        assert pid == 0
        assert policy & os.SCHED_RESET_ON_FORK
        if self.refusal:
            raise self.refusal
        self.asked.append((policy & ~os.SCHED_RESET_ON_FORK, param.sched_priority))


def test_it_is_raised_while_ticks_are_paced_and_lowered_in_free_run(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System(monkeypatch)
    priority = Priority(is_wanted=True)
    for is_paced in (False, True, True, False, False, True):
        priority.follow(is_paced=is_paced)
    raised, ordinary = (os.SCHED_FIFO, LEVEL), (os.SCHED_OTHER, 0)
    assert system.asked == [raised, ordinary, raised]


def test_nobody_asks_for_what_nobody_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System(monkeypatch)
    Priority(is_wanted=False).follow(is_paced=True)
    assert system.asked == []


def test_a_refusal_says_which_right_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    System(monkeypatch, PermissionError(1, "Operation not permitted"))
    with pytest.raises(NotPermitted, match="Operation not permitted; it needs the capability CAP_SYS_NICE"):
        Priority(is_wanted=True).follow(is_paced=True)


def test_a_system_without_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setscheduler")
    with pytest.raises(NotPermitted, match="knows no SCHED_FIFO"):
        Priority(is_wanted=True).follow(is_paced=True)
