"""The generated parts of the documentation are up to date."""

import importlib.util
import re
from types import ModuleType

import pytest
from blocks import ROOT, pages

from coopsim.errors import all_errors


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in pages() if page.parent.name == "docs"])
def test_the_generated_parts_of_a_page_are_up_to_date(generate: ModuleType, page: object) -> None:
    text = page.read_text(encoding="utf-8")
    assert generate.rewritten(text) == text, "run python docs/generate.py"


def test_the_protocol_has_a_table_for_every_interface_and_every_error(generate: ModuleType) -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    kinds = re.findall(r"<!-- generated: interface (\w+) -->", text)
    assert sorted(kinds) == sorted(generate._INTERFACES)
    for number in all_errors():
        assert number < 100 or f"| {number} |" in text


def test_a_part_that_is_out_of_date_is_rewritten(generate: ModuleType) -> None:
    before = "a\n<!-- generated: interface sonars -->\nold\n<!-- end -->\nb\n"
    after = generate.rewritten(before)
    assert "| 10 | `ranges` |" in after
    assert "old" not in after
    assert after.startswith("a\n")
    assert after.endswith("<!-- end -->\nb\n")
