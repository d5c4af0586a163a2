"""One poll, and who handles what."""

import os
import select
import threading

import pytest

from coopsim.server.polling import Poller


def turn(poller: Poller, seconds: float) -> int:
    """Handle what there is; return how many events came."""
    events = poller.poll(seconds)
    for descriptor, mask in events:
        poller.handlers[descriptor](descriptor, mask)
    return len(events)


def test_what_a_descriptor_reports_is_handled_by_whoever_registered_it() -> None:
    reader, writer = os.pipe()
    seen: list[tuple[int, int]] = []
    with Poller() as poller:
        poller.register(reader, select.EPOLLIN, lambda *event: seen.append(event))
        assert turn(poller, 0.0) == 0
        os.write(writer, b"x")
        turn(poller, 10.0)
        poller.unregister(reader)
        assert turn(poller, 0.0) == 0
    os.close(reader)
    os.close(writer)
    assert seen == [(reader, select.EPOLLIN)]
    assert not poller.handlers


def test_another_thread_wakes_it_once_however_often_it_asks() -> None:
    woken: list[str] = []
    with Poller() as poller:
        poller.on_wake(lambda: woken.append("woken"))
        threads = [threading.Thread(target=poller.wake) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert turn(poller, 10.0) == 1
        assert turn(poller, 0.0) == 0
    assert woken == ["woken"]


def test_a_poller_that_is_not_entered_is_woken_in_vain() -> None:
    poller = Poller()
    poller.wake()
    poller.close()
    with pytest.raises(ValueError, match="closed"):
        poller.poll(0.0)
