"""Modes that change while clients step: no permission gets lost, no step is made twice, everybody is answered."""

import threading
from collections.abc import Callable

import pytest
from fault_runs import SET_MODE, STEP, ask, generation, status

from coopsim.testkit import RawClient, Run

pytestmark = pytest.mark.integration
STEPS = 60
Connect = Callable[..., RawClient]


@pytest.mark.parametrize("modes", [("lockstep",), ("real-time", "lockstep"), ("free", "lockstep", "lockstep")])
def test_every_step_is_answered_while_an_operator_switches_modes_without_waiting(
    connect: Connect, lockstep: Callable[..., Run], modes: tuple[str, ...]
) -> None:
    run = lockstep(patience=0)
    client, operator = connect(run.endpoint), connect(run.plain)
    is_over = threading.Event()
    switched: list[int] = []

    def switch() -> None:
        while not is_over.is_set():
            posted = [operator.post(ask("/sim/clock", SET_MODE, mode)) for mode in modes]
            replies = [operator.receive() for _ in posted]
            switched.extend(reply.error for reply in replies if reply is not None)

    operating = threading.Thread(target=switch)
    operating.start()
    try:
        request = ask("/sim/step", STEP, generation(client), "robot1", data=(0.1, 0.0))
        ticks = [client.ask(request).tick for _ in range(STEPS)]
    finally:
        is_over.set()
        operating.join(20)
    assert ticks == sorted(set(ticks)), "two steps were answered with one tick"
    assert set(switched) == {0}
    if modes == ("lockstep",):
        assert ticks == list(range(ticks[0], ticks[0] + STEPS))
    last = int(status(client)["tick"])
    assert client.ask(request).tick == last + 1, "a permission was left over"
    assert status(client)["tick"] == last + 1
