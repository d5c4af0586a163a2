"""The wheel servo (C-43, C-46: wheels by servo in place of hinge joints)."""

import math

import numpy as np
import pymunk
import pytest
from device_standins import FlatBodies, SmallWorld, command, readings_of, rig_for

from coopsim.devices import differential_drive
from coopsim.devices.differential_drive import DifferentialDrive
from coopsim.errors import NoSuchCommand
from coopsim.interfaces import MOTORS

HALF_TRACK = 0.18
UNLIMITED = {"gain": 1e7, "max_force": 1e6, "grip": 10.0}
LEGS = ((0.3, 0.3, 3.0), (0.2, 0.35, 3.0), (-0.2, 0.2, 2.0), (0.4, 0.3, 4.0), (0.0, 0.0, 2.0))
STOP, VELOCITY, WHEELS = 12, 10, 11


def wheel_speeds(time: float) -> tuple[float, float]:
    for left, right, length in LEGS:
        if time < length - 1e-9:
            return left, right
        time -= length
    return 0.0, 0.0


def analytic_arc() -> tuple[float, float, float]:
    x = y = heading = 0.0
    for left, right, length in LEGS:
        v, w = (left + right) / 2, (right - left) / (2 * HALF_TRACK)
        after = heading + w * length
        x += v * length * math.cos(heading) if w == 0 else v / w * (math.sin(after) - math.sin(heading))
        y += v * length * math.sin(heading) if w == 0 else v / w * (math.cos(heading) - math.cos(after))
        heading = after
    return x, y, heading


class Chipmunk(FlatBodies):
    """One disc in pymunk's own integrator."""

    def __init__(self) -> None:
        super().__init__()
        self.space = pymunk.Space()
        self.body = pymunk.Body(20.0, 0.625)
        self.space.add(self.body, pymunk.Circle(self.body, 0.25))

    def step(self, dt: float) -> None:
        fx, fy, _, _, _, torque = self.wrench[0]
        self.body.force, self.body.torque = (float(fx), float(fy)), float(torque)
        self.space.step(dt)
        self.planar[0] = (*self.body.position, self.body.angle, *self.body.velocity, self.body.angular_velocity)
        self.wrench[:] = 0.0


class Bench:
    """One robot with a drive, driven tick by tick."""

    def __init__(self, bodies: FlatBodies | None = None, dt: float = 0.01, **settings: float) -> None:
        self.bodies = bodies or FlatBodies()
        self.dt = dt
        self.drive = DifferentialDrive(rig_for(DifferentialDrive, len(self.bodies.names), **settings))
        self.world = SmallWorld(self.bodies)
        self.out = readings_of(self.drive, len(self.bodies.names))
        self.push = np.zeros(6)
        self.ticks = 0

    def act(self, *slot: float) -> np.ndarray:
        """Return the wrench of the wheels alone; the body feels the push from outside too."""
        before = self.bodies.wrench.copy()
        self.drive.act(command(*slot, n=len(self.bodies.names)), self.bodies, self.bodies.wrench, self.dt)
        return self.bodies.wrench[0] - before[0]

    def tick(self, *slot: float) -> np.ndarray:
        self.bodies.wrench[0] += self.push
        wheels = self.act(*slot)
        self.bodies.step(self.dt)
        self.ticks += 1
        self.drive.sense(self.world, self.ticks, self.out)
        return wheels

    def run(self, seconds: float, *slot: float) -> np.ndarray:
        for _ in range(round(seconds / self.dt)):
            wheels = self.tick(*slot)
        return wheels


@pytest.mark.parametrize("make", [lambda: FlatBodies(lag=0), lambda: FlatBodies(lag=1), Chipmunk])
def test_a_robot_with_strong_motors_follows_the_arc_of_a_differential_drive(make) -> None:
    bench = Bench(make(), **UNLIMITED)
    for tick in range(1400):
        bench.tick(1, WHEELS, *wheel_speeds(tick * 0.01))
    assert bench.bodies.planar[0, :3] == pytest.approx(analytic_arc(), abs=1e-3)
    assert bench.drive.memory["travel"][0] == pytest.approx([3.0 * 0.3 + 3 * 0.2 - 0.4 + 1.6, 0.9 + 1.05 + 0.4 + 1.2])


def test_steps_of_5_10_and_20_ms_bring_a_robot_to_the_same_place() -> None:
    ends = []
    for dt in (0.005, 0.01, 0.02):
        bench = Bench(dt=dt)
        for tick in range(round(14 / dt)):
            bench.tick(1, WHEELS, *wheel_speeds(tick * dt))
        ends.append(bench.bodies.planar[0, :3].copy())
    assert np.ptp(ends, axis=0) == pytest.approx([0, 0, 0], abs=5e-3)


