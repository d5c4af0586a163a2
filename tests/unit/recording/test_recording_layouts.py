"""Layouts as JSON."""

import json
import math
from dataclasses import replace

import pytest
from recording_scenes import layout

from coopsim.errors import DamagedRecording
from coopsim.interfaces import COMMON, Command, Effect, Field, Interface, Parameter
from coopsim.interfaces import simulation as sim_interfaces
from coopsim.recording import layout_from_json, layout_to_json

FOREIGN = Interface(
    "claw",
    "A device of a plugin that is not installed here.",
    (
        *COMMON,
        Command(10, "grip", "Close.", (Field("force", "N", "how hard", default=1.5),), (), Effect.SET),
        Command(11, "held", "What it holds.", gives=(Field("names", count=0), Field("forces", "N", count="n"))),
    ),
    (
        Parameter("name", str, "left", "1", summary="which"),
        Parameter("teeth", int, 4, low=0),
        Parameter("gain", float, 1.0, "N/m", -math.inf, math.inf, "how stiff", fixed=True),
    ),
)


@pytest.mark.parametrize("extra", [None, FOREIGN, sim_interfaces.STEP, sim_interfaces.CLOCK])
def test_a_layout_comes_back_equal(extra: Interface | None) -> None:
    before = layout(3, 12, extra)
    after = layout_from_json(layout_to_json(before))
    assert after == before
    assert after.robot["robot7"] == before.robot["robot7"]
    assert after.entity == before.entity


def test_a_module_whose_plugin_is_missing_describes_itself_as_before() -> None:
    after = layout_from_json(layout_to_json(layout(extra=FOREIGN)))
    module = after.types[0].module("extra")
    assert module is not None
    assert module.interface.to_json({"n": 2}) == FOREIGN.to_json({"n": 2})
    assert module.interface.parameter("teeth").check(3.0) == 3


def test_readings_are_found_in_their_columns_by_fields_that_came_back() -> None:
    before, after = layout(), layout_from_json(layout_to_json(layout()))
    module, twin = before.types[0].modules[2], after.types[0].modules[2]
    assert [twin.columns(field) for field in module.interface.readings] == [
        module.columns(field) for field in module.interface.readings
    ]


def test_an_interface_that_many_types_share_is_written_once() -> None:
    before = layout()
    types = (before.types[0], replace(before.types[0], name="twin"))
    text = layout_to_json(replace(before, types=types))
    assert len(json.loads(text)["interfaces"]) == 4
    assert [kind.name for kind in layout_from_json(text).types] == ["single", "twin"]


def test_the_text_is_plain_json_without_infinities() -> None:
    json.loads(layout_to_json(layout(extra=FOREIGN)), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "null", b"\xff\xfe\x00", '{"generation": 1, "types": [{}]}', "[" * 9999]
)
def test_what_is_no_layout_is_refused(text: str | bytes) -> None:
    with pytest.raises(DamagedRecording, match="layout"):
        layout_from_json(text)
