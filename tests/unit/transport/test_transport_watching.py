"""Who waits polls where a core is free, and sleeps where others need it."""

from collections.abc import Callable

import pytest

from coopsim.transport.watching import BriefPoll


class Machine:
    """A clock, and others that keep the processor for some time whenever it is given to them [s]."""

    def __init__(self, *turns: float) -> None:
        self.now, self.turns = 0.0, list(turns)
        self.given = 0

    def clock(self) -> float:
        return self.now

    def give_way(self) -> None:
        self.given += 1
        self.now += self.turns.pop(0) if self.turns else 1e-6

    def after(self, turns: int) -> Callable[[], bool]:
        """Return what is there once the processor was given away so many times."""
        return lambda: self.given >= turns


def watch_on(machine: Machine) -> BriefPoll:
    return BriefPoll(machine.clock, machine.give_way)


def test_what_comes_soon_is_polled_for() -> None:
    machine = Machine()
    assert watch_on(machine).until(machine.after(5), 0.001)
    assert machine.given == 5


def test_what_does_not_come_in_time_is_slept_for() -> None:
    machine = Machine()
    watch = watch_on(machine)
    assert not watch.until(lambda: False, 0.001)
    assert machine.now == pytest.approx(0.001, abs=1e-5)
    assert watch.rest == 0


@pytest.mark.parametrize("turns", [1, 2])
def test_where_others_need_the_processor_it_is_left_to_them_for_some_times(turns: int) -> None:
    machine = Machine(0.003)
    watch = watch_on(machine)
    assert watch.until(machine.after(turns), 0.001) == (turns == 1)
    rested = 0
    while watch.rest:
        rested += 1
        assert not watch.until(lambda: False, 0.001)
    assert (rested, machine.given) == (64, 1)
    assert watch.until(machine.after(3), 0.001)


def test_the_work_of_a_step_is_no_reason_to_sleep() -> None:
    machine = Machine(0.0003, 0.0003)
    watch = watch_on(machine)
    assert watch.until(machine.after(3), 0.001)
    assert watch.rest == 0


def test_what_is_there_is_seen_without_polling() -> None:
    machine = Machine()
    watch = watch_on(machine)
    watch.rest = 1
    assert watch.until(lambda: True, 0.001)
    assert machine.given == 0
