"""Layouts as JSON: they come back equal, whatever interfaces they hold, and what cannot be is refused."""

import json
from importlib.metadata import entry_points
from typing import Any

import numpy as np
import pytest

import coopsim.interfaces as room
from coopsim.interfaces import MOTORS, SONARS, Command, Field, Interface, Parameter
from coopsim.state import EntityRow, Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.state.layout_json import layout_of, layout_to_json

OFFERED = [*vars(room).values(), *(point.load() for point in entry_points(group="coopsim.interfaces"))]
ALL = [*{thing.kind: thing for thing in OFFERED if isinstance(thing, Interface)}.values()]
POSE = (0.5, 1.5, 0.0, 1.0, 0.0, 0.0, 0.0)


def layout(*interfaces: Interface, **more: Any) -> Layout:
    """Return a layout of one robot with a module of each interface."""
    modules = tuple(
        ModuleLayout(f"module{k}", interface, {"count": 3}, ("red",), k, 2 * k, 5, k == 0)
        for k, interface in enumerate(interfaces)
    )
    kind = TypeLayout("rover", modules, 7, 9)
    row = EntityRow("a", "robot", "rover", 0, POSE, (0.4, 0.3, 0.2), 20.0, (0.0, 0.0, 1.0), 0.5)
    return Layout(3, (kind,), (RobotPlace("a", kind, 4, 8, 0),), (row,), ("a",), 7, 9, **more)


def again(made: Layout) -> Layout:
    return layout_of(json.loads(layout_to_json(made)))


@pytest.mark.parametrize("interface", ALL, ids=lambda interface: interface.kind)
def test_a_layout_comes_back_equal_whatever_interface_its_module_has(interface: Interface) -> None:
    state_layout = layout(interface)
    assert again(state_layout) == state_layout


def test_an_interface_that_many_modules_have_stands_in_the_text_once() -> None:
    state_layout = layout(MOTORS, SONARS, MOTORS)
    plain = json.loads(layout_to_json(state_layout))
    assert [interface["kind"] for interface in plain["interfaces"]] == ["differential_drive", "sonars"]
    assert [module["interface"] for module in plain["types"][0]["modules"]] == [0, 1, 0]
    assert again(state_layout) == state_layout


def test_limits_that_are_none_are_null_and_come_back() -> None:
    interface = Interface("odd", "", (), (Parameter("free", float, 0.5), Parameter("half", int, 1, low=1)))
    plain = json.loads(layout_to_json(layout(interface)))["interfaces"][0]["parameters"]
    assert [(parameter["low"], parameter["high"], parameter["kind"]) for parameter in plain] == [
        (None, None, "float"),
        (1, None, "int"),
    ]
    assert again(layout(interface)).types[0].modules[0].interface == interface


def test_numbers_of_numpy_in_the_interface_of_a_plugin_are_plain_numbers() -> None:
    field = Field("x", "m", low=np.float64(-1.0), high=np.float32(2.0))
    interface = Interface("odd", "", (Command(10, "state", gives=(field,)),))
    (gives,) = json.loads(layout_to_json(layout(interface)))["interfaces"][0]["commands"][0]["gives"]
    assert (gives["low"], gives["high"]) == (-1.0, 2.0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda plain: plain["robots"][0].update(type="boat"),
            "the robot 'a' is a 'boat', which is no type of the layout",
        ),
        (
            lambda plain: plain["types"][0]["modules"][0].update(interface=9),
            "the module 'module0' has interface 9 of 1",
        ),
        (
            lambda plain: plain["interfaces"][0]["parameters"][0].update(kind="list"),
            "is a 'list'; expected float, int, str",
        ),
    ],
)
def test_names_of_what_is_not_there_are_refused(change: Any, says: str) -> None:
    plain = json.loads(layout_to_json(layout(MOTORS)))
    change(plain)
    with pytest.raises(ValueError, match=says):
        layout_of(plain)


def test_what_a_later_version_adds_is_left_out() -> None:
    state_layout = layout(MOTORS, SONARS)
    plain = json.loads(layout_to_json(state_layout))
    for thing in (
        plain,
        plain["types"][0],
        plain["types"][0]["modules"][0],
        plain["robots"][0],
        plain["interfaces"][0],
    ):
        thing["later"] = {"anything": [1, None]}
    assert layout_of(plain) == state_layout
