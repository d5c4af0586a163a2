"""Target: distance and angle to markers and robots (C-47: no image is made; C-48: distance and angle)."""

import math

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for

from coopsim.errors import BadArgument
from coopsim.features.sensors.target import Target

RED_BLUE = {"red": (3.0, 4.0, 0.0), "blue": (-2.0, 0.0, 0.5)}


class Look:
    """A target module with its world; poses are x, y, heading of each robot."""

    def __init__(self, *poses: tuple[float, float, float], targets=None, **settings) -> None:
        self.targets = RED_BLUE if targets is None else targets
        self.world = SmallWorld(FlatBodies(len(poses)), self.targets)
        self.world.bodies.planar[:, :3] = poses
        self.n = len(poses)
        self.device = Target(rig_for(Target, self.n, targets=tuple(self.targets), **settings))
        self.out = readings_of(self.device, self.n)

    def __call__(self, tick: int = 0) -> "Look":
        self.device.sense(self.world, tick, self.out)
        return self

    def target(self, robot: int, name: str) -> list[float]:
        begin = 3 * list(self.targets).index(name)
        return self.out[robot, begin : begin + 3].tolist()

    def slot(self, robot: int, place: int) -> list[float]:
        begin = 3 * (len(self.targets) + place)
        return self.out[robot, begin : begin + 3].tolist()

    def occupants(self, robot: int) -> list[float]:
        return self.out[robot, 3 * (len(self.targets) + 8) :].tolist()

    def set(self, name: str, value: float | str, robot: int = 0) -> "Look":
        self.device.parameters[name][robot] = value
        self.device.changed(robot, name)
        return self


def test_targets_come_in_the_order_of_the_file_by_distance_and_angle() -> None:
    look = Look((0, 0, 0))()
    assert look.target(0, "red") == pytest.approx([5.0, math.atan2(4, 3), 1.0])
    assert look.target(0, "blue") == pytest.approx([2.0, -math.pi, 1.0])
    assert look.device.labels == ("red", "blue")
    assert look.device.counts == {"targets": 6}
    assert look.out.shape == (1, 2 * 3 + 8 * 3 + 8)


def test_angles_are_seen_from_the_robots_heading_and_wrapped() -> None:
    look = Look((3.0, 0.0, 0.5 * math.pi), (3.0, 8.0, math.pi), (3, 0, 7 * math.pi))()
    assert look.target(0, "red")[:2] == pytest.approx([4.0, 0.0])
    assert look.target(1, "red")[:2] == pytest.approx([4.0, 0.5 * math.pi])
    assert look.target(2, "red")[1] == pytest.approx(-0.5 * math.pi)


def test_what_lies_beyond_reach_is_not_seen() -> None:
    """C-47: targets are seen within reach."""
    look = Look((0, 0, 0), reach=4.0)()
    assert look.target(0, "red") == [4.0, 0.0, 0.0]
    assert look.target(0, "blue")[2] == 1.0
    assert look.set("reach", 6.0)().target(0, "red")[2] == 1.0


def test_nearest_robots_fill_the_slots_from_centre_to_centre() -> None:
    look = Look((0, 0, 0), (3, 0, 0), (0, 1, 0), (50, 0, 0))()
    assert look.slot(0, 0) == pytest.approx([1.0, 0.5 * math.pi, 1.0])
    assert look.slot(0, 1) == pytest.approx([3.0, 0.0, 1.0])
    assert look.slot(0, 2) == [20.0, 0.0, 0.0]
    assert look.occupants(0) == [2, 1, -1, -1, -1, -1, -1, -1]
    assert look.occupants(3) == [-1] * 8


@pytest.mark.parametrize("text", ["robot4 robot2", "robot4, robot2", " robot4,robot2 "])
def test_named_robots_have_the_slots_in_the_order_of_their_names(text) -> None:
    look = Look((0, 0, 0), (3, 0, 0), (0, 1, 0), (50, 0, 0), robots=text)()
    assert look.occupants(0) == [3, 1, -1, -1, -1, -1, -1, -1]
    assert look.slot(0, 0) == [20.0, 0.0, 0.0]
    assert look.slot(0, 1) == pytest.approx([3.0, 0.0, 1.0])


def test_a_robot_does_not_see_itself_and_its_slot_stays_empty() -> None:
    look = Look((0, 0, 0), (3, 0, 0), robots="robot1 robot2")()
    assert look.occupants(0)[:2] == [-1, 1]
    assert look.occupants(1)[:2] == [0, -1]
    assert look.slot(1, 1) == [20.0, 0.0, 0.0]


