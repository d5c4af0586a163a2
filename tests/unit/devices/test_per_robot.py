"""Devices written for one robot at a time."""

import math
from typing import ClassVar

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, command, readings_of, rig_for

from coopsim.devices.noise import normal
from coopsim.devices.per_robot import PerRobot
from coopsim.errors import PluginFailed
from coopsim.interfaces import Command, Effect, Field, Interface, Parameter


class Watcher(PerRobot):
    """Whatever a test asks for; two readings."""

    interface = Interface(
        "watcher",
        "",
        (
            Command(10, "look", gives=(Field("first", "1"), Field("second", "1"))),
            Command(11, "tare", effect=Effect.EDIT),
        ),
        (
            Parameter("gain", float, 2.0, "1", 0.0, 9.0),
            Parameter("steps", int, 3, "1", 0, 9, fixed=True),
            Parameter("word", str, "x"),
        ),
    )
    remembers: ClassVar = {"seen": 5.0}

    def __init__(self, context) -> None:
        super().__init__(context)
        self.says = lambda robot: (robot.x, robot.y)

    def read(self, robot):
        return self.says(robot)

    def carry_out(self, robot, command, values) -> None:
        robot.memory["seen"] = len(command)


def watched(says, n: int = 1, tick: int = 1, world: SmallWorld | None = None, **settings) -> np.ndarray:
    device = Watcher(rig_for(Watcher, n, **settings))
    device.says = says
    out = readings_of(device, n)
    device.sense(world or SmallWorld(FlatBodies(n)), tick, out)
    return out


def test_each_robot_gives_its_own_readings() -> None:
    world = SmallWorld(FlatBodies(3))
    world.bodies.planar[:, 0] = (1.0, 2.0, 3.0)
    assert watched(lambda robot: (robot.x, robot.y), 3, world=world).tolist() == [[1, 0], [2, 0], [3, 0]]
    assert watched(lambda robot: [int(robot.name[-1]), 0], 3)[:, 0].tolist() == [1, 2, 3]


def test_a_robot_knows_its_motion_in_its_own_frame() -> None:
    world = SmallWorld(FlatBodies(1))
    world.bodies.planar[0] = (0, 0, math.pi / 2 + 2 * math.pi, 0.0, 0.3, 0.1)
    assert watched(lambda robot: (robot.heading, robot.v), world=world)[0] == pytest.approx([math.pi / 2, 0.3])
    assert watched(lambda robot: (robot.w, robot.dt), world=world)[0] == pytest.approx([0.1, 0.01])


def test_parameters_are_columns_and_fixed_ones_settings() -> None:
    device = Watcher(rig_for(Watcher, 2, gain=4.0, steps=7, word="abc"))
    assert set(device.parameters) == {"gain", "word"}
    device.parameters["gain"][1] = 6.0
    device.parameters["word"][1] = "long"
    device.says = lambda robot: (robot.parameters["gain"], robot.parameters["steps"] + len(robot.parameters["word"]))
    out = readings_of(device, 2)
    device.sense(SmallWorld(FlatBodies(2)), 1, out)
    assert out.tolist() == [[4, 10], [6, 11]]


def test_memory_outlives_the_tick() -> None:
    def count(robot):
        robot.memory["seen"] += 1
        return robot.memory["seen"], 0

    device = Watcher(rig_for(Watcher, 2))
    device.says = count
    out = readings_of(device, 2)
    for tick in (1, 2, 3):
        device.sense(SmallWorld(FlatBodies(2)), tick, out)
    assert out[:, 0].tolist() == device.memory["seen"].tolist() == [8, 8]


def test_commands_that_edit_go_to_one_robot() -> None:
    device = Watcher(rig_for(Watcher, 2))
    device.edit(1, 11, [])
    assert device.memory["seen"].tolist() == [5, 4]


def test_noise_is_that_of_all_devices_however_much_is_asked_for() -> None:
    drawn: list[float] = []

    def draw(robot):
        drawn[:] = [robot.noise() for _ in range(21)]
        return drawn[0], drawn[1]

    context = rig_for(Watcher)
    watched(draw, tick=7)
    expected = np.empty((1, 21))
    normal(context.keys, 7, expected)
    assert drawn == expected[0].tolist()
    again = watched(draw, tick=8)
    assert again[0, 0] != expected[0, 0]
    assert watched(draw, tick=8).tolist() == again.tolist()


def test_a_robot_looks_around() -> None:
    world = SmallWorld(FlatBodies(3), {"red": (3.0, 4.0, 0.0)})
    world.bodies.planar[1, :2] = (0.0, 2.0)
    world.echo = 1.5

    def read_around(robot):
        neighbours, targets = robot.others(), robot.targets()
        assert robot.name not in neighbours
        assert len(neighbours) == 2
        assert robot.ray(0.5, 1.0) == 1.0
        return robot.ray(0.5, 9.0), robot.polar(*targets["red"])[0]

    assert watched(read_around, 3, world=world)[0].tolist() == [1.5, 5.0]
    assert world.casts[0].bearings.tolist() == [0.5]
    assert world.casts[0].rows == [0]


