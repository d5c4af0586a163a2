"""What sensors can ask of a running scene."""

import math

import numpy as np
import pytest
from device_standins import prepare_kernels
from ray_scenes import body, box

from coopsim.devices.contract import SensingWorld
from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.features.space.engine import MujocoEngine
from coopsim.sensing.world import EngineSensingWorld


def world_of(*bodies, robots=(), make=PymunkEngine):
    engine = make(WorldSpec(tuple(bodies)))
    rows = np.array([list(engine.names).index(name) for name in robots], np.int64)
    world = EngineSensingWorld(
        engine, bodies, ("red",), np.array([[4.0, 3.0, 0.0]]), robots, rows, np.full(len(robots), 0.25)
    )
    world.begin_tick(1, 0.01)
    return world


def nearest(world, rows, reach, slots=8):
    out = np.full((len(rows), slots), 99, np.int64)
    world.nearest_robots(np.asarray(rows, np.int64), np.broadcast_to(float(reach), len(rows)).copy(), out)
    return out.tolist()


class CountingEngine:
    def __init__(self, engine):
        self.engine, self.asked = engine, 0

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def contacts(self):
        self.asked += 1
        return self.engine.contacts()


def test_a_world_is_what_sensors_expect():
    world: SensingWorld = world_of(body("a"), robots=("a",))

    assert world.target_names == ("red",)
    assert world.target_positions.tolist() == [[4.0, 3.0, 0.0]]
    assert world.robot_names == ("a",)
    assert world.dt == 0.01
    assert world.bodies.planar.shape == (1, 6)


def test_rays_follow_the_bodies_from_tick_to_tick():
    """C-45: distance sensors by ray tracing."""
    world = world_of(body("a"), body("b", 2.0), box("wall", 0.0, 2.0, 9.0, 0.2), robots=("a", "b"))
    out = np.empty((1, 2))
    rows, bearings, reach = np.array([0]), np.array([0.0, math.pi / 2]), np.array([3.0])

    world.cast_rays(rows, bearings, reach, out)
    assert out[0] == pytest.approx([1.5, 1.65])
    world.bodies.set_state(np.array([1]), np.array([[2.5, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    world.begin_tick(2, 0.01)
    world.cast_rays(rows, bearings, reach, out)

    assert out[0] == pytest.approx([2.0, 1.65])


def test_the_engine_is_asked_for_contacts_once_a_tick():
    bodies = (body("a"), body("b", 0.49))
    engine = CountingEngine(PymunkEngine(WorldSpec(bodies)))
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), (), np.zeros(0, np.int64), np.zeros(0))
    engine.step(0.01)
    world.begin_tick(1, 0.01)

    assert world.contacts().pairs.tolist() == [[0, 1]]
    assert world.contacts() is world.contacts()
    assert engine.asked == 1
    world.begin_tick(2, 0.01)
    world.contacts()
    assert engine.asked == 2


def test_nearest_robots_come_in_order_of_distance_without_objects_and_without_oneself():
    names = ("far", "here", "near")
    world = world_of(body("far", 3.0), body("here"), body("near", 1.0), body("object", 0.5), robots=names)
    rows = [list(world.bodies.names).index(name) for name in ("here", "far", "object")]

    assert nearest(world, rows, 20.0, 3) == [[2, 0, -1], [2, 1, -1], [1, 2, 0]]


def test_robots_beyond_reach_are_not_near_and_those_at_reach_are():
    world = world_of(body("a"), body("b", 2.0), body("c", 2.5), robots=("a", "b", "c"))

    assert nearest(world, [0], 2.0, 2) == [[1, -1]]


def test_equally_near_robots_come_by_index():
    names = tuple(f"r{k}" for k in range(5))
    places = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0))
    world = world_of(*(body(name, *place) for name, place in zip(names, places, strict=True)), robots=names)

    assert nearest(world, [0], 5.0, 3) == [[1, 2, 3]]


@pytest.mark.parametrize("seed", range(40))
def test_nearest_robots_agree_with_a_look_at_every_pair(seed):
    generator = np.random.default_rng(seed)
    count = int(generator.integers(1, 90))
    places = generator.uniform(-10, 10, (count, 2))
    if seed % 4 == 1:
        places = np.round(places / 4)  # many ties
    elif seed % 4 == 2:
        places[:, 1] *= 1e-9  # all in a line
    elif seed % 4 == 3:
        places[0] = 9e5, -9e5  # one far astray
    names = tuple(f"r{k:02}" for k in range(count))
    world = world_of(*(body(name, *place) for name, place in zip(names, places, strict=True)), robots=names[::2])
    reach = float(generator.choice([0.5, 3.0, 20.0]))

    nearest_rows = nearest(world, range(count), reach, 8)

    robots = range(0, count, 2)
    for row in range(count):
        squares = [(((places[j] - places[row]) ** 2).sum(), k) for k, j in enumerate(robots) if j != row]
        expected = [k for square, k in sorted(squares) if square <= reach**2][:8]
        assert nearest_rows[row] == expected + [-1] * (8 - len(expected))


def test_nobody_is_near_where_there_is_nobody():
    alone = world_of(body("a"), robots=("a",))
    objects = world_of(body("a"), body("b", 1.0))

    assert nearest(alone, [0], 20.0, 2) == [[-1, -1]]
    assert nearest(objects, [0, 1], 20.0, 2) == [[-1, -1], [-1, -1]]
    assert nearest(alone, [], 20.0) == []


def test_nearest_robots_can_be_written_into_a_part_of_an_array():
    world = world_of(body("a"), body("b", 1.0), robots=("a", "b"))
    out = np.full((2, 6), 7, np.int64)

    world.nearest_robots(np.arange(2), np.full(2, 5.0), out[:, ::3])

    assert out[:, ::3].tolist() == [[1, -1], [0, -1]]
    assert (out[:, 1::3] == 7).all()


def test_warming_up_is_harmless():
    prepare_kernels()


@pytest.mark.parametrize("make", [PymunkEngine, MujocoEngine])
@pytest.mark.parametrize("angle", [0.0, 0.05])
def test_a_robot_of_several_bodies_does_not_sense_itself(make, angle):
    tilt = () if make is PymunkEngine else (0.0, angle, 0.0)
    link = body("a.link", 0.7, part_of="a", tilt=tilt)
    bodies = (body("a"), link, body("b", 2.0, tilt=tilt))
    world = world_of(*bodies, robots=("a", "b"), make=make)
    out = np.empty((1, 1))

    for row, hit in ((0, "b"), (1, "b"), (2, "a.link")):
        bearing = np.array([0.0 if hit == "b" else math.pi])
        world.cast_rays(np.array([row]), bearing, np.array([3.0]), out)
        middles = {"a": 0.0, "a.link": 0.7, "b": 2.0}
        apart = abs(middles[hit] - [0.0, 0.7, 2.0][row]) - 0.5
        assert out[0, 0] == pytest.approx(apart, abs=0.05 if any(tilt) else 1e-9)

    assert nearest(world, [0, 1, 2], 3.0, 2) == [[1, -1], [1, -1], [0, -1]]
    seen, occupants = np.ones((1, 1), np.bool_), np.array([[2]])
    world.sight_lines(np.array([0]), np.array([[[2.0, 0.0]]]), occupants, seen)
    assert seen.all()
