"""Bilateral teleoperation of a group of quadrotors, by a joystick that is a program."""

import os
import runpy
import struct
from pathlib import Path

import numpy as np
import pytest

from coopsim import client
from coopsim.errors import CoopsimError
from coopsim.features.laws import teleoperate
from coopsim.features.laws.teleoperate import Group, TeleoperateParameters
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

CLIENT = Path(__file__).parents[2] / "clients/python/joystick.py"
NAMES = [f"q{k + 1}" for k in range(6)]
RESTING, HIGH = np.zeros((2, 3)), np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 2.0]])


def test_s_5_and_s_77_a_joystick_leads_quadrotors_and_is_told_the_force_of_the_wall_that_holds_them_up() -> None:
    simulation = Simulation(load("teleoperation"))
    felt = [0.0]

    def joystick() -> None:
        """Push ahead until the force says that something is in the way."""
        with client.connect() as sim:
            stick = sim.offer("/operator/joystick", dict.fromkeys("xyz", "1"))
            while not sim.names("/operator/force"):
                stick.write(0.0, 0.0, 0.0)
            force = sim.module("/operator/force")
            try:
                while felt[-1] > -6.0:
                    stick.write(1.0, 0.0, 0.0)
                    felt.append(force.read().x)
            except CoopsimError as problem:
                felt.append(0.0)
                raise AssertionError(f"no force came: {min(felt)}") from problem

    server = LocalServer(simulation, wait_for=NAMES, duration=60.0)
    codes = server.run(lambda: teleoperate.main(["--robots", *NAMES, "--patience", "60"]), joystick)
    positions = np.array([simulation.reading(name, "pose")[:3] for name in NAMES])
    assert codes[0] == 0
    assert felt[-1] <= -6.0  # against the way that the hand pushed
    assert positions[:, 0].mean() > 0.3  # they have gone towards the wall
    assert positions[:, 0].max() < 2.9  # and did not pass it
    assert positions[:, 2].min() > 0.8
    assert not list(simulation.failures)


def test_a_group_that_follows_is_hardly_felt_and_one_that_is_held_up_pushes_back_up_to_the_leash() -> None:
    law = TeleoperateParameters()
    free, held = Group(HIGH, law), Group(HIGH, law)
    at, stick, speed = HIGH, np.array([1.0, 0.0, 0.0]), np.array([law.speed, 0.0, 0.0])
    for _ in range(200):
        at = at + 0.02 * speed
        _, easy = free.advance(stick, at, np.broadcast_to(speed, (2, 3)), 0.02)
        _, hard = held.advance(stick, HIGH, RESTING, 0.02)
    assert np.linalg.norm(easy) < 0.2
    assert hard == pytest.approx([-law.stiffness * law.leash - law.damping * law.speed, 0.0, 0.0])
    _, softer = held.advance(np.zeros(3), HIGH, RESTING, 0.02)
    assert hard[0] < softer[0] < 0.0


def test_a_stick_that_gives_what_is_no_number_counts_as_let_go() -> None:
    group = Group(HIGH, TeleoperateParameters())
    places, force = group.advance(np.array([np.nan, np.inf, 0.0]), HIGH, RESTING, 0.02)
    np.testing.assert_allclose(places, HIGH)
    np.testing.assert_allclose(force, 0.0)


def test_a_device_of_linux_leads_by_its_first_three_axes_until_it_is_unplugged(tmp_path: Path) -> None:
    program, event = runpy.run_path(str(CLIENT)), struct.Struct("IhBB")
    os.mkfifo(tmp_path / "js0")
    stick = program["Device"](str(tmp_path / "js0"))
    kernel = os.open(tmp_path / "js0", os.O_WRONLY)
    assert stick((0.0, 0.0, 0.0)) == [0.0, 0.0, 0.0]
    as_it_was, axis, button = 0x82, 2, 1
    for value, kind, number in (
        (32767, as_it_was, 2),
        (-32767, axis, 1),
        (16384, axis, 0),
        (1, button, 1),
        (9, axis, 5),
    ):
        os.write(kernel, event.pack(0, value, kind, number))
    assert stick((0.0, 0.0, 0.0)) == [1.0, pytest.approx(-0.5, abs=1e-4), -1.0]
    os.close(kernel)
    with pytest.raises(OSError, match="unplugged"):
        stick((0.0, 0.0, 0.0))


def test_without_a_joystick_the_group_climbs_and_hovers() -> None:
    simulation = Simulation(load("teleoperation"))
    server = LocalServer(simulation, wait_for=NAMES, duration=6.0)
    assert server.run(lambda: teleoperate.main(["--robots", *NAMES])) == [0]
    positions = np.array([simulation.reading(name, "pose")[:3] for name in NAMES])
    assert positions[:, 2] == pytest.approx(1.5, abs=0.1)
    assert abs(positions[:, 0].mean()) < 0.1
