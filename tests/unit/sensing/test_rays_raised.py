"""Rays that point up or down, out of the plane of their ring."""

import math
from itertools import product

import mujoco
import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for
from hypothesis import given, settings
from hypothesis import strategies as st
from ray_scenes import body, box, in_mujoco, random_body, tilted

from coopsim.devices.sonars import Sonars
from coopsim.engines import BodySpec, WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.space.engine import MujocoEngine
from coopsim.interfaces import SONARS
from coopsim.robots import floor_body
from coopsim.scene import Floor
from coopsim.sensing.world import EngineSensingWorld

AHEAD, LEFT, BEHIND = 0.0, math.pi / 2, math.pi
UP, DOWN = math.radians(30.0), math.radians(-30.0)
ENGINES = (PymunkEngine, KinematicEngine, MujocoEngine)


class Space:
    """An engine and what sensors see of it, on a floor of 10 x 10 m."""

    def __init__(self, *bodies, engine=PymunkEngine, floor=Floor((10.0, 10.0, 0.1))):  # noqa: B008 (frozen)
        self.bodies, self.engine = bodies, engine(WorldSpec(bodies, floor=floor.size))
        nobody = np.zeros(0, np.int64)
        self.world = EngineSensingWorld(self.engine, bodies, (), np.zeros((0, 3)), (), nobody, np.zeros(0))
        self.world.floor = floor_body(floor)

    def cast(self, rows, bearings, elevations, reach, ring=0.0, columns=0):
        rows = np.array(rows, np.int64)
        angles = np.array(np.broadcast_arrays(bearings, elevations), np.float64)
        out = np.full((rows.size, columns or angles.shape[1]), np.nan)
        limits = np.full(rows.size, float(reach)), np.full(rows.size, float(ring))
        self.world.begin_tick(1, 0.01)
        self.world.cast_raised_rays(rows, angles, limits[0], out, limits[1])
        return out

    def range_of(self, name, bearing, elevation, reach, ring=0.0):
        """Return what one ray of a body meets."""
        return float(self.cast([list(self.engine.names).index(name)], [bearing], [elevation], reach, ring)[0, 0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_ray_that_points_up_passes_over_a_low_wall_and_meets_what_hangs_behind_it(engine):
    low, beam = box("low", 1.0, 0.0, 0.1, 2.0, height=0.3), box("beam", 2.0, 0.0, 0.2, 2.0, z=0.8, height=0.6)
    space = Space(body("robot"), low, beam, engine=engine)

    assert space.range_of("robot", AHEAD, 0.0, 5.0) == pytest.approx(0.95 - 0.25, abs=1e-3)
    # from the hull at x = 0.25, 0.15 m above the floor, to the front of the beam at 1.9
    assert space.range_of("robot", AHEAD, UP, 5.0) == pytest.approx(1.65 / math.cos(UP), abs=1e-3)
    assert space.range_of("robot", LEFT, UP, 5.0) == 5.0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ring", [0.0, 0.05, 1.0])
def test_a_ray_that_points_down_meets_the_floor_as_far_as_it_is_there(engine, ring):
    space = Space(body("robot"), body("late", 4.6), engine=engine)
    height = ring or 0.15

    assert space.range_of("robot", AHEAD, DOWN, 5.0, ring) == pytest.approx(height / 0.5, abs=2e-3)
    assert space.range_of("robot", LEFT, -math.pi / 2, 5.0, ring) == pytest.approx(height, abs=1e-3)
    # the edge is at 5 m: before it the floor, beyond it nothing
    edge = -math.atan2(height, 0.15)
    assert space.range_of("late", AHEAD, edge - 0.02, 5.0, ring) == pytest.approx(
        -height / math.sin(edge - 0.02), abs=3e-3
    )
    assert space.range_of("late", AHEAD, edge + 0.02, 5.0, ring) == 5.0
    assert space.range_of("late", BEHIND, DOWN, 5.0, ring) == pytest.approx(height / 0.5, abs=2e-3)


def test_a_tilted_floor_is_met_where_it_lies():
    angle = math.radians(10.0)
    space = Space(tilted("robot", (0.0, 0.0, 0.5), (0.0, 0.0, 0.0), size=(0.4, 0.4, 0.2)), floor=Floor())
    space.world.floor = floor_body(Floor(orientation=(0.0, -angle, 0.0)))  # it climbs along x

    length = space.range_of("robot", AHEAD, DOWN, 5.0)
    x, z = 0.2 + length * math.cos(DOWN), 0.6 + length * math.sin(DOWN)
    assert z == pytest.approx(x * math.tan(angle), abs=1e-9)


def test_a_robot_does_not_see_its_own_links():
    arm = body("robot.arm", z=0.6, kind="box", size=(2.0, 2.0, 0.1), part_of="robot")
    space = Space(body("robot"), arm, body("roof", z=0.9, kind="box", size=(3.0, 3.0, 0.1), mass=0.0))

    assert space.range_of("robot", AHEAD, math.pi / 2, 5.0) == pytest.approx(0.9 - 0.15)


def test_what_overlaps_the_body_is_at_hand_as_it_is_within_the_plane():
    space = Space(body("robot"), body("post", 0.1, size=(0.05, 0.05, 1.0)))

    assert space.cast([1], [AHEAD, LEFT], UP, 3.0)[0].tolist() == [0.0, 3.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_rays_that_stay_in_the_plane_of_the_ring_read_what_they_read_there(engine):
    random = np.random.default_rng(3)
    places = [(1.3 * a, 1.3 * b) for a, b in product(range(4), range(3))]
    kinds = [("box", "cylinder")[k % 2] for k in range(12)]
    bodies = [
        body(f"b{k:02}", x, y, random.uniform(-3, 3), kind=kinds[k], size=(0.5, 0.5, 0.4), mass=float(k < 8))
        for k, (x, y) in enumerate(places)
    ]
    space, bearings = Space(*bodies, engine=engine), np.linspace(-2.0, 2.0, 40)
    rows, flat = np.arange(8), np.empty((8, 10))
    space.world.cast_rays(rows, bearings, np.full(8, 4.0), flat, np.zeros(8))

    mixed = space.cast(rows, bearings, np.where(np.arange(40) < 20, 0.0, 0.3), 4.0, columns=10)

    assert np.abs(mixed[:, :5] - flat[:, :5]).max() < 1e-9
    assert (mixed[:, 5:] != flat[:, 5:]).any()
    assert flat[:, :5].min() < 2.0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_place_before_a_hit_is_solid_and_the_hit_is(seed):
    """Geometry by trial: places along each ray, asked one by one whether they lie within anything."""
    random = np.random.default_rng(seed)
    bodies = tuple(_upright(random, k) for k in range(9))
    space, count = Space(*bodies, floor=Floor((6.0, 6.0, 0.2))), 12
    bearings, elevations = random.uniform(-3.0, 3.0, count), random.uniform(-1.5, 1.5, count)

    ranges = space.cast([0], bearings, elevations, 3.0)[0]

    poses = dict(zip(space.engine.names, space.engine.poses, strict=True))
    solids = [
        (body, body.pose if body.mass == 0.0 else tuple(poses[body.name])) for body in (*bodies[1:], space.world.floor)
    ]
    yaw = 2.0 * math.atan2(bodies[0].pose[6], bodies[0].pose[3])
    rim = np.array([*bodies[0].pose[:2], bodies[0].pose[2] + 0.15])
    for bearing, up, length in zip(bearings + yaw, elevations, ranges, strict=True):
        level = np.array([math.cos(bearing), math.sin(bearing), 0.0])
        start, ray = rim + 0.25 * level, np.array([*(math.cos(up) * level[:2]), math.sin(up)])
        for t in np.linspace(0.0, length, 200)[:-1]:
            assert not any(_holds(body, pose, start + t * ray, -1e-6) for body, pose in solids)
        is_hit = any(_holds(body, pose, start + length * ray, 1e-6) for body, pose in solids)
        assert is_hit or length == 3.0 or length == 0.0


def _upright(random, number):
    kind = ("box", "cylinder", "sphere")[random.integers(0, 3)] if number else "cylinder"
    length, width, height = random.uniform(0.2, 0.9, 3) if number else (0.5, 0.5, 0.3)
    size = {"box": (length, width, height), "cylinder": (length, length, height), "sphere": (length,) * 3}[kind]
    # none overlaps another: from the middle to the hull all is free
    x, y, z = 1.3 * (number % 3) - 1.3, 1.3 * (number // 3) - 1.3, random.uniform(0.0, 0.8)
    return body(f"b{number}", x, y, random.uniform(-3.0, 3.0), kind=kind, size=size, z=z, mass=float(number < 5))


def _holds(it: BodySpec, pose, place, margin):
    """Return whether a place lies within an upright body that is larger by a margin."""
    (shape,) = it.shapes
    half, yaw = np.array(shape.size) / 2.0, 2.0 * math.atan2(pose[6], pose[3])
    dx, dy, dz = place[0] - pose[0], place[1] - pose[1], place[2] - pose[2] - half[2]
    u, v = math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx
    if shape.kind == "sphere":
        return math.sqrt(u * u + v * v + dz * dz) <= half[0] + margin
    if shape.kind == "cylinder":
        return math.hypot(u, v) <= half[0] + margin and abs(dz) <= half[2] + margin
    return abs(u) <= half[0] + margin and abs(v) <= half[1] + margin and abs(dz) <= half[2] + margin


@pytest.mark.parametrize("seed", range(10))
def test_ranges_agree_with_mujocos_own_rays(seed):
    """Tilted and upright, moving and fixed, over a floor that ends under some of them."""
    random = np.random.default_rng(seed)
    bodies, floor = tuple(random_body(random, k, (1.5, 2.5)) for k in range(12)), Floor((9.0, 7.0, 0.1))
    space = Space(*bodies, engine=MujocoEngine, floor=floor)
    rows, bearings, elevations = np.arange(8), random.uniform(-3.0, 3.0, 15), random.uniform(-1.5, 1.5, 15)

    out = space.cast(rows, bearings, elevations, 6.0)

    expected = _reference((*bodies, floor_body(floor)), space.engine.names, bearings, elevations, 6.0)
    assert np.abs(out - expected).max() < 1e-9
    assert 0.1 < (out < 6.0).mean() < 0.95


def _reference(bodies, names, bearings, elevations, reach):
    """MuJoCo's answer, from where each ray leaves the outline of the body that looks."""
    model, data = in_mujoco(bodies)
    ranges, geom = np.full((len(names), bearings.size), float(reach)), np.zeros(1, np.int32)
    shapes = {body.name: body.shapes[0] for body in bodies}
    for i, name in enumerate(names):
        own, shape = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name), shapes[name]
        turn = data.xmat[own].reshape(3, 3)
        for k, (bearing, up) in enumerate(zip(bearings, elevations, strict=True)):
            level = np.array([math.cos(bearing), math.sin(bearing), 0.0])
            start = data.xpos[own] + turn @ (_hull(shape, *level[:2]) * level + [0.0, 0.0, shape.size[2] / 2])
            way = turn @ [*(math.cos(up) * level[:2]), math.sin(up)]
            length = mujoco.mj_ray(model, data, start, way, None, 1, own, geom)
            ranges[i, k] = min(length, reach) if length >= 0.0 else reach
    return ranges


def _hull(shape, c, s):
    if shape.kind != "box":
        return shape.size[0] / 2
    return min(shape.size[0] / 2 / abs(c), shape.size[1] / 2 / abs(s))


def sonars(**values):
    device = Sonars(rig_for(Sonars, 2, **values))
    return device, RaisedWorld(FlatBodies(2)), readings_of(device, 2)


class RaisedWorld(SmallWorld):
    """It notes rays that point up or down too."""

    def __init__(self, bodies):
        super().__init__(bodies)
        self.raised = []

    def cast_raised_rays(self, rows, angles, reach, out, ring):
        self.raised.append((rows.tolist(), np.degrees(angles)))
        out[:] = self.echo


def test_all_sectors_point_up_by_one_number_and_each_by_its_own():
    for given_, expected in (("20", [20.0] * 6), ("-30 0 45.5", [-30.0, -30.0, 0.0, 0.0, 45.5, 45.5])):
        device, world, out = sonars(count=3, rays=2, sector=90.0, elevation=given_)
        device.sense(world, 0, out)
        ((rows, angles),) = world.raised
        assert rows == [0, 1]
        assert angles[0] == pytest.approx([-56.25, -33.75, -11.25, 11.25, 33.75, 56.25])
        assert angles[1] == pytest.approx(expected)
        assert (out == 1.0).all()
        assert world.casts == []


@pytest.mark.parametrize("level", ["0", "0 0 0", "-0.0"])
def test_rays_that_all_stay_level_are_cast_as_before(level):
    device, world, out = sonars(count=3, elevation=level)
    device.sense(world, 0, out)
    assert world.raised == []
    assert len(world.casts) == 1


def test_robots_that_look_at_different_times_or_far_have_rays_of_their_own():
    device, world, out = sonars(count=3, elevation="10 20 30", interval=2)
    device.parameters["reach"][1] = 20.0
    device.changed(1, "reach")
    device.sense(world, 0, out)
    assert [rows for rows, _ in world.raised] == [[0], [1]]
    assert (out == 1.0).all()


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("91", "elevation must lie within -90 and 90 deg, got 91"),
        ("0 up", "elevation expects numbers, got 'up'"),
        ("nan", "elevation must be a finite number"),
        ("1 2", "elevation takes 1 value, or 11, as many as count says, got 2"),
        ("", "elevation takes 1 value, or 11, as many as count says, got 0"),
    ],
)
def test_elevations_that_cannot_be_are_refused(text, flaw):
    elevation = SONARS.parameter("elevation")
    with pytest.raises(BadArgument, match=flaw):
        elevation.spread({"count": 11, "elevation": text})
