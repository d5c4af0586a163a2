"""The rules that every interface keeps (see CONTRIBUTING.md)."""

import json
import math
from importlib.metadata import entry_points

import pytest

import coopsim.interfaces as room
from coopsim.errors import BadArgument, NoSuchCommand
from coopsim.features.artifacts.interfaces import BELT, LAMP
from coopsim.features.drives.interfaces import CAR, HINGED_WHEELS, OMNI
from coopsim.features.games.interfaces.games import BEEPER, INTELLIGENCE, SHOOTER
from coopsim.features.power.battery_interface import BATTERY
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.potentials_interface import POTENTIALS
from coopsim.features.space.wind_interface import WIND
from coopsim.interfaces import (
    CAMERA,
    CLOCK,
    COMMON,
    GRIPPER,
    HINGE,
    JOINTS,
    MOTORS,
    ODOMETRY,
    ROTORS,
    SLIDE,
    SONARS,
    TARGET,
    Command,
    Common,
    Effect,
    Field,
    Interface,
    Parameter,
)

OFFERED = [*vars(room).values(), *(point.load() for point in entry_points(group="coopsim.interfaces"))]
DEPENDING = ("leaf", "data", "system")  # on the system of components that they belong to
ALL = [*{var.kind: var for var in OFFERED if isinstance(var, Interface) and var.kind not in DEPENDING}.values()]
SI_UNITS = {"1", "m", "s", "rad", "kg", "N", "m/s", "rad/s", "N s", "N s/m", "N m", "N/m", "Hz", "1/s", "robot", "m/s2",
            "rad/s2", "kg m2", "m/s2/Hz^0.5", "rad/s/Hz^0.5", "m/s2 Hz^0.5", "rad/s Hz^0.5", "A", "V", "W",
            "Ohm", "W/N^1.5", "N s2", "cd", "lx"}  # fmt: skip
OF_FILES = {"deg", "A h"}
"""What people write and datasheets have: in files alone."""
every_interface = pytest.mark.parametrize("interface", ALL, ids=lambda interface: interface.kind)


def fields(interface: Interface) -> list[Field]:
    return [field for command in interface.commands for field in (*command.takes, *command.gives)]


def test_kinds_are_unique() -> None:
    assert len({interface.kind for interface in ALL}) == len(ALL)


@every_interface
def test_numbers_and_names_of_commands_are_unique_and_begin_after_the_common_ones(interface: Interface) -> None:
    numbers = [command.number for command in interface.commands]
    names = [command.name for command in (*COMMON, *interface.commands)]
    assert len(numbers) == len(set(numbers))
    assert len(names) == len(set(names))
    assert all(number >= 10 for number in numbers)
    assert numbers == sorted(numbers)


@every_interface
def test_names_can_be_attributes_of_a_client(interface: Interface) -> None:
    names = [command.name for command in interface.commands] + [parameter.name for parameter in interface.parameters]
    assert all(name.isidentifier() and name == name.lower() for name in names)


@every_interface
def test_a_thing_is_set_in_one_way_only(interface: Interface) -> None:
    commands = {command.name for command in interface.commands}
    parameters = {parameter.name for parameter in interface.parameters}
    assert len(parameters) == len(interface.parameters)
    assert not parameters & commands
    assert not {f"set_{name}" for name in parameters} & commands


@every_interface
def test_units_are_si_and_those_of_people_exist_in_files_alone(interface: Interface) -> None:
    assert {field.unit for field in fields(interface)} <= SI_UNITS | {""}
    for parameter in interface.parameters:
        assert parameter.unit in SI_UNITS or (parameter.unit in OF_FILES and parameter.fixed), parameter.name


@every_interface
def test_every_default_is_a_value_that_may_be_set(interface: Interface) -> None:
    for parameter in interface.parameters:
        assert parameter.check(parameter.default) == parameter.default
        assert type(parameter.default) is parameter.kind
        assert parameter.low <= parameter.high


@every_interface
def test_everything_says_what_it_is(interface: Interface) -> None:
    assert interface.summary.endswith(".")
    assert all(command.summary.endswith(".") for command in interface.commands)
    assert all(parameter.summary for parameter in interface.parameters)


