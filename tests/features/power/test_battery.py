"""Batteries: charge and voltage by closed forms, what falls with the voltage, and commands that fill them."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import coopsim
from coopsim import plugins
from coopsim.features import drives
from coopsim.features.drives.interfaces import CAR, OMNI
from coopsim.features.power.battery_interface import BATTERY
from coopsim.interfaces import MOTORS, ROTORS, Interface, command_numbers
from coopsim.robots import check, load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

ROBOTS = Path(drives.__file__).parent
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


OMNI_1 = "type omni_drive\nname motors\narm 0.2\nmax_speed 1"
CAR_1 = "type car_drive\nname motors\nmax_speed 1\nsteering_rate 100"
EACH_ENGINE = ("pymunk", "mujoco", "kinematic")
# forward, rate of turn, to the left; and what three wheels at 60, 180 and 300 degrees then do
ASKED, WHEEL_SPEEDS = (0.2, 0.5, 0.1), [abs(0.05 - 0.1 * 3**0.5 + 0.1), 0.0, abs(0.05 + 0.1 * 3**0.5 + 0.1)]


def on_wheels(folder: Path, actuator: str, battery: str, engine: str) -> Simulation:
    (folder / "subject.robot").write_text(ROBOT.format(wheels="yes", actuator=actuator, battery=battery))
    (folder / "run.scenario").write_text(SCENE.format(0, engine))
    return Simulation(load(folder / "run.scenario"))


@pytest.mark.parametrize("engine", EACH_ENGINE)
@pytest.mark.parametrize(
    ("drive", "command", "asked", "speeds"),
    [
        (OMNI_1, OMNI, ASKED, WHEEL_SPEEDS),
        (OMNI_1, OMNI, (0.0, -1.0, 0.0), [0.2] * 3),
        (CAR_1, CAR, (0.3, 0.2), [0.3, 0.3]),
        (CAR_1, CAR, (-0.3, 0.0), [0.3, 0.3]),
    ],
)
def test_an_omnidirectional_drive_and_a_car_empty_a_battery_by_the_work_of_their_wheels_and_stop(
    drive: str, command: Interface, asked: tuple[float, ...], speeds: list[float], engine: str, tmp_path: Path
) -> None:
    even = "full 12\nempty 12\nresistance 0\nidle 1\ndrive_power 10\ntop_speed 1\n"
    sim = on_wheels(tmp_path, drive, f"{even}capacity 0.002", engine)
    go = command_numbers(command).set_velocity
    state = run(sim, 100, "motors", go, asked)
    power = 1.0 + 10.0 * sum(speeds)
    assert state[3] == pytest.approx(power, rel=0.01)
    assert state[1] == pytest.approx(power / 12.0, rel=0.01)
    before = state[2]
    state = run(sim, 100, "motors", go, asked)
    assert before - state[2] == pytest.approx(power / 12.0 * 1.0 / 3600.0 / 0.002, rel=0.01)
    seconds = math.ceil(0.002 * 3600.0 * 12.0 / power)
    state = run(sim, 100 * seconds, "motors", go, asked)
    assert state[1:3] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert sim.reading("r", "motors")[:2] == pytest.approx((0.0, 0.0), abs=0.01)  # front wheels of a car stay
    sim.command("r", "battery", SWAP, ())
    assert run(sim, 100, "motors", go, asked)[3] == pytest.approx(power, rel=0.01)


@pytest.mark.parametrize("engine", EACH_ENGINE)
@pytest.mark.parametrize(
    ("drive", "command", "asked", "allowed"),
    [
        # 9 V of 12 V: three quarters of 0.5 m/s, of the fastest wheel
        (OMNI_1, "set_velocity", (0.6, 0.5, 0.8), (0.375 * 0.6 / 1.1, 0.375 * 0.5 / 1.1, 0.375 * 0.8 / 1.1)),
        (OMNI_1, "set_velocity", (0.1, 0.5, 0.1), (0.1, 0.5, 0.1)),
        (CAR_1, "set_velocity", (0.75, 0.5), (0.375, 0.25)),
        (CAR_1, "set_steering", (0.75, 0.3), (0.375, None)),
    ],
)
def test_a_weak_battery_slows_an_omnidirectional_drive_and_a_car_on_the_same_way(
    drive: str, command: str, asked: tuple[float, ...], allowed: tuple[float | None, ...], engine: str, tmp_path: Path
) -> None:
    weak = "full 12\nempty 6\nresistance 0\nidle 0\ndrive_power 0\nstart 0.5\ntop_speed 0.5"
    sim = on_wheels(tmp_path, drive, weak, engine)
    interface = OMNI if drive is OMNI_1 else CAR
    run(sim, 150, "motors", getattr(command_numbers(interface), command), asked)
    speeds = sim.reading("r", "motors")
    for speed, limit in zip(speeds, allowed, strict=False):
        assert limit is None or speed == pytest.approx(limit, rel=0.02)
    if command == "set_steering":
        assert speeds[2] == pytest.approx(0.3, abs=1e-3)  # the curve is the same


@pytest.mark.parametrize("robot", ["omni", "car"])
def test_a_battery_below_a_built_in_drive_is_no_mistake(robot: str, tmp_path: Path) -> None:
    text = (ROBOTS / f"{robot}.robot").read_text(encoding="utf-8")
    (tmp_path / "courier.robot").write_text(f"{text}\n[DEVICE_99]\ntype battery\nname battery\npreset lithium_3s\n")
    assert [str(problem) for problem in check(tmp_path / "courier.robot")] == []


CUSTOM = """from coopsim.interfaces import Command, Effect, Field, Interface


