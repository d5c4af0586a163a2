"""The heading of what flies: its turn about the vertical, however it leans."""

import numpy as np
import pytest

from coopsim.features.space.devices.flying import heading
from coopsim.geometry import quaternion


@pytest.mark.parametrize("lean", [(0.0, 0.0), (0.4, 0.0), (0.0, 0.4), (0.3, -0.5)])
@pytest.mark.parametrize("yaw", [-2.0, 0.0, 0.7, 3.0])
def test_it_is_told_however_the_body_leans(lean: tuple[float, float], yaw: float) -> None:
    assert heading(np.array(quaternion(*lean, yaw))) == pytest.approx(yaw)
