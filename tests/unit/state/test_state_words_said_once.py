"""The names of edits and control messages stand in their declarations and nowhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import coopsim
from coopsim.state.edits import EDITS
from coopsim.transport.control import CONTROL

ROOT = Path(coopsim.__file__).parent
DECLARATIONS = ("state/edits", "transport/control", "interfaces")
NAMES = {*EDITS.names, *CONTROL.names}
MARKS = {EDITS.mark, CONTROL.mark}
OTHERS = {
    "testkit/own_bench/measuring/misbehaving.py": {"ready"},  # to processes of its own
    "testkit/bench/measuring/workers.py": {"answer"},
    "client/module_description.py": {"continue"},  # the keyword of Python
    "features/gateways/gateway.py": {"stop"},  # a command of motors
    "features/gateways/yarp/codec.py": {"step"},  # part of the names of a clock's commands elsewhere
    "features/export/tables.py": {"edit"},  # a column
    "features/amsa/laws/bound_modules.py": {"stop"},  # a command of motors
    "features/desktop/law_orders.py": {"stop"},  # a command of /sim/controllers
    "features/games/commands/playing.py": {"ready"},  # what a player says in a lobby
    "features/games/window/client.py": {"ready"},
    "features/games/logic/repeating.py": {"stop"},  # an order of squads
    "features/amsa/components/parsing.py": {"reset"},  # a statement of scenarios of components
    "testkit/fuzz/misfits.py": {"edit"},
    "features/desktop/console.py": {
        "edit",
        "get_parameter",
        "set_parameter",
    },  # a kind of line, and commands of modules
    "features/desktop/documents.py": {"start"},  # a command of the recorder's module
    "features/desktop/marks.py": {"edit"},
    "features/desktop/ui/console_panel.py": {"edit"},
}
"""The same words with another meaning, by file."""
CARRIERS = {"apply", "ask", "edit", "send", "send_packed"}
"""Functions that take an edit or a message."""


def texts(node: ast.AST | None) -> set[str]:
    """Return the text that an expression is, or the texts that it holds."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return set().union(*map(texts, node.elts))
    return set()


def said(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield each place where a name is matched, compared with, or handed over, and where a serialised form is made."""
    for node in ast.walk(tree):
        match node:
            case ast.MatchValue(value=value):
                names = texts(value) & NAMES
            case ast.Compare(left=left, comparators=others):
                names = set().union(*map(texts, (left, *others))) & NAMES
            case ast.Dict(keys=keys):
                names = set().union(*map(texts, keys)) & MARKS
            case ast.Subscript(slice=key):
                names = texts(key) & MARKS
            case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[key, *_]):
                names = texts(key) & MARKS
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[*arguments]) if name in CARRIERS:
                names = set().union(*map(texts, arguments)) & NAMES
            case _:
                continue
        yield from ((node, name) for name in names)


def test_no_name_of_an_edit_or_a_control_message_stands_outside_its_declaration() -> None:
    repeated = []
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if not file.startswith(DECLARATIONS):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            words = [(node, name) for node, name in said(tree) if name not in OTHERS.get(file, ())]
            repeated += [f"{file}:{getattr(node, 'lineno', 0)}: {name}" for node, name in words]
    assert repeated == []


def test_the_search_finds_every_form() -> None:
    code = """
match edit["edit"]:
    case "pause" | "continue":
        link.edit("insert", {"text": ""})
if message in {"ready", "stop"} or {"edit": "reset"} or edit.get("edit"):
    channel.send("start")
"""
    assert sorted(name for _, name in said(ast.parse(code))) == sorted(
        ["edit", "pause", "continue", "insert", "ready", "stop", "edit", "edit", "start"]
    )
