"""Directions of many places at once: the library's bits, or the library is asked."""

import math
from fractions import Fraction

import numpy as np
import pytest

from coopsim.features.sensors.directions import ARCS, directions_to
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.lanes import LANES
from coopsim.kernels.native import address

MOST = 20_000
PLACES = {
    "around": lambda random: random.normal(size=(2, MOST)),
    "far apart": lambda random: random.normal(size=(2, MOST)) * np.exp(random.uniform(-60.0, 60.0, (2, MOST))),
    "on a grid": lambda random: np.round(random.uniform(-20.0, 20.0, (2, MOST))) / 4.0,
    # slopes at which the arc that is added changes
    "near steps": lambda random: np.stack(
        [np.full(MOST, 64.0), random.integers(0, 65, MOST) + 0.5 + random.uniform(-1e-13, 1e-13, MOST)]
    ),
}


@compiled
def _run(places: Floats, arcs: Floats, out: Floats, unclear: Ints) -> int:
    at, line, at_arcs = address(places), 8 * places.shape[1], address(arcs)
    columns = at, at + line, address(out), at_arcs, at_arcs + 8 * arcs.shape[1], address(unclear)
    return directions_to(0, places.shape[1] - LANES, columns, (), 0)


@compiled
def _library(places: Floats, out: Floats) -> None:
    for k in range(out.size):
        out[k] = math.atan2(places[1, k], places[0, k])


def _directions(places: Floats) -> tuple[Floats, Floats, Floats]:
    """Return what is computed, what the library says, and which of them it is asked for, shape (n,) each."""
    count = places.shape[1]
    computed, unclear, expected = np.zeros(count + LANES), np.zeros(count + LANES, np.int64), np.zeros(count)
    asked = np.zeros(count, bool)
    # behind the last row there may be anything
    padded = np.concatenate([places, np.full((2, LANES), np.nan)], axis=1)
    many = _run(padded, ARCS, computed, unclear)
    asked[unclear[:many]] = True
    _library(places, expected)
    return computed[:count], expected, asked


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("sides", [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
def test_directions_are_those_of_the_library_bit_by_bit(kind: str, sides: tuple[float, float]) -> None:
    places = np.abs(PLACES[kind](np.random.default_rng(3))) * np.array(sides)[:, np.newaxis]
    computed, expected, asked = _directions(places)
    assert computed[~asked].tobytes() == expected[~asked].tobytes()
    # what is not is within a digit
    assert np.allclose(computed[asked & (places != 0.0).all(axis=0)], expected[asked & (places != 0.0).all(axis=0)])
    on_axes = (places == 0.0).any(axis=0)
    assert asked[on_axes].all()
    # diagonals need the library more often than others
    assert asked[~on_axes].mean() < 0.15


@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-320, 1e308])
@pytest.mark.parametrize("y", [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-320, 1e308])
def test_the_library_is_asked_for_what_is_no_plain_place(x: float, y: float) -> None:
    _, _, asked = _directions(np.array([[x, 1.0], [y, 2.0]]))
    assert asked.tolist()[0]


def test_arcs_have_more_digits_than_a_number() -> None:
    assert ARCS[0].tolist() == [math.atan(k / 64.0) for k in range(65)]
    # four times the arc of 1 is pi, of which these are the first 34 digits
    pi = Fraction(3141592653589793238462643383279502, 10**33)
    assert abs(4 * (Fraction(ARCS[0, 64]) + Fraction(ARCS[1, 64])) - pi) < Fraction(1, 10**31)
    assert (np.abs(ARCS[1]) <= 0.5 * np.spacing(ARCS[0])).all()
