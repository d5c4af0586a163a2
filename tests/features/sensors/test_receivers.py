"""Compass and gps: rate, delay, loss, noise and the age of what is read."""

import math

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, prepare_kernels, readings_of, rig_for

from coopsim.devices import _receiver
from coopsim.features.sensors.compass import Compass
from coopsim.features.sensors.gps import Gps

DT = 0.01
KINDS = (Compass, Gps)


class Trip:
    """Robots that drive along x at 1 m/s and look at each tick; the first look is before the first tick."""

    def __init__(self, kind=Gps, n=1, **settings) -> None:
        self.world, self.n, self.tick = SmallWorld(FlatBodies(n)), n, 0
        self.device = kind(rig_for(kind, n, **settings))
        self.out = readings_of(self.device, n)
        self.again()

    def again(self) -> list[float]:
        """Look once more, no time having passed."""
        self.world.dt = 0.0
        self.device.sense(self.world, self.tick, self.out)
        return self.out[0].tolist()

    def go(self, ticks=1, dt=DT) -> list[float]:
        for _ in range(ticks):
            self.tick += 1
            self.world.dt = dt
            self.world.bodies.planar[:, 0] += dt
            self.device.sense(self.world, self.tick, self.out)
        return self.out[0].tolist()

    def set(self, name, value, robot=0) -> "Trip":
        self.device.parameters[name][robot] = value
        self.device.changed(robot, name)
        return self


def test_a_gps_gives_the_position_of_the_base_in_the_world() -> None:
    """A-49: GPS gives position."""
    trip = Trip(n=2)
    trip.world.bodies.planar[1, :2] = 3.0, -4.0
    trip.world.bodies.height[1] = 0.5
    trip.again()
    assert trip.out.tolist() == [[0, 0, 0, 1, 0], [3.0, -4.0, 0.5, 1, 0]]


@pytest.mark.parametrize(("heading", "expected"), [(0.5, 0.5), (3.0 * math.pi, -math.pi), (-2.0, -2.0)])
def test_a_compass_gives_the_heading_wrapped(heading, expected) -> None:
    """A-49: compass gives heading."""
    trip = Trip(Compass)
    trip.world.bodies.planar[0, 2] = heading
    assert trip.again() == pytest.approx([expected, 1.0, 0.0])


def test_a_needle_that_points_left_of_x_makes_headings_smaller_and_a_bias_adds() -> None:
    trip = Trip(Compass, n=2, declination=0.1)
    trip.set("bias", 0.3, robot=1)
    trip.go()
    assert trip.out[:, 0] == pytest.approx([-0.1, 0.2])


def test_a_gps_of_10_hz_measures_each_100_ms_and_says_how_old_a_fix_is() -> None:
    trip = Trip(rate=10.0)
    seen = np.array([trip.go() for _ in range(100)])
    assert np.unique(seen[:, 0].round(6)).tolist() == pytest.approx([0.1 * k for k in range(11)])
    assert seen[:, 0] + seen[:, 4] == pytest.approx(0.01 * np.arange(1, 101))
    assert seen[:, 4].max() == pytest.approx(0.09)
    assert (seen[:, 3] == 1.0).all()


@pytest.mark.parametrize("rate", [4.0, 30.0, 33.3])
@pytest.mark.parametrize("dt", [0.01, 0.02])
def test_a_rate_is_kept_though_steps_do_not_divide_it(rate, dt) -> None:
    trip = Trip(rate=rate)
    seen = [trip.go(1, dt)[0] for _ in range(round(20 / dt))]
    assert len(set(seen)) == pytest.approx(20 * rate, abs=1)


def test_a_rate_beyond_the_ticks_measures_each_tick() -> None:
    trip = Trip(rate=1000.0)
    assert [trip.go()[0] for _ in range(4)] == pytest.approx([0.01, 0.02, 0.03, 0.04])


def test_a_delayed_measurement_is_read_when_its_time_has_come() -> None:
    trip = Trip(rate=10.0, delay=0.25)
    assert trip.go(24) == [0, 0, 0, 0, 0]
    assert trip.go() == pytest.approx([0.0, 0.0, 0.0, 1.0, 0.25])
    assert trip.go(9)[4] == pytest.approx(0.34)
    assert trip.go() == pytest.approx([0.1, 0.0, 0.0, 1.0, 0.25])


