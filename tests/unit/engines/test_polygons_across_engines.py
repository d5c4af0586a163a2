"""Polygons on every engine: they are solid, also where they are not convex, and their mass is where it belongs."""

import math

import numpy as np
import pytest
from engine_standins import DT, body, where

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.engines.plane.footprints import centre, footprints, inertia
from coopsim.errors import EngineCannot
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.space.engine import MujocoEngine

ENGINES = [PymunkEngine, KinematicEngine, MujocoEngine]
NOTCH = ((-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (0.5, 1.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 1.5), (-1.5, 1.5))
WEDGE = ((-0.5, -0.4), (0.5, -0.4), (0.0, 0.6))


def polygon(name, x, y, corners, yaw=0.0, *, mass=0.0, rolling=0.0, points=None):
    flat = tuple(coordinate for corner in corners for coordinate in corner) if points is None else points
    pose = (x, y, 0.0, math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    size = tuple(np.ptp(np.array(corners), axis=0).tolist())
    return BodySpec(name, pose, mass, (ShapeSpec("polygon", (*size, 0.5), friction=0.0, points=flat),), rolling)


def robot(name, x, y):
    return body(name, x, y, mass=10.0, size=(0.4, 0.4, 0.3), friction=0.0)


def push(engine, name, fx, fy, count):
    row = list(engine.names).index(name)
    for _ in range(count):
        engine.wrench[row, :2] = fx, fy
        engine.step(DT)


@pytest.mark.parametrize("engine_type", ENGINES)
def test_a_robot_drives_into_a_notch_and_stops_at_its_floor(engine_type):
    engine = engine_type(WorldSpec((robot("ann", 0.0, 2.5), polygon("notch", 0.0, 0.0, NOTCH))))

    push(engine, "ann", 0.0, -10.0, 300)

    # its hull touches the floor of the notch, deep within the box around the polygon
    assert where(engine, "ann")[1] == pytest.approx(-0.5 + 0.2, abs=0.01)
    assert where(engine, "ann")[0] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("engine_type", ENGINES)
def test_a_robot_stops_at_a_slanting_edge(engine_type):
    engine = engine_type(WorldSpec((robot("ann", -2.0, 0.0), polygon("wall", 0.0, 0.0, WEDGE))))

    push(engine, "ann", 10.0, 0.0, 60)

    # the edge from (-0.5, -0.4) to (0, 0.6): distance of the middle from its line is the radius
    x, y = where(engine, "ann")[:2]
    assert ((y + 0.4) * 0.5 - (x + 0.5) * 1.0) / math.hypot(0.5, 1.0) >= 0.2 - 0.01


@pytest.mark.parametrize("engine_type", [PymunkEngine, MujocoEngine])
def test_a_polygon_with_mass_is_pushed_and_turns(engine_type):
    engine = engine_type(
        WorldSpec((robot("ann", -1.0, -0.3), polygon("wedge", 0.0, 0.0, WEDGE, mass=2.0, rolling=0.1)))
    )

    push(engine, "ann", 20.0, 0.0, 100)

    assert where(engine, "wedge")[0] > 0.1
    assert abs(where(engine, "wedge")[2]) > 0.01


@pytest.mark.parametrize("engine_type", ENGINES)
def test_a_snapshot_keeps_the_corners(engine_type):
    engine = engine_type(WorldSpec((robot("ann", 0.0, 2.5), polygon("notch", 0.0, 0.0, NOTCH, mass=5.0))))
    push(engine, "ann", 0.0, -10.0, 20)

    snapshot, restored = engine.snapshot(), []
    for _ in range(2):
        again = engine_type(WorldSpec(()))
        again.restore(snapshot)
        push(again, "ann", 0.0, -10.0, 200)
        restored.append(again.planar.copy())

    assert np.array_equal(*restored)
    # it is still in the notch, which the box around the polygon would have kept it out of
    assert restored[0][0, 1] < 0.5


def test_mass_is_spread_evenly_over_a_polygon():
    generator, spread = np.random.default_rng(3), footprints(polygon("notch", 0.0, 0.0, NOTCH, mass=2.0))
    places = generator.uniform(-1.5, 1.5, (200_000, 2))
    is_free = (np.abs(places[:, 0]) < 0.5) & (places[:, 1] > -0.5)
    places = places[~is_free]
    middle = places.mean(axis=0)

    assert centre(spread) == pytest.approx(middle, abs=0.01)
    assert inertia(2.0, spread) == pytest.approx(2.0 * ((places - middle) ** 2).sum(axis=1).mean(), rel=0.01)
    assert spread[0].arm == pytest.approx(np.hypot(*(places - middle).T).mean(), rel=0.01)


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ((0.0, 0.0, 1.0, 0.0), "expected x and y of 3 to 200 corners"),
        ((0.0, 0.0, 1.0, 0.0, 2.0), "expected x and y of 3 to 200 corners"),
        ((0.0,) * 500, "expected x and y of 3 to 200 corners"),
        ((0.0, 0.0, math.nan, 0.0, 1.0, 1.0), "expected finite numbers around an area"),
        ((0.0, 0.0, 1.0, 0.0, 2.0, 0.0), "expected finite numbers around an area"),
    ],
)
@pytest.mark.parametrize("engine_type", ENGINES)
def test_corners_that_no_reader_has_seen_are_checked(engine_type, points, text):
    with pytest.raises(EngineCannot, match=text):
        engine_type(WorldSpec((polygon("foreign", 0.0, 0.0, NOTCH, points=points),)))
