"""Odometry: dead reckoning from what the wheels turned."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, command, readings_of, rig_for

from coopsim.devices.differential_drive import DifferentialDrive
from coopsim.devices.odometry import Odometry
from coopsim.devices.sonars import Sonars
from coopsim.errors import BadArgument, BadFile, NoSuchCommand

HALF_TRACK = 0.18


class Wheels:
    """Wheels whose way a test turns by hand."""

    def __init__(self, n: int = 1, **settings: float) -> None:
        self.signals = {"travel": np.zeros((n, 2)), "half_track": np.full(n, HALF_TRACK)}
        self.odometry = Odometry(rig_for(Odometry, n, siblings={"motors": self}, **settings))
        self.world = SmallWorld(FlatBodies(n))
        self.out = readings_of(self.odometry, n)
        self.tick = 0

    def turn(self, left: float, right: float, ticks: int = 1) -> list[float]:
        for _ in range(ticks):
            self.signals["travel"] += np.array([left, right]) / ticks
            self.tick += 1
            self.odometry.sense(self.world, self.tick, self.out)
        return self.out[0].tolist()


def test_an_arc_is_exact_however_few_ticks_it_takes() -> None:
    """A quarter of a circle of 1 m to the left."""
    quarter = 0.5 * math.pi
    left, right = quarter * (1 - HALF_TRACK), quarter * (1 + HALF_TRACK)
    for ticks in (1, 7):
        assert Wheels().turn(left, right, ticks) == pytest.approx([1.0, 1.0, quarter, left, right])


def test_a_square_path_closes() -> None:
    wheels, quarter = Wheels(), 0.5 * math.pi * HALF_TRACK
    for _ in range(4):
        wheels.turn(1.0, 1.0, 50)
        wheels.turn(-quarter, quarter, 50)
    assert wheels.out[0, :3] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_a_robot_that_drives_a_square_knows_where_it_is() -> None:
    bodies = FlatBodies()
    drive = DifferentialDrive(rig_for(DifferentialDrive))
    odometry = Odometry(rig_for(Odometry, siblings={"motors": drive}))
    world, speeds, pose = SmallWorld(bodies), readings_of(drive), readings_of(odometry)
    for tick in range(2000):
        straight = tick % 500 < 350
        slot = command(1, 10, 0.3 if straight else 0.0, 0.0 if straight else 0.5 * math.pi / 1.5)
        drive.act(slot, bodies, bodies.wrench, 0.01)
        bodies.step(0.01)
        drive.sense(world, tick, speeds)
        odometry.sense(world, tick, pose)
    assert pose[0, :2] == pytest.approx(bodies.planar[0, :2], abs=1e-4)
    assert math.remainder(pose[0, 2] - bodies.planar[0, 2], 2 * math.pi) == pytest.approx(0.0, abs=1e-6)
    assert pose[0, :2] == pytest.approx([0.0, 0.0], abs=0.05)


def test_a_heading_stays_within_half_a_turn_either_way() -> None:
    wheels = Wheels()
    assert wheels.turn(-HALF_TRACK * 4, HALF_TRACK * 4)[2] == pytest.approx(4 - 2 * math.pi)
    assert wheels.turn(HALF_TRACK * 8, -HALF_TRACK * 8)[2] == pytest.approx(2 * math.pi - 4)


def test_slip_over_counts_a_share_of_the_way() -> None:
    wheels = Wheels(slip=0.1)
    assert wheels.turn(1.0, 1.0, 10) == pytest.approx([1.1, 0.0, 0.0, 1.1, 1.1])


def test_noise_grows_with_the_root_of_the_way_and_not_with_the_ticks() -> None:
    spread = {}
    for ticks, way in ((5, 1.0), (50, 1.0), (50, 4.0)):
        wheels = Wheels(400, noise=0.02)
        wheels.turn(way, -way, ticks)
        spread[ticks, way] = wheels.out[:, 3:].std(axis=0).mean()
        assert wheels.out[:, 3:].mean(axis=0) == pytest.approx([way, -way], abs=0.01)
    assert list(spread.values()) == pytest.approx([0.02, 0.02, 0.04], rel=0.1)


def test_noise_of_both_wheels_is_independent_and_a_robot_at_rest_has_none() -> None:
    wheels = Wheels(400, noise=0.02)
    wheels.turn(1.0, 1.0, 5)
    assert abs(np.corrcoef(wheels.out[:, 3], wheels.out[:, 4])[0, 1]) < 0.15
    before = wheels.out.copy()
    wheels.turn(0.0, 0.0, 20)
    assert (wheels.out == before).all()


def test_noise_can_be_switched_on_while_running() -> None:
    wheels = Wheels(2)
    wheels.turn(1.0, 1.0)
    wheels.odometry.parameters["noise"][1] = 0.5
    wheels.odometry.changed(1, "noise")
    wheels.turn(1.0, 1.0)
    assert wheels.out[0, 3] == 2.0
    assert wheels.out[1, 3] != 2.0


def test_spinning_wheels_lead_astray() -> None:
    bodies = FlatBodies()
    drive = DifferentialDrive(rig_for(DifferentialDrive, grip=0.0))
    odometry = Odometry(rig_for(Odometry, siblings={"motors": drive}))
    world, speeds, pose = SmallWorld(bodies), readings_of(drive), readings_of(odometry)
    for tick in range(100):
        drive.act(command(1, 10, 0.4), bodies, bodies.wrench, 0.01)
        bodies.step(0.01)
        drive.sense(world, tick, speeds)
        odometry.sense(world, tick, pose)
    assert bodies.planar[0, 0] == 0.0
    assert pose[0, 0] == pytest.approx(0.4, abs=0.005)


def test_reset_begins_anew_at_a_pose_for_one_robot() -> None:
    wheels = Wheels(2)
    wheels.turn(1.0, 1.0)
    wheels.odometry.edit(1, 12, (5.0, 6.0, 0.5 * math.pi + 2 * math.pi))
    wheels.turn(1.0, 1.0)
    assert wheels.out[0] == pytest.approx([2.0, 0.0, 0.0, 2.0, 2.0])
    assert wheels.out[1] == pytest.approx([5.0, 7.0, 0.5 * math.pi, 1.0, 1.0])


def test_reset_without_values_begins_at_the_origin() -> None:
    wheels = Wheels()
    wheels.turn(1.0, 1.2)
    wheels.odometry.edit(0, 12, ())
    assert wheels.turn(0.0, 0.0) == pytest.approx([0.0] * 5)


def test_a_bad_reset_is_refused() -> None:
    wheels = Wheels()
    with pytest.raises(BadArgument, match="finite"):
        wheels.odometry.edit(0, 12, (math.nan, 0.0, 0.0))
    with pytest.raises(BadArgument, match="within 1e"):
        wheels.odometry.edit(0, 12, (2.0, -1e308, 0.0))
    with pytest.raises(NoSuchCommand, match="no command 10"):
        wheels.odometry.edit(0, 10, ())


def test_looking_twice_counts_no_way_twice() -> None:
    wheels = Wheels(slip=0.1, noise=0.02)
    first = wheels.turn(1.0, 1.2)
    wheels.odometry.sense(wheels.world, wheels.tick, wheels.out)
    assert wheels.out[0].tolist() == first


@pytest.mark.parametrize("above", [{}, {"sonars": Sonars(rig_for(Sonars))}, {"odd": SimpleNamespace(memory={})}])
def test_a_robot_without_wheels_above_its_odometry_is_refused_with_the_cure(above) -> None:
    with pytest.raises(BadFile, match=f"differential_drive.*above it stands: {', '.join(above) or 'nothing'}"):
        Odometry(rig_for(Odometry, siblings=above))
