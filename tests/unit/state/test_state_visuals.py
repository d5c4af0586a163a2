"""Trees of shapes."""

import math
from dataclasses import replace

import pytest

from coopsim.geometry import quaternion
from coopsim.state import EntityRow, Visual, default_visuals

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LEFT = quaternion(0.0, 0.0, math.pi / 2)
ROW = EntityRow("r", "robot", "single", 0, (5, 5, 0, *UPRIGHT), (0.6, 0.4, 0.3), 20.0, (1, 0, 0), 0.3)


def test_a_visual_is_placed_relative_to_its_parent() -> None:
    base = Visual("box", (1, 1, 1), (1, 0, 0, *LEFT))
    tip = Visual("cone", (1, 1, 1), (2, 0, 1, *LEFT), parent=0)
    base, tip = replace(ROW, visuals=(base, tip)).drawn()
    assert base.pose == pytest.approx((1, 0, 0, *LEFT))
    assert tip.pose == pytest.approx((1, 2, 1, *quaternion(0, 0, math.pi)))


def test_what_a_visual_does_not_say_it_has_from_its_entity() -> None:
    plain, own = replace(ROW, visuals=(Visual("box"), Visual("box", (1, 2, 3), color=(0, 0, 1)))).drawn()
    assert (plain.size, plain.color) == (ROW.size, ROW.color)
    assert (own.size, own.color) == ((1, 2, 3), (0, 0, 1))


@pytest.mark.parametrize(("size", "shape"), [((0.5, 0.5, 0.3), "cylinder"), ((0.6, 0.4, 0.3), "box")])
def test_a_robot_of_an_old_recording_is_its_hull_with_an_arrow_to_the_front(
    size: tuple[float, float, float], shape: str
) -> None:
    hull, front = replace(ROW, size=size).drawn()
    assert (hull.shape, hull.size) == (shape, size)
    assert front.shape == "arrow"
    assert (front.size[0], front.pose[2]) == (size[0] / 2, size[2])


def test_a_floor_lies_below_its_top() -> None:
    (ground,) = default_visuals("floor", "box", (10, 10, 0.1))
    assert ground.pose[2] == -0.1
