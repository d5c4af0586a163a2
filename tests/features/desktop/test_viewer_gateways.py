"""Gateways in the window's status: kind, connected programs, messages dropped, and who is missing."""

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from viewer_live import DEADLINE

from coopsim.client import connect
from coopsim.errors import NoReply, NoSuchName
from coopsim.features.desktop.gateway_status import GatewayFacts, ask_gateways, expected_gateways
from coopsim.features.desktop.link import ViewerLink
from coopsim.testkit import Run

COUNTS = {"clients": "1", "sent": "1", "dropped": "1", "received": "1", "refused": "1"}


class Told:
    """A run that tells of gateways."""

    def __init__(self, **reads: Callable[[], Any]) -> None:
        self._reads = reads

    def names(self, prefix: str) -> tuple[str, ...]:
        return tuple(f"{prefix}{kind}" for kind in self._reads)

    def module(self, target: str) -> Any:
        return SimpleNamespace(call=lambda _: self._reads[target.rpartition("/")[2]]())


def refuse(problem: Exception) -> Callable[[], Any]:
    def refusing() -> Any:
        raise problem

    return refusing


def asked(modules: Told, *expected: str) -> list[str]:
    return [facts.words for facts in ask_gateways(modules, expected)]  # type: ignore[arg-type]


def test_a_gateway_is_told_with_its_programs_and_what_it_gave_up() -> None:
    single, several = SimpleNamespace(clients=1.0, dropped=0.0), SimpleNamespace(clients=3.0, dropped=12.0)
    modules = Told(yarp=lambda: single, rosbridge=lambda: several)
    assert asked(modules, "rosbridge") == ["rosbridge: 3 programs, 12 messages dropped", "yarp: 1 program"]


def test_one_that_belongs_to_the_run_and_is_not_there_is_missed() -> None:
    modules = Told(yarp=refuse(NoSuchName("gone")), ros1=lambda: SimpleNamespace(level=3.0))
    assert asked(modules, "foxglove", "yarp") == ["foxglove: not there", "yarp: not there", "ros1: not there"]
    with pytest.raises(NoReply):
        asked(Told(yarp=refuse(NoReply("gone"))))


@pytest.mark.parametrize("facts", [{}, {"gateways": None}, {"gateways": "yarp"}])
def test_what_a_run_tells_may_be_anything(facts: dict[str, Any]) -> None:
    assert expected_gateways(facts) == ()
    assert expected_gateways({"gateways": ["yarp", "ros2"]}) == ("yarp", "ros2")


def test_the_link_follows_gateways_of_a_run_as_they_come_and_go() -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as live:
        link = ViewerLink(live.endpoint)
        try:
            with connect(live.endpoint) as sim:
                sim.offer("/gateway/yarp", COUNTS, summary="gateway to yarp").call("write", 2.0, 9.0, 4.0, 0.0, 0.0)
                until(lambda: link.facts.gateways == (GatewayFacts("yarp", 2, 4),))
            until(lambda: link.facts.gateways == ())
        finally:
            link.close()


def until(holds: Callable[[], bool]) -> None:
    """Let the link work until something holds."""
    end, never = time.monotonic() + DEADLINE, threading.Event()
    while not holds():
        assert time.monotonic() < end
        never.wait(0.005)
