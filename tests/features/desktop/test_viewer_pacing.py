"""When frames begin."""

import pytest

from coopsim.features.desktop.keeping_time import FramePacer


class _Clock:
    """Time that passes by sleeping and working alone."""

    def __init__(self) -> None:
        self.now = 100.0

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0.0
        self.now += seconds + 0.0004  # a machine wakes late


def _begun(works: list[float], rate: float) -> list[float]:
    """Return when frames begin that take so long."""
    clock = _Clock()
    pacer, starts = FramePacer(lambda: clock.now, clock.sleep), []
    for work in works:
        starts.append(clock.now - 100.0)
        clock.now += work
        pacer.wait(rate)
    return starts


def test_waking_late_does_not_add_up() -> None:
    """C-25: frames come as often as was chosen."""
    begun = _begun([0.004, 0.009] * 60, 50.0)
    assert begun[-1] == pytest.approx(119 * 0.02, abs=0.001)


def test_a_late_frame_is_followed_at_once_and_then_in_step() -> None:
    begun = _begun([0.004, 0.075, 0.004, 0.004], 50.0)
    assert begun == pytest.approx([0.0, 0.02, 0.095, 0.115], abs=0.001)


def test_another_rate_holds_from_the_next_frame_on() -> None:
    clock = _Clock()
    pacer, before = FramePacer(lambda: clock.now, clock.sleep), clock.now
    pacer.wait(10.0)
    pacer.wait(100.0)
    assert clock.now - before == pytest.approx(0.11, abs=0.001)
