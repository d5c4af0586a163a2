"""Kernels on several cores: every row once, whatever each thread gets, and the same bits."""

import os
import threading

import pytest

from coopsim.kernels.threads import THREADS, KernelThreads, parts_of
from coopsim.processors import usable_cores
from coopsim.simulation import Simulation
from coopsim.testkit.bench.measuring.workload import Avoidance, crowd


@pytest.mark.parametrize("rows", [1, 2, 63, 64, 129, 1000, 12_345])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_parts_hold_every_row_once_and_more_than_one_where_there_are_more(rows: int, threads: int) -> None:
    parts = parts_of(rows, threads)
    assert [number for number, _, _ in parts] == list(range(len(parts)))
    assert [row for _, first, last in parts for row in range(first, last)] == list(range(rows))
    assert len(parts) <= 16 * threads
    assert rows == 1 or all(last - first > 1 for _, first, last in parts)


@pytest.mark.parametrize(
    ("count", "work", "threads"),
    [(1, 9000, 1), (2, 99, 1), (2, 100, 2), (2, 900, 2), (16, 250, 11), (16, 9000, 16), (300, 9000, 64)],
)
def test_more_threads_share_more_work(count: int, work: int, threads: int) -> None:
    several = KernelThreads()
    several.use(count)
    assert several.sharing(work, 100) == threads


def test_all_parts_are_done_by_the_threads_there_are() -> None:
    threads, lock = KernelThreads(), threading.Lock()
    threads.use(3)
    done: list[tuple[int, int, int]] = []

    def do(number: int, first: int, last: int) -> float:
        with lock:
            done.append((number, first, last))
        return float(last)

    for _ in range(20):
        assert sorted(threads.run(1000, do)) == [float(last) for _, _, last in parts_of(1000, 3)]
        assert sorted(done) == parts_of(1000, 3)
        done.clear()


def test_another_thread_takes_part() -> None:
    threads, both = KernelThreads(), threading.Barrier(2)
    threads.use(2)
    seen = set()

    def do(*_: int) -> float:
        if len(seen) < 2:
            both.wait(20.0)
        seen.add(threading.get_ident())
        return 0.0

    threads.run(128, do)
    assert len(seen) == 2


def test_what_a_part_raises_is_raised_when_all_are_done() -> None:
    threads = KernelThreads()
    threads.use(2)
    done: list[int] = []

    def do(_number: int, first: int, _last: int) -> float:
        done.append(first)
        if first == 0:
            raise ZeroDivisionError
        return 0.0

    with pytest.raises(ZeroDivisionError):
        threads.run(1000, do)
    assert sorted(done) == [first for _, first, _ in parts_of(1000, 2)]


def test_a_forked_process_begins_anew() -> None:
    threads = KernelThreads()
    threads.use(2)
    assert len(threads.run(128, lambda *_: 0.0)) == 2
    threads.forget()
    assert len(threads.run(128, lambda *_: 0.0)) == 2


def test_without_a_number_all_cores_of_this_process_are_used() -> None:
    threads = KernelThreads()
    assert threads.count == 1
    threads.use()
    assert threads.count == usable_cores()
    if hasattr(os, "sched_getaffinity"):
        assert usable_cores() == len(os.sched_getaffinity(0))


def test_ticks_on_several_cores_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = []
    for count in (1, 2, 5):  # more rays than one thread casts
        monkeypatch.setattr(THREADS, "count", count)
        simulation = Simulation(crowd(800), step=0.01, programs=[Avoidance()])
        for _ in range(20):
            simulation.tick()
        hashes.append(simulation.state_hash())
    assert hashes[1:] == hashes[:1] * 2


def test_few_rays_are_cast_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation, many = Simulation(crowd(10)), Simulation(crowd(800))
    monkeypatch.setattr(THREADS, "count", 2)
    ran: list[int] = []
    run = THREADS.run
    monkeypatch.setattr(THREADS, "run", lambda rows, *more: ran.append(rows) or run(rows, *more))
    simulation.tick()
    assert ran == []
    many.tick()
    assert 800 in ran
