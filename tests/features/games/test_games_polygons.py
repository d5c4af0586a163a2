"""Points in polygons, of several at once."""

import numpy as np

from coopsim.features.games.polygons import inside_any, packed

SQUARES = [np.array([(x, 0.0), (x + 1.0, 0.0), (x + 1.0, 1.0), (x, 1.0)]) for x in (0.0, 2.0, 5.0)]


def test_a_point_lies_inside_if_any_of_the_polygons_holds_it() -> None:
    points = np.array([(0.5, 0.5), (1.5, 0.5), (2.5, 0.5), (5.5, 0.5), (5.5, 1.5), (9.0, 0.5)])
    is_inside = np.ones(len(points), np.bool_)
    inside_any(points, packed(SQUARES), is_inside)
    assert is_inside.tolist() == [True, False, True, True, False, False]
