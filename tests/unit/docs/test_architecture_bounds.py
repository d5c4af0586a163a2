"""How large functions and files of the package may be."""

import ast
from functools import cache
from pathlib import Path

import coopsim

PACKAGE = Path(coopsim.__file__).parent
LONGEST_FUNCTION, LONGEST_FILE = 45, 400  # lines
MANY_PARAMETERS, MOST_OF_THEM = 8, 8

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> list[Path]:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 300
    return files


@cache
def functions() -> list[tuple[str, int, int]]:
    """Return name, lines and parameters of each function; trees that are kept cost more than to read them again."""
    return [
        (f"{path.relative_to(PACKAGE)}: {node.name}", (node.end_lineno or 0) - node.lineno + 1, parameters(node))
        for path in files()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, Function)
    ]


def parameters(function: Function) -> int:
    """Return how many there are, without `self` and `cls`."""
    taken = function.args
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, *filter(None, (taken.vararg, taken.kwarg))]
    return len([argument for argument in named if argument.arg not in ("self", "cls")])


def test_no_function_is_longer_than_a_page() -> None:
    assert {name: lines for name, lines, _ in functions() if lines > LONGEST_FUNCTION} == {}


def test_no_file_has_more_lines_than_one_can_keep_in_mind() -> None:
    lines = {str(path.relative_to(PACKAGE)): path.read_text("utf-8").count("\n") for path in files()}
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}


def test_few_functions_have_many_parameters() -> None:
    many = [name for name, _, number in functions() if number >= MANY_PARAMETERS]
    assert len(many) <= MOST_OF_THEM, many
