"""Rows of a kernel in parts that threads claim: each once, with the same bits, and errors are not lost."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from coopsim.devices import noise, sonars
from coopsim.features.sensors import target
from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.parts import in_parts
from coopsim.kernels.sequence import TICK, KernelCall, KernelSequence, call_each
from coopsim.kernels.threads import THREADS
from coopsim.simulation import Simulation
from coopsim.testkit.bench.measuring.workload import crowd

ROWS = 1001


@compiled
def _add(numbers: Floats, factor: float, tick: int, wrong: int) -> None:
    """Add the tick, times a factor, to each number; fail where the first one is `wrong`."""
    if numbers[0] == wrong:
        raise MemoryError
    for row in range(numbers.size):
        numbers[row] += factor * tick


def adding(numbers: Floats, threads: int, wrong: int = -1, **more: Any) -> tuple[KernelCall, ...]:
    def part(first: int, last: int) -> tuple[Any, ...]:
        return numbers[first:last], 0.5, TICK, wrong

    return in_parts(_add, numbers.size, threads, part, **more)


def sequence(calls: tuple[KernelCall, ...]) -> KernelSequence:
    program = KernelSequence.of(calls)
    assert program is not None
    return program


@pytest.mark.parametrize("is_few", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_each_row_is_done_once_with_the_number_of_the_tick(threads: int, is_few: bool) -> None:
    numbers = np.arange(float(ROWS))
    calls = adding(numbers, threads, is_few=is_few)
    program = sequence(calls)
    for tick in range(1, 51):
        assert program.run(tick) == len(calls)
    assert numbers.tolist() == (np.arange(ROWS) + 0.5 * 50 * 51 / 2).tolist()
    assert calls[-1].helpers == threads - 1


def test_calls_from_python_do_the_same() -> None:
    numbers = np.zeros(ROWS)
    for tick in (3, 4):
        call_each(adding(numbers, 2), tick)
    assert numbers.tolist() == [3.5] * ROWS


def test_a_part_that_fails_ends_the_sequence() -> None:
    numbers = np.arange(float(ROWS))
    numbers[ROWS * 7 // 15] = -7.0  # where a part begins
    program = sequence(adding(numbers, 2, wrong=-7))
    assert [program.run(0) for _ in range(20)] == [1] * 20
    assert sequence(adding(numbers, 2)).run(0) == 2


def test_there_are_about_sixteen_parts_for_each_thread_or_one() -> None:
    numbers = np.zeros(100_000)
    assert [len(adding(numbers, 2, is_few=is_few)[-1].arguments[2]) for is_few in (False, True)] == [32, 2]


def test_arrays_of_parts_are_kept_with_the_sequence() -> None:
    arrays: list[Any] = []

    def part(first: int, last: int) -> tuple[Any, ...]:
        numbers = np.zeros(last - first)
        arrays.append(weakref.ref(numbers))
        return numbers, 1.0, TICK, -1

    program = sequence(in_parts(_add, ROWS, 2, part))
    gc.collect()
    assert len(arrays) == 15
    assert all(array() is not None for array in arrays)
    del program
    assert all(array() is None for array in arrays)


def test_noise_and_what_cameras_write_have_the_same_bits_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    shared: set[tuple[str, int]] = set()

    def noted(kernel: Any, rows: int, threads: int, part: Any) -> tuple[KernelCall, ...]:
        shared.add((kernel.__name__, threads))
        return in_parts(kernel, rows, threads, part)

    for module in (noise, sonars, target):
        monkeypatch.setattr(module, "in_parts", noted)
    for module, name in ((noise, "MANY"), (sonars, "MANY"), (target, "_MANY")):
        monkeypatch.setattr(module, name, 40)
    hashes = []
    for count in (1, 2, 3):
        monkeypatch.setattr(THREADS, "count", count)
        simulation = Simulation(crowd(200, "scout"), step=0.01)
        for _ in range(20):
            simulation.tick()
        hashes.append(simulation.state_hash())
    assert hashes[1:] == hashes[:1] * 2
    assert {(name, count) for name in ("normal", "_jitter", "_see") for count in (1, 2, 3)} <= shared
