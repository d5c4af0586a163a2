"""Commands are taken out of shared memory whole or not at all, also by a compiled call."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.errors import InternalError
from coopsim.simulation import Simulation, command_kernel
from coopsim.simulation.latch import CommandLatch
from coopsim.transport import Ring


class Noting:
    """A kernel whose results are noted."""

    def __init__(self, kernel: Callable[..., int], found: list[int]) -> None:
        self.py_func, self._found = kernel, found

    def __call__(self, *arguments: Any) -> int:
        self._found.append(self.py_func(*arguments))
        return self._found[-1]


class Rows:
    """A simulation, the rows that a host writes, and how often a compiled call took them."""

    def __init__(self, patch: pytest.MonkeyPatch, command_floats: int = 100) -> None:
        self.ring = Ring.create(ring_bytes=1 << 20, command_floats=command_floats)
        self.simulation = Simulation(make_spec())
        self.found: list[int] = []
        patch.setattr(command_kernel, "copy_rows", Noting(command_kernel.copy_rows, self.found))
        self.latch = CommandLatch(self.simulation, self.ring)
        self.commands = np.full(self.simulation.layout.command_size, 7.0)

    def write(self, value: float, generation: int = 0) -> None:
        with self.ring.writing(self.simulation.layout.generation + generation) as rows:
            rows[:] = value


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rows]:
    rows = Rows(monkeypatch)
    yield rows
    rows.ring.unlink()


def test_rows_are_taken_once_the_host_has_begun_with_their_generation(rows: Rows) -> None:
    rows.write(1.0, generation=2)
    rows.latch(rows.commands)
    assert set(rows.commands) == {7.0}, "rows of the same area that mean something else"
    rows.write(2.0)
    rows.latch(rows.commands)
    assert set(rows.commands) == {2.0}
    assert rows.found == [command_kernel.NOT_YET, command_kernel.TAKEN]


def test_while_the_host_writes_nothing_is_taken_and_it_is_waited_for(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.write(1.0)
    waited: list[int] = []
    latch = rows.ring.latch
    monkeypatch.setattr(rows.ring, "latch", lambda *given: waited.append(1) or latch(*given, patience=0.0))
    with rows.ring.writing(rows.simulation.layout.generation) as shared:
        shared[:] = 3.0
        rows.latch(rows.commands)
        assert (set(rows.commands), waited) == ({7.0}, [1])
    rows.latch(rows.commands)
    assert (set(rows.commands), waited) == ({3.0}, [1])
    assert rows.found == [command_kernel.BUSY, command_kernel.TAKEN]


def test_commands_without_room_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Rows(monkeypatch, command_floats=3)
    try:
        with pytest.raises(InternalError, match="more than the 3 there is room for"):
            few.latch(few.commands)
        assert few.found == []
    finally:
        few.ring.unlink()


def test_rows_of_a_new_layout_are_found(rows: Rows) -> None:
    rows.write(1.0)
    rows.latch(rows.commands)
    rows.simulation.change(rows.simulation.scene.without_entity("robot1"))
    commands = np.zeros(rows.simulation.layout.command_size)
    rows.latch(commands)
    assert not commands.any()
    rows.write(4.0)
    rows.latch(commands)
    assert set(commands) == {4.0}


@pytest.mark.parametrize("has_host_followed", [True, False])
def test_commands_of_before_a_reset_are_void_and_the_next_ones_count_whatever_changed_the_layout(
    rows: Rows, has_host_followed: bool
) -> None:
    rows.write(1.0)
    rows.latch(rows.commands)
    rows.simulation.change(rows.simulation.scene.without_entity("robot1"))
    rows.latch.forget()
    if has_host_followed:
        rows.write(1.0)
    rows.simulation.change(rows.simulation.scene)
    rows.simulation.resets += 1
    rows.latch.forget()
    commands = np.full(rows.simulation.layout.command_size, 7.0)
    rows.write(2.0)
    rows.latch(commands)
    assert set(commands) == {2.0}, "the first commands after the reset"
    rows.simulation.resets += 1
    rows.latch.forget()
    rows.latch(commands)
    assert set(commands) <= {0.0, 2.0}
    assert 0.0 in commands, "commands of before a reset"
