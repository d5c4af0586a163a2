"""Where physics waits: it polls for the next permission, unless more clients drive than there are processors."""

from collections.abc import Callable, Iterator

import pytest

from coopsim.simulation.message_wakeup import MessageWakeup
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.ring_words import W_CROWDED

Permit = Callable[[], None]


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create(ring_bytes=1 << 20, command_floats=100)
    yield ring
    ring.unlink()


@pytest.fixture
def wakeup(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MessageWakeup, Permit]]:
    """A wakeup that was rung before, and what rings it again."""
    ends = [end for _ in range(2) for end in Channel.pair()]
    reading, writing = Notifier.pair()

    def permit() -> None:
        if ring.grant_tick():
            writing.notify()

    monkeypatch.setattr("coopsim.simulation.message_wakeup._WATCH", 50.0)
    wakeup = MessageWakeup(ends[0], ends[2], reading, ring)
    permit()
    assert wakeup.permitted()
    yield wakeup, permit
    for end in (*ends, reading, writing):
        end.close()


@pytest.mark.parametrize("is_crowded", [False, True])
def test_physics_polls_unless_it_would_take_a_core_from_clients(
    ring: Ring, wakeup: tuple[MessageWakeup, Permit], is_crowded: bool
) -> None:
    wakeup, permit = wakeup
    polled: list[bool] = []

    def until(is_there: Callable[[], bool], _seconds: float) -> bool:
        polled.append(is_there())
        permit()
        return is_there()

    wakeup._watch.until = until
    ring._turns[W_CROWDED] = is_crowded
    if is_crowded:
        permit()
    assert wakeup.permitted()
    assert polled == ([] if is_crowded else [False])


def test_a_crowd_that_went_is_polled_for_again(ring: Ring, wakeup: tuple[MessageWakeup, Permit]) -> None:
    wakeup, permit = wakeup
    for is_crowded in (True, False):
        ring._turns[W_CROWDED] = is_crowded
        permit()
        polled: list[bool] = []
        wakeup._watch.until = lambda is_there, _seconds, polled=polled: polled.append(is_there())
        assert wakeup.permitted()
    assert polled == [True]
