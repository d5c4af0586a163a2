"""What rays meet where bodies fall, roll and tilt."""

import math

import mujoco
import numpy as np
import pytest
from ray_scenes import body, in_mujoco, random_body, tilted

from coopsim.engines import WorldSpec
from coopsim.features.space.engine import MujocoEngine
from coopsim.sensing.rays import RayCaster

AHEAD, LEFT = 0.0, math.pi / 2


class Space:
    """A MuJoCo engine and a caster over the same bodies."""

    def __init__(self, *bodies):
        self.engine = MujocoEngine(WorldSpec(tuple(bodies)))
        self.caster = RayCaster(bodies, self.engine.names, self.engine.planar, is_spatial=True)

    def cast(self, rows, bearings, reach, ring=0.0, columns=0):
        engine, rows, bearings = self.engine, np.asarray(rows, np.int64), np.asarray(bearings, np.float64)
        engine.fill()
        out, reach = np.empty((rows.size, columns or bearings.size)), np.full(rows.size, float(reach))
        self.caster.begin()
        ring = np.full(rows.size, float(ring))
        self.caster.cast(engine.planar, engine.height, rows, bearings, reach, out, ring, engine.poses)
        return out

    def ranges_of(self, name, bearings, reach, ring=0.0):
        return self.cast([list(self.engine.names).index(name)], bearings, reach, ring)[0].tolist()


def test_a_ramp_is_met_where_it_is_as_high_as_the_ring():
    """A box of 2 x 2 x 0.2 m, turned up by 30 degrees about y: its upper face climbs away from the robot."""
    angle = math.radians(-30.0)
    ramp = tilted("ramp", (2.0, 0.0, 0.0), (0.0, angle, 0.0), size=(2.0, 2.0, 0.2), mass=0.0)
    scene = Space(body("robot"), ramp)

    for ring in (0.1, 0.25):
        # the upper face: through (0, 0.2) of the ramp's frame, along (cos 30, sin 30)
        start = 2.0 - 0.2 * math.sin(-angle), 0.2 * math.cos(angle)
        expected = start[0] + (ring - start[1]) / math.tan(-angle)
        assert scene.ranges_of("robot", [AHEAD], 5.0, ring) == pytest.approx([expected - 0.25])


def test_a_ball_that_has_rolled_is_seen_where_it_is_now():
    # half a turn about y: the base that it began on is its top now
    ball = tilted("ball", (2.0, 0.0, 1.0), (0.0, math.pi, 0.0), kind="sphere", size=(1.0, 1.0, 1.0))
    scene = Space(body("robot"), ball)

    assert scene.ranges_of("robot", [AHEAD, LEFT], 5.0, 0.5) == pytest.approx([1.25, 5.0])
    half = math.sqrt(0.25 - 0.16)
    assert scene.ranges_of("robot", [AHEAD], 5.0, 0.1) == pytest.approx([2.0 - half - 0.25])


def test_a_crate_is_seen_at_the_height_that_it_has_fallen_to():
    crate = body("crate", 1.0, kind="box", size=(0.4, 0.4, 0.4), z=0.6)
    scene = Space(body("robot"), crate)

    assert scene.ranges_of("robot", [AHEAD], 5.0) == [5.0]
    for _ in range(100):
        scene.engine.step(0.01)
    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([0.55], abs=2e-3)


def test_of_the_rays_of_a_sector_the_nearest_hit_of_what_is_tilted_counts():
    bodies = [
        tilted("looker", (0.0, 0.0, 0.0), (0.0, 0.05, 0.0), kind="cylinder", size=(0.5, 0.5, 0.3)),
        body("flat", -1.2),
    ]
    bodies += [tilted(f"b{k}", (math.cos(k), math.sin(k), 0.1), (0.2 * k, 0.1, k)) for k in range(4)]
    scene, bearings = Space(*bodies), np.linspace(-2.0, 2.0, 8 * 13)

    for name in ("looker", "flat"):
        row = [list(scene.engine.names).index(name)]
        sectors, single_rays = scene.cast(row, bearings, 3.0, columns=8), scene.cast(row, bearings, 3.0)
        assert sectors[0] == pytest.approx(single_rays.reshape(8, 13).min(axis=1), abs=1e-12)
        assert sectors.min() < 1.0


def test_who_is_tilted_looks_along_its_own_plane():
    """A robot whose nose points up by 20 degrees sees over a low wall, into a high one."""
    robot = tilted("robot", (0.0, 0.0, 0.0), (0.0, math.radians(-20.0), 0.0), kind="cylinder", size=(0.5, 0.5, 0.3))
    low = body("low", 1.0, kind="box", size=(0.1, 2.0, 0.2), mass=0.0)
    high = body("high", 2.0, kind="box", size=(0.1, 2.0, 2.0), mass=0.0)
    scene = Space(robot, low, high)

    c, s = math.cos(math.radians(20.0)), math.sin(math.radians(20.0))
    origin = -0.15 * s
    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([(1.95 - origin) / c - 0.25])


def test_from_inside_of_a_tilted_body_everything_is_at_hand():
    scene = Space(body("robot"), tilted("over", (0.0, 0.0, 0.05), (0.3, 0.0, 0.0), size=(2.0, 2.0, 1.0)))

    assert scene.ranges_of("robot", [AHEAD, LEFT], 3.0) == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(20))
def test_ranges_agree_with_mujocos_own_rays(seed):
    """Tilted and upright, moving and fixed, seen by who is tilted and who is not."""
    random = np.random.default_rng(seed)
    bodies = [random_body(random, k, (0.0, 0.4)) for k in range(12)]
    scene = Space(*bodies)
    bearings, rows = random.uniform(-3.0, 3.0, 9), np.arange(len(scene.engine.names))

    out = scene.cast(rows, bearings, 6.0)

    expected = _reference(bodies, scene.engine.names, bearings, 6.0)
    assert np.abs(out - expected).max() < 1e-9
    assert (out < 6.0).any()


def _reference(bodies, names, bearings, reach):
    """MuJoCo's answer, from the middle of the looking body, less the way to its outline."""
    model, data = in_mujoco(bodies)
    ranges, geom = np.empty((len(names), bearings.size)), np.zeros(1, np.int32)
    by_name = {body.name: body for body in bodies}
    for i, name in enumerate(names):
        own = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        turn, shape = data.xmat[own].reshape(3, 3), by_name[name].shapes[0]
        origin = data.xpos[own] + turn @ [0.0, 0.0, shape.size[2] / 2]
        for k, bearing in enumerate(bearings):
            way = turn @ [math.cos(bearing), math.sin(bearing), 0.0]
            length = mujoco.mj_ray(model, data, origin, way, None, 1, own, geom)
            ranges[i, k] = min(length - _hull(shape, bearing), reach) if length >= 0.0 else reach
    return np.maximum(ranges, 0.0)


def _hull(shape, bearing):
    c, s = abs(math.cos(bearing)), abs(math.sin(bearing))
    if shape.kind != "box":
        return shape.size[0] / 2
    return min(shape.size[0] / 2 / c, shape.size[1] / 2 / s)
