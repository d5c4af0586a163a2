"""The generated parts of the documentation are up to date."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from blocks import ROOT, pages

from coopsim.app.main import cli
from coopsim.errors import all_errors


@pytest.fixture(scope="module")
def generate() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages()])
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


def test_every_command_and_every_option_of_the_program_is_in_the_reference(generate: ModuleType) -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for name in cli.list_commands(click.Context(cli)):
        assert f"## coopsim {name}" in text
    assert "## coopsim bench compare" in text
    assert "| `--mode real-time/lockstep/free` | Let time pass as on the wall clock," in text
    assert "`--fail-below NUMBER`" in text


def test_numbers_come_from_saved_runs(generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"case": "W", "robots": 1000, "unit": "x", "value": 23.5, "bound": 20.0, "ok": True},
        {"case": "other", "unit": "x", "value": None, "bound": 2.0, "ok": False},
    ]
    saved = {
        "command": "coopsim bench tick",
        "taken": "2026-01-02",
        "seconds": 3.0,
        "load": 0.5,
        "results": rows,
        "machine": {"cpu": "Z80", "cores": 1, "memory_gb": 0.1, "system": "CP/M"},
        "versions": {"numpy": "1"},
    }
    (tmp_path / "tick.json").write_text(json.dumps(saved), encoding="utf-8")
    monkeypatch.setattr(generate.parts_figures, "RESULTS", tmp_path)
    page = "<!-- generated: figures tick -->\n<!-- end -->\n<!-- generated: claims -->\n<!-- end -->\n"
    text = generate.rewritten(page + "<!-- generated: machine -->\n<!-- end -->\n")
    assert "`coopsim bench tick`, 2026-01-02, 3 s; load 0.5 before. 1 of 2 bounds kept." in text
    assert "| W, 1000 robots | x | 23.5 | 20 | yes |" in text
    assert "| other | x | - | 2 | **no** |" in text
    assert "| 23.5 times as fast as real time | `coopsim bench tick` |" in text
    assert "* Z80, 1 cores, 0.1 GB, CP/M; numpy 1" in text


def test_what_the_readme_claims_is_measured_by_a_benchmark_that_exists(generate: ModuleType) -> None:
    for _, name, case in generate.parts_figures.CLAIMS:
        rows = generate.parts_figures.load(name)["results"]
        assert any(generate.parts_figures._is(row, case) for row in rows), f"{name} has no case {case}"
