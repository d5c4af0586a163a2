"""Rewrites the generated parts of the pages in this folder and of the README: `python docs/generate.py`.

A part stands between `<!-- generated: KIND ARGUMENT -->` and `<!-- end -->`; a test sees to it that all are up to date.
"""

import inspect
import json
import math
import re
from pathlib import Path
from typing import Any

import msgpack
import parts_clients
import parts_commands
import parts_errors
import parts_figures
import parts_gateways
import parts_scenes

import coopsim.interfaces
from coopsim import plugins
from coopsim.errors import CoopsimError, all_errors
from coopsim.interfaces import COMMON, Command, Field, Interface, Parameter

FOLDER = Path(__file__).parent
VECTORS = FOLDER.parent / "tests" / "conformance" / "vectors.json"
_SCHEMAS = json.loads((VECTORS.parent / "schemas.json").read_text(encoding="utf-8"))
_PART = re.compile(r"(<!-- generated: (\S+) ?([^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_NAMES = ("version", "id", "target", "tick", "error", "text", "command", "params", "data")
_DEPENDING = ("system", "leaf", "data")
"""Kinds whose interface depends on the system of components that the device runs; docs/components.md has them."""
_OFFERED = [
    *vars(coopsim.interfaces).values(),
    *(plugins.load("interfaces", name) for name in plugins.registered("interfaces")),
]
_INTERFACES = {var.kind: var for var in _OFFERED if isinstance(var, Interface) and var.kind not in _DEPENDING}


def rewritten(page: str) -> str:
    """Return `page` with its generated parts as they should be."""
    return _PART.sub(lambda part: f"{part[1]}{_KINDS[part[2]](part[3])}\n{part[4]}", page)


def _interface(kind: str) -> str:
    interface = _INTERFACES[kind]
    lines = [interface.summary, "", *_commands(kind, interface.commands)]
    if interface.parameters:
        lines += ["", "| parameter | type | unit | default | range | meaning |", "|---|---|---|---|---|---|"]
        lines += [_parameter(parameter) for parameter in interface.parameters]
    return "\n".join(lines)


def _common(_: str) -> str:
    return "\n".join(_commands("", COMMON))


def _commands(kind: str, commands: tuple[Command, ...]) -> list[str]:
    lines = ["| number | command | takes | gives | effect | errors | meaning |", "|---|---|---|---|---|---|---|"]
    for command in commands:
        name, errors = f"`{command.name}`", parts_errors.errors_of(kind, command)
        cells = (
            str(int(command.number)),
            name,
            _fields(command.takes),
            _fields(command.gives),
            command.effect.value,
            errors,
            command.summary,
        )
        lines.append(_row(*cells))
    return lines


def _fields(fields: tuple[Field, ...]) -> str:
    return "<br>".join(map(_field, fields)) or "-"


def _field(field: Field) -> str:
    many = {1: "", 0: " …"}.get(field.count if isinstance(field.count, int) else -1, f" times {field.count}")
    unit = f" [{field.wire_unit}]" if field.wire_unit else ""
    default = "" if field.default is None else f" = {field.default!r}".replace("''", '""')
    about = "; ".join(filter(None, (_allowed(field), field.summary)))
    return f"`{field.name}`{many}{unit}{default}" + (f": {about}" if about else "")


def _allowed(field: Field) -> str:
    """Return the choices of a field, or its limits."""
    if field.choices:
        *choices, last = map(str, field.choices)
        return f"{', '.join(choices)} or {last}"
    low, high = (f"{limit:g}" if math.isfinite(limit) else "" for limit in (field.low, field.high))
    return f"{low} to {high}" if low and high else f"at least {low}" if low else ""


def _parameter(parameter: Parameter) -> str:
    low, high = (f"{limit:g}" if math.isfinite(limit) else "" for limit in (parameter.low, parameter.high))
    limits = ", ".join(map(str, parameter.choices)) or (f"{low} to {high}" if low or high else "any")
    default = json.dumps(parameter.default)
    meaning = parameter.summary + (" (fixed)" if parameter.fixed else "")
    return _row(f"`{parameter.name}`", parameter.kind.__name__, parameter.unit, default, limits, meaning)


def _errors(_: str) -> str:
    lines = ["| number | name | meaning | params | cure |", "|---|---|---|---|---|"]
    for number, error in all_errors().items():
        if number >= 100:
            cure = "" if error.cure == CoopsimError.cure else error.cure
            meaning = inspect.cleandoc(error.__doc__ or "").splitlines()[0]
            lines.append(_row(str(number), error.__name__, meaning, error.brings or "-", cure))
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _bytes(name: str) -> str:
    """Return the bytes of a vector, field by field."""
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["good"]
    raw = bytes.fromhex(next(case["hex"] for case in cases if case["name"] == name))
    lines = [f"{raw[:1].hex():<30}an array of nine"]
    fields = msgpack.unpackb(raw)
    for field, value in zip(_NAMES, fields, strict=True):
        lines += _field_lines(field, value)
    return "\n".join(["```text", *lines, "```"])


def _field_lines(field: str, value: Any) -> list[str]:
    raw = msgpack.packb(value).hex(" ")
    if isinstance(value, list) and value:
        items = [line for item in value for line in _byte_lines("  ", msgpack.packb(item), _item(item))]
        return [f"{raw[:2]:<30}{field}: {len(value)} of them", *items]
    shown = value.hex() if isinstance(value, bytes) else json.dumps(value)
    return _byte_lines("", msgpack.packb(value), f"{field} {shown}")


def _item(value: Any) -> str:
    return f"{value!r}".replace("'", '"')


def _byte_lines(indent: str, raw: bytes, meaning: str) -> list[str]:
    """Return lines of at most nine bytes each, with what they mean behind the first."""
    rows = [indent + raw[at : at + 9].hex(" ") for at in range(0, len(raw), 9)]
    return [f"{rows[0]:<30}{meaning}", *rows[1:]]


def _schema(name: str) -> str:
    """Return a JSON schema, one line per member of its outermost object."""
    members = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in _SCHEMAS[name].items() if key != "$defs"]
    parts = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in _SCHEMAS[name].get("$defs", {}).items()]
    if parts:
        members.append(' "$defs": {\n' + ",\n".join(parts) + "}")
    return "\n".join(["```text", "{", ",\n".join(members), "}", "```"])


_KINDS = {
    "gateway_topics": parts_gateways.topics,
    "gateway_commands": parts_gateways.commands,
    "gateway_services": parts_gateways.services,
    "gateway_ros2_services": parts_gateways.ros2_services,
    "schema": _schema,
    "interface": _interface,
    "common": _common,
    "clients": parts_clients.clients,
    "client_programs": parts_clients.programs,
    "errors": _errors,
    "bytes": _bytes,
    "commands": parts_commands.commands,
    "rooms": parts_commands.rooms,
    "figures": parts_figures.figures,
    "claims": parts_figures.claims,
    "machine": parts_figures.machine,
    "arms": parts_scenes.arms,
    "robots": parts_scenes.robots,
    "scenes": parts_scenes.pictures,
    "trials": parts_scenes.trials,
}


if __name__ == "__main__":
    for path in [FOLDER.parent / "README.md", *sorted(FOLDER.rglob("*.md"))]:
        before = path.read_text(encoding="utf-8")
        path.write_text(rewritten(before), encoding="utf-8")
