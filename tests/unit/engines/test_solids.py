"""Mass, inertia and feet of bodies in space."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.engines import BodySpec, ShapeSpec
from coopsim.engines.rotations import back, times, turned, unit
from coopsim.features.space.solids import feet, raised, solid
from coopsim.geometry import UNTURNED

AT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
parts = st.floats(-1.0, 1.0)
rotations = st.tuples(parts, parts, parts, parts).filter(lambda q: np.linalg.norm(q) > 0.1).map(unit)
vectors = st.tuples(parts, parts, parts)


def body(*shapes, mass=6.0, wheeled=False):
    return BodySpec("body", AT, mass, shapes, wheeled=wheeled)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (ShapeSpec("box", (1.0, 2.0, 3.0)), (6.5, 5.0, 2.5)),
        (ShapeSpec("cylinder", (2.0, 2.0, 4.0)), (9.5, 9.5, 3.0)),
        (ShapeSpec("sphere", (2.0, 2.0, 2.0)), (2.4, 2.4, 2.4)),
    ],
)
def test_inertia_of_one_shape_is_that_of_the_textbook(shape, expected):
    result = solid(body(shape), "any")

    assert np.diag(result.inertia).tolist() == pytest.approx(list(expected))
    assert np.abs(result.inertia - np.diag(np.diag(result.inertia))).max() < 1e-12
    assert result.centre == (0.0, 0.0, shape.size[2] / 2)


def test_a_box_cut_in_two_is_the_same_body():
    whole = solid(body(ShapeSpec("box", (2.0, 1.0, 0.5))), "any")
    halves = [ShapeSpec("box", (1.0, 1.0, 0.5), position=(side, 0.0, 0.0)) for side in (-0.5, 0.5)]

    parted = solid(body(*halves), "any")

    assert parted.centre == pytest.approx(whole.centre)
    assert parted.inertia == pytest.approx(whole.inertia)


def test_a_fixed_body_has_its_origin_as_centre():
    result = solid(body(ShapeSpec("box", (2.0, 1.0, 0.5)), mass=0.0), "any")

    assert not result.moves
    assert result.centre == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("size", [(0.5, 0.5, 0.3), (0.8, 0.3, 0.2), (0.05, 0.05, 0.02)])
def test_three_feet_are_around_the_centre_and_under_the_chassis(size):
    cart = body(ShapeSpec("box", size), wheeled=True)
    supports = feet(solid(cart, "any"))
    (_, _, height), (_, _, low) = raised(cart, cart.shapes[0])

    places = np.array([foot.position for foot in supports])
    assert places[:, :2].mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert [foot.position[2] - foot.radius for foot in supports] == pytest.approx([0.0] * 3, abs=1e-12)
    assert (np.abs(places[:, :2]) + supports[0].radius <= np.array(size[:2]) / 2).all()
    assert 0.0 < low < size[2]
    assert low + height == pytest.approx(size[2])


def test_only_robots_on_wheels_are_raised():
    shape = ShapeSpec("box", (0.5, 0.4, 0.3))

    assert raised(body(shape), shape) == (shape.size, shape.position)


@given(rotations, rotations, vectors)
def test_rotations_follow_one_another_and_can_be_undone(p, q, v):
    assert turned(times(p, q), v) == pytest.approx(turned(p, turned(q, v)), abs=1e-12)
    assert turned(back(q), turned(q, v)) == pytest.approx(v, abs=1e-12)
    assert turned(UNTURNED, v) == pytest.approx(v, abs=1e-15)
