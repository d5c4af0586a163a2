"""The drawing model: what the window draws is what pages are told."""

import numpy as np
import pytest

from coopsim.features.desktop.ribbons import trail
from coopsim.features.desktop.springs import coil
from coopsim.features.pictures import drawing_model
from coopsim.features.pictures.drawing_model import hulls, is_named, ray_begins, style
from coopsim.features.pictures.drawn_sensors import RangeRing
from coopsim.robots import load
from coopsim.robots.entities import rows_of

SIZES = np.array([[0.4, 0.6, 0.3], [1.0, 0.2, 0.5]])


def ring(height: float = 0.0, mount: tuple[float, float] | None = None) -> RangeRing:
    return RangeRing("sonars", "ranges", np.zeros(3), np.zeros(3), 3.0, height, mount)


def test_hulls_are_as_wide_as_the_longer_side_and_half_as_high() -> None:
    radii, middles = hulls(SIZES)
    assert (radii.tolist(), middles.tolist()) == ([0.3, 0.5], [0.15, 0.25])
    assert [len(column) for column in hulls(np.zeros((0, 3)))] == [0, 0]


@pytest.mark.parametrize(
    ("device", "radii", "heights"),
    [
        (ring(), [0.3, 0.5], [0.15, 0.25]),
        (ring(height=0.2), [0.3, 0.5], [0.2, 0.2]),
        (ring(mount=(0.1, 0.0)), [0.0, 0.0], [0.15, 0.25]),
    ],
)
def test_rays_begin_at_the_hull_or_where_their_device_is_mounted(
    device: RangeRing, radii: list[float], heights: list[float]
) -> None:
    begins, above = ray_begins(device, SIZES)
    assert (begins.tolist(), above.tolist()) == (radii, heights)


def test_names_are_written_beside_robots_and_targets_alone() -> None:
    named = {row.name for row in rows_of(load("formation")) if is_named(row)}
    assert named == {"robot1", "robot2", "robot3", "red"}


def test_pages_get_the_colours_of_the_window() -> None:
    facts = style()
    near, middle, nothing = ([round(255 * channel) for channel in color] for color in facts["rays"])
    assert (near, middle, nothing) == (
        list(drawing_model.NEAR),
        list(drawing_model.MIDDLE),
        list(drawing_model.NOTHING),
    )
    assert facts["series"] == [list(color) for color in drawing_model.SERIES]
    ways = trail(np.zeros((3, 3)), (10, 20, 30))
    assert ways["r_color"][-1, 3] == round(255 * facts["trailOpacity"])
    assert ways["r_begin"][0, 2] == pytest.approx(facts["lifted"])


def test_pages_wind_springs_as_the_window_does() -> None:
    spring = style()["spring"]
    points = coil(np.zeros(3), np.array([0.0, 0.0, 0.2]))
    assert len(points) == spring["coils"] * spring["around"] + 3
    assert points[1, 2] == pytest.approx(0.2 * spring["straight"])
    assert np.hypot(*points[1, :2]) == pytest.approx(min(spring["widest"], 0.2 * spring["share"]))