class Treads:
    interface = Interface(
        "treads",
        "Motors of a package.",
        (Command(10, "go", takes=(Field("speed", "m/s"),), effect=Effect.SET),),
    )

    def __init__(self, context):
        self.memory = {}

    def act(self, commands, bodies, wrench, dt):
        pass

    def sense(self, world, tick, out):
        pass

    def edit(self, row, command, data):
        pass

    def changed(self, row, name):
        pass


PLUGINS = {"devices": {"treads": Treads}}
"""


@pytest.fixture
def treads(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "treads.py"
    file.write_text(CUSTOM)
    plugins.add(file)
    yield tmp_path
    plugins.forget(file)


@pytest.mark.parametrize(("name", "is_told"), [("motors", True), ("treads", False)])
def test_motors_that_a_battery_does_not_know_are_told_with_their_line(name: str, is_told: bool, treads: Path) -> None:
    text = ROBOT.format(wheels="yes", actuator=f"type treads\nname {name}", battery="")
    (treads / "subject.robot").write_text(text)
    line = text.splitlines().index("[DEVICE_2]") + 1
    warnings = [str(problem) for problem in check(treads / "subject.robot")]
    said = "battery has no part in 'motors', of the kind treads: it knows car_drive, differential_drive, hinged_wheels,"
    assert [warning for warning in warnings if f"subject.robot:{line}:1: " in warning and said in warning] == warnings
    assert bool(warnings) == is_told


def test_steps_of_a_robot_neither_swap_its_battery_nor_calm_the_wind_nor_light_its_lamp(tmp_path: Path) -> None:
    """A step brings the first command of each actuator; none of these three is one that a controller moves."""
    text = ROBOT.format(wheels="no", actuator=ROTORS_1, battery="capacity 0.002\n" + EVEN)
    others = "[DEVICE_3]\ntype wind\nname wind\nx 4\npaces no\n[DEVICE_4]\ntype lamp\nname lamp\nstart 0.5\npaces no\n"
    (tmp_path / "subject.robot").write_text(text + others)
    (tmp_path / "run.scenario").write_text(SCENE.format(100, "flight"))
    with coopsim.open(tmp_path / "run.scenario") as sim, sim.stepper(["r"]) as stepper:
        robot = sim.robot("r")
        for _ in range(360):
            stepper.step([(2.0, 2.0, 2.0, 2.0)])
        # 6 W at 12 V for 3.6 s are half a milliampere-hour
        assert robot.battery.state().charge == pytest.approx(0.75, abs=1e-9)
        assert (robot.wind.state().x, robot.lamp.light().brightness) == (4.0, 0.5)
        robot.battery.swap()
        robot.wind.set_mean(-3.0, 0.0, 0.0)
        robot.lamp.switch_off()
        for _ in range(360):
            stepper.step([(2.0, 2.0, 2.0, 2.0)])
        assert robot.battery.state().charge == pytest.approx(0.75, abs=1e-9)
        assert (robot.wind.state().x, robot.lamp.light().brightness) == (-3.0, 0.0)
