"""Circles met by a fan all at once: the same bits as one by one."""

import math

import numpy as np
import pytest

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_circles import ROOM, meet_circles, meet_cuts
from coopsim.sensing.ray_fan import BEST, EACH, FAN, HULL, keep_per_sector, rays_of, turn
from coopsim.sensing.ray_shapes import is_behind, meet_circle, shorten

HULL_RADIUS, REACH = 0.25, 3.0


@compiled
def _begin(bearings: Floats, sectors: int, heading: float, hull: float, reach: float) -> Floats:
    rays = rays_of(bearings)
    rays[HULL, : bearings.size] = hull
    keep_per_sector(rays, bearings.size, sectors)
    turn(math.cos(heading), math.sin(heading), reach, rays, bearings.size)
    return rays


@compiled
def _together(place: Floats, rays: Floats, numbers: Floats, whole: Ints, count: int, room: Floats) -> None:
    meet_circles((head.HEAD, count), (place[0], place[1]), rays, (numbers, whole), room)


@compiled
def _one_by_one(place: Floats, rays: Floats, circles: Floats) -> None:
    for k in range(circles.shape[1]):
        meet_circle(circles[0, k] - place[0], circles[1, k] - place[1], circles[2, k], rays)


@compiled
def _cuts(place: Floats, z: float, rays: Floats, numbers: Floats, whole: Ints, count: int, room: Floats) -> None:
    meet_cuts((head.HEAD, count), (place[0], place[1]), z, rays, (numbers, whole), room)


@compiled
def _each_at_height(place: Floats, z: float, rays: Floats, shapes: Floats) -> None:
    for shape in shapes:
        shorten(shape, place[0], place[1], z, np.inf, rays)


@compiled
def _each_not_behind(place: Floats, z: float, rays: Floats, shapes: Floats) -> int:
    behind = 0
    for shape in shapes:
        if is_behind(shape, place[0], place[1], rays):
            behind += 1
        else:
            shorten(shape, place[0], place[1], z, np.inf, rays)
    return behind


def _shapes(random: np.random.Generator, count: int) -> Floats:
    """Return cylinders, boxes and spheres by turns, standing at several heights, shape (count, 11)."""
    shapes = np.zeros((count, head.WIDTH))
    shapes[:, [X, Y]] = random.uniform(-3.0, 3.0, (count, 2))
    shapes[:, HALF], shapes[1::3, HALF_WIDTH] = random.uniform(0.05, 0.5, count), 0.2
    turns = random.uniform(-9.0, 9.0, count)
    shapes[:, COS], shapes[:, SIN] = np.cos(turns), np.sin(turns)
    shapes[:, head.LOW] = random.uniform(-0.3, 0.4, count)
    shapes[:, head.HIGH] = shapes[:, head.LOW] + 0.5
    # a sphere is as high as it is wide
    shapes[2::3, head.ROUND], shapes[2::3, head.HIGH] = 1.0, shapes[2::3, head.LOW] + 2.0 * shapes[2::3, HALF]
    return shapes


def _scene(circles: Floats) -> tuple[Floats, Ints]:
    """Return arrays of a scene that holds nothing but circles, all of them noted."""
    count = circles.shape[1]
    numbers = np.concatenate([np.zeros(head.HEAD), circles.ravel()])
    whole = np.concatenate([np.zeros(head.HEAD, np.int64), np.arange(count)])
    whole[head.AT_SEARCH], whole[head.SMALL] = head.HEAD, count
    return numbers, whole


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("sectors", "each", "wide"), [(11, 25, 2.1), (5, 9, 3.1), (24, 1, 1.0), (3, 40, 6.2), (1, 24, 0.2)]
)
def test_sectors_see_the_same_bits_of_many_circles_as_of_each_by_itself(
    seed: int, sectors: int, each: int, wide: float
) -> None:
    random = np.random.default_rng(seed)
    bearings = np.linspace(-wide, wide, sectors * each)
    for count in (1, 7, head.FOUND):
        # also circles around the place, right before and right behind it, and of no size
        circles = np.stack([*random.uniform(-3.0, 3.0, (2, count)), random.uniform(0.0, 0.6, count)])
        circles[:, ::6] = np.array([[-1.0], [0.0], [0.25]])
        circles[2, ::5] = 0.0
        place = random.uniform(-0.5, 0.5, 2)
        numbers, whole = _scene(circles)
        together, alone = (_begin(bearings, sectors, float(seed), HULL_RADIUS, REACH) for _ in range(2))
        assert together[FAN, EACH] == each

        _together(place, together, numbers, whole, count, np.full(ROOM, np.nan))
        _one_by_one(place, alone, circles)

        assert together[BEST].tobytes() == alone[BEST].tobytes()


