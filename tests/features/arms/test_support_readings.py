"""The support of a transport robot: what it reads of its joint, in the frame of the robot."""

import math
from dataclasses import replace

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, readings_of, rig_for
from hypothesis import given
from hypothesis import strategies as st

from coopsim.devices.contract import Loads
from coopsim.features.arms.devices.support import Support

ANCHOR = 0.2, 0.05
NUMBERS = st.floats(-2.0, 2.0)


def read(
    pose: tuple[float, float, float],
    load: tuple[float, float],
    joint: tuple[float, ...],
    velocity: tuple[float, ...] = (0.0, 0.0, 0.0),
    **settings: float,
) -> list[float]:
    """Return the readings of a robot whose load lies at a place of its frame, carried by a joint with a state."""
    x, y, yaw = pose
    bodies = FlatBodies(2)
    bodies.planar[0] = *pose, *velocity
    cosine, sine = math.cos(yaw), math.sin(yaw)
    bodies.planar[1, :2] = x + cosine * load[0] - sine * load[1], y + sine * load[0] + cosine * load[1]
    bodies.joint_state = lambda: np.array([[*joint, *[0.0] * 6][:6]])  # type: ignore[attr-defined]
    bodies.joint_limits = np.zeros((1, 2))  # type: ignore[attr-defined]
    ones = np.array([0])
    loads = Loads(joints=ones, bodies=np.array([1]), anchors=np.array([ANCHOR]))
    device = Support(replace(rig_for(Support, 1, **settings), loads=loads))
    world = SmallWorld(bodies)
    device.refresh(world)  # type: ignore[arg-type]
    out = readings_of(device)
    device.sense(world, 1, out)
    return [float(value) for value in out[0]]


@given(NUMBERS, NUMBERS, st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_the_angle_of_the_load_is_seen_from_the_support_wherever_the_robot_is(
    x: float, y: float, yaw: float, angle: float
) -> None:
    load = ANCHOR[0] + math.cos(angle), ANCHOR[1] + math.sin(angle)
    seen, *_, carries = read((x, y, yaw), load, (0.0,) * 6, velocity=(0.7, -0.4, 0.2))
    assert math.remainder(seen - angle, math.tau) == pytest.approx(0.0, abs=1e-9)
    assert carries == 1.0


@given(st.floats(-3.0, 3.0), NUMBERS, NUMBERS)
def test_the_force_on_the_support_is_that_on_the_load_reversed_and_turned_into_its_frame(
    yaw: float, along: float, aside: float
) -> None:
    cosine, sine = math.cos(yaw), math.sin(yaw)
    force = cosine * along - sine * aside, sine * along + cosine * aside
    readings = read(
        (1.0, 2.0, yaw), (1.0, 0.0), (0.01, -0.02, 0.0, -force[0], -force[1], 0.0), velocity=(0.3, 0.0, 0.0)
    )
    assert readings[1:5] == pytest.approx([0.01, -0.02, along, aside], abs=1e-9)


def test_the_displacement_of_the_carriage_turns_the_angle_with_it() -> None:
    straight = read((0.0, 0.0, 0.0), (1.2, 0.05), (0.0, 0.0))
    aside = read((0.0, 0.0, 0.0), (1.2, 0.05), (0.0, 0.1))
    assert straight[0] == pytest.approx(0.0)
    assert aside[0] == pytest.approx(-0.1, abs=1e-3)


def test_noise_is_that_of_the_parameters_alone() -> None:
    clear = read((0.0, 0.0, 0.0), (1.2, 0.05), (0.01, 0.0, 0.0, 5.0, 0.0, 0.0))
    noisy = read((0.0, 0.0, 0.0), (1.2, 0.05), (0.01, 0.0, 0.0, 5.0, 0.0, 0.0), noise_force=0.5)
    assert noisy[:3] == clear[:3]
    assert noisy[3] != clear[3]
    assert abs(noisy[3] - clear[3]) < 3.0
