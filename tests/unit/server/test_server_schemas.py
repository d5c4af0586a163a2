"""The JSON texts of a server keep the schemas that any language can be checked against."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from server_fakes import ask

sys.path.insert(0, str(Path(__file__).parents[2] / "conformance"))
from schema_checks import SCHEMAS, mistakes

import coopsim.interfaces
from coopsim.engines.contract import JOINT_KINDS
from coopsim.interfaces import Interface
from coopsim.state.layout import EntityRow, JointRow
from coopsim.state.plain_entities import KINDS, PlainEntity, PlainJoint, PlainVisual, entities_to_plain
from coopsim.state.visuals import POLYGON, SHAPES, Visual

ALL = [var for var in vars(coopsim.interfaces).values() if isinstance(var, Interface)]


@pytest.mark.parametrize("interface", ALL, ids=lambda interface: interface.kind)
def test_every_interface_describes_itself_by_the_schema(interface: Interface) -> None:
    assert mistakes(json.loads(interface.to_json()), "describe") == []


def test_layout_and_the_answers_of_modules_keep_their_schemas(bench: Callable) -> None:
    run = bench("real-time", run=7)
    assert mistakes(json.loads(run.send(ask("/sim/step", 10)).params[0]), "layout") == []
    assert mistakes(json.loads(run.send(ask("/sim/world", 21)).params[0]), "scene") == []
    assert mistakes(json.loads(run.send(ask("/robot1/sonars", 1)).params[0]), "describe") == []


def test_what_a_scene_may_hold_is_in_its_schema() -> None:
    parts: dict[str, Any] = SCHEMAS["scene"]["$defs"]
    for name, kind in (("visual", PlainVisual), ("entity", PlainEntity), ("joint", PlainJoint)):
        assert parts[name]["properties"].keys() == kind.__annotations__.keys()
        assert set(parts[name]["required"]) == kind.__required_keys__
    assert parts["visual"]["properties"]["shape"]["enum"] == [*SHAPES, POLYGON]
    assert parts["entity"]["properties"]["kind"]["enum"] == list(KINDS)
    assert parts["joint"]["properties"]["kind"]["enum"] == list(JOINT_KINDS)


def test_water_cloths_and_springs_keep_the_schema_of_scenes() -> None:
    at, size = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0)
    look = Visual(POLYGON, points=(0.0, 0.0, 1.0, 0.0, 1.0, 1.0))
    rows = [
        EntityRow("pond", "area", "water", -1, at, size, 0.0, size, 0.0, visuals=(look,)),
        EntityRow("sheet.1", "object", "sphere", 0, at, size, 0.1, size, 0.5, whole="sheet", cell=(1, 2)),
    ]
    joints = [
        JointRow("coil", "spring", "a", "b", (0.0, 0.0, 0.1), (0.0, 0.0, 0.2)),
        JointRow("pin", "pivot", "a", "b"),
    ]
    plain = json.loads(json.dumps(entities_to_plain(rows, joints)))
    assert (plain["entities"][1]["cell"], len(plain["joints"][0])) == ([1, 2], 6)
    assert mistakes(plain, "scene") == []


def test_the_checker_finds_what_is_wrong() -> None:
    wrong = {"generation": "1", "run": True, "types": {"single": {"takes": [[1]]}}, "robots": [["a", 2]]}
    messages = mistakes(wrong, "layout")
    assert "layout.generation: '1' is no integer" in messages
    assert "layout.run: True is no integer" in messages
    assert "layout.types.single.takes.0.0: 1 is no string" in messages
    assert "layout.robots.0.1: 2 is no string" in messages
    assert "layout: total is missing" in messages
    assert set(SCHEMAS) == {"about", "describe", "layout", "scene", "info"}
