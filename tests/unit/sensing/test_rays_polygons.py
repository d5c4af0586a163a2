"""Rays meet the edges of polygons."""

import math

import numpy as np
import pytest
from ray_scenes import Scene, body

from coopsim.engines import BodySpec, ShapeSpec
from coopsim.scene.polygons import edges, is_inside
from coopsim.sensing.ray_raised import RaisedRays

NOTCH = ((-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (0.5, 1.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 1.5), (-1.5, 1.5))


def polygon(name, x, y, corners, yaw=0.0, *, mass=0.0, height=0.5):
    points = tuple(coordinate for corner in corners for coordinate in corner)
    pose = (x, y, 0.0, math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    size = tuple(np.ptp(np.array(corners), axis=0).tolist())
    return BodySpec(name, pose, mass, (ShapeSpec("polygon", (*size, height), points=points),))


def star(generator, count):
    """A simple polygon around the origin, mostly not convex."""
    angles = np.sort(generator.uniform(0.0, 2.0 * math.pi, count))
    angles = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False) + 0.3 * angles / count
    radii = generator.uniform(0.2, 0.9, count)
    return tuple(zip((radii * np.cos(angles)).tolist(), (radii * np.sin(angles)).tolist(), strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_rays_meet_polygons_where_the_engine_itself_does(seed):
    generator = np.random.default_rng(seed)
    things = [body("eye", 0.0, 0.0, generator.uniform(-3.0, 3.0))]
    for k in range(8):
        angle, far = 0.8 * k, generator.uniform(1.5, 4.0)
        corners, turn = star(generator, int(generator.integers(3, 12))), generator.uniform(-3.0, 3.0)
        place = (far * math.cos(angle), far * math.sin(angle))
        things.append(polygon(f"p{k}", *place, corners, turn, mass=float(k % 2)))
    scene = Scene(*things)
    bearings, row = generator.uniform(-3.0, 3.0, 12), scene.row("eye")

    out = scene.cast([row], bearings, 6.0)[0]

    expected = [scene.reference(row, bearing, 6.0) for bearing in bearings]
    # an edge is a nanometre thick: a glancing ray meets it a little earlier
    assert np.abs(out - expected).max() <= 1e-6


def test_a_scanner_of_many_rays_sees_into_a_notch():
    scene = Scene(body("eye", 0.0, 0.5, size=(0.2, 0.2, 0.3)), polygon("notch", 0.0, 0.0, NOTCH))
    bearings = np.linspace(-3.0, 3.0, 721)

    out = scene.cast([scene.row("eye")], bearings, 6.0)[0]

    # left and right are the walls of the notch, behind is its floor once the eye looks down
    assert out[np.argmin(np.abs(bearings))] == pytest.approx(0.4, abs=1e-8)
    assert out[np.argmin(np.abs(bearings + math.pi / 2))] == pytest.approx(0.9, abs=1e-4)
    assert out[np.argmin(np.abs(bearings - math.pi / 2))] == 6.0
    assert out.min() == pytest.approx(0.4, abs=1e-4)


def test_no_ray_leaks_through_a_corner():
    scene = Scene(body("eye", -3.0, -3.0), polygon("notch", 0.0, 0.0, NOTCH))
    towards = math.atan2(1.5, 1.5)

    (out,) = scene.cast([scene.row("eye")], [towards], 9.0)[0]

    assert out == pytest.approx(math.hypot(1.5, 1.5) - 0.25, abs=1e-8)


def test_a_low_polygon_is_not_seen_from_above_it():
    scene = Scene(body("eye"), polygon("step", 2.0, 0.0, ((-0.5, -0.5), (0.5, -0.5), (0.0, 0.5)), height=0.1))

    assert scene.ranges_of("eye", [0.0], 5.0) == [5.0]
    assert scene.ranges_of("eye", [0.0], 5.0, ring=0.05) == pytest.approx([1.5 - 0.25 + 0.25], abs=1e-8)


def _in_space(eye, solid, bearing, elevation):
    """Where a ray from the middle of an eye meets the roof, the bottom or a wall of a fixed polygon, by its corners."""
    x, y, yaw = solid.pose[0], solid.pose[1], 2.0 * math.atan2(solid.pose[6], solid.pose[3])
    (shape,) = solid.shapes
    c, s = math.cos(yaw), math.sin(yaw)
    points = [
        (x + c * u - s * v, y + s * u + c * v) for u, v in zip(shape.points[::2], shape.points[1::2], strict=True)
    ]
    ray = np.array(
        [math.cos(elevation) * math.cos(bearing), math.cos(elevation) * math.sin(bearing), math.sin(elevation)]
    )
    met = [math.inf]
    for level in (0.0, shape.size[2]):
        far = (level - eye[2]) / ray[2]
        if far > 0.0 and is_inside(tuple((eye + far * ray)[:2].tolist()), points):
            met.append(far)
    for (u, v), (p, q) in edges(points):
        ways = np.array([[ray[0], u - p], [ray[1], v - q]])
        if abs(np.linalg.det(ways)) > 1e-12:
            far, share = np.linalg.solve(ways, np.array([u, v]) - eye[:2])
            if far > 0.0 and 0.0 <= share <= 1.0 and 0.0 <= eye[2] + far * ray[2] <= shape.size[2]:
                met.append(far)
    return min(met)


@pytest.mark.parametrize("seed", range(20))
def test_rays_from_above_meet_the_roof_and_the_walls_of_polygons(seed):
    generator = np.random.default_rng(seed)
    eye = body("eye", 0.0, 0.0, size=(0.1, 0.1, 0.2), z=generator.uniform(0.9, 2.0))
    corners = star(generator, int(generator.integers(3, 14)))
    corners = corners if seed % 2 else tuple(reversed(corners))  # either way around
    solid = polygon("roof", *generator.uniform(-0.4, 0.4, 2), corners, generator.uniform(-3.0, 3.0), height=0.7)
    bearings, elevations = generator.uniform(-3.0, 3.0, 200), generator.uniform(-1.55, -0.2, 200)
    rays = RaisedRays((eye, solid), ("eye",))
    out = np.empty((1, 200))
    limits = np.array([[0.0]]), np.array([5.0]), np.array([0.1]), np.zeros((1, 200))

    rays.begin()
    rays.cast_raised(np.array([eye.pose]), np.zeros(1, np.int64), (np.stack([bearings, elevations]), *limits[1:]), out)

    middle = np.array([0.0, 0.0, eye.pose[2] + 0.1])
    expected = [min(_in_space(middle, solid, *ray), 5.0) for ray in zip(bearings, elevations, strict=True)]
    assert np.count_nonzero(out < 5.0) > 5
    # a ray that passes an edge by less than a nanometre meets it here
    assert np.count_nonzero(np.abs(out[0] - expected) > 1e-6) <= 1


def test_no_ray_falls_between_the_parts_of_a_roof():
    eye, solid = body("eye", 0.0, 0.0, size=(0.1, 0.1, 0.2), z=2.0), polygon("notch", 0.0, 0.0, NOTCH)
    rays, count = RaisedRays((eye, solid), ("eye",)), 2001
    # down on the middle of the bar, where many parts have their corners, and along its seams
    angles = np.stack([np.linspace(-math.pi, 0.0, count), np.full(count, -math.radians(60.0))])
    out, ring = np.empty((1, count)), (angles, np.array([9.0]), np.array([0.1]), np.zeros((1, count)))
    rays.begin()
    rays.cast_raised(np.array([[0.0, -1.0, 2.0, 1.0, 0.0, 0.0, 0.0]]), np.zeros(1, np.int64), ring, out)
    over = 1.6 / math.sin(math.radians(60.0))
    ends = -1.0 + over * 0.5 * np.sin(angles[0])
    assert out[0, ends > -1.5 + 1e-6] == pytest.approx(over, abs=1e-6)
    assert np.count_nonzero(ends > -1.5 + 1e-6) > 500
