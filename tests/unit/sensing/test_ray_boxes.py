"""Boxes met by a fan all at once: the same bits as one by one, at their corners too."""

import math

import numpy as np
import pytest

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.shapes import HALF, HALF_WIDTH
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_boxes import meet_boxes
from coopsim.sensing.ray_circles import ROOM
from coopsim.sensing.ray_fan import BEST, EACH, FAN, HULL, keep_per_sector, rays_of, turn
from coopsim.sensing.ray_shapes import meet_box, meet_circle

REACH = 3.0


@compiled
def _begin(bearings: Floats, heading: float) -> Floats:
    rays = rays_of(bearings)
    # hulls that differ: a distance is kept for each ray
    rays[HULL, : bearings.size] = 0.2 + 0.05 * np.cos(bearings)
    keep_per_sector(rays, bearings.size, bearings.size)
    turn(math.cos(heading), math.sin(heading), REACH, rays, bearings.size)
    return rays


@compiled
def _together(place: Floats, rays: Floats, numbers: Floats, whole: Ints, count: int, room: Floats) -> None:
    meet_boxes((head.HEAD, count), (place[0], place[1]), 0.0, rays, (numbers, whole), room)


@compiled
def _one_by_one(place: Floats, rays: Floats, shapes: Floats) -> None:
    for shape in shapes:
        if shape[HALF_WIDTH] == 0.0:
            meet_circle(shape[0] - place[0], shape[1] - place[1], shape[HALF], rays)
        else:
            meet_box(shape[0] - place[0], shape[1] - place[1], shape, rays)


def _scene(shapes: Floats) -> tuple[Floats, Ints]:
    """Return arrays of a scene that holds nothing but these shapes, all of them noted."""
    count = len(shapes)
    circles = np.stack([shapes[:, 0], shapes[:, 1], np.hypot(shapes[:, HALF], shapes[:, HALF_WIDTH])])
    numbers = np.concatenate([np.zeros(head.HEAD), circles.ravel(), shapes.ravel()])
    whole = np.concatenate([np.zeros(head.HEAD, np.int64), np.arange(count)])
    whole[head.AT_SEARCH], whole[head.SMALL] = head.HEAD, count
    whole[head.AT_PLACED] = head.HEAD + circles.size
    return numbers, whole


def _box(x: float, y: float, half: float, half_width: float, yaw: float) -> list[float]:
    return [x, y, half, half_width, math.cos(yaw), math.sin(yaw), 0.0, -1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("count", "wide"), [(45, 1.75), (24, 3.1), (101, 6.2), (360, 0.4)])
def test_rays_see_the_same_bits_of_many_boxes_as_of_each_by_itself(seed: int, count: int, wide: float) -> None:
    random = np.random.default_rng(seed)
    bearings, place = np.linspace(-wide, wide, count), random.uniform(-0.5, 0.5, 2)
    # also a circle, a box around the place, one that is seen edge on, and thin ones
    shapes = [
        _box(*random.uniform(-3.0, 3.0, 2), *random.uniform(0.01, 0.5, 2), random.uniform(-9, 9)) for _ in range(25)
    ]
    shapes += [
        _box(-1.0, 0.5, 0.3, 0.0, 0.0),
        _box(2.0, place[1] + 0.25, 0.4, 0.25, 0.0),
        _box(1.0, 1.0, 0.5, 1e-9, 1.0),
    ]
    if seed % 4 == 0:
        shapes.append(_box(place[0], place[1], 0.3, 0.2, 1.0))
    table = np.array(shapes)
    numbers, whole = _scene(table)
    together, alone = _begin(bearings, float(seed)), _begin(bearings, float(seed))
    assert together[FAN, EACH] == 0.0

    _together(place, together, numbers, whole, len(table), np.full(ROOM, np.nan))
    _one_by_one(place, alone, table)

    assert together[BEST].tobytes() == alone[BEST].tobytes()
    assert (together[BEST, :count] < REACH).any()


@pytest.mark.parametrize("off", [0.0, 1e-16, -1e-16, 1e-13, -1e-13, 1e-10, -1e-10, 1e-7, -1e-7])
@pytest.mark.parametrize("yaw", [0.0, 0.3, 0.785398])
def test_a_ray_to_a_corner_is_met_or_not_as_by_a_box_alone(off: float, yaw: float) -> None:
    # rays through the corners of a box, a little beside them, and along its faces
    box = _box(1.5, 0.25, 0.25, 0.25, yaw)
    c, s = math.cos(yaw), math.sin(yaw)
    for across, up in ((0.25, 0.25), (0.25, -0.25), (-0.25, 0.25), (-0.25, -0.25)):
        corner = 1.5 + across * c - up * s, 0.25 + across * s + up * c
        bearings = math.atan2(corner[1], corner[0]) + off + 0.05 * np.arange(-20, 21)
        numbers, whole = _scene(np.array([box]))
        together, alone = _begin(bearings, 0.0), _begin(bearings, 0.0)
        _together(np.zeros(2), together, numbers, whole, 1, np.full(ROOM, np.nan))
        _one_by_one(np.zeros(2), alone, np.array([box]))
        assert together[BEST].tobytes() == alone[BEST].tobytes()
        assert (together[BEST, :41] < 2.0).any()
