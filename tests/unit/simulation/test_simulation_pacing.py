"""When a tick may begin."""

from dataclasses import dataclass, field

import pytest

from coopsim.simulation.pacing import Alarm, FreeRun, Lateness, OnSignal, RealTime
from coopsim.transport.control import TicksLate

MS = 1_000_000


@dataclass
class Wall:
    """A clock that moves only when somebody sleeps, looks or waits."""

    ns: int = 0
    look_ns: int = 10_000
    rung: list[bool] = field(default_factory=list)
    permits: int = 0

    def now(self) -> int:
        self.ns += self.look_ns
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)

    def wait(self, timeout_ns: int | None) -> bool:
        if self.rung:
            return self.rung.pop(0)
        self.ns += timeout_ns or 0
        return False

    def permitted(self) -> bool:
        self.permits -= 1
        return self.permits >= 0


def real_time(wall: Wall, lateness: Lateness, period_ms: float = 10) -> RealTime:
    return RealTime(round(period_ms * MS), wall, lateness, wall.now, wall.sleep)


def test_real_time_ticks_begin_on_an_absolute_schedule_without_drift_s_26() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = real_time(wall, lateness)
    for tick in range(1, 1001):
        assert pacer.wait()
        wall.ns += 2 * MS  # the work of a tick
        assert abs(wall.ns - 2 * MS - tick * 10 * MS) < 0.1 * MS
    assert lateness.overruns == 0


def test_a_late_tick_begins_at_once_and_is_counted_s_28() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = real_time(wall, lateness)
    wall.ns += 25 * MS
    before = wall.ns
    assert pacer.wait()
    assert wall.ns - before < 0.1 * MS
    assert lateness.overruns == 1
    assert lateness.max_ns == pytest.approx(15 * MS, abs=0.1 * MS)


def test_a_stall_below_a_second_is_made_good_step_by_step_s_29() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = real_time(wall, lateness)
    wall.ns += 150 * MS
    for _ in range(20):
        assert pacer.wait()
        wall.ns += 1 * MS
    assert lateness.slipped_ns == 0
    assert wall.ns == pytest.approx(201 * MS, abs=0.2 * MS)


def test_a_stall_above_a_second_restarts_the_schedule_and_counts_what_was_lost() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = real_time(wall, lateness)
    wall.ns += 3000 * MS
    assert pacer.wait()
    assert lateness.slipped_ns == pytest.approx(2990 * MS, abs=1 * MS)
    before = wall.ns
    assert pacer.wait()
    assert wall.ns - before == pytest.approx(10 * MS, abs=0.1 * MS)
    assert lateness.overruns == 1


def test_a_message_interrupts_the_wait_and_the_schedule_stays() -> None:
    wall, lateness = Wall(rung=[True]), Lateness()
    pacer = real_time(wall, lateness)
    assert not pacer.wait()
    assert pacer.wait()
    assert wall.ns == pytest.approx(10 * MS, abs=0.1 * MS)


def test_a_message_to_a_late_pacer_is_no_second_overrun() -> None:
    wall, lateness = Wall(rung=[True]), Lateness()
    pacer = real_time(wall, lateness)
    wall.ns += 25 * MS
    assert not pacer.wait()
    assert pacer.wait()
    assert lateness.overruns == 1


def test_the_lateness_of_punctual_ticks_is_spread_too_and_late_ones_are_far_out() -> None:
    wall, lateness = Wall(look_ns=20_000), Lateness()
    pacer = real_time(wall, lateness)
    for tick in range(100):
        assert pacer.wait()
        wall.ns += (35 if tick == 50 else 2) * MS
    assert lateness.spread.count == 100
    assert 0 <= lateness.quantile(0.5) <= 20e-6
    assert lateness.quantile(0.99) == pytest.approx(17e-3, rel=0.1)
    assert lateness.quantile(1.0) == pytest.approx(lateness.max_ns * 1e-9, rel=0.07)


def test_a_tick_that_is_woken_late_counts_for_the_largest_lateness_and_is_no_overrun() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = RealTime(10 * MS, wall, lateness, wall.now, lambda seconds: wall.sleep(seconds + 3e-3))
    for _ in range(10):
        assert pacer.wait()
        wall.ns += 2 * MS
    assert lateness.overruns == 0
    assert lateness.max_ns == pytest.approx(2.7 * MS, abs=0.1 * MS)
    assert lateness.quantile(0.99) * 1e9 <= lateness.max_ns


def test_a_run_without_paced_ticks_has_no_quantiles_of_lateness() -> None:
    assert Lateness().quantile(0.5) is None


def test_lockstep_begins_a_tick_for_each_permission_c_30() -> None:
    wall = Wall(permits=2)
    pacer = OnSignal(wall)
    assert [pacer.wait() for _ in range(3)] == [True, True, False]


def test_free_run_begins_at_once_unless_there_is_a_message() -> None:
    wall = Wall(rung=[False, True])
    pacer = FreeRun(wall)
    assert [pacer.wait() for _ in range(3)] == [True, False, True]
    assert wall.ns == 0


def test_messages_without_end_stop_neither_real_time_nor_free_run() -> None:
    wall, lateness = Wall(rung=[True] * 1000), Lateness()
    pacer = real_time(wall, lateness)
    wall.ns += 45 * MS
    assert [pacer.wait() for _ in range(6)] == [False, True] * 3
    pacer = FreeRun(wall)
    assert [pacer.wait() for _ in range(6)] == [False, True] * 3


def test_another_pace_again_and_again_costs_no_real_time() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = real_time(wall, lateness)
    ticks = 0
    while wall.ns < 1000 * MS:
        for period in (10, 9, 10):
            pacer.retime(period * MS)
            wall.ns += MS
        ticks += pacer.wait()
    assert ticks == pytest.approx(100, abs=8)
    assert lateness.slipped_ns == 0


def test_a_pause_keeps_what_was_left_of_a_tick_and_what_was_late() -> None:
    for passed, left in ((4, 6), (40, 0)):
        wall, lateness = Wall(), Lateness()
        pacer = real_time(wall, lateness)
        wall.ns += passed * MS
        pacer.rest(is_resting=True)
        wall.ns += 500 * MS
        pacer.rest(is_resting=True)
        for _ in range(2):
            pacer.rest(is_resting=False)
        before = wall.ns
        assert pacer.wait()
        assert wall.ns - before == pytest.approx(left * MS, abs=0.2 * MS)
        assert lateness.max_ns == pytest.approx((30 if passed > 10 else 0) * MS, abs=0.2 * MS)


def test_what_is_late_when_the_schedule_ends_counts_as_given_up() -> None:
    wall, lateness = Wall(), Lateness()
    pacer = real_time(wall, lateness)
    pacer.give_up()
    assert lateness.slipped_ns == 0
    wall.ns += 310 * MS
    pacer.give_up()
    assert lateness.slipped_ns == pytest.approx(300 * MS, abs=MS)


def test_real_time_that_is_not_kept_is_told_once_and_then_every_ten_seconds_s_28() -> None:
    lateness, alarms = Lateness(), []
    now = 0
    alarm = Alarm(lateness, lambda: now)
    for second in range(25):
        now = second * 1000 * MS
        lateness.overruns += 2
        lateness.add(second * MS)
        alarms.append(alarm.check())
    assert [second for second, late in enumerate(alarms) if late] == [0, 10, 20]
    assert alarms[10] == TicksLate(20, pytest.approx(10e-3))
    now += 60_000 * MS
    assert alarm.check() == TicksLate(8, pytest.approx(24e-3))
    assert alarm.check() is None
