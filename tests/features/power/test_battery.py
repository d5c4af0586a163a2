"""Batteries: charge and voltage by closed forms, what falls with the voltage, and commands that fill them."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.power.battery_interface import BATTERY
from coopsim.interfaces import MOTORS, ROTORS, command_numbers
from coopsim.robots import check, load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

SWAP, CHARGE, UNPLUG = (getattr(command_numbers(BATTERY), name) for name in ("swap", "charge", "unplug"))
THRUSTS, SPEEDS = command_numbers(ROTORS).set_thrusts, command_numbers(MOTORS).set_wheel_speeds
VELOCITY = command_numbers(MOTORS).set_velocity
ROBOT = """[BODY]
type   cylinder
size   0.4 0.4 0.1
mass   1
wheels {wheels}
[DEVICE_1]
{actuator}
[DEVICE_2]
type   battery
name   battery
paces  no
{battery}
"""
ROTORS_1 = "type rotors\nname rotors\nlag 0\ndrag 0\nmax_thrust 5"
WHEELS = "type differential_drive\nname motors\nhalf_track 0.2\nmax_speed 0.5"
SCENE = "[ROBOT_1]\ntype subject\nname r\nposition 0 0 {}\n[SIMULATION]\nengine {}\nstep 0.01\n"
# 12 V without loss: what is taken is exactly what the closed forms say
EVEN = "full 12\nempty 12\nresistance 0\nidle 6\nhover_power 0\ndrive_power 0\n"


def simulation(folder: Path, actuator: str, battery: str, engine: str = "flight") -> Simulation:
    is_flying = "rotors" in actuator
    text = ROBOT.format(wheels="no" if is_flying else "yes", actuator=actuator, battery=battery)
    (folder / "subject.robot").write_text(text)
    (folder / "run.scenario").write_text(SCENE.format(100 if is_flying else 0, engine if is_flying else "pymunk"))
    return Simulation(load(folder / "run.scenario"))


def run(sim: Simulation, ticks: int, module: str, command: int, values: tuple[float, ...]) -> np.ndarray:
    """Repeat a command and return the state of the battery: voltage, current, charge, power."""
    for _ in range(ticks):
        sim.command("r", module, command, values)
        sim.tick()
    return np.array(sim.reading("r", "battery"))


def test_charge_is_what_the_power_took_and_an_empty_battery_moves_nothing(tmp_path: Path) -> None:
    # 6 W at 12 V: 0.5 A, which takes a milliampere-hour in 7.2 s
    sim = simulation(tmp_path, ROTORS_1, f"{EVEN}capacity 0.001")
    state = run(sim, 360, "rotors", THRUSTS, (1.0,) * 4)
    assert state == pytest.approx((12.0, 0.5, 0.5, 6.0), rel=1e-9)
    assert sim.reading("r", "rotors") == pytest.approx((1.0,) * 4)
    state = run(sim, 370, "rotors", THRUSTS, (1.0,) * 4)
    assert state[1:3] == pytest.approx((0.0, 0.0), abs=1e-12)
    assert sim.reading("r", "rotors") == pytest.approx((0.0,) * 4)


def test_voltage_under_load_solves_the_circuit_and_falls_with_the_charge(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROTORS_1, "full 12\nempty 8\nresistance 0.4\nidle 2\nhover_power 5\nstart 0.5\n")
    voltage, current, charge, power = run(sim, 2, "rotors", THRUSTS, (2.0,) * 4)
    assert power == pytest.approx(2.0 + 4.0 * 5.0 * 2.0**1.5)
    assert voltage * current == pytest.approx(power, rel=1e-9)
    assert voltage == pytest.approx(8.0 + 4.0 * charge - 0.4 * current, rel=1e-5)
    assert charge == pytest.approx(0.5, abs=1e-4)
    assert charge < 0.5


def test_the_largest_thrust_falls_with_the_square_of_the_voltage(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROTORS_1, "full 12\nempty 6\nresistance 0\nidle 0\nhover_power 0\nstart 0.5")
    run(sim, 1, "rotors", THRUSTS, (1.0, 2.5, 5.0, math.inf))
    thrusts = sim.reading("r", "rotors")
    # 9 V of 12 V
    assert thrusts == pytest.approx((1.0, 2.5, 5.0 * 0.75**2, 5.0 * 0.75**2), rel=1e-6)


@pytest.mark.parametrize(
    ("command", "asked", "allowed"),
    [
        (SPEEDS, (0.5, 0.25), (0.375, 0.1875)),
        (SPEEDS, (0.3, -0.3), (0.3, -0.3)),
        (VELOCITY, (0.3, 1.0), (0.075, 0.375)),
        (VELOCITY, (0.0, 0.0), (0.0, 0.0)),
    ],
)
def test_the_largest_speed_falls_with_the_voltage_and_an_arc_stays_an_arc(
    command: int, asked: tuple[float, ...], allowed: tuple[float, ...], tmp_path: Path
) -> None:
    battery = "full 12\nempty 6\nresistance 0\nidle 0\ndrive_power 0\nstart 0.5"
    sim = simulation(tmp_path, WHEELS, battery)
    run(sim, 100, "motors", command, asked)
    assert sim.reading("r", "motors")[2:] == pytest.approx(allowed, abs=1e-3)


def test_wheels_take_power_by_their_speed(tmp_path: Path) -> None:
    sim = simulation(tmp_path, WHEELS, "idle 1\ndrive_power 10\n")
    state = run(sim, 200, "motors", SPEEDS, (0.3, -0.2))
    assert state[3] == pytest.approx(1.0 + 10.0 * 0.5, rel=1e-2)


def test_a_battery_is_swapped_once_for_each_message_and_charged_until_it_is_full(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROTORS_1, f"{EVEN}capacity 0.01\nstart 0.2")
    sim.command("r", "battery", SWAP, ())
    sim.tick()
    taken = 0.5 * 0.01 / 3600.0 / 0.01
    assert sim.reading("r", "battery")[2] == pytest.approx(1.0 - taken, rel=1e-9)
    for _ in range(99):
        sim.tick()
    assert sim.reading("r", "battery")[2] == pytest.approx(1.0 - 100 * taken, rel=1e-9)
    state = run(sim, 40, "battery", CHARGE, (1.5,))
    assert state[1:3] == pytest.approx((-1.0, 1.0 - 100 * taken + 2 * 40 * taken), rel=1e-9)
    # in a full one there is room for what is taken alone
    state = run(sim, 100, "battery", CHARGE, (1.5,))
    assert state[2] == pytest.approx(1.0, abs=2 * taken)
    assert state[2] <= 1.0
    state = run(sim, 1, "battery", UNPLUG, ())
    assert state[1] == pytest.approx(0.5)


def test_a_run_goes_on_from_a_snapshot_with_the_same_charge(tmp_path: Path) -> None:
    first, second = (simulation(tmp_path, ROTORS_1, f"{EVEN}capacity 0.01") for _ in range(2))
    run(first, 40, "rotors", THRUSTS, (1.0,) * 4)
    restore(second, snapshot(first))
    states = [run(sim, 5, "rotors", THRUSTS, (1.0,) * 4) for sim in (first, second)]
    assert states[0].tolist() == states[1].tolist()
    assert states[0][2] == pytest.approx(1.0 - 45 * 0.5 * 0.01 / 3600.0 / 0.01, rel=1e-9)


def test_a_preset_is_a_row_of_cells_and_own_values_count_before_it(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROTORS_1, "preset lithium_4s\nresistance 0\nidle 0\nhover_power 0")
    assert run(sim, 1, "rotors", THRUSTS, (1.0,) * 4)[0] == pytest.approx(16.8)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("capacity 0", "subject.robot:16:10: capacity must lie within"),
        ("start 1.5", "subject.robot:16:7: start must lie within"),
        ("rotors wings", "subject.robot:12:1: battery needs max_thrust"),
        ("volts 12", "subject.robot:16:1: battery knows no setting 'volts'"),
    ],
)
def test_mistakes_are_named_with_their_place(line: str, said: str, tmp_path: Path) -> None:
    text = ROBOT.format(wheels="no", actuator=ROTORS_1, battery=line)
    (tmp_path / "subject.robot").write_text(text)
    assert any(said in str(problem) for problem in check(tmp_path / "subject.robot") if not problem.is_warning)