@pytest.mark.parametrize("held", [20.0, 60.0])
def test_steps_of_5_10_and_20_ms_hold_a_robot_up_with_the_same_force_at_the_same_speed(held) -> None:
    speeds = []
    for dt in (0.005, 0.01, 0.02):
        bench = Bench(dt=dt)
        bench.push[0] = -held
        assert bench.run(3.0, 1, VELOCITY, 0.3)[0] == pytest.approx(held)
        speeds.append(bench.bodies.planar[0, 3])
    assert speeds == pytest.approx([0.3 - held / MOTORS.parameter("gain").default] * 3)


def test_two_wheels_never_push_harder_than_their_motors() -> None:
    bench = Bench()
    bench.push[0] = -100.0
    forces = [bench.tick(1, VELOCITY, 0.3)[0] for _ in range(100)]
    assert max(forces) == pytest.approx(80.0)
    assert bench.bodies.planar[0, 3] < 0.0


def test_motors_turn_no_harder_than_half_track_times_their_forces() -> None:
    bench = Bench()
    assert bench.tick(1, VELOCITY, 0.0, 2.5)[5] == pytest.approx(2 * 40.0 * HALF_TRACK)


@pytest.mark.parametrize(
    ("mass", "inertia", "settings"),
    [(20.0, 0.625, {}), (8.0, 0.1296, {"half_track": 0.14, "max_force": 20.0}), (0.1, 1e-4, {"gain": 1e7})],
)
@pytest.mark.parametrize("dt", [0.005, 0.01, 0.02, 0.1])
def test_every_robot_comes_to_its_speed_without_swinging(mass, inertia, settings, dt) -> None:
    bench = Bench(FlatBodies(mass=mass, inertia=inertia), dt=dt, **settings)
    speeds = []
    for _ in range(round(1.0 / dt)):
        bench.tick(1, VELOCITY, 0.4, 0.5)
        speeds.append(bench.out[0, :2].copy())
    assert speeds[round(0.4 / dt) :] == pytest.approx(
        np.array([[0.4, 0.5]] * (len(speeds) - round(0.4 / dt))), rel=0.02
    )
    assert np.max(speeds, axis=0) == pytest.approx([0.4, 0.5], rel=1e-4)


def test_a_too_fast_arc_keeps_its_curvature() -> None:
    bench = Bench(**UNLIMITED)
    bench.run(0.5, 1, VELOCITY, 3.0, 2.0)
    v, w, _, right = bench.out[0]
    assert right == pytest.approx(0.5)
    assert v / w == pytest.approx(1.5)


@pytest.mark.parametrize("factor", [300.0, 1e300, 5e306, 1e308])
def test_the_fastest_that_can_be_said_is_clipped_like_what_is_a_little_too_fast(factor) -> None:
    for slot in ((VELOCITY, 1.0, 0.0), (VELOCITY, 1.5, 1.0), (VELOCITY, 0.0, -1.0), (WHEELS, -1.0, 0.5)):
        a_little, far = Bench(**UNLIMITED), Bench(**UNLIMITED)
        a_little.run(0.2, 1, slot[0], *(300.0 * value for value in slot[1:]))
        far.run(0.2, 1, slot[0], *(factor * value for value in slot[1:]))
        assert far.out[0] == pytest.approx(a_little.out[0], rel=1e-9, abs=1e-12)
        assert np.abs(far.out[0, 2:]).max() == pytest.approx(0.5)


def test_both_wheels_have_the_same_largest_speed_backwards() -> None:
    bench = Bench(**UNLIMITED)
    bench.run(0.5, 1, WHEELS, -4.0, 2.0)
    assert bench.out[0, 2:] == pytest.approx([-0.5, 0.25])


@pytest.mark.parametrize("slot", [(1, STOP), (0, 0), (1, VELOCITY, math.nan, 0.0), (1, WHEELS, math.inf, 0.0)])
def test_stop_nothing_and_nonsense_brake_to_rest(slot) -> None:
    bench = Bench()
    bench.run(0.5, 1, VELOCITY, 0.4, 0.6)
    bench.run(0.5, *slot)
    assert bench.out[0] == pytest.approx([0, 0, 0, 0], abs=1e-6)


def test_the_watchdog_stops_a_robot_whose_commands_cease_and_a_new_command_wakes_it() -> None:
    bench = Bench(watchdog=0.2)
    for stamp in range(1, 31):
        bench.tick(stamp, VELOCITY, 0.3)
    bench.run(0.19, 30, VELOCITY, 0.3)
    assert bench.out[0, 0] == pytest.approx(0.3, rel=1e-3)
    bench.run(0.5, 30, VELOCITY, 0.3)
    assert bench.out[0, 0] == pytest.approx(0.0, abs=1e-3)
    bench.run(0.19, 31, VELOCITY, 0.3)
    assert bench.out[0, 0] == pytest.approx(0.3, rel=1e-2)


