"""As much of JSON Schema (draft 2020-12) as the schemas of the protocol use."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMAS = json.loads(Path(__file__).with_name("schemas.json").read_text(encoding="utf-8"))
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def mistakes(value: Any, name: str) -> list[str]:
    """Return where `value` is not what the schema of this name says."""
    return list(_mistakes(value, SCHEMAS[name], SCHEMAS[name], name))


def _mistakes(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{place}: {value!r} is no {' or '.join(kinds)}"
        return
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place}: {value!r} is below {schema['minimum']}"
    for part, inside, what in _parts(value, schema):
        yield from _mistakes(part, inside, root, f"{place}.{what}")
    for member in schema.get("required", []):
        if member not in value:
            yield f"{place}: {member} is missing"


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _parts(value: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any], Any]]:
    if isinstance(value, list):
        for number, part in enumerate(value):
            first = schema.get("prefixItems", [])
            yield part, first[number] if number < len(first) else schema.get("items", {}), number
    elif isinstance(value, dict):
        for member, part in value.items():
            inside = schema.get("properties", {}).get(member, schema.get("additionalProperties", {}))
            yield part, inside, member