def test_a_compass_may_be_late_as_well_and_reads_what_was_then() -> None:
    trip = Trip(Compass, delay=0.05)
    for tick in range(1, 20):
        trip.world.bodies.planar[0, 2] = 0.1 * tick
        heading, valid, age = trip.go()
        assert (heading, valid, age) == pytest.approx((0.1 * (tick - 5), 1.0, 0.05) if tick >= 5 else (0, 0, 0))


def test_a_long_delay_lowers_the_rate_to_what_the_buffer_holds() -> None:
    trip = Trip(rate=0.0, delay=1.0, buffer=4)
    seen = np.array([trip.go() for _ in range(500)])
    assert np.diff(np.unique(seen[:, 0].round(6))) == pytest.approx(np.full(15, 0.2525), abs=0.01)
    assert seen[150:, 4].max() == pytest.approx(1.25, abs=0.011)
    assert (seen[150:, 3] == 1.0).all()
    assert trip.device.memory["under_way"].shape == (1, 4, 6)


@pytest.mark.parametrize("delay", [0.013, 0.1, 0.333, 1.0])
@pytest.mark.parametrize("buffer", [1, 3, 16])
@pytest.mark.parametrize("rate", [0.0, 7.0])
def test_every_measurement_comes_whatever_delay_buffer_and_rate_are(delay, buffer, rate) -> None:
    trip = Trip(rate=rate, delay=delay, buffer=buffer)
    seen = np.array([trip.go() for _ in range(400)])
    received = seen[math.ceil(delay / DT) :]
    period = max(1.0 / rate if rate else DT, (delay + DT) / buffer)
    assert (received[:, 3] == 1.0).all()
    assert received[:, 4].max() < delay + period + 2 * DT
    assert received[:, 4].min() >= delay - 1e-9


def test_a_shorter_delay_overtakes_and_what_comes_late_then_is_dropped() -> None:
    trip = Trip(rate=10.0, delay=0.5)
    trip.go(31)
    trip.set("delay", 0.0)
    assert trip.go(9)[0] == pytest.approx(0.4)
    assert [trip.go(10)[0] for _ in range(4)] == pytest.approx([0.5, 0.6, 0.7, 0.8])


def test_a_share_of_the_fixes_is_lost_and_the_last_one_that_came_is_held() -> None:
    """A-53: a percentage of the position data is lost."""
    trip = Trip(n=20, rate=10.0, loss=0.3)
    valid = []
    for _ in range(300):
        before = trip.out.copy()
        trip.go(10)
        lost = trip.out[:, 3] == 0.0
        valid.append(~lost)
        assert (trip.out[lost, 0] == before[lost, 0]).all()
        assert (trip.out[~lost, 4] == 0.0).all()
        assert (trip.out[lost, 4] >= 0.0999).sum() == (lost & (trip.out[:, 0] + trip.out[:, 4] > 0.0)).sum()
    assert 1.0 - np.mean(valid) == pytest.approx(0.3, abs=4 * math.sqrt(0.21 / 6000))
    assert np.mean(valid, axis=0) == pytest.approx(np.full(20, 0.7), abs=5 * math.sqrt(0.21 / 300))


def test_what_is_lost_is_known_only_when_it_should_have_come() -> None:
    trip = Trip(rate=10.0, delay=0.2)
    trip.go(19)
    trip.set("loss", 1.0)
    assert trip.go(20) == pytest.approx([0.1, 0.0, 0.0, 1.0, 0.29])
    assert trip.go(1)[3] == 0.0
    assert trip.set("loss", 0.0).go(29) == pytest.approx([0.1, 0.0, 0.0, 0.0, 0.59])
    assert trip.go(1)[3:] == pytest.approx([1.0, 0.2])


@pytest.mark.parametrize("loss", [0.0, 1.0])
def test_nothing_and_everything_can_be_lost(loss) -> None:
    trip = Trip(loss=loss)
    assert {trip.go(10)[3] for _ in range(200)} == {1.0 - loss}


