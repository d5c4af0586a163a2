"""Digests of what code means: of the function that holds a fault, and of a test with its helpers.

Comments, docstrings, line breaks, names of locals and the folders of files do not count. So a result outlives a move of
files, a reformatting and a renaming, and is out of date as soon as the function or the test does something else.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from mutants_faults import Fault

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PLACE = re.compile(r"\bcoopsim(?:[./]\w+)*(?=[./]\w)")
"""Folders or packages of a file of coopsim that a text names; the file itself counts."""


def digest_of_fault(fault: Fault, root: Path) -> str:
    """Return a digest of the function, or of the statements outside of functions, without and with the fault."""
    text = (root / fault.file).read_text(encoding="utf-8")
    if not fault.file.endswith(".py"):
        return _digest([" ".join(text.split()), " ".join(fault.source(root).split())])
    begin = text.index(fault.old)
    first = text.count("\n", 0, begin + len(fault.old) - len(fault.old.lstrip())) + 1
    last = text.count("\n", 0, begin + len(fault.old.rstrip())) + 1
    path, nodes = _held(ast.parse(text), first, last)
    broken = _named(ast.parse(fault.source(root)), path)
    after = [meaning(broken)] if broken else [" ".join(fault.new.split())]
    return _digest([*map(meaning, nodes), "with the fault", *after])


def digest_of_line(text: str, line: int) -> str:
    """Return a digest of the function, or of the statements outside of functions, that a line of a program is in."""
    return _digest(map(meaning, _held(ast.parse(text), line, line)[1]))


def digest_of_test(test: str, root: Path) -> str:
    """Return a digest of a test, named as pytest names it, and of all that it uses in its file."""
    file, _, name = test.partition("::")
    definitions = _definitions(root / file)
    left, used = [name], {name}
    while left:
        for node in definitions[left.pop()]:
            names = (_words(node) & definitions.keys()) - used
            used |= names
            left += sorted(names)
    return _digest(meaning(node, renames=False) for key in sorted(used) for node in definitions[key])


def short_name(test: str) -> str:
    """Return the name of a test without the folder of its file."""
    file, _, name = test.partition("::")
    return f"{Path(file).stem}::{name}"


def meaning(node: ast.AST, *, renames: bool = True) -> str:
    """Return what a piece of code means, as text.

    Args:
        node: A function, a class or a statement.
        renames: Whether names of parameters do not count. Those of tests do: they are fixtures.
    """
    names = {name: f"_{number}" for number, name in enumerate(_locals(node, renames))}
    return " ".join(_dumped(node, names))


def _dumped(node: object, names: dict[str, str]) -> Iterator[str]:
    """Yield the kinds and fields of a tree that are not empty, which all versions of Python have alike."""
    if isinstance(node, list):
        for part in node:
            yield from _dumped(part, names)
    elif not isinstance(node, ast.AST):
        yield _PLACE.sub("coopsim", repr(node))
    else:
        yield f"({type(node).__name__}"
        for field, value in ast.iter_fields(node):
            kept = _kept(node, field, value, names)
            if kept is not None and kept != []:
                yield field
                yield from _dumped(kept, names)
        yield ")"


def _kept(node: ast.AST, field: str, value: object, names: dict[str, str]) -> object:
    """Return what counts of a field."""
    if isinstance(node, ast.ImportFrom) and field in {"module", "level"}:
        return None
    if isinstance(node, ast.alias) and field == "name":
        return node.name.rpartition(".")[2]
    if field == "body" and isinstance(node, _Definition) and ast.get_docstring(node) is not None:
        return node.body[1:]
    if field in {"id", "arg", "name"} and isinstance(node, ast.Name | ast.arg | ast.ExceptHandler):
        return names.get(str(value), value)
    return value


def _locals(node: ast.AST, renames: bool) -> Iterator[str]:
    """Yield the names that a function itself gives, in the order in which they stand."""
    if not isinstance(node, _Function):
        return
    kept = {name for part in ast.walk(node) if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names}
    for part in _in_order(node):
        if isinstance(part, ast.arg):
            name, is_given = part.arg, renames
        elif isinstance(part, ast.Name):
            name, is_given = part.id, isinstance(part.ctx, ast.Store)
        else:
            name, is_given = getattr(part, "name", None) or "", isinstance(part, ast.ExceptHandler)
        if is_given and name not in kept:
            kept.add(name)
            yield name


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for part in ast.iter_child_nodes(node):
        yield from _in_order(part)


def _held(tree: ast.Module, first: int, last: int) -> tuple[list[str], list[ast.stmt]]:
    """Return the names of what holds these lines, from the outside, and the function or the statements in it."""
    path: list[str] = []
    body = tree.body
    while True:
        nodes = [node for node in body if _first_line(node) <= last and (node.end_lineno or 0) >= first]
        if len(nodes) != 1 or not isinstance(nodes[0], _Definition):
            return [], nodes
        path.append(nodes[0].name)
        if isinstance(nodes[0], _Function):
            return path, nodes
        body = nodes[0].body


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", ()))])


def _named(tree: ast.Module, path: list[str]) -> ast.stmt | None:
    """Return the function of these names; None = there is none."""
    nodes: list[ast.stmt] = list(tree.body)
    named: list[ast.stmt] = []
    for name in path:
        named = [node for node in nodes if isinstance(node, _Definition) and node.name == name]
        nodes = [part for node in named for part in getattr(node, "body", ())]
    return named[0] if len(named) == 1 else None


@cache
def _definitions(path: Path) -> dict[str, list[ast.stmt]]:
    """Return the statements of a file that give each name, those of tests in classes, too."""
    definitions: dict[str, list[ast.stmt]] = {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = [part for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    tests = [part for part in inner if isinstance(part, _Function) and part.name.startswith("test_")]
    for node in [*tree.body, *tests]:
        for name in _given(node):
            definitions.setdefault(name, []).append(node)
    return definitions


def _given(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module gives."""
    if isinstance(node, _Definition):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _words(node: ast.AST) -> set[str]:
    """Return all names in a tree, and those of fixtures in the texts of decorators."""
    words: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            words.add(part.id)
        elif isinstance(part, ast.arg):
            words.add(part.arg)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            words.add(part.value)
    return words


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
