from typing import Any, cast

import numba
from numba.core import event

from coopsim.launch.physics_process import Compiling
from coopsim.transport.control import CompilingKernels


class Told:
    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.messages.append(message)


def test_the_launcher_hears_once_that_something_is_compiled_and_not_when_it_is_called_again() -> None:
    launcher = Told()
    listener = Compiling(cast("Any", launcher))
    event.register("numba:compile", listener)
    try:
        doubled = numba.njit(lambda x: 2 * x)
        assert launcher.messages == []
        assert [doubled(3), doubled(4), doubled(1.5)] == [6, 8, 3.0]
    finally:
        event.unregister("numba:compile", listener)
    assert launcher.messages == [CompilingKernels()]
