"""The presence that an automatic door feels: of the nearest body that is not its own."""

import numpy as np

from coopsim.features.artifacts.devices.door import _nearest


def test_the_nearest_of_several_bodies_counts_in_any_order_and_the_own_ones_never() -> None:
    planar = np.zeros((4, 6))
    planar[:, :2] = (1.0, 1.0), (1.0, 1.1), (1.0, 3.0), (5.0, 1.0)
    assert _nearest(planar, 0, 2) == 4.0
    assert _nearest(planar[[0, 1, 3, 2]], 0, 2) == 4.0
    assert _nearest(planar[[2, 0, 1, 3]], 1, 3) == 4.0
    assert _nearest(planar, 0, 4) == np.inf