def test_noise_has_its_deviation_in_the_plane_and_in_height_and_does_not_decide_what_is_lost() -> None:
    trip = Trip(n=50, rate=0.0, noise=0.5, noise_height=2.0, loss=0.2)
    rows = []
    for _ in range(200):
        trip.go()
        errors = trip.out[:, :3] - np.array([0.01 * trip.tick, 0.0, 0.0])
        rows.append(errors[trip.out[:, 3] == 1.0])
    errors = np.concatenate(rows)
    assert errors.std(axis=0) == pytest.approx([0.5, 0.5, 2.0], rel=0.04)
    assert errors.mean(axis=0) == pytest.approx([0, 0, 0], abs=0.1)
    assert np.corrcoef(errors.T)[np.triu_indices(3, 1)] == pytest.approx([0, 0, 0], abs=0.05)


def test_a_noisy_compass_is_wrapped_and_has_its_deviation() -> None:
    trip = Trip(Compass, n=100, noise=0.2)
    trip.world.bodies.planar[:, 2] = math.pi
    trip.go(3)
    errors = (trip.out[:, 0] - math.pi + math.pi) % (2 * math.pi) - math.pi
    assert errors.std() == pytest.approx(0.2, rel=0.3)
    assert (abs(trip.out[:, 0]) <= math.pi).all()


@pytest.mark.parametrize("kind", KINDS)
def test_looking_again_without_time_passing_changes_nothing_but_sees_who_was_moved(kind) -> None:
    trip = Trip(kind, rate=10.0, delay=0.02, loss=0.3, noise=0.1)
    trip.go(17)
    before = {key: array.copy() for key, array in trip.device.memory.items()}
    trip.again()
    assert all((before[key] == array).all() for key, array in trip.device.memory.items())
    moved = Trip(Gps, rate=0.0)
    moved.go()
    moved.world.bodies.planar[0, 1] = 5.0
    assert moved.again()[:2] == pytest.approx([0.01, 5.0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_of_the_memory_goes_on_bit_by_bit(kind) -> None:
    settings = {"rate": 20.0, "delay": 0.2, "loss": 0.3, "noise": 0.1}
    trip, copied = Trip(kind, n=3, **settings), Trip(kind, n=3, **settings)
    trip.go(77)
    for key, array in trip.device.memory.items():
        copied.device.memory[key][:] = array
    copied.tick, copied.world.bodies.planar[:] = trip.tick, trip.world.bodies.planar
    for _ in range(60):
        trip.go()
        copied.go()
        assert (trip.out == copied.out).all()


def test_a_robots_readings_do_not_depend_on_who_else_is_there() -> None:
    settings = {"rate": 7.0, "delay": 0.15, "loss": 0.3, "noise": 0.1}
    many, alone = Trip(n=5, **settings), Trip(n=1, **settings)
    for _ in range(200):
        many.go()
        alone.go()
        assert (many.out[0] == alone.out[0]).all()


def test_parameters_belong_to_their_robot_and_change_while_running() -> None:
    trip = Trip(n=2, rate=10.0).set("rate", 50.0, robot=1)
    trip.go(3)
    assert trip.out[:, 0] == pytest.approx([0.0, 0.03])
    trip.set("rate", 0.0).go()
    assert trip.out[:, 0] == pytest.approx([0.04, 0.03])
    trip.set("rate", 1.0).go(150)
    assert trip.out[0, 4] > 0.4


def test_nothing_is_compiled_after_warm() -> None:
    prepare_kernels()
    kernels = [var for var in vars(_receiver).values() if hasattr(var, "signatures")]
    own = [kernel for kernel in kernels if kernel.__module__ == _receiver.__name__]
    before = [len(kernel.signatures) for kernel in own]
    for kind in KINDS:
        for n in (1, 3):
            Trip(kind, n=n, rate=50.0, loss=0.1, delay=0.05, noise=0.1).go(9)
    assert len(own) == 7
    assert [len(kernel.signatures) for kernel in own] == before
