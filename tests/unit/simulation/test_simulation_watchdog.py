"""Devices that do not return."""

import threading
from typing import Any

from coopsim.devices.per_robot import PerRobot
from coopsim.interfaces import Command, Field, Interface
from coopsim.simulation.watchdog import Watchdog, described, foreign_call
from coopsim.transport.control import PluginReturned


class Slow(PerRobot):
    """Waits until it is let go."""

    interface = Interface("slow", "", (Command(10, "look", gives=(Field("far", "m"),)),))

    def __init__(self, go: threading.Event) -> None:
        self.go = go

    def read(self, robot: object = None) -> float:
        """Wait."""
        self.go.wait(60.0)
        return 0.0


def test_a_call_that_does_not_return_is_told_and_told_again_when_it_has() -> None:
    messages: list[Any] = []
    stuck, over, go = threading.Event(), threading.Event(), threading.Event()

    def publish(what: Any) -> None:
        messages.append(what)
        (over if isinstance(what, PluginReturned) else stuck).set()

    def work() -> None:
        with Watchdog(publish, interval=0.01, patience=0.05):
            Slow(go).read()
            over.wait(60.0)

    worker = threading.Thread(target=work)
    worker.start()
    assert stuck.wait(60.0)
    go.set()
    worker.join(60.0)

    assert "test_simulation_watchdog.py:22: device slow: read" in messages[0].text
    assert messages[0].seconds >= 0.05
    assert messages[-1] == PluginReturned()


def test_what_is_no_device_is_never_told() -> None:
    messages: list[Any] = []
    done = threading.Event()
    with Watchdog(messages.append, interval=0.001, patience=0.002):
        done.wait(0.1)
    assert messages == []


def test_the_outermost_call_of_a_device_counts() -> None:
    seen: list[str] = []

    class Deep(Slow):
        def read(self, robot: object = None) -> float:
            return self.helper()

        def helper(self) -> float:
            import sys

            call = foreign_call(sys._getframe())
            assert call is not None
            seen.append(described(call))
            return 0.0

    Deep(threading.Event()).read()
    assert seen[0].endswith("device slow: read")
