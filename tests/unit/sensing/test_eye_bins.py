"""Bins of the whole turn that shadows are noted in, computed in haste: how wrong they may be."""

import math

import numpy as np

from coopsim.kernels import compiled
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.sensing.eye import BINS, UNSURE, bins_of


@loop
def _write_bins(rows: LoopRows, _: tuple[Lanes, ...]) -> None:
    rows[2] = bins_of(rows[0], rows[1])


@compiled
def bins(room):
    first, line = address(room), 8 * room.shape[1]
    _write_bins(0, room.shape[1] - 8, (first, first + line, first + 2 * line), (), 0)
    return room[2, : room.shape[1] - 8].copy()


def test_bins_are_those_of_the_bearings_but_for_a_part_of_what_shadows_are_narrower() -> None:
    bearings = np.linspace(-math.pi, math.pi, 4001)[:-1]
    for away in (1e-3, 1.0, 400.0):
        room = np.ones((3, bearings.size + LANES))
        room[0, :-LANES], room[1, :-LANES] = away * np.cos(bearings), away * np.sin(bearings)
        wrong = np.abs(bins(room) - (bearings + math.pi) / (2.0 * math.pi) * BINS)
        # the place behind may be taken for one a whole turn farther
        assert np.minimum(wrong, BINS - wrong).max() < UNSURE / 5
