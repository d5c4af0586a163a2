"""Drawings: a rectangle of the floor lies within its frame, wherever it begins."""

import pytest

from coopsim.features.pictures.svg import Drawing


def test_a_drawing_is_as_large_as_its_rectangle_and_its_frame() -> None:
    drawing = Drawing((1.0, 2.0), (4.0, 6.0), 10.0, (1.0, 2.0, 3.0, 4.0))
    assert (drawing.width, drawing.height) == (1.0 + 30.0 + 3.0, 2.0 + 40.0 + 4.0)
    assert drawing.at(1.0, 6.0) == pytest.approx((1.0, 2.0))  # y goes up
    assert drawing.at(4.0, 2.0) == pytest.approx((31.0, 42.0))