def test_one_robot_may_name_whom_it_sees_while_others_look_around() -> None:
    look = Look((0, 0, 0), (3, 0, 0), (0, 1, 0)).set("robots", "robot2", robot=1).set("robots", "robot2", robot=2)()
    assert look.occupants(0)[:2] == [2, 1]
    assert look.occupants(1)[:2] == [-1, -1]
    assert look.occupants(2)[:2] == [1, -1]
    look.set("robots", "", robot=2)(1)
    assert look.occupants(2)[:2] == [0, 1]


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    look = Look((0, 0, 0), (3, 0, 0))()
    with pytest.raises(BadArgument, match=r"there is no robot7; the robots are: robot1, robot2"):
        look.set("robots", "robot2 robot7")


def test_more_than_eight_names_are_refused() -> None:
    nine = " ".join(f"robot{i}" for i in range(9))
    with pytest.raises(BadArgument, match="at most 8 names, got 9"):
        Look((0, 0, 0), robots=nine)
    with pytest.raises(BadArgument, match="at most 8"):
        Look((0, 0, 0)).set("robots", nine)


def test_a_name_in_a_file_may_belong_to_a_robot_that_comes_later() -> None:
    look = Look((0, 0, 0), (1, 0, 0), robots="robot3")()
    assert look.occupants(0)[0] == -1
    later = Look((0, 0, 0), (1, 0, 0), (2, 0, 0))
    look.world, look.device.rows = later.world, look.device.rows
    assert look(1).occupants(0)[0] == 2
    assert look.slot(0, 0) == pytest.approx([2.0, 0.0, 1.0])


def test_noise_lies_on_distance_and_angle_of_what_is_seen() -> None:
    look = Look((0, 0, 0), noise_distance=0.1, noise_angle=0.05, targets={"red": (3, 4, 0), "far": (90, 0, 0)})
    seen = np.array([look(tick).target(0, "red") for tick in range(2000)])
    assert seen.mean(axis=0) == pytest.approx([5.0, math.atan2(4, 3), 1.0], abs=0.01)
    assert seen.std(axis=0) == pytest.approx([0.1, 0.05, 0.0], rel=0.08)
    assert abs(np.corrcoef(seen[:, 0], seen[:, 1])[0, 1]) < 0.1
    assert look.target(0, "far") == [20.0, 0.0, 0.0]


def test_a_noisy_distance_stays_within_0_and_reach_and_a_noisy_angle_is_wrapped() -> None:
    close, behind = {"red": (1e-3, 0, 0)}, {"red": (-19.99, 0, 0)}
    near = Look((0, 0, 0), noise_distance=1.0, targets=close)
    far = Look((0, 0, 0), noise_distance=1.0, noise_angle=0.5, targets=behind)
    for tick in range(50):
        assert near(tick).target(0, "red")[0] >= 0.0
        distance, angle, _ = far(tick).target(0, "red")
        assert distance <= 20.0
        assert 1.0 < abs(angle) <= math.pi


def test_between_two_readings_the_last_one_is_held() -> None:
    look = Look((0, 0, 0), (1, 0, 0), interval=2).set("interval", 1, robot=1)
    seen = []
    for tick in range(4):
        look.world.bodies.planar[:, 0] = tick
        seen.append([look(tick).target(robot, "blue")[0] for robot in (0, 1)])
    assert seen == [[2.0, 2.0], [2.0, 3.0], [4.0, 4.0], [4.0, 5.0]]


def test_a_held_reading_is_dropped_when_robots_come_or_go() -> None:
    look = Look((0, 0, 0), (1, 0, 0), interval=100)()
    newer = Look((0, 0, 0), (5, 0, 0), (2, 0, 0), interval=100)
    newer.device.memory["held"][:2] = look.device.memory["held"]
    assert newer(1).occupants(0)[:2] == [2, 1]


def test_a_reading_taken_at_intervals_has_the_noise_of_its_tick() -> None:
    plain = Look((0, 0, 0), (1, 0, 0), noise_distance=0.1)(6)
    held = Look((0, 0, 0), (1, 0, 0), noise_distance=0.1, interval=3)
    for tick in range(8):
        held(tick)
    assert (plain.out == held.out).all()


def test_without_coloured_targets_the_robots_come_first() -> None:
    look = Look((0, 0, 0), (0, 2, 0), targets={})()
    assert look.out.shape == (2, 32)
    assert look.slot(0, 0) == pytest.approx([2.0, 0.5 * math.pi, 1.0])