def test_directions_are_seen_from_the_robot() -> None:
    world = SmallWorld(FlatBodies(1))
    world.bodies.planar[0, :3] = (1.0, 1.0, math.pi / 2)
    assert watched(lambda robot: robot.polar(1.0, 3.0), world=world)[0] == pytest.approx([2.0, 0.0])
    assert watched(lambda robot: robot.polar(0.0, 1.0), world=world)[0] == pytest.approx([1.0, math.pi / 2])


@pytest.mark.parametrize("given", [1.0, (1, 2, 3), [], [[1, 2], [3, 4]]])
def test_another_number_of_readings_is_told_with_the_line_of_read(given: object) -> None:
    with pytest.raises(
        PluginFailed, match=r"test_per_robot\.py:\d+: read gave \d values for robot1, not 2: first, second"
    ):
        watched(lambda _: given)


# actuators


class Thruster(PerRobot):
    """Pushes."""

    interface = Interface(
        "thruster",
        "",
        (
            Command(10, "push", takes=(Field("force", "N"), Field("side", "N")), effect=Effect.SET),
            Command(11, "turn", takes=(Field("torque", "N m"),), effect=Effect.SET),
        ),
    )

    def drive(self, robot, command, values):
        if command == "push":
            return (*values, 0.0)
        return (0.0, 0.0, values[0]) if command == "turn" else None


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        ((0, 0, 5, 5), (0, 0, 0)),
        ((1, 10, 5, 0), (0, 5, 0)),
        ((1, 10, 0, 5), (-5, 0, 0)),
        ((1, 11, 3, 0), (0, 0, 3)),
    ],
)
def test_a_force_in_the_frame_of_the_robot_is_one_in_the_world(slot: tuple, expected: tuple) -> None:
    device, bodies = Thruster(rig_for(Thruster)), FlatBodies(1)
    bodies.planar[0, 2] = math.pi / 2
    device.act(command(*slot), bodies, bodies.wrench, 0.01)
    assert bodies.wrench[0, [0, 1, 5]] == pytest.approx(expected)


def test_an_actuator_without_readings_is_never_asked_for_any() -> None:
    device = Thruster(rig_for(Thruster))
    device.sense(SmallWorld(), 1, np.empty((1, 0)))


def test_an_actuator_cannot_look_around_before_the_step() -> None:
    class Blind(Thruster):
        def drive(self, robot, command, values):
            return robot.ray(0.0, 1.0), 0.0, 0.0

    bodies = FlatBodies(1)
    with pytest.raises(RuntimeError, match="only `read` can look around"):
        Blind(rig_for(Blind)).act(command(1, 10), bodies, bodies.wrench, 0.01)


# mistakes of the author


def test_a_method_that_is_missing_or_cannot_be_called_is_told_in_words() -> None:
    class Empty(PerRobot):
        interface = Watcher.interface

    device = Empty(rig_for(Empty))
    with pytest.raises(NotImplementedError, match="Empty gives readings, so it needs a method read"):
        device.sense(SmallWorld(), 1, readings_of(device))
    with pytest.raises(NotImplementedError, match="Empty has the command tare"):
        device.edit(0, 11, [])

    class Short(PerRobot):
        interface = Watcher.interface

        def read(self):
            return 1.0, 2.0

    with pytest.raises(PluginFailed, match=r"test_per_robot\.py:\d+: device Short: read\(self, robot\) is called"):
        Short(rig_for(Short))


def test_counts_given_by_name_are_parameters_of_that_name() -> None:
    class Ring(PerRobot):
        interface = Interface(
            "ring",
            "",
            (Command(10, "look", gives=(Field("far", "m", count="count"),)),),
            (Parameter("count", int, 4, "1", 1, 9, fixed=True),),
        )

        def read(self, robot):
            return [robot.ray(0.1 * i, 2.0) for i in range(robot.parameters["count"])]

    device = Ring(rig_for(Ring, count=6))
    assert device.counts == {"count": 6}
    out = readings_of(device)
    device.sense(SmallWorld(), 1, out)
    assert out.tolist() == [[1.0] * 6]


def test_a_place_is_asked_for_in_vain_before_the_first_tick() -> None:
    device = Watcher(rig_for(Watcher))
    with pytest.raises(RuntimeError, match="no position before the first tick"):
        _ = device._robots[0].x


def test_what_drive_draws_does_not_hang_on_how_much_read_has_drawn() -> None:
    drawn = []
    for count in (0, 1, 20):
        device = Watcher(rig_for(Watcher, 1))
        device.says = lambda robot, count=count: [sum(robot.noise() for _ in range(count)), 0.0]
        device.drive = lambda robot, _command, _values: drawn.append((robot.noise(), robot.noise()))
        world = SmallWorld(FlatBodies(1))
        device.sense(world, 7, readings_of(device, 1))
        device.act(command(0.0, 0.0), world.bodies, np.zeros((1, 6)), 0.01)
    assert drawn[0] == drawn[1] == drawn[2]
    first = watched(lambda robot: [robot.noise(), robot.noise()], tick=7)[0]
    assert not set(drawn[0]) & set(first.tolist())
