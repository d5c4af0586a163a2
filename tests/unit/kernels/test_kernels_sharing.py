"""Calls of kernels that threads make together: all work once, whoever comes, and what a helper finds is not lost."""

import itertools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads
from coopsim.kernels import sharing as it
from coopsim.kernels.sequence import TICK, KernelCall, KernelSequence
from coopsim.kernels.shared_words import load
from coopsim.kernels.sharing import claim
from coopsim.kernels.threads import THREADS

ROWS, PARTS, LONG = 1000, 16, 2_000_000_000


@compiled
def _begin(claims: Ints) -> None:
    claims[0] = 0


@compiled_for_threads
def _count(claims: Ints, tick: int, done: Floats, wrong: int, parts: int) -> float:
    """Add the tick to each row that is claimed; return 1 after part number `wrong`, fail at part number -`wrong`."""
    outcome = 0.0
    while True:
        part, first, last = claim(claims, done.size, parts)
        if part == parts:
            return outcome
        if part == wrong:
            outcome = 1.0
        elif part == -wrong:
            raise MemoryError
        for row in range(first, last):
            done[row] += tick


@compiled_for_threads
def _meet(claims: Ints, turns: int, late: int) -> float:
    """Claim one of two parts; wait until both are claimed, but not for ever. Part 1 takes as long as asked."""
    part, _, _ = claim(claims, 2, 2)
    for _ in range(turns):
        if load(int(claims.ctypes.data)) > 1:
            break
    else:
        return 1.0
    waste = 0
    for _ in range(late if part == 1 else 0):
        waste += load(int(claims.ctypes.data))
    return 0.0 if waste >= 0 else 2.0


def sequence(*calls: KernelCall) -> KernelSequence:
    program = KernelSequence.of(calls)
    assert program is not None
    return program


def meeting(late: int = 0) -> KernelSequence:
    claims = np.zeros(1, np.int64)
    return sequence(KernelCall(_begin, (claims,)), KernelCall(_meet, (claims, LONG, late), expects=0, helpers=2))


def counting(done: Floats, wrong: int = PARTS + 1, parts: int = PARTS, helpers: int = 2) -> KernelSequence:
    claims = np.zeros(1, np.int64)
    shared = KernelCall(_count, (claims, TICK, done, wrong, parts), expects=0, helpers=helpers)
    return sequence(KernelCall(_begin, (claims,)), shared)


@pytest.fixture(autouse=True)
def rests() -> Iterator[None]:
    yield
    words()[it._RESTS // 8] = words()[it._NEXT_RESTS // 8] = 0


def words() -> Ints:
    return THREADS._board._words


def until(is_so: Callable[[], bool]) -> bool:
    """Wait for what must become so at last."""
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.001)
    return False


@pytest.mark.parametrize("helpers", [0, 1, 2, 5])
def test_every_row_is_done_once_in_every_call(helpers: int) -> None:
    done = np.zeros(ROWS)
    program = counting(done, helpers=helpers)
    for tick in range(300):
        assert program.run(tick) == 2
        if tick % 100 == 0:
            time.sleep(0.01)  # helpers sleep
    assert done.tolist() == [300 * 299 / 2] * ROWS


def test_no_part_is_claimed_twice_or_by_nobody() -> None:
    done = np.zeros(20_000)
    program = counting(done, -1 - done.size, parts=done.size)
    for _ in range(50):
        assert program.run(1) == 2
    assert np.unique(done).tolist() == [50.0]


def test_a_helper_takes_part_also_if_it_has_slept() -> None:
    program, asleep = meeting(), (it._OF_HELPER + it._ASLEEP) // 8
    for _ in range(3):
        assert until(lambda: words()[asleep] == 1 and words()[asleep + it._LINE // 8] == 1)
        assert until(lambda: program.run(0) == 2)


@pytest.mark.parametrize("wrong", [*range(PARTS)])
def test_what_is_not_expected_ends_the_sequence_whoever_finds_it(wrong: int) -> None:
    program = counting(np.zeros(ROWS), wrong)
    assert [program.run(1) for _ in range(20)] == [1] * 20


def test_a_part_that_fails_ends_the_sequence_whoever_it_was() -> None:
    program = counting(np.zeros(ROWS), -5)
    assert [program.run(1) for _ in range(50)] == [1] * 50
    assert counting(np.zeros(ROWS)).run(1) == 2


def test_after_helpers_have_kept_others_waiting_calls_are_made_alone_for_a_while() -> None:
    rests, late, done = it._RESTS // 8, meeting(100_000_000), np.zeros(ROWS)
    assert until(lambda: late.run(0) == 2 and words()[rests] > 0)
    left, number = int(words()[rests]), it._NUMBER // 8
    program, opened = counting(done), int(words()[number])
    for k in range(left):
        assert words()[rests] == left - k
        assert program.run(1) == 2
    assert words()[number] == opened
    assert program.run(1) == 2
    assert words()[number] == opened + 1
    assert done.tolist() == [left + 1.0] * ROWS


def test_calls_alone_are_twice_as_many_each_time_and_fewer_after_calls_in_time() -> None:
    rests, following, late = it._RESTS // 8, it._NEXT_RESTS // 8, meeting(100_000_000)
    in_time, lengths = counting(np.zeros(ROWS)), []
    while not lengths or lengths[-1] < it._MOST_RESTS:
        assert until(lambda: late.run(0) == 2 and words()[rests] > 0)
        lengths.append(int(words()[rests]))
        words()[rests] = 0
        assert len(lengths) < 100  # calls in between may be in time
    assert lengths[0] == 1
    assert all(length <= 2 * before for before, length in itertools.pairwise(lengths))
    assert until(lambda: in_time.run(1) == 2 and words()[following] == 0)


def _in_fork(found: KernelSequence, done: Floats, answers: "multiprocessing.Queue[list[float]]") -> None:
    alone = found.run(1)
    anew = counting(done)
    answers.put([alone, anew.run(1), float(until(lambda: meeting().run(0) == 2)), *np.unique(done)])


def test_a_forked_process_has_helpers_of_its_own() -> None:
    done = np.zeros(ROWS)
    program, fork = counting(done), multiprocessing.get_context("fork")
    assert program.run(1) == 2
    answers: multiprocessing.Queue[list[float]] = fork.Queue()
    process = fork.Process(target=_in_fork, args=(program, done, answers))
    process.start()
    assert answers.get(timeout=60.0) == [2, 2, 1.0, 3.0]
    process.join(60.0)
    assert process.exitcode == 0
    assert program.run(1) == 2


def test_helpers_are_kept_off_the_core_of_whoever_opens_calls() -> None:
    program, thread = counting(np.zeros(ROWS)), (it._OF_HELPER + it._THREAD) // 8
    knows_cores = words()[it._WHERE // 8] and words()[it._KEEP // 8]

    def is_elsewhere() -> bool:
        assert program.run(1) == 2
        core = int(words()[it._LEFT_FREE // 8]) - 1
        return core in it.cores() and os.sched_getaffinity(int(words()[thread])) == {*it.cores()} - {core}

    assert not knows_cores or len(it.cores()) == 1 or until(is_elsewhere)
