"""The walks through the code that the page about the architecture describes lead somewhere."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_WALKS = _PAGE.partition("## Five walks")[2].partition("\n## ")[0]
STEPS = re.findall(r"`([\w/]+\.py)`\s+`([\w.]+)`", _WALKS)


def test_there_are_five_walks_of_several_steps() -> None:
    assert _WALKS.count("\n**") == 5
    assert len(STEPS) > 25


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_a_step_names_a_file_and_what_it_defines_or_offers(file: str, name: str) -> None:
    scope: ast.AST = ast.parse((ROOT / "coopsim" / file).read_text(encoding="utf-8"))
    for part in name.split("."):
        scope = _defined(scope)[part]


def _defined(scope: ast.AST) -> dict[str, ast.AST]:
    definitions: dict[str, ast.AST] = {}
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            definitions[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            definitions |= {alias.asname or alias.name: node for alias in node.names}
    return definitions