SETTING = (
    AUTOPILOT, BATTERY, BEEPER, BELT, CAR, GRIPPER, HINGE, HINGED_WHEELS, INTELLIGENCE, JOINTS, LAMP, MOTORS, OMNI,
    POTENTIALS, ROTORS, SHOOTER, SLIDE, WIND,
)  # fmt: skip


OF_ROBOTS = [point.load() for point in entry_points(group="coopsim.interfaces")]
"""Each device has a line in this group of setup.cfg, too; `python -m pip install --no-deps -e .` reads it again."""


@every_interface
def test_only_modules_of_robots_have_readings_and_settings(interface: Interface) -> None:
    of_robots = interface in OF_ROBOTS
    effects = {command.effect for command in interface.commands}
    # images are drawn for the server, by a process of its own
    assert (Effect.SERVE in effects) is (not of_robots or interface is CAMERA)
    assert bool(interface.readings) is of_robots
    assert (interface.setting is not None) is (interface in SETTING), f"{interface.kind}: SETTING above lists actuators"


@every_interface
def test_params_are_required_before_they_are_optional_and_open_ended_last(interface: Interface) -> None:
    for command in interface.commands:
        params = [field for field in command.takes if field.place == "params"]
        optional = [field.default is not None or field.count == 0 for field in params]
        assert optional == sorted(optional), command.name
        assert all(field.count for field in params[:-1]), command.name
        data = [field for field in command.takes if field.place == "data"]
        assert all(field.count for field in data[:-1]), command.name


@every_interface
def test_what_a_setting_takes_fits_a_command_row_of_fixed_width(interface: Interface) -> None:
    for command in interface.commands:
        if command.effect is Effect.SET:
            assert all(
                field.place == "data" and isinstance(field.count, int) and field.count for field in command.takes
            )


@every_interface
def test_an_interface_is_described_by_plain_json(interface: Interface) -> None:
    described = json.loads(interface.to_json({"count": 11, "targets": 6}), parse_constant=pytest.fail)
    assert described["kind"] == interface.kind
    assert [command["number"] for command in described["commands"]] == [
        command.number for command in interface.commands
    ]
    assert [parameter["name"] for parameter in described["parameters"]] == [
        parameter.name for parameter in interface.parameters
    ]
    assert all(field["in"] in ("data", "params") for command in described["commands"] for field in command["takes"])


def test_counts_by_name_are_filled_in_when_described() -> None:
    described = json.loads(SONARS.to_json({"count": 11}))
    assert described["commands"][0]["gives"][0] == {
        "name": "ranges", "unit": "m", "summary": "one per sector, from right to left", "in": "data", "count": 11,
    }  # fmt: skip


def test_the_common_commands_have_the_numbers_0_to_4() -> None:
    assert [(command.number, command.name) for command in COMMON] == [
        (common.value, common.name.lower()) for common in Common
    ]


def test_published_numbers_keep_their_meaning() -> None:
    """Numbers are never reused: take a name out of this list only together with its number."""
    published = {
        "differential_drive": {10: "set_velocity", 11: "set_wheel_speeds", 12: "stop", 13: "state"},
        "sonars": {10: "ranges"},
        "target": {10: "targets", 11: "names"},
        "odometry": {10: "pose", 11: "encoders", 12: "reset"},
        "bumpers": {10: "touched"},
        "compass": {10: "heading"},
        "autopilot": {
            10: "go_to", 11: "follow", 12: "set_velocity", 13: "take_off", 14: "eight", 15: "land", 16: "stop",
            17: "state",
        },
        "imu": {10: "motion"},
        "neighbours": {10: "nearest"},
        "pose": {10: "pose", 11: "motion"},
        "potentials": {10: "keep", 11: "rest", 12: "state"},
        "range": {10: "ranges"},
        "omni_drive": {10: "set_velocity", 11: "stop", 12: "state"},
        "car_drive": {10: "set_velocity", 11: "set_steering", 12: "stop", 13: "state"},
        "drive_odometry": {10: "pose", 11: "reset"},
        "laser": {10: "ranges", 11: "intensities"},
        "rotors": {10: "set_thrusts", 11: "stop", 12: "state"},
        "wind": {10: "set_mean", 11: "restore", 12: "state"},
        "gps": {10: "fix"},
        "simulation_time": {10: "time"},
        "global_state": {10: "state"},
        "presence": {10: "nearest"},
        "detector": {10: "detections", 11: "names", 12: "states"},
        "automatic_door": {10: "state"},
        "beeper": {10: "beep", 11: "state"},
        "border": {10: "seen"},
        "intelligence": {
            10: "beep", 11: "rotate", 12: "go_to", 13: "shoot", 14: "pick_up", 15: "drop", 16: "sequence", 17: "stop",
            18: "state",
        },
        "shooter": {10: "shoot", 11: "stop", 12: "state"},
        "clock": {
            10: "status", 11: "set_mode", 12: "set_speed", 13: "set_step", 14: "pause", 15: "continue", 16: "step",
            17: "reset", 18: "robot_policy",
        },
        "world": {
            10: "list", 11: "insert", 12: "update", 13: "remove", 14: "reset", 15: "get", 16: "snapshot", 17: "restore",
            18: "load", 19: "save", 20: "set_engine", 21: "scene", 22: "join", 23: "part",
            24: "section", 25: "push",
        },
        "names": {10: "list", 11: "lookup", 12: "register", 13: "unregister", 14: "offer", 15: "withdraw"},
        "step": {
            10: "layout", 11: "step", 12: "skip", 13: "claim", 14: "claim_with", 15: "release", 16: "set_period",
            17: "owners",
        },
        "info": {10: "info", 11: "subscribe", 12: "unsubscribe"},
    }  # fmt: skip
    now = {interface.kind: {command.number: command.name for command in interface.commands} for interface in ALL}
    for kind, commands in published.items():
        assert commands.items() <= now[kind].items()


