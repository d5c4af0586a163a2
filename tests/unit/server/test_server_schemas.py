"""The JSON texts of a server keep the schemas that any language can be checked against."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from server_fakes import ask

sys.path.insert(0, str(Path(__file__).parents[2] / "conformance"))
from schema_checks import SCHEMAS, mistakes

import coopsim.interfaces
from coopsim.interfaces import Interface

ALL = [it for it in vars(coopsim.interfaces).values() if isinstance(it, Interface)]


@pytest.mark.parametrize("interface", ALL, ids=lambda interface: interface.kind)
def test_every_interface_describes_itself_by_the_schema(interface: Interface) -> None:
    assert mistakes(json.loads(interface.to_json()), "describe") == []


def test_layout_and_the_answers_of_modules_keep_their_schemas(bench: Callable) -> None:
    run = bench("real-time", run=7)
    assert mistakes(json.loads(run.send(ask("/sim/step", 10)).params[0]), "layout") == []
    assert mistakes(json.loads(run.send(ask("/sim/world", 21)).params[0]), "scene") == []
    assert mistakes(json.loads(run.send(ask("/robot1/sonars", 1)).params[0]), "describe") == []


def test_the_checker_finds_what_is_wrong() -> None:
    wrong = {"generation": "1", "run": True, "types": {"single": {"takes": [[1]]}}, "robots": [["a", 2]]}
    found = mistakes(wrong, "layout")
    assert "layout.generation: '1' is no integer" in found
    assert "layout.run: True is no integer" in found
    assert "layout.types.single.takes.0.0: 1 is no string" in found
    assert "layout.robots.0.1: 2 is no string" in found
    assert "layout: total is missing" in found
    assert set(SCHEMAS) == {"about", "describe", "layout", "scene", "info"}
