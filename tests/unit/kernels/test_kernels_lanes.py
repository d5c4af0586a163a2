"""Loops over eight rows at once: each row gets the bits of the plain formula, whatever the number of rows."""

import math
import sys

import numpy as np
import pytest

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.angles import arcs, bearings_to
from coopsim.kernels.digest import digest
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.sensing.ray_fan import arc, bearing_to

MOST = 40
UNTOUCHED = -7.0


@loop
def _formulas(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Write what a row comes to in many ways; keep rows whose first number is the larger one."""
    (scale, limit), x, y = common, rows[0], rows[1]
    rows[2] = (x * x + y * y).root() * scale - x / y
    rows[3] = x.least(y).most(limit) + abs(-y) + (0.25 - x).floor()
    rows[4] = ((x < y) & ~(x <= limit) | x.equals(y)).where(x.signed_as(y), 2.0)
    rows[5] = (x >= limit) | (rows.words(6) > 3)
    return (x > y) & (rows[7] < limit)


@compiled
def _run(table: Floats, words: Ints, kept: Ints, first: int, last: int) -> int:
    size = 8 * table.shape[1]
    at = address(table)
    columns = at, at + size, at + 2 * size, at + 3 * size, at + 4 * size, at + 5 * size, address(words), at + 6 * size
    return _formulas(first, last, (*columns, address(kept)), (0.5, 0.25), 1)


def _expected(x: float, y: float, word: int) -> tuple[float, ...]:
    return (
        math.sqrt(x * x + y * y) * 0.5 - x / y,
        max(min(x, y), 0.25) + abs(-y) + math.floor(0.25 - x),
        math.copysign(x, y) if (x < y and not x <= 0.25) or x == y else 2.0,
        1.0 if x >= 0.25 or word > 3 else 0.0,
    )


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (0, 8), (3, 11), (5, 22), (0, 31), (9, 9)])
def test_each_row_gets_the_bits_of_the_plain_formula_and_no_other_is_kept(first: int, last: int) -> None:
    random = np.random.default_rng(last)
    table = np.full((7, MOST), UNTOUCHED)
    table[:2] = random.uniform(-2.0, 2.0, (2, MOST))
    table[1, ::5] = table[0, ::5]
    table[6] = random.uniform(-1.0, 1.0, MOST)
    words, kept = random.integers(0, 7, MOST), np.full(MOST + LANES, 99)

    count = _run(table, words, kept, first, last)

    for k in range(first, last):
        assert tuple(table[2:6, k].tolist()) == _expected(table[0, k], table[1, k], int(words[k]))
    chosen = [k for k in range(first, last) if table[0, k] > table[1, k] and table[6, k] < 0.25]
    assert kept[:count].tolist() == [99, *chosen]
    assert (table[2:6, :first] == UNTOUCHED).all()
    # eight at once: no more rows than that are written behind the last one
    assert (table[2:6, first + (last - first + LANES - 1) // LANES * LANES :] == UNTOUCHED).all()


@loop
def _gather(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    rows[3] = rows.inside.where(rows.gathered(0, rows.words(1)) - rows.gathered(0, rows[2]), common[0])


@compiled
def _gathered(numbers: Floats, words: Ints, places: Floats, out: Floats, last: int) -> None:
    _gather(0, last, (address(numbers), address(words), address(places), address(out)), (-1.0,), 0)


def test_numbers_are_gathered_by_whole_and_by_floating_places() -> None:
    random = np.random.default_rng(1)
    numbers, words, out = random.uniform(-1.0, 1.0, 100), random.integers(0, 100, 24), np.zeros(24)
    places = random.integers(0, 100, 24)
    _gathered(numbers, words, places.astype(float), out, 19)
    assert out[:19].tolist() == (numbers[words] - numbers[places])[:19].tolist()
    assert out[19:].tolist() == [-1.0] * 5


@loop
def _turn(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    rows[2], rows[3] = bearings_to(rows[0], rows[1]), arcs(abs(rows[0]).least(common[0]), common[0])


@compiled
def _angles(table: Floats, plain: Floats) -> None:
    at, size = address(table), 8 * table.shape[1]
    _turn(0, table.shape[1], (at, at + size, at + 2 * size, at + 3 * size), (1.0,), 0)
    for k in range(table.shape[1]):
        plain[0, k] = bearing_to(table[0, k], table[1, k])
        plain[1, k] = arc(min(abs(table[0, k]), 1.0), 1.0)


def test_bearings_of_many_places_are_those_of_each() -> None:
    random = np.random.default_rng(2)
    table, plain = np.zeros((4, 800)), np.zeros((2, 800))
    table[:2] = random.uniform(-2.0, 2.0, (2, 800))
    table[0, :50], table[1, 30:80] = 0.0, 0.0
    table[:2, 100:140] = 1.0
    _angles(table, plain)
    assert table[2:].tobytes() == plain.tobytes()
    assert np.allclose(table[2, 80:], np.arctan2(table[1, 80:], table[0, 80:]), rtol=0.0, atol=1e-15)


@loop
def _scale(rows: LoopRows, _: tuple[Lanes, ...]) -> None:
    rows[0] = rows[0] * 2.0


@loop
def _scale_more(rows: LoopRows, _: tuple[Lanes, ...]) -> None:
    rows[0] = rows[0] * 3.0


def test_stored_machine_code_is_told_apart_by_the_formula_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def kernel(column: int) -> None:
        _scale(0, 8, (column,), (), 0)

    first = digest(kernel)
    monkeypatch.setattr(sys.modules[__name__], "_scale", _scale_more)
    assert digest(kernel) != first
    monkeypatch.undo()
    assert digest(kernel) == first


@loop
def _lower(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    bound, begin, end = common
    rows[0] = rows[0].smaller(((rows.numbers >= begin) & (rows.numbers < end)).where(bound, math.inf))


@compiled
def _lowered(numbers: Floats, first: int, last: int, bound: float, begin: int, end: int) -> None:
    _lower(first, last, (address(numbers),), (bound, begin, end), 0)


@pytest.mark.parametrize(("begin", "end"), [(3, 11), (8, 16), (0, 1), (15, 16), (9, 9)])
def test_numbers_are_lowered_from_one_row_to_before_another_and_no_others(begin: int, end: int) -> None:
    numbers = np.random.default_rng(begin).uniform(-1.0, 1.0, 24)
    numbers[5] = math.inf
    lowered = np.where((np.arange(24) >= begin) & (np.arange(24) < end), np.minimum(numbers, 0.25), numbers)
    _lowered(numbers, 0, 16, 0.25, begin, end)
    assert numbers.tobytes() == lowered.tobytes()
