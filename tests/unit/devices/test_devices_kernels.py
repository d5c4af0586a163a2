"""Compiled code in the rooms of engines and devices: what it takes over from other files is not noticed to change."""

import ast
from pathlib import Path

import pytest

import coopsim
from coopsim.devices import differential_drive
from coopsim.sensing import line_of_sight as sight
from coopsim.sensing import ray_kernels, ray_lists
from coopsim.state.layout import NUMBER, STAMP, VALUES

ROOT = Path(coopsim.__file__).parent
FILES = sorted(file for room in ("engines", "devices", "sensing") for file in (ROOT / room).rglob("*.py"))
ON_PURPOSE = {"inlined", "sincos"}


def _is_kernel(node: ast.stmt) -> bool:
    marks = [each.id for each in getattr(node, "decorator_list", []) if isinstance(each, ast.Name)]
    return isinstance(node, ast.FunctionDef) and bool({"compiled", "inlined"} & set(marks))


def _borrowed(tree: ast.Module) -> set[str]:
    """Return what kernels use of other files of ours."""
    froms = [each for each in tree.body if isinstance(each, ast.ImportFrom) and "coopsim" in str(each.module)]
    imported = {alias.asname or alias.name for each in froms for alias in each.names}
    lines = [line for node in tree.body if _is_kernel(node) for line in node.body]
    return {each.id for line in lines for each in ast.walk(line) if isinstance(each, ast.Name)} & imported


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_kernel_shares_its_file_with_what_it_calls_and_its_constants(file: Path) -> None:
    assert _borrowed(ast.parse(file.read_text("utf-8"))) <= ON_PURPOSE


def test_what_is_borrowed_would_be_found() -> None:
    tree = ast.parse("from coopsim.a import B, C\n@compiled\ndef f(x: C):\n    return x + B\n")
    assert _borrowed(tree) == {"B"}


def test_columns_that_are_written_down_twice_are_the_same() -> None:
    drive = differential_drive
    assert (drive._STAMP, drive._NUMBER, drive._VALUES) == (STAMP, NUMBER, VALUES)
    for name in ("MX", "MY", "HALF", "HALF_WIDTH", "COS", "SIN"):
        assert getattr(ray_lists, name) == getattr(ray_kernels, name)
    pairs = (("_X", "MX"), ("_Y", "MY"), *((f"_{name}", name) for name in ("HALF", "HALF_WIDTH", "COS", "SIN", "BODY")))
    for own, name in (*pairs, ("_LOW", "LOW"), ("_HIGH", "HIGH"), ("_ROUND", "ROUND")):
        assert getattr(sight, own) == getattr(ray_kernels, name)
