"""The laser scanner: what it sees, and what noise and losses make of it."""

import math

import mujoco
import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for
from ray_scenes import body, box, in_mujoco, random_body

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadFile
from coopsim.features.sensors.laser import Laser
from coopsim.features.sensors.laser_interface import LASER, MOST_RAYS
from coopsim.features.space.engine import MujocoEngine
from coopsim.geometry import quaternion
from coopsim.interfaces import Value
from coopsim.robots import floor_body
from coopsim.scene import Floor
from coopsim.sensing.world import EngineSensingWorld


class Scanned:
    """Bodies in an engine, some of them with the same scanner."""

    def __init__(self, *bodies, engine=PymunkEngine, robots=("robot",), **settings: Value) -> None:
        floor = Floor((40.0, 40.0, 0.1))
        self.engine = engine(WorldSpec(bodies, floor=floor.size))
        nobody = np.zeros(0, np.int64)
        self.world = EngineSensingWorld(self.engine, bodies, (), np.zeros((0, 3)), (), nobody, np.zeros(0))
        self.world.floor = floor_body(floor)
        self.device = Laser(rig_for(Laser, len(robots), **settings))
        self.device.rows = np.array([list(self.engine.names).index(name) for name in robots])
        self.out = readings_of(self.device, len(robots))

    def scan(self, tick: int = 0) -> np.ndarray:
        self.world.begin_tick(tick, 0.01)
        self.device.sense(self.world, tick, self.out)
        return self.out


@pytest.mark.parametrize("engine", [PymunkEngine, MujocoEngine])
def test_distances_are_measured_from_the_scanner_and_not_from_the_hull(engine) -> None:
    wall = box("wall", 2.0, 0.0, 0.2, 8.0)
    scene = Scanned(body("robot"), wall, engine=engine, count=3, sector=90.0, x=0.1)
    assert scene.scan()[0] == pytest.approx([1.8 * math.sqrt(2.0), 1.8, 1.8 * math.sqrt(2.0)], abs=1e-6)


def test_a_scanner_turns_with_its_robot_and_sits_where_its_file_says() -> None:
    wall = box("wall", 0.0, 3.0, 8.0, 0.2)
    robot = body("robot", 0.5, 0.0, math.pi / 2)
    scene = Scanned(robot, wall, count=1, x=0.2, y=-0.3)
    # 0.2 m forward of a robot that looks along y
    assert scene.scan()[0] == pytest.approx([2.7])
    sideways = Scanned(robot, wall, box("far", 4.5, 0.0, 0.2, 4.0), count=1, x=0.2, y=-0.3, yaw=-90.0)
    assert sideways.scan()[0] == pytest.approx([4.4 - 0.8])


def test_scans_are_those_of_an_independent_program() -> None:
    """Twelve bodies of all shapes, turned at random: MuJoCo's own rays, from the scanner, in layers."""
    random = np.random.default_rng(7)
    for _ in range(6):
        obstacles = [random_body(random, number, (0.0, 0.4)) for number in range(12)]
        robot = body("robot", -2.0, 2.0, 0.3, size=(0.2, 0.2, 0.2))
        settings = {"count": 24, "layers": 3, "sector": 200.0, "elevation": "-12 0 9", "x": 0.05, "reach": 15.0}
        scene = Scanned(robot, *obstacles, engine=MujocoEngine, height=0.3, **settings)
        scene.engine.fill()
        model, data = in_mujoco([robot, *obstacles])
        start = np.array([-2.0 + 0.05 * math.cos(0.3), 2.0 + 0.05 * math.sin(0.3), 0.3])
        seen = scene.scan()[0].reshape(3, 24)
        for layer, elevation in enumerate(np.radians([-12.0, 0.0, 9.0])):
            for k, bearing in enumerate(np.radians(np.linspace(-100.0, 100.0, 24)) + 0.3):
                level = math.cos(elevation)
                ray = np.array([level * math.cos(bearing), level * math.sin(bearing), math.sin(elevation)])
                expected = mujoco.mj_ray(
                    model, data, start, ray, None, 1, model.body("robot").id, np.zeros(1, np.int32)
                )
                expected = math.inf if expected < 0.0 else expected
                floor = start[2] / -ray[2] if ray[2] < 0.0 else math.inf
                assert seen[layer, k] == pytest.approx(min(expected, floor, 15.0), abs=1e-6)


def test_many_rays_in_the_plane_are_those_of_each_by_itself() -> None:
    random = np.random.default_rng(3)
    things = [box(f"b{k}", *random.uniform(-6, 6, 2), 0.5, 0.3, random.uniform(0, 3)) for k in range(12)]
    things += [body(f"c{k}", *random.uniform(-6, 6, 2)) for k in range(8)]
    robots = [body("robot", 0.0, 0.0, 0.4), body("robot2", 3.0, 2.0, 2.0)]
    names = ("robot", "robot2")
    fan = Scanned(*robots, *things, robots=names, count=MOST_RAYS, sector=360.0, x=0.1, y=0.02)
    seen = fan.scan().copy()
    for k in range(0, MOST_RAYS, 97):
        yaw = -180.0 + 360.0 * k / (MOST_RAYS - 1)
        single = Scanned(*robots, *things, robots=names, count=1, yaw=yaw, x=0.1, y=0.02)
        assert seen[:, k] == pytest.approx(single.scan()[:, 0], abs=1e-9)


def test_where_nothing_is_the_reach_is_reported_and_what_is_too_near_has_no_echo() -> None:
    scene = Scanned(body("robot"), box("wall", 0.5, 0.0, 0.2, 0.2), count=2, sector=180.0, yaw=90.0, nearest=0.5)
    assert scene.scan()[0].tolist() == [0.0, 10.0]


