"""Lists of the shapes near each body that looks, kept from tick to tick: bodies move a little only.

A list holds what may be met while nobody has moved or turned far; then it is made anew. It is no part of the state:
rays read the same with any list, and without one.

Source: L. Verlet, Computer "experiments" on classical fluids (lists of neighbours with a skin).
"""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.lanes import Lanes, LoopRows, counting
from coopsim.kernels.native import address
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import FAN_FROM
from coopsim.sensing.ray_looks import Look, square_of

# a row: where the body was and its heading when the list was made, `TRAVELLED` then; how far from there the list holds
# all; how far the freest ray saw last; how many shapes are listed; for how many ticks no other list is made; then how
# far away each shape was at least, nearest first, and the numbers of them
_X, _Y, _COS, _SIN, _TRAVELLED, WHOLE_WITHIN, FAR, _COUNT, PAUSE = range(9)
_GAPS, _MOST = 16, 32
_SHAPES = _GAPS + _MOST
_WIDTH = _SHAPES + _MOST
_BYTES = 8  # of a number
SKIN = 0.15  # m; a robot of 0.5 m/s among others as fast moves so far in 15 ticks
_MORE = 0.35  # m; a gap opens between the nearest shapes, and rays see what is behind
_COS_TURN, _SIN_TURN = math.cos(0.3), math.sin(0.3)
_MARGIN = 1e-6  # m, and per radian: far more than is rounded
_LONGEST_PAUSE, SERVED = 16.0, 4.0  # ticks; who is served for less than 4 by a list does without for some
_U = np.uint64  # places in arrays: what cannot be negative is found faster


def empty_lists(count: int, rays: int) -> Floats:
    """Return lists for so many bodies that look with so many rays, none of which is made yet; for few rays no list."""
    # few rays meet a shape sooner than they read a list
    return np.zeros((count if rays >= FAN_FROM else 0, _WIDTH))


@inlined
def moved_since(look: Look, numbers: Floats, kept: Floats) -> float:
    """Return how much nearer a shape may be than when the list was made, infinite where the body has turned far [m]."""
    x, y, travelled = look[0] - kept[_X], look[1] - kept[_Y], numbers[head.TRAVELLED]
    if not look[2] * kept[_COS] + look[3] * kept[_SIN] >= _COS_TURN + _MARGIN:
        return math.inf
    moved: float = math.sqrt(x * x + y * y) + (travelled - kept[_TRAVELLED]) + _MARGIN + 1e-9 * travelled
    return moved


@inlined
def note_listed(begin: int, far: float, notes: int, whole: Ints, kept: Floats) -> int:
    """Note those of the listed shapes from `begin` on that were no farther than `far`; return the one behind them."""
    end = _count_near(0, int(kept[_COUNT]), (address(kept) + _BYTES * _GAPS,), (far,), 0)
    place_of = whole[head.AT_PLACE]
    for k in range(_U(begin), _U(max(begin, end))):
        whole[_U(notes) + k - _U(begin)] = whole[_U(place_of + int(kept[_U(_SHAPES) + k]))]
    return end


@counting
def _count_near(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    return rows[0] <= common[0]


@compiled
def write_list(look: Look, far: float, longest: float, numbers: Floats, whole: Ints, kept: Floats) -> None:
    """List the shapes around a body whose freest ray sees `far` [m], at most `longest`, unless lists last too short."""
    if kept[PAUSE] > 0.0:
        kept[PAUSE] -= 1.0
        return
    px, py, c, s, side, ahead, z, owner, notes = look
    side, ahead = side * _COS_TURN - ahead * _SIN_TURN, ahead * _COS_TURN + side * _SIN_TURN
    if ahead < 0.0:  # rays that turn reach all around
        side, ahead = -1.0, 0.0
    within, count, search, small = min(far + _MORE, longest) + SKIN, 0, whole[head.AT_SEARCH], whole[head.SMALL]
    left, right, low, high = square_of(within, (px, py, c, s, -1.0, 0.0, z, owner, notes), numbers, whole)
    for line in range(low, high + 1):
        at = whole[head.AT_START] + line * whole[head.COLUMNS]
        for place in range(whole[at + left], whole[at + right + 1]):
            e = search + place
            x, y, bound = numbers[e] - px, numbers[e + small] - py, numbers[e + 2 * small]
            gap, aside = math.sqrt(x * x + y * y) - bound, abs(y * c - x * s) * side - (x * c + y * s) * ahead
            if not gap <= within or aside > bound + SKIN or numbers[e + 3 * small] == owner:
                continue
            if count == _MOST:
                # what finds no room limits what the list holds
                within = max(gap, kept[_GAPS + _MOST - 1])
                count -= gap < within
            if count < _MOST:
                k, count = count, count + 1
                while k > 0 and kept[_GAPS + k - 1] > gap:
                    kept[_GAPS + k], kept[_SHAPES + k] = kept[_GAPS + k - 1], kept[_SHAPES + k - 1]
                    k -= 1
                kept[_GAPS + k], kept[_SHAPES + k] = gap, whole[whole[head.AT_PLACE] + small + place]
    kept[_X], kept[_Y], kept[_COS], kept[_SIN], kept[_TRAVELLED] = px, py, c, s, numbers[head.TRAVELLED]
    kept[WHOLE_WITHIN], kept[FAR], kept[_COUNT], kept[PAUSE] = within, far, count, _LONGEST_PAUSE
