"""What people, launcher and host hear of kernels that are compiled."""

from typing import Any, cast

import pytest

from coopsim.launch.incidents import Incidents
from coopsim.launch.physics_process import announce_compiling
from coopsim.transport.control import CompilingKernels


class Told:
    def __init__(self) -> None:
        self.messages: list[CompilingKernels] = []
        self.notes: list[str] = []

    def send(self, message: CompilingKernels) -> None:
        self.messages.append(message)

    def note(self, text: str) -> None:
        self.notes.append(text)


class Second:
    def __init__(self) -> None:
        self.started = 0

    def start(self) -> None:
        self.started += 1


def announce(done: int, total: int) -> tuple[Told, Told, Second]:
    launcher, host, second = Told(), Told(), Second()
    announce_compiling(cast("Any", launcher), cast("Any", host), cast("Any", second), done, total)
    return launcher, host, second


def test_launcher_and_host_hear_how_far_it_is() -> None:
    launcher, host, _ = announce(3, 70)
    assert launcher.messages == host.messages == [CompilingKernels(3, 70)]


@pytest.mark.parametrize(("done", "total", "started"), [(0, 20, 1), (50, 70, 1), (51, 70, 0), (0, 0, 0)])
def test_a_second_process_compiles_where_many_kernels_are_left(done: int, total: int, started: int) -> None:
    assert announce(done, total)[2].started == started


def test_people_read_how_far_it_is_now_and_then() -> None:
    view, times = Told(), iter((10.0, 12.0, 15.5, 20.0, 25.0))
    incidents = Incidents(cast("Any", view), lambda: next(times))
    for done, total in ((0, 70), (10, 70), (30, 72), (72, 72)):
        incidents.report(CompilingKernels(done, total), has_begun=False)
    assert incidents.is_compiling
    assert view.notes == [
        "kernels are being compiled, once after an installation: 0 of 70",
        "kernels are being compiled: 30 of 72",
    ]
    incidents.report(CompilingKernels(0, 0), has_begun=True)
    assert view.notes[-1] == "kernels are being compiled"
