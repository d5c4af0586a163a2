"""Failures that do not end a run: each is told once, in words for people, and remembered."""

import pytest

from coopsim.launch.incidents import Incident, Incidents
from coopsim.transport.control import (
    CompilingKernels,
    DeviceFailed,
    DeviceNoticed,
    PluginReturned,
    PluginStuck,
    ThreadsLeft,
    TickFailed,
    TicksLate,
)


class Seen:
    """What people see."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.complaints: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def complain(self, text: str) -> None:
        self.complaints.append(text)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def incidents(seen: Seen, clock: Clock) -> Incidents:
    return Incidents(seen, clock)  # type: ignore[arg-type]


def report(incidents: Incidents, *incoming: Incident, has_begun: bool = True) -> None:
    for incident in incoming:
        incidents.report(incident, has_begun=has_begun)


def test_a_device_that_fails_again_after_a_reset_is_told_once(incidents: Incidents, seen: Seen) -> None:
    report(
        incidents, DeviceFailed("robot1.sonars", "ValueError: x", 7), DeviceFailed("robot1.sonars", "ValueError", 90)
    )
    assert seen.complaints == ["ValueError: x\n  tick 7: robot1.sonars is switched off, its readings stay as they are"]
    report(incidents, DeviceFailed("robot2.sonars", "KeyError", 9))
    assert incidents.failures == ["robot1.sonars", "robot2.sonars"]
    assert len(seen.complaints) == 2


def test_an_engine_that_could_not_make_a_tick_is_a_failure_each_time(incidents: Incidents, seen: Seen) -> None:
    report(incidents, TickFailed("mujoco", "unstable", 3), TickFailed("mujoco", "unstable", 4))
    assert seen.complaints == [f"the mujoco engine could not make tick {tick}: unstable" for tick in (3, 4)]
    assert incidents.failures == ["mujoco"]


def test_what_a_device_noticed_is_told_with_its_tick_and_is_no_failure(incidents: Incidents, seen: Seen) -> None:
    report(incidents, DeviceNoticed("the door is shut", 12))
    assert (seen.complaints, incidents.failures) == (["tick 12: the door is shut"], [])


def test_a_plugin_that_does_not_return_is_told_once_and_known_while_it_lasts(incidents: Incidents, seen: Seen) -> None:
    first, later = (PluginStuck(text="the law own, line 7", seconds=seconds) for seconds in (2.0, 4.0))
    report(incidents, first, later)
    assert seen.complaints == ["the law own, line 7 has been running for 2 s; until it returns there are no ticks"]
    assert incidents.stuck["seconds"] == 4.0
    report(incidents, PluginReturned())
    assert incidents.stuck == {}
    report(incidents, first)
    assert len(seen.complaints) == 2


def test_threads_that_a_plugin_left_are_named(incidents: Incidents, seen: Seen) -> None:
    report(incidents, ThreadsLeft(("camera", "Thread-3")))
    assert seen.complaints == ["a plugin left threads running, which end with the physics process: camera, Thread-3"]


def test_ticks_that_are_late_are_a_note(incidents: Incidents, seen: Seen) -> None:
    report(incidents, TicksLate(5, 0.25))
    assert (len(seen.notes), seen.complaints) == (1, [])
    assert "5" in seen.notes[0]


def test_compiling_is_told_now_and_then_with_how_far_it_is(incidents: Incidents, seen: Seen, clock: Clock) -> None:
    report(incidents, CompilingKernels(0, 0))
    clock.now += 4.9
    report(incidents, CompilingKernels(1, 8))
    clock.now += 0.1
    report(incidents, CompilingKernels(2, 8))
    assert seen.notes == [
        "kernels are being compiled, once after an installation",
        "kernels are being compiled: 2 of 8",
    ]


def test_compiling_before_the_run_begins_is_remembered_and_later_is_not(incidents: Incidents) -> None:
    report(incidents, CompilingKernels(0, 8), has_begun=True)
    assert not incidents.is_compiling
    report(incidents, CompilingKernels(1, 8), has_begun=False)
    report(incidents, CompilingKernels(2, 8), has_begun=True)
    assert incidents.is_compiling
