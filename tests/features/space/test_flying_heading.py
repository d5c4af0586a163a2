"""The heading of what flies: its turn about the vertical, however it leans."""

import numpy as np
import pytest

from coopsim.features.space.devices import flying
from coopsim.features.space.devices.flying import heading
from coopsim.geometry import quaternion
from coopsim.state.layout import VALUES


@pytest.mark.parametrize("lean", [(0.0, 0.0), (0.4, 0.0), (0.0, 0.4), (0.3, -0.5)])
@pytest.mark.parametrize("yaw", [-2.0, 0.0, 0.7, 3.0])
def test_it_is_told_however_the_body_leans(lean: tuple[float, float], yaw: float) -> None:
    assert heading(np.array(quaternion(*lean, yaw))) == pytest.approx(yaw)


@pytest.mark.parametrize("period", [1.0, 1.5, 8.0])
def test_an_eight_is_back_after_its_period_and_was_elsewhere_at_half_of_it(period: float) -> None:
    """Periods from 1 s on are flown as they are commanded; shorter ones would be no flight."""
    slot, memory = np.zeros(VALUES + 5), np.zeros(flying.FLIGHT_WIDTH)
    slot[VALUES : VALUES + 4] = 4.0, 2.0, period, 0.0

    def position_at(since: float) -> list[float]:
        memory[flying.SINCE] = since
        flying.eight(slot, memory, 0.01)
        return [float(memory[column]) for column in (flying.X, flying.Y, flying.Z)]

    begin = 0.5 * period  # the ramp is over
    assert position_at(begin + period) == pytest.approx(position_at(begin))
    assert position_at(begin + 0.5 * period) != pytest.approx(position_at(begin))
    ahead = [0.0, 0.0, 0.0]
    for share in np.linspace(0.0, 1.0, 41):
        ahead = [max(most, abs(value)) for most, value in zip(ahead, position_at(begin + share * period), strict=True)]
    assert ahead == pytest.approx([2.0, 1.0, 0.0], abs=0.02)
