"""Structures as code that YARP generates out of its interface descriptions sends and reads them.

They are bottles, but for two things: a list tells the kind of each item, even if all are alike, save for vectors of
numbers; and some answers are no bottles at all.

Source: WireWriter, ReturnValue, Vector and ApplicationNetworkProtocolVersion of YARP 4.
"""

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from coopsim.features.gateways.yarp.bottle import FLOAT64, INT32, LIST, STRING, VOCAB32, Value, Vocab

OK: Final = Vocab("ok")
NOT_IMPLEMENTED, METHOD_FAILED, OUT_OF_BOUNDS = Vocab("err2"), Vocab("err5"), Vocab("err7")
"""Words of YARP's ReturnValue."""


class Structure(NamedTuple):
    """A structure.

    Attributes:
        raw: Its bytes.
        values: As text carriers show it.
    """

    raw: bytes
    values: list[Value]


PROTOCOL_VERSION: Final = Structure(struct.pack("<ii4h", LIST, 1, 0, 0, 0, 0), [0, 0, 0, 0])
"""Version of the interface, which clients compare with their own, and of YARP, which they do not: this is none."""


def structure(fields: Sequence[Value]) -> Structure:
    """Return a structure; a list of numbers is a vector, other lists are structures within it."""
    return Structure(_packed(fields), list(fields))


def result(word: Vocab, *fields: Value) -> Structure:
    """Return the answer to a call: how it went, and what it gives."""
    return structure([[word], *fields] if fields else [word])


def _packed(fields: Sequence[Value]) -> bytes:
    return struct.pack("<ii", LIST, len(fields)) + b"".join(_item(field) for field in fields)


def _item(value: Value) -> bytes:
    if isinstance(value, list):
        numbers = [item for item in value if isinstance(item, float)]
        if value and len(numbers) == len(value):
            return struct.pack(f"<ii{len(numbers)}d", LIST + FLOAT64, len(numbers), *numbers)
        return _packed(value)
    if isinstance(value, Vocab):
        return struct.pack("<i4s", VOCAB32, value.encode("latin-1"))
    if isinstance(value, str):
        raw = value.encode()
        return struct.pack("<ii", STRING, len(raw)) + raw
    return struct.pack("<id", FLOAT64, value) if isinstance(value, float) else struct.pack("<ii", INT32, value)
