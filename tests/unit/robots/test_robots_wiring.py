"""Devices that read and command each other: found by name, ordered by their data, refused with the names in it."""

from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.games.devices.reflex import REFLEX
from coopsim.interfaces import MOTORS, ODOMETRY, SONARS, Command, Field, Input, Interface, Output
from coopsim.robots import check
from coopsim.robots.wiring import WiredDevice, wire


def part(name: str, interface: Interface, **settings: str) -> WiredDevice:
    return WiredDevice(
        name, interface, {parameter.name: parameter.default for parameter in interface.parameters} | settings
    )


def program(name: str, *reads: str, writes: str = "") -> WiredDevice:
    inputs = tuple(Input(f"of_{read}", read, "x") for read in reads)
    outputs = (Output("motors", writes),) if writes else ()
    gives = (Command(10, "state", gives=(Field("x", "m"),)),)
    return part(name, Interface(name, "", gives, inputs=inputs, outputs=outputs))


def test_programs_run_after_those_whose_readings_they_use_however_they_stand_in_the_file() -> None:
    parts = [program("last", "mid"), program("mid", "first"), program("free"), program("first"), program("odd", "free")]
    assert wire(parts).order == ("mid", "last", "odd")


def test_of_two_that_command_the_same_motors_the_last_in_the_file_has_the_last_word() -> None:
    motors = part("motors", MOTORS)
    assert wire([motors, program("b", writes="motors"), program("a", writes="motors")]).order == ("b", "a")


def test_a_circle_is_refused_with_the_names_in_it() -> None:
    with pytest.raises(BadFile, match=r"in a circle: (a -> b -> a|b -> a -> b)"):
        wire([program("a", "b"), program("b", "a")])


def test_what_reads_and_commands_the_same_motors_is_no_circle() -> None:
    reads = Interface("both", "", inputs=(Input("v", "motors"),), outputs=(Output("motors", "motors"),))
    assert wire([part("motors", MOTORS), part("both", reads)]).order == ("both",)


def test_a_text_parameter_names_the_module() -> None:
    parts = [part("motors", MOTORS), part("eyes", SONARS), part("reflex", REFLEX, sonars="eyes", bumpers="")]
    links = wire(parts).links
    assert {(link.port.name, link.module) for link in links} == {
        ("ranges", "eyes"),
        ("bearings", "eyes"),
        ("motors", "motors"),
    }


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([part("reflex", REFLEX)], r"reflex needs set_velocity and set_wheel_speeds .* device 'motors'"),
        ([part("motors", MOTORS), part("reflex", REFLEX, sonars="eyes")], r"ranges .* of a device 'eyes'"),
        ([part("motors", SONARS), part("reflex", REFLEX)], r"set_velocity.* of motors, which has nothing of that sort"),
        ([part("motors", MOTORS), program("p", "motors")], r"p needs x of motors, which has v, w, left, right, travel"),
        ([part("odometry", ODOMETRY), part("motors", MOTORS)], r"differential_drive.*above it stands: nothing"),
    ],
)
def test_a_port_that_leads_nowhere_is_told_with_what_there_is(parts: list[WiredDevice], words: str) -> None:
    with pytest.raises(BadFile, match=words):
        wire(parts)


def test_an_open_port_that_may_be_open_is_left_out() -> None:
    assert [link.port.name for link in wire([part("motors", MOTORS), part("reflex", REFLEX)]).links] == ["motors"]


def test_a_robot_file_whose_devices_do_not_find_each_other_is_refused_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "odd.robot"
    file.write_text(
        "[ROBOT]\n[BODY]\ntype cylinder\nsize 0.4 0.4 0.3\nmass 5\n"
        "[DEVICE_1]\ntype differential_drive\nname wheels\n[DEVICE_2]\ntype reflex\n",
        encoding="utf-8",
    )
    (problem,) = check(file)
    assert (problem.span.line, "device 'motors'; this robot has wheels" in problem.text) == (9, True)