def test_noise_grows_with_the_distance_as_its_parameters_say() -> None:
    wall = box("wall", 0.0, 5.1, 30.0, 0.2)
    scene = Scanned(body("robot"), wall, count=2048, sector=0.01, yaw=90.0, noise=0.01, noise_share=0.02)
    scans = np.array([scene.scan(tick)[0].copy() for tick in range(4)])
    assert scans.mean() == pytest.approx(5.0, abs=0.01)
    assert scans.std() == pytest.approx(0.11, rel=0.03)
    assert len(np.unique(scans)) == scans.size


def test_lost_echoes_are_as_many_as_the_share_says_and_others_in_each_scan() -> None:
    wall = box("wall", 0.0, 5.1, 30.0, 0.2)
    scene = Scanned(body("robot"), wall, count=2048, sector=90.0, yaw=90.0, dropout=0.25, echoes=1)
    first, second = (scene.scan(tick)[0].copy() for tick in (1, 2))
    for scan in (first, second):
        assert np.mean(scan[:2048] == 0.0) == pytest.approx(0.25, abs=0.03)
        assert ((scan[:2048] == 0.0) == (scan[2048:] == 0.0)).all()
    assert (first != second).any()
    assert (scene.scan(1)[0] == first).all()


def test_intensities_fall_with_the_angle_and_the_square_of_the_distance() -> None:
    wall = box("wall", 4.1, 0.0, 0.2, 60.0)
    scene = Scanned(body("robot"), wall, count=101, sector=120.0, reach=6.0, bright=2.0, echoes=1)
    ranges, intensities = np.split(scene.scan()[0], 2)
    angles = np.radians(np.linspace(-60.0, 60.0, 101))
    hits = ranges < 6.0
    expected = np.cos(angles) * (2.0 / np.where(hits, ranges, 1.0)) ** 2
    assert 40 < hits.sum() < 101
    assert intensities[hits] == pytest.approx(expected[hits], abs=1e-6)
    assert (intensities[~hits] == 0.0).all()


def test_intensities_of_layers_know_how_the_floor_lies() -> None:
    scene = Scanned(
        body("robot"), count=21, sector=60.0, layers=3, elevation="-40 -30 -20", height=1.0, echoes=1, bright=100.0
    )
    intensities = np.split(scene.scan()[0], 2)[1].reshape(3, 21)
    for layer, elevation in zip(intensities, (40.0, 30.0, 20.0), strict=True):
        assert layer == pytest.approx(np.full(21, math.sin(math.radians(elevation))), abs=0.05)


def test_sixteen_layers_of_a_preset_see_the_floor_where_trigonometry_says() -> None:
    """On a robot that is tilted by 5 degrees, too: each ray ends at height / sine of how far it points down."""
    settings = dict(LASER.preset("vlp_16")) | {"noise": 0.0, "rate": 0.0, "height": 1.0}
    scene = Scanned(body("robot"), engine=MujocoEngine, **settings)
    down = np.radians(np.arange(15, 0, -2))
    seen = scene.scan()[0].reshape(16, 128)
    # the floor ends at 20 m, before the layer that points down by one degree meets it
    assert seen[:7] == pytest.approx(np.tile(1.0 / np.sin(down[:7])[:, np.newaxis], 128), rel=1e-6)
    assert (seen[7:] == 100.0).all()
    row = np.array([list(scene.engine.names).index("robot")])
    tilt = math.radians(5.0)
    scene.engine.set_spatial_state(row, np.array([[0, 0, 0, *quaternion(0.0, tilt, 0.0)]]), np.zeros((1, 6)))
    ahead = scene.scan(1)[0].reshape(16, 128)[:, 63:65].mean(axis=1)
    assert ahead[7] == pytest.approx(math.cos(tilt) / math.sin(math.radians(1.0) + tilt), rel=0.01)


def test_a_scanner_with_a_rate_holds_its_scan_between() -> None:
    scene = Scanned(body("robot"), box("wall", 2.0, 0.0, 0.2, 2.0), count=1, noise=0.1, rate=10.0, buffer=1)
    held = [scene.scan(tick)[0, 0] for tick in range(25)]
    assert len(set(held[:10])) == 1
    assert len(set(held)) == 3


def test_robots_scan_in_turn_what_all_of_them_see_together() -> None:
    robots = [body("robot"), body("robot2", 0.0, 3.0)]
    scene = Scanned(*robots, box("wall", 4.0, 0.0, 0.2, 20.0), robots=("robot", "robot2"), count=9, noise=0.2)
    whole = scene.scan(5).copy()
    part = np.empty((1, 9))
    scene.device.measure(scene.world, 5, np.array([1]), part)
    assert part[0].tolist() == whole[1].tolist()


def test_more_rays_than_a_record_has_room_for_are_refused() -> None:
    with pytest.raises(BadFile, match="count 1000 in 3 layers are 3000 rays; 2048 at most"):
        Laser(rig_for(Laser, 1, count=1000, layers=3))


@pytest.mark.parametrize("preset", LASER.presets, ids=lambda preset: preset.name)
def test_a_preset_has_values_that_could_be_set(preset) -> None:
    for name, value in preset.values:
        assert LASER.parameter(name).check(value) == value
    settings = dict(preset.values)
    device = Laser(rig_for(Laser, 1, **settings))
    assert device.rays == settings["count"] * settings.get("layers", 1)
    assert device.is_timed
    device.sense(SmallWorldWithScanner(), 0, readings_of(device))


class SmallWorldWithScanner(SmallWorld):
    """A world in which everything is 1 m away."""

    def __init__(self) -> None:
        super().__init__(FlatBodies(1))

    def scan(self, rows, angles, scanners, out) -> None:
        out[:] = 1.0
