"""A class name has one meaning in the whole tree."""

import ast
from collections import defaultdict
from pathlib import Path

import coopsim

ROOT = Path(coopsim.__file__).parent
TWINS = {
    "Call": "module",
    "Client": "client",
    "Connection": "connection",
    "ConnectionPool": "pool",
    "EventStream": "events",
    "Module": "module",
    "Parameters": "module",
    "Robot": "robot",
    "Stepper": "stepper",
    "Stream": "stream",
    "TcpStateReceiver": "receivers",
    "ZmqStateReceiver": "receivers",
}
"""Classes of the blocking client that have a twin for asyncio, and the file of both."""


def files_of_classes() -> dict[str, list[str]]:
    """Return the files that define a class, by its name."""
    places_of = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places_of[node.name].append(path.relative_to(ROOT).as_posix())
    return places_of


def test_no_class_name_stands_twice_but_twins_for_asyncio() -> None:
    allowed = {name: [f"client/aio/{file}.py", f"client/{file}.py"] for name, file in TWINS.items()}
    assert {name: files for name, files in files_of_classes().items() if len(files) > 1} == allowed
