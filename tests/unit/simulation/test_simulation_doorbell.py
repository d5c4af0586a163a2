"""Where physics waits: it polls for the next permission, unless more clients drive than there are processors."""

from collections.abc import Callable, Iterator

import pytest

from coopsim.simulation.doorbell import MessageDoorbell
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.ring_words import W_CROWDED

Permit = Callable[[], None]


@pytest.fixture
def ring() -> Iterator[Ring]:
    made = Ring.create(ring_bytes=1 << 20, command_floats=100)
    yield made
    made.unlink()


@pytest.fixture
def doorbell(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MessageDoorbell, Permit]]:
    """A doorbell that was rung before, and what rings it again."""
    ends = [end for _ in range(2) for end in Channel.pair()]
    reading, writing = Notifier.pair()

    def permit() -> None:
        if ring.grant_tick():
            writing.notify()

    monkeypatch.setattr("coopsim.simulation.doorbell._WATCH", 50.0)
    bell = MessageDoorbell(ends[0], ends[2], reading, ring)
    permit()
    assert bell.permitted()
    yield bell, permit
    for end in (*ends, reading, writing):
        end.close()


@pytest.mark.parametrize("is_crowded", [False, True])
def test_physics_polls_unless_it_would_take_a_core_from_clients(
    ring: Ring, doorbell: tuple[MessageDoorbell, Permit], is_crowded: bool
) -> None:
    bell, permit = doorbell
    polled: list[bool] = []

    def until(is_there: Callable[[], bool], _seconds: float) -> bool:
        polled.append(is_there())
        permit()
        return is_there()

    bell._watch.until = until
    ring._turns[W_CROWDED] = is_crowded
    if is_crowded:
        permit()
    assert bell.permitted()
    assert polled == ([] if is_crowded else [False])


def test_a_crowd_that_went_is_polled_for_again(ring: Ring, doorbell: tuple[MessageDoorbell, Permit]) -> None:
    bell, permit = doorbell
    for is_crowded in (True, False):
        ring._turns[W_CROWDED] = is_crowded
        permit()
        polled: list[bool] = []
        bell._watch.until = lambda is_there, _seconds, polled=polled: polled.append(is_there())
        assert bell.permitted()
    assert polled == [True]
