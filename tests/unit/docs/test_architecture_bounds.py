"""How large functions and files of the package may be."""

import ast
from collections.abc import Iterator
from pathlib import Path

import coopsim

PACKAGE = Path(coopsim.__file__).parent
LONGEST_FUNCTION, LONGEST_FILE = 45, 400  # lines
MANY_PARAMETERS, MOST_OF_THEM = 8, 8

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    assert len(found) > 300
    return found


def functions() -> Iterator[tuple[str, Function]]:
    for path in files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, Function):
                yield f"{path.relative_to(PACKAGE)}: {node.name}", node


def parameters(function: Function) -> int:
    """Return how many there are, without `self` and `cls`."""
    taken = function.args
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, *filter(None, (taken.vararg, taken.kwarg))]
    return len([it for it in named if it.arg not in ("self", "cls")])


def test_no_function_is_longer_than_a_page() -> None:
    long = {name: it.end_lineno - it.lineno + 1 for name, it in functions() if it.end_lineno}
    assert {name: lines for name, lines in long.items() if lines > LONGEST_FUNCTION} == {}


def test_no_file_has_more_lines_than_one_can_keep_in_mind() -> None:
    lines = {str(path.relative_to(PACKAGE)): path.read_text("utf-8").count("\n") for path in files()}
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}


def test_few_functions_have_many_parameters() -> None:
    many = [name for name, it in functions() if parameters(it) >= MANY_PARAMETERS]
    assert len(many) <= MOST_OF_THEM, many
