"""Rays meet the edges of polygons."""

import math

import numpy as np
import pytest
from ray_scenes import Scene, body

from coopsim.engines import BodySpec, ShapeSpec

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