def test_a_circle_around_the_place_leaves_no_distance_and_one_ahead_shortens_its_sectors_alone() -> None:
    bearings = np.linspace(-1.0, 1.0, 75)
    for circle, seen in (((0.1, 0.0, 0.3), [0.0, 0.0, 0.0]), ((2.0, 0.0, 0.2), [3.25, 1.8, 3.25])):
        numbers, whole = _scene(np.array(circle)[:, None])
        rays = _begin(bearings, 3, 0.0, HULL_RADIUS, REACH)
        _together(np.zeros(2), rays, numbers, whole, 1, np.empty(ROOM))
        assert rays[BEST, :3] == pytest.approx(seen)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("sectors", "each", "wide"), [(11, 13, 2.1), (24, 1, 1.0), (3, 40, 6.2)])
def test_sectors_see_the_same_bits_of_spheres_boxes_and_cylinders_as_of_each_by_itself(
    seed: int, sectors: int, each: int, wide: float
) -> None:
    random = np.random.default_rng(seed)
    bearings = np.linspace(-wide, wide, sectors * each)
    for count in (1, 7, head.FOUND):
        shapes, place, z = _shapes(random, count), random.uniform(-0.5, 0.5, 2), 0.3
        columns = np.stack(
            (
                *shapes[:, [X, Y]].T,
                shapes[:, HALF] + shapes[:, HALF_WIDTH],
                np.zeros(count),
                *shapes[:, [head.LOW, head.HIGH]].T,
            )
        )
        numbers, whole = _scene(columns)
        whole[head.AT_PLACED] = numbers.size
        numbers = np.concatenate([numbers, shapes.ravel()])
        together, alone = (_begin(bearings, sectors, float(seed), HULL_RADIUS, REACH) for _ in range(2))

        _cuts(place, z, together, numbers, whole, count, np.full(ROOM, np.nan))
        _each_at_height(place, z, alone, shapes)

        assert together[BEST].tobytes() == alone[BEST].tobytes()
        assert count < head.FOUND or together[BEST, :sectors].min() < HULL_RADIUS + REACH


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("sectors", "each", "wide"), [(11, 13, 2.1), (24, 1, 1.0), (3, 40, 6.2)])
def test_shapes_behind_what_sectors_see_change_no_bit(seed: int, sectors: int, each: int, wide: float) -> None:
    random = np.random.default_rng(seed)
    bearings, shapes = np.linspace(-wide, wide, sectors * each), _shapes(random, 40)
    # none around the place, from where all would be 0 away
    shapes = shapes[np.hypot(shapes[:, X], shapes[:, Y]) > 0.9]
    some, all_of_them = (_begin(bearings, sectors, float(seed), HULL_RADIUS, REACH) for _ in range(2))

    behind = _each_not_behind(np.zeros(2), 0.3, some, shapes)
    _each_at_height(np.zeros(2), 0.3, all_of_them, shapes)

    assert some[BEST].tobytes() == all_of_them[BEST].tobytes()
    assert 0 < behind < len(shapes)
