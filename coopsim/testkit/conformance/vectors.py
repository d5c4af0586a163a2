"""The vectors: bytes and their meaning, by who has to do what with them.

`client decodes`: the bytes mean these fields. `client encodes`: bytes that mean these fields are to be made, whatever
their form. `server refuses`: a server answers the bytes with this error, echoing this id and target.
`subscriber decodes`: a frame of the state stream. `client reads a layout`: a reply to LAYOUT. `receiver divides`: bytes
of a TCP connection.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgpack

from coopsim.message import VERSION, Message, encode
from coopsim.testkit.conformance.cases import BAD, GOOD, MOTORS, OTHER_FORMS
from coopsim.testkit.conformance.limits import BEYOND, INSIDE
from coopsim.testkit.conformance.streams import layouts, state_frames, streams
from coopsim.testkit.conformance.values import meaning, request, written

DECODES, ENCODES, REFUSES = "client decodes", "client encodes", "server refuses"
STATES, LAYOUTS, STREAMS = "subscriber decodes", "client reads a layout", "receiver divides"
ABOUT = (
    "Good cases: the bytes decode to these fields; where `canonical` is true, encoding the fields gives these bytes. "
    "Bad cases: a server answers them with `error`, echoing `id` and `target`. "
    "Integers reach 2^64 - 1: read them as integers, not as floats."
)
_FIELDS = {
    DECODES: ("id", "target", "tick", "error", "text", "command", "params", "data"),
    ENCODES: ("id", "target", "tick", "command", "params", "data", "run"),
    REFUSES: ("error", "id", "target"),
    STATES: (
        *("topic", "tick", "time", "generation", "revision", "mode", "paused", "ended", "run"),
        *("names", "poses", "robots", "widths", "readings"),
    ),
    LAYOUTS: ("id", "generation", "run", "robots", "lengths"),
}
"""What the fields of a vector are called in `vectors.jsonl`."""
_REPEATED = re.compile(rb"(.{1,12}?)\1{63,}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Vector:
    """A case.

    Attributes:
        role: Who does what.
        name: Of the case.
        raw: The bytes; of an encoder one way to write them.
        fields: What they mean, as in `values`; of a refusal error, id and target.
        message: The meaning, None = the bytes are to be refused.
    """

    role: str
    name: str
    raw: bytes
    fields: str
    message: Message | None = None


def vectors() -> Iterator[Vector]:
    """Yield all cases."""
    forms = {name: (encode(message), message) for name, message in GOOD.items()} | OTHER_FORMS | INSIDE
    for name, (raw, message) in forms.items():
        yield Vector(DECODES, name, raw, meaning(message), message)
    for name, message in GOOD.items():
        if not message.error and not message.text and not message.binary:
            yield Vector(ENCODES, name, encode(message), request(message), message)
    for name, (raw, error, number, target) in (BAD | BEYOND).items():
        yield Vector(REFUSES, name, raw, "\t".join([written(error), written(number), written(target)]))
    for role, cases in ((STATES, state_frames()), (LAYOUTS, layouts()), (STREAMS, streams())):
        for name, raw, fields in cases:
            yield Vector(role, name, raw, fields)


def refusals(module: str) -> Iterator[Vector]:
    """Yield what servers refuse, with the name of a module that the server has."""
    for vector in vectors():
        if vector.role == REFUSES:
            raw = vector.raw.replace(msgpack.packb(MOTORS), msgpack.packb(module))
            yield replace(vector, raw=raw, fields=vector.fields.replace(written(MOTORS), written(module)))


def shortened(raw: bytes) -> str:
    """Return bytes in hex; what repeats itself is written as `HEX*COUNT` between blanks."""
    words, at = [], 0
    for match in _REPEATED.finditer(raw):
        words += [raw[at : match.start()].hex(), f"{match[1].hex()}*{len(match[0]) // len(match[1])}"]
        at = match.end()
    return " ".join(word for word in [*words, raw[at:].hex()] if word)


def lengthened(text: str) -> bytes:
    """Return the bytes of what `shortened` wrote."""
    parts = (word.partition("*") for word in text.split())
    return b"".join(bytes.fromhex(unit) * int(count or 1) for unit, _, count in parts)


def tab_separated() -> str:
    """Return all vectors, a line each: role, name, bytes in hex, then the fields."""
    lines = (f"{vector.role}\t{vector.name}\t{shortened(vector.raw)}\t{_short(vector.fields)}" for vector in vectors())
    return "# role, name, bytes; then what docs/conformance.md says; HEX*COUNT repeats\n" + "\n".join(lines) + "\n"


def json_lines() -> str:
    """Return all vectors, a JSON object each, with numbers as text."""
    return "".join(json.dumps(_object(vector), ensure_ascii=False) + "\n" for vector in vectors())


def _short(fields: str) -> str:
    return "\t".join(map(_short_list, fields.split("\t")))


def _short_list(field: str) -> str:
    values = field.split(" ")
    if len(values) >= 64 and len({*values}) == 1:
        return f"{values[0]}*{len(values)}"
    kind, _, rest = field.partition(":")
    return f"s:{shortened(bytes.fromhex(rest))}" if kind == "s" and len(values) == 1 and len(rest) > 1000 else field


def _object(vector: Vector) -> dict[str, Any]:
    document: dict[str, Any] = {"role": vector.role, "name": vector.name, "hex": shortened(vector.raw)}
    if vector.role == STREAMS:
        *messages, end = vector.fields.split("\t")
        return document | {"messages": messages, "end": end}
    return document | dict(zip(_FIELDS[vector.role], _short(vector.fields).split("\t"), strict=True))


def plain_json() -> dict[str, Any]:
    """Return the vectors of moderate size as they stand in `vectors.json`."""
    good = [(name, encode(message), message, True) for name, message in GOOD.items()]
    good += [(name, raw, message, False) for name, (raw, message) in OTHER_FORMS.items()]
    return {"about": ABOUT, "good": [_good(*case) for case in good], "bad": list(_bad(BAD.items()))}


def _good(name: str, raw: bytes, message: Message, canonical: bool) -> dict[str, Any]:
    return {
        "name": name,
        "hex": raw.hex(),
        "canonical": canonical,
        "version": VERSION,
        "id": message.id,
        "target": message.target,
        "tick": message.tick,
        "error": message.error,
        "text": message.text,
        "command": message.command,
        "params": list(message.params),
        "data": list(message.data),
        "binary": message.binary,
        "run": message.run,
    }


def _bad(cases: Iterable[tuple[str, tuple[bytes, int, int, str]]]) -> Iterator[dict[str, Any]]:
    for name, (raw, error, number, target) in cases:
        yield {"name": name, "hex": raw.hex(), "error": error, "id": number, "target": target}