def test_without_a_watchdog_the_last_command_stays_in_force() -> None:
    bench = Bench()
    bench.run(5.0, 1, VELOCITY, 0.3)
    assert bench.out[0, 0] == pytest.approx(0.3)


def test_tyres_hold_against_a_push_from_the_side_as_far_as_they_grip() -> None:
    grip = 0.6 * 20.0 * 9.81
    held, slid = Bench(), Bench()
    held.push[1], slid.push[1] = 0.9 * grip, 1.5 * grip
    assert held.run(1.0, 1, STOP)[1] == pytest.approx(-0.9 * grip)
    assert slid.run(1.0, 1, STOP)[1] == pytest.approx(-grip)
    assert abs(held.bodies.planar[0, 1]) < 0.06
    assert slid.bodies.planar[0, 1] == pytest.approx(0.5 * 0.5 * grip / 20.0, rel=0.04)


def test_force_along_the_wheels_leaves_less_grip_against_the_side() -> None:
    bench = Bench(max_force=1e6)
    bench.push[:2] = -1000.0, -1000.0
    along, across = bench.run(0.1, 1, VELOCITY, 0.5)[:2]
    assert math.hypot(along, across) == pytest.approx(0.6 * 20.0 * 9.81)


def test_a_wheel_that_spins_counts_what_it_turns_and_not_the_way_of_the_ground() -> None:
    bench = Bench(grip=0.0)
    bench.run(2.0, 1, WHEELS, 0.2, 0.4)
    assert bench.bodies.planar[0] == pytest.approx(np.zeros(6))
    assert bench.out[0] == pytest.approx([0.3, 0.2 / 0.36, 0.2, 0.4])
    assert bench.drive.memory["travel"][0] == pytest.approx([0.4, 0.8], abs=0.005)


def test_a_robot_pushed_along_turns_its_wheels_with_the_ground() -> None:
    bench = Bench()
    bench.push[0] = 100.0
    bench.run(2.0, 1, STOP)
    assert bench.drive.memory["travel"][0] == pytest.approx([bench.bodies.planar[0, 0]] * 2)
    assert bench.out[0, 2] == pytest.approx(bench.bodies.planar[0, 3])


def test_looking_twice_counts_no_way_twice() -> None:
    bench = Bench()
    bench.run(1.0, 1, VELOCITY, 0.3)
    before, readings = bench.drive.memory["travel"].copy(), bench.out.copy()
    bench.drive.sense(bench.world, bench.ticks, bench.out)
    assert bench.drive.memory["travel"] == pytest.approx(before)
    assert bench.out == pytest.approx(readings)


def test_a_changed_parameter_counts_for_its_robot_alone_from_the_next_tick_on() -> None:
    bench = Bench(FlatBodies(2))
    bench.drive.parameters["max_force"][1] = 10.0
    bench.drive.changed(1, "max_force")
    bench.act(1, VELOCITY, 0.5)
    assert bench.bodies.wrench[:, 0] == pytest.approx([80.0, 20.0])


def test_each_robot_writes_into_the_row_of_its_body() -> None:
    bodies = FlatBodies(3)
    context = rig_for(DifferentialDrive, 2)
    drive = DifferentialDrive(
        type(context)(context.robots, np.array([2, 0]), context.keys, context.settings, context.radius)
    )
    drive.act(np.array([[1, VELOCITY, 0.5, 0], [1, STOP, 0, 0]], float), bodies, bodies.wrench, 0.01)
    assert bodies.wrench[:, 0] == pytest.approx([0.0, 0.0, 80.0])


def test_many_robots_at_once_move_exactly_like_each_alone() -> None:
    together, alone = Bench(FlatBodies(3)), Bench()
    for bench in (together, alone):
        for tick in range(300):
            bench.tick(1, WHEELS, *wheel_speeds(tick * 0.01))
    assert (together.bodies.planar == alone.bodies.planar).all()


def test_the_kernel_table_has_the_parameters_where_the_kernels_look() -> None:
    drive = DifferentialDrive(rig_for(DifferentialDrive, 1))
    places = {name: getattr(differential_drive._COLUMN, name) for name in drive.numbers}
    assert sorted(places) == sorted(parameter.name for parameter in MOTORS.parameters)
    assert {name: drive.table[row, 0] for name, row in places.items()} == {
        parameter.name: parameter.default for parameter in MOTORS.parameters
    }
    assert "half_track" not in drive.parameters


def test_a_drive_has_no_commands_that_are_edits() -> None:
    with pytest.raises(NoSuchCommand, match="no command 13"):
        Bench().drive.edit(0, 13, ())
