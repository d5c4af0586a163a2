"""One sampling rule for all sensors: rate, delay, loss and interval."""

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, command, readings_of, rig_for

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.differential_drive import DifferentialDrive
from coopsim.devices.odometry import Odometry
from coopsim.devices.per_robot import PerRobot
from coopsim.devices.sampled import Sampled
from coopsim.devices.sonars import Sonars
from coopsim.errors import BadArgument
from coopsim.features.sensors.bumpers import Bumpers
from coopsim.features.sensors.target import Target
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Command, Field, Interface
from coopsim.interfaces.sampling import sampling_parameters
from coopsim.kernels.sequence import KernelCall

PLAIN = (Sonars, Target, Bumpers)


class Depth(PerRobot):
    """A sensor of a plugin, in one class: it reads x."""

    interface = Interface(
        "depth", "Depth.", (Command(10, "depth", gives=(Field("x", "m"),)),), parameters=sampling_parameters()
    )

    def read(self, robot) -> float:
        return robot.x


class Watch:
    """A device that looks at a world of its own; `echo` is what sonars see, `x` where the robots are."""

    def __init__(self, kind, n=1, **settings) -> None:
        self.world = SmallWorld(FlatBodies(n))
        self.device, self.tick = kind(rig_for(kind, n, **settings)), 0
        self.out = readings_of(self.device, n)

    def sampled(self, x: float) -> float:
        self.tick += 1
        self.world.echo = x
        self.world.bodies.planar[:, 0] = x
        self.device.sense(self.world, self.tick, self.out)
        return float(self.out[0, 0])


@pytest.mark.parametrize("kind", [Sonars, Depth])
def test_a_rate_says_how_often_any_sensor_measures(kind) -> None:
    watch = Watch(kind, rate=25.0)
    assert [watch.sampled(0.01 * tick) for tick in range(1, 13)] == pytest.approx([0.01] * 4 + [0.05] * 4 + [0.09] * 4)


@pytest.mark.parametrize("kind", [Sonars, Depth])
def test_a_delayed_measurement_is_read_late_and_the_first_one_until_then(kind) -> None:
    watch = Watch(kind, delay=0.03)
    seen = [watch.sampled(0.1 * tick) for tick in range(1, 8)]
    assert seen == pytest.approx([0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.4])


def test_a_lost_measurement_leaves_the_one_before() -> None:
    watch = Watch(Sonars, n=1, loss=0.5, count=30)
    seen = np.array([watch.sampled(0.01 * tick) for tick in range(1, 201)])
    fresh = np.isclose(seen, 0.01 * np.arange(1, 201))
    assert 0.35 < fresh.mean() < 0.65
    assert (np.diff(seen)[~fresh[1:]] == 0.0).all()


def test_what_is_lost_does_not_hang_on_noise() -> None:
    plain, noisy = Watch(Sonars, loss=0.5, count=30), Watch(Sonars, loss=0.5, count=30, noise=0.001)
    for tick in range(1, 101):
        assert plain.sampled(0.01 * tick) == pytest.approx(noisy.sampled(0.01 * tick), abs=0.008)


def test_an_interval_counts_where_there_is_no_rate() -> None:
    watch = Watch(Sonars, interval=3, loss=0.0, buffer=4)
    assert [watch.sampled(0.1 * tick) for tick in range(1, 8)] == pytest.approx([0.1] * 3 + [0.4] * 3 + [0.7])
    watch.device.parameters["rate"][0] = 1000.0
    watch.device.changed(0, "rate")
    assert [watch.sampled(0.1 * tick) for tick in range(8, 11)] == pytest.approx([0.8, 0.9, 1.0])


@pytest.mark.parametrize("kind", PLAIN)
def test_a_sensor_without_room_refuses_a_delay_and_says_the_cure(kind) -> None:
    device = kind(rig_for(kind))
    device.parameters["delay"][0] = 0.1
    with pytest.raises(BadArgument, match=r"delay needs room .*`buffer 16`"):
        device.changed(0, "delay")


@pytest.mark.parametrize("kind", PLAIN)
def test_room_is_taken_only_where_the_file_asks_for_it(kind) -> None:
    assert not {"fix", "under_way"} & {*kind(rig_for(kind)).memory}
    assert {"fix", "under_way"} <= {*kind(rig_for(kind, rate=5.0)).memory}
    assert kind(rig_for(kind, buffer=3)).memory["under_way"].shape[1] == 3


def test_odometry_counts_each_tick_and_is_read_at_its_rate() -> None:
    bodies = FlatBodies()
    drive = DifferentialDrive(rig_for(DifferentialDrive))
    slow = Odometry(rig_for(Odometry, siblings={"motors": drive}, rate=10.0))
    fast = Odometry(rig_for(Odometry, siblings={"motors": drive}))
    world, speeds, seen, now = SmallWorld(bodies), readings_of(drive), readings_of(slow), readings_of(fast)
    for tick in range(1, 42):
        drive.act(command(tick, 10, 0.3, 0.1), bodies, bodies.wrench, 0.01)
        bodies.step(0.01)
        for device, out in ((drive, speeds), (slow, seen), (fast, now)):
            device.sense(world, tick, out)
        if tick % 10 == 1:
            assert seen.tolist() == now.tolist()
    assert (slow.memory["pose"] == fast.memory["pose"]).all()


def test_readings_of_a_timed_target_that_speak_of_robots_that_left_are_dropped() -> None:
    watch = Watch(Target, n=2, delay=0.05)
    for _ in range(10):
        watch.sampled(0.0)
    assert watch.out[0, -8] == 1.0
    watch.world.robot_names = ("robot1",)
    watch.world.robot_bodies = np.arange(1)
    watch.world.nearest_robots = lambda rows, reach, out: out.fill(-1)
    watch.sampled(0.0)
    assert watch.out[0, -8] == -1.0


class Halves(Sampled):
    """A sensor that says calls alone: half of x."""

    interface = Depth.interface

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=1)

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls:
        return DeviceCalls((KernelCall(_halve, (world.bodies.planar, self.rows, out)),), (self,))


class Thirds(Halves):
    """A subclass of that one which has its own method."""

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        out[:, 0] = world.bodies.planar[self.rows if rows is None else self.rows[rows], 0] / 3.0


def _halve(planar: Floats, rows: Ints, out: Floats) -> None:
    out[:, 0] = planar[rows, 0] / 2.0


def test_what_says_calls_has_its_methods_from_them_for_all_robots_and_for_some() -> None:
    watch = Watch(Halves, 3)
    assert watch.sampled(0.8) == 0.4
    assert watch.device.sense_calls(watch.world, watch.out) is not None
    some = np.zeros((1, 1))
    watch.world.bodies.planar[:, 0] = 1.0, 2.0, 3.0
    watch.device.measure(watch.world, 1, np.array([2]), some)
    assert some[0, 0] == 1.5
    late = Watch(Halves, rate=25.0)
    assert [late.sampled(tick) for tick in range(1, 6)] == [0.5, 0.5, 0.5, 0.5, 2.5]


def test_a_method_of_a_subclass_counts_before_calls_of_its_base() -> None:
    watch = Watch(Thirds)
    assert watch.sampled(0.9) == pytest.approx(0.3)
    assert watch.device.sense_calls(watch.world, watch.out) is None


def test_a_sensor_with_neither_calls_nor_a_method_says_so() -> None:
    class Blind(Sampled):
        interface = Depth.interface

    with pytest.raises(NotImplementedError, match="needs the method"):
        Blind(rig_for(Blind), width=1).measure(SmallWorld(), 1, None, np.zeros((1, 1)))
