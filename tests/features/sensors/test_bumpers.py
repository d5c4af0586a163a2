"""Bumpers: touch at the front and the rear half."""

import math

import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for

from coopsim.devices import DeviceContext
from coopsim.features.sensors.bumpers import Bumpers

FIXED = -1


class Hulls:
    """Robots at given poses; contacts are (first, second, x, y, impulse)."""

    def __init__(self, *poses: tuple[float, float, float], **settings: float) -> None:
        self.world = SmallWorld(FlatBodies(len(poses)))
        self.world.bodies.planar[:, :3] = poses
        self.device = Bumpers(rig_for(Bumpers, len(poses), **settings))
        self.out = readings_of(self.device, len(poses))

    def touch(self, *contacts: tuple[int, int, float, float, float]) -> list[list[float]]:
        self.world.touching = list(contacts)
        self.device.sense(self.world, 1, self.out)
        return self.out.tolist()


def test_nothing_touches_a_robot_alone() -> None:
    hulls = Hulls((0, 0, 0))
    hulls.touch((0, FIXED, 0.25, 0.0, 1.0))
    assert hulls.touch() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    ("heading", "x", "y", "expected"),
    [
        (0.0, 0.25, 0.0, [1.0, 0.0]),
        (0.0, -0.25, 0.0, [0.0, 1.0]),
        (0.5 * math.pi, 0.0, 0.25, [1.0, 0.0]),
        (0.5 * math.pi, 0.1, -0.2, [0.0, 1.0]),
        (math.pi, 0.25, 0.0, [0.0, 1.0]),
        (0.0, 0.0, 0.25, [1.0, 0.0]),
    ],
)
def test_a_wall_is_felt_by_the_half_it_touches(heading, x, y, expected) -> None:
    assert Hulls((0, 0, heading)).touch((0, FIXED, x, y, 0.5)) == [expected]
    assert Hulls((7, -3, heading)).touch((FIXED, 0, 7 + x, -3 + y, 0.5)) == [expected]


def test_two_robots_feel_each_other() -> None:
    hulls = Hulls((0, 0, 0), (0.5, 0, 0), (9, 9, 0))
    assert hulls.touch((0, 1, 0.25, 0.0, 0.1)) == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]


def test_a_robot_may_be_touched_at_both_halves() -> None:
    assert Hulls((0, 0, 0)).touch((0, FIXED, 0.2, 0.1, 1.0), (0, FIXED, -0.2, 0.1, 1.0)) == [[1.0, 1.0]]


def test_touches_below_the_threshold_do_not_count_until_they_sum_up_to_it() -> None:
    hulls = Hulls((0, 0, 0), threshold=0.5)
    assert hulls.touch((0, FIXED, 0.25, 0.0, 0.3)) == [[0.0, 0.0]]
    assert hulls.touch((0, FIXED, 0.24, 0.05, 0.3), (0, FIXED, 0.24, -0.05, 0.3)) == [[1.0, 0.0]]
    assert hulls.touch((0, FIXED, 0.25, 0.0, 0.3), (0, FIXED, -0.25, 0.0, 0.3)) == [[0.0, 0.0]]


def test_a_threshold_belongs_to_its_robot() -> None:
    hulls = Hulls((0, 0, 0), (0.5, 0, 0))
    hulls.device.parameters["threshold"][0] = 1.0
    hulls.device.changed(0, "threshold")
    assert hulls.touch((0, 1, 0.25, 0.0, 0.5)) == [[0.0, 0.0], [0.0, 1.0]]


def test_objects_and_robots_of_other_types_are_told_apart_from_the_own_ones() -> None:
    context = rig_for(Bumpers)
    bumpers = Bumpers(DeviceContext(context.robots, context.rows + 2, context.keys, context.settings, context.radius))
    world, out = SmallWorld(FlatBodies(4)), readings_of(bumpers)
    world.touching = [(0, 1, 0.2, 0.0, 1.0), (3, 2, 0.2, 0.0, 1.0)]
    bumpers.sense(world, 1, out)
    assert out.tolist() == [[1.0, 0.0]]
    world.touching = [(0, 1, 0.2, 0.0, 1.0), (3, FIXED, 0.2, 0.0, 1.0)]
    bumpers.sense(world, 2, out)
    assert out.tolist() == [[0.0, 0.0]]


def test_bodies_may_come_while_bumpers_look_on() -> None:
    hulls = Hulls((0, 0, 0))
    hulls.touch((0, FIXED, 0.2, 0.0, 1.0))
    hulls.world.bodies = FlatBodies(3)
    assert hulls.touch((2, 0, 0.2, 0.0, 1.0), (2, 1, 9.0, 9.0, 1.0)) == [[1.0, 0.0]]