def test_commands_and_parameters_are_found_by_name_or_number() -> None:
    assert MOTORS.command("stop") is MOTORS.command(12)
    assert SONARS.parameter("reach").default == 3.0


def test_what_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(NoSuchCommand, match="10 set_velocity, 11 set_wheel_speeds, 12 stop, 13 state"):
        MOTORS.command("set_speed")
    with pytest.raises(NoSuchCommand, match="reach"):
        SONARS.parameter("range")
    with pytest.raises(NoSuchCommand, match="none"):
        room.INFO.parameter("x")


def test_a_step_writes_the_first_setting_and_a_slot_holds_the_widest() -> None:
    assert MOTORS.setting is MOTORS.command("set_velocity")
    assert (MOTORS.setting_width, SONARS.setting_width) == (2, 0)
    wide = Interface("arm", "", (Command(10, "go", takes=(Field("joints", "rad", count=7),), effect=Effect.SET),))
    assert wide.setting_width == 7


def test_readings_are_the_data_of_all_read_commands_in_order() -> None:
    assert [field.name for field in ODOMETRY.readings] == ["x", "y", "heading", "left", "right"]
    assert [field.name for field in TARGET.readings] == ["targets", "robots", "occupants"]
    assert CLOCK.readings == ()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (Parameter("a", float, 1.0, low=0.0, high=2.0), 2.1),
        (Parameter("a", float, 1.0, low=0.0, high=2.0), -0.1),
        (Parameter("a", float, 1.0), math.nan),
        (Parameter("a", float, 1.0), math.inf),
        (Parameter("a", float, 1.0), "1"),
        (Parameter("a", float, 1.0), True),
        (Parameter("a", float, 1.0, high=1e9), 2**64),
        (Parameter("a", int, 1), 1.5),
        (Parameter("a", str, ""), 1),
    ],
)
def test_a_parameter_refuses_what_it_cannot_be(parameter: Parameter, value: object) -> None:
    with pytest.raises(BadArgument, match=r"^a must"):
        parameter.check(value)


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        (Parameter("a", float, 1.0, low=0.0, high=2.0), 2, 2.0),
        (Parameter("a", int, 1, low=1, high=5), 5.0, 5),
        (Parameter("a", str, ""), "robot1 robot2", "robot1 robot2"),
    ],
)
def test_a_parameter_takes_a_value_into_its_own_type(parameter: Parameter, value: object, expected: object) -> None:
    taken = parameter.check(value)
    assert taken == expected
    assert type(taken) is parameter.kind


@every_interface
def test_what_counts_the_values_of_a_field_is_fixed_or_it_would_change_the_layout(interface: Interface) -> None:
    counted = {field.count for command in interface.commands for field in command.gives if isinstance(field.count, str)}
    counts = [parameter for parameter in interface.parameters if parameter.name in counted]
    assert [parameter.name for parameter in counts if not parameter.fixed] == []
