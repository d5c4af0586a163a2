"""Curves that laws drive: pursuit steers along an arc, velocities are cut to the fastest, carriers know each other."""

import math

import numpy as np
import pytest

from coopsim.features.laws.orca import HalfPlanes, nearest_allowed
from coopsim.features.laws.pursuit import Path, PursuitParameters, pursue


@pytest.mark.parametrize(("heading", "left"), [(math.radians(-30.0), 0.5), (math.radians(30.0), -0.5)])
def test_pursuit_drives_the_arc_that_leads_to_the_point_ahead(heading: float, left: float) -> None:
    law = PursuitParameters(speed=0.4, lookahead=2.0, spacing=0.0)
    path = Path(np.array([(0.0, 0.0), (50.0, 0.0)]))
    ((speed, turn),) = pursue(np.array([(0.0, 0.0, heading)]), path, np.zeros(1), law)
    assert speed == pytest.approx(0.4)
    radius = speed / turn
    middle = radius * np.array([-math.sin(heading), math.cos(heading)])
    assert math.hypot(2.0 - middle[0], middle[1]) == pytest.approx(abs(radius))  # the point lies on the circle
    assert turn * left > 0.0


def test_a_velocity_that_nothing_forbids_is_cut_to_the_fastest_and_no_further() -> None:
    nothing = HalfPlanes(np.zeros((3, 0, 2)), np.zeros((3, 0, 2)))
    wanted = np.array([(3.0, 4.0), (0.3, 0.4), (0.0, 0.0)])
    best, is_free = nearest_allowed(nothing, wanted, 1.0)
    assert best == pytest.approx(np.array([(0.6, 0.8), (0.3, 0.4), (0.0, 0.0)]))
    assert is_free.all()
