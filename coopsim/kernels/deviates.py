"""Logarithms, cosines and sines of many numbers at once, bit by bit the library's: what normal deviates are made of.

Each is computed to 1/100 of its last digit. Where that does not decide how it is rounded the library is asked.
"""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels.compiled import inlined
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address

_BYTES = 8  # of a number
_BITS = 192  # of the numbers that tables are computed in
_PARTS, _STEPS = 64, 32  # of a factor of 1; of an angle of 1 rad
_LAST = 2 * _PARTS  # the factors are below the root of 2, and full turns end at step 202
_TURN = 202
_FEW_BITS = 2.0**-40  # products of few powers of 2 with the logarithm of 2, cut off here, are exact
_SMALLEST = 2.0**-12
"""Of a cosine or sine: what is left out is 2^-74, which counts beside smaller ones."""
_DOUBT = 1.14
"""What was rounded off may be this times as much: half of the last digit decides, and the library errs by 1/18 more."""


def _in_two(whole: int) -> tuple[float, float]:
    """Return a number, given times 2^192, as a double and the rest."""
    first = whole / (1 << _BITS)
    ratio = first.as_integer_ratio()
    return first, (whole - (ratio[0] << _BITS) // ratio[1]) / (1 << _BITS)


def _logarithms() -> list[int]:
    """Return the logarithms of k / 64 for k from 32 to 128, 0 for others, times 2^192."""
    logarithms = [0] * (_LAST + 1)
    for k in range(_PARTS + 1, _LAST + 1):
        # of k / (k - 1), by the series of twice the hyperbolic arc tangent of 1 / (2 k - 1)
        slope, n, total = 2 * k - 1, 1, 0
        term = (2 << _BITS) // slope
        while term:
            total, term, n = total + term // n, term // (slope * slope), n + 2
        logarithms[k] = logarithms[k - 1] + total
    for k in range(_PARTS // 2, _PARTS):
        logarithms[k] = logarithms[2 * k] - logarithms[_LAST]
    return logarithms


def _turns() -> tuple[list[int], list[int]]:
    """Return the sines and the cosines of k / 32 rad for a full turn, times 2^192."""
    sine, cosine, term = 0, 0, 1 << _BITS
    for n in range(1, 60, 2):
        sign = 2 - n % 4
        cosine, term = cosine + sign * term, term // (_STEPS * n)
        sine, term = sine + sign * term, term // (_STEPS * (n + 1))
    sines, cosines = [0], [1 << _BITS]
    for _ in range(_TURN):
        s, c = sines[-1], cosines[-1]
        sines.append((s * cosine + c * sine) >> _BITS)
        cosines.append((c * cosine - s * sine) >> _BITS)
    return sines, cosines


_WHOLE = _logarithms()
_LN2 = math.floor(_in_two(_WHOLE[_LAST])[0] / _FEW_BITS) * _FEW_BITS
_LN2_REST = (_WHOLE[_LAST] - int(_LN2 / _FEW_BITS) * (1 << _BITS - 40)) / (1 << _BITS)
TABLES = np.zeros((6, _TURN + 1))
"""For `draw`: logarithms, sines and cosines, two numbers each."""
for _row, _column in enumerate((_WHOLE, *_turns())):
    TABLES[2 * _row : 2 * _row + 2, : len(_column)] = np.array([_in_two(_number) for _number in _column]).T
ROOM = 5
"""Rows of numbers that `draw` needs."""


@inlined
def draw(count: int, tables: Floats, room: Floats, unclear: Ints) -> None:
    """Write pairs of normal deviates, by Box and Muller.

    Args:
        count: How many.
        tables: `TABLES`.
        room: Numbers within (0, 1] and angles within a turn [rad], which become the deviates; then to compute in; shape
            (5, count + 8).
        unclear: To compute in, shape (count + 8,).
    """
    for k in range(count, count + LANES):
        room[0, k] = room[1, k] = 1.0  # eight are computed at once
    wide, line, first = _BYTES * tables.shape[1], _BYTES * room.shape[1], address(room)
    at, listed = address(tables), address(unclear)
    columns = first, first + 2 * line, at, at + wide, listed
    for k in range(_log(0, count, columns, (), 0)):
        room[2, unclear[k]] = math.log(room[0, unclear[k]])
    turned = first + line, first + 3 * line, first + 4 * line
    angles = at + 2 * wide, at + 3 * wide, at + 4 * wide, at + 5 * wide
    for k in range(_turn(0, count, (*turned, *angles, listed), (), 0)):
        angle = room[1, unclear[k]]
        room[3, unclear[k]], room[4, unclear[k]] = math.cos(angle), math.sin(angle)
    for k in range(count):
        radius = math.sqrt(-2.0 * room[2, k])
        room[0, k], room[1, k] = radius * room[3, k], radius * room[4, k]


@loop
def _log(rows: LoopRows, _: tuple[Lanes, ...]) -> Lanes:
    """Write logarithms; return which of them the library has to decide."""
    power, scaled = rows[0].split()
    part = (scaled * float(_PARTS) + 0.5).floor()
    center = part * (1.0 / _PARTS)
    whole, whole_rest = rows.gathered(2, part), rows.gathered(3, part)
    # twice the hyperbolic arc tangent of how far the number is from the center, by their sum
    ahead, (across, across_rest) = scaled - center, _sum(scaled, center)
    inverse = 1.0 / across
    t = ahead * inverse
    left = ((-t).times_plus(across, ahead) - t * across_rest) * inverse
    z = t * t
    # larger numbers first: what rounding leaves of a sum is exact
    first = power * _LN2
    second = first + whole
    third = second + 2.0 * t
    rest = ((first - second) + whole) + ((second - third) + 2.0 * t) + 2.0 * left
    rest = rest + (t * z * ((z * (2.0 / 7.0) + 0.4) * z + 2.0 / 3.0) + (whole_rest + power * _LN2_REST))
    rows[1], is_unclear = _rounded(third, rest)
    return is_unclear


@loop
def _turn(rows: LoopRows, _: tuple[Lanes, ...]) -> Lanes:
    """Write cosines and sines; return which of them the library has to decide."""
    # a little less than a half: below half a step what is left could have a digit more than a double
    part = (rows[0] * float(_STEPS) + 0.4999).floor()
    d = rows[0] - part * (1.0 / _STEPS)
    sine, sine_rest, cosine, cosine_rest = (rows.gathered(k, part) for k in range(3, 7))
    z = d * d
    # what a sine has less than its angle, and a cosine less than 1
    bent, fallen = (
        z * d * ((z * (-1.0 / 5040.0) + 1.0 / 120.0) * z - 1.0 / 6.0),
        z * ((z * (-1.0 / 720.0) + 1.0 / 24.0) * z - 0.5),
    )
    rows[1], is_unclear = _turned((cosine, cosine_rest), (-sine, -sine_rest), d, (bent, fallen))
    rows[2], is_unclear_too = _turned((sine, sine_rest), (cosine, cosine_rest), d, (bent, fallen))
    return is_unclear | is_unclear_too


def _turned(
    first: tuple[Lanes, Lanes], second: tuple[Lanes, Lanes], d: Lanes, less: tuple[Lanes, Lanes]
) -> tuple[Lanes, Lanes]:
    """Return the first numbers times the cosine of d plus the second ones times its sine, and which are unclear."""
    product = second[0] * d
    total, rest = _sum(first[0], product)
    small = second[0].times_plus(d, -product) + second[1] * d + first[1]
    value, is_unclear = _rounded(total, rest + small + (first[0] * less[1] + second[0] * less[0]))
    return value, is_unclear | (abs(value) < _SMALLEST)


def _sum(a: Lanes, b: Lanes) -> tuple[Lanes, Lanes]:
    """Return a sum, and what rounding leaves of it (D. Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def _rounded(number: Lanes, rest: Lanes) -> tuple[Lanes, Lanes]:
    """Return a number and its rest as one, and where rounding them may be in doubt."""
    value = number + rest
    return value, ~(value + ((number - value) + rest) * _DOUBT).equals(value)
