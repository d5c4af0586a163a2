"""A host that is busy, or not woken. C-29, C-30."""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import zmq
from server_fakes import ask
from server_wire import call, receive

from coopsim.message import Message, encode
from coopsim.server.modules.info import InfoModule
from coopsim.transport import SourceLink

pytestmark = pytest.mark.integration
STEP = 11
DEADLINE = 60.0


def test_a_record_whose_wake_up_was_lost_is_found_all_the_same(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The source may see that the host watches just before that gives up: then nobody wakes the host."""

    def passed_by(link: SourceLink, seconds: float) -> bool:
        seen, deadline = link.ring.count, time.monotonic() + 5.0
        while link.ring.count == seen and time.monotonic() < deadline:
            os.sched_yield()
        return False

    run = serve("lockstep", wait_for=("robot1",))
    source, client = run.source, run.dealer()
    with monkeypatch.context() as patch:
        patch.setattr(SourceLink, "watch", passed_by)
        patch.setattr(source, "wake", SimpleNamespace(notify=lambda: True, close=source.wake.close))
        before = source.header.tick
        assert call(client, ask("/sim/step", STEP, 1, "robot1", data=(0.3, 0.1))).tick == before + 1


def test_a_client_that_floods_a_busy_host_and_vanishes_harms_nobody(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pings of its own, libzmq would abort the host's process: their time comes while the input waits."""
    is_busy, go_on, info = threading.Event(), threading.Event(), InfoModule._info

    def slow(*arguments: Any) -> Message:
        is_busy.set()
        go_on.wait(DEADLINE)
        return info(*arguments)

    monkeypatch.setattr(InfoModule, "_info", slow)
    run = serve("real-time")
    client = run.dealer()
    client.send(encode(ask("/sim/info", 10)))
    assert is_busy.wait(DEADLINE)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    flooding = context.socket(zmq.DEALER)
    flooding.sndtimeo = 200
    flooding.connect(f"tcp://127.0.0.1:{run.ports['zmq']}")
    with contextlib.suppress(zmq.Again):
        for _ in range(30_000):
            flooding.send(encode(ask("/sim/step", 10, 0, 1000)))
    context.destroy(linger=0)
    assert not client.poll(1500)
    go_on.set()
    assert receive(client).error == 0
