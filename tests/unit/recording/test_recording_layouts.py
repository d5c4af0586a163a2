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
from coopsim.state import Layout, Visual
from coopsim.state.visuals import MOST_VISUALS

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


def with_looks(*visuals: Visual) -> Layout:
    before = layout(1, 3)
    return replace(before, entities=tuple(replace(entity, visuals=visuals) for entity in before.entities))


def test_visuals_come_back_equal_and_are_written_once_for_all_that_look_alike() -> None:
    body, tip = Visual("box"), Visual("mesh", (1, 2, 3), (1, 0, 0, 0, 0, 0, 1), (0, 1, 0), 0, "arm", "a.png", "a.obj")
    before = with_looks(body, tip)
    text = layout_to_json(before)
    assert layout_from_json(text) == before
    assert len(json.loads(text)["looks"]) == 1


def test_walls_come_back_as_walls() -> None:
    before = layout()
    before = replace(before, entities=(replace(before.entities[0], is_wall=True), *before.entities[1:]))
    assert layout_from_json(layout_to_json(before)) == before


@pytest.mark.parametrize(
    ("visuals", "words"),
    [
        ((Visual("blob"),), r"shape: expected box, .* found 'blob'"),
        ((Visual("box", parent=0),), r"parent: expected an earlier visual"),
        ((Visual("box"),) * (MOST_VISUALS + 1), f"at most {MOST_VISUALS} visuals"),
    ],
)
def test_visuals_that_cannot_be_drawn_are_refused(visuals: tuple[Visual, ...], words: str) -> None:
    with pytest.raises(DamagedRecording, match=words):
        layout_from_json(layout_to_json(with_looks(*visuals)))


def test_looks_that_are_not_there_are_refused() -> None:
    plain = json.loads(layout_to_json(with_looks(Visual("box"))))
    plain["entities"][1]["visuals"] = 7
    with pytest.raises(DamagedRecording, match="visuals: expected one of 1 looks, found 7"):
        layout_from_json(json.dumps(plain))
