"""Calls of kernels made as one: the same results, and an end where one returns what is not expected."""

import math

import numpy as np
import pytest

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.native import is_possible, native
from coopsim.kernels.sequence import TICK, KernelCall, KernelSequence


@compiled
def _add(values: Floats, factor: float, others: tuple[Ints, Floats], number: int) -> None:
    whole, floating = others
    for k in range(values.shape[0]):
        values[k] += factor * whole[k] + floating[k] + number


@compiled
def _least(values: Floats) -> float:
    return float(values.min())


@compiled
def _many(a: Floats, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float, j: int) -> int:
    a[0] = b + c + d + e + f + g + h + i + j
    return j


def adding(values: Floats, number: int = 0) -> KernelCall:
    return KernelCall(_add, (values, 0.5, (np.arange(4), np.linspace(0.0, 1.0, 7)[::2]), number))


def sequence(*calls: KernelCall) -> KernelSequence:
    calls_ = KernelSequence.of(calls)
    assert calls_ is not None
    return calls_


def test_calls_of_a_sequence_have_the_results_of_calls_one_by_one():
    values, wanted = np.zeros(4), np.zeros(4)
    for tick in (3, 11):
        assert sequence(adding(values, TICK), adding(values, 7)).run(tick) == 2
        for number in (tick, 7):
            kernel, arguments, *_ = adding(wanted, number)
            kernel(*arguments)
    assert np.array_equal(values, wanted)


def test_a_sequence_ends_where_a_result_is_not_as_expected_and_goes_on_from_there():
    values, watched = np.zeros(4), np.array([2.0, -1.5])
    program = sequence(adding(values), KernelCall(_least, (watched,), expects=0.0), adding(values))

    assert program.run(0) == 1
    once = values.copy()
    assert program.run(0, 2) == program.length == 3
    assert np.array_equal(values, 2.0 * once)
    watched[1] = 0.0
    assert program.run(0, 1) == 3
    assert np.array_equal(values, 3.0 * once)


def test_a_whole_result_can_be_asked_for():
    program = sequence(KernelCall(_many, (np.zeros(1), *map(float, range(8)), -5), expects=-1))
    assert program.run(0) == 0
    assert program.result(0) == -5
    kernel, (first, *arguments), *_ = KernelCall(_many, (np.zeros(1), *map(float, range(8)), -5))
    sequence(KernelCall(kernel, (first, *arguments))).run(0)
    assert first[0] == 28.0 - 5


def test_arrays_without_elements_and_numbers_that_are_none_pass():
    values = np.full(1, math.nan)
    sequence(KernelCall(_many, (values, math.nan, *map(float, range(7)), 1))).run(0)
    assert math.isnan(values[0])
    assert sequence(KernelCall(_add, (np.zeros(0), 1.0, (np.arange(0), np.zeros(0)), 0))).run(0) == 1


@pytest.mark.parametrize(
    "call",
    [
        KernelCall(_least, (None,)),
        KernelCall(_add, (np.zeros(4), True, (np.arange(4), np.zeros(4)), 0)),
        KernelCall(max, (1.0, 2.0)),
    ],
)
def test_what_cannot_be_called_so_makes_no_sequence(call: KernelCall) -> None:
    assert KernelSequence.of([adding(np.zeros(4)), call]) is None


def test_other_machines_call_kernels_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_possible()
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert native(_least, (np.zeros(2),)) is None
