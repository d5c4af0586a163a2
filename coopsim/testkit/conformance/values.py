"""Messages as lines of text in which every number keeps its type and all of its bits.

`i:18446744073709551615` is an integer, `f:3fd3333333333333` a float64 by its bits, `s:726f626f7431` a text by its
UTF-8; a list is its values with blanks between them, the fields of a message are separated by tabs. So no parser of
JSON can round a number, and a language without one needs none.
"""

import struct
from collections.abc import Iterable

from coopsim.message import Message

Value = int | float | str


def written(value: Value) -> str:
    """Return one value as text."""
    if isinstance(value, str):
        return f"s:{value.encode().hex()}"
    if isinstance(value, int):
        return f"i:{value}"
    return f"f:{struct.pack('>d', value).hex()}"


def read(text: str) -> Value:
    """Return the value of a text.

    Raises:
        ValueError: It is none.
    """
    kind, _, rest = text.partition(":")
    if kind == "i":
        return int(rest)
    if kind == "s":
        return bytes.fromhex(rest).decode()
    if kind in {"f", "n"} and len(rest) == 16:
        return float(struct.unpack(">d", bytes.fromhex(rest))[0])
    raise ValueError(f"a value is i:NUMBER, f:16 HEX DIGITS or s:HEX, not {text!r}")


def alike(wanted: str, field: str) -> bool:
    """Return whether two fields mean the same; `n:` stands for an integer and for a float."""
    pairs = [*zip(wanted.split(), field.split(), strict=False)]
    return len(wanted.split()) == len(field.split()) and all(_alike(*pair) for pair in pairs)


def _alike(wanted: str, field: str) -> bool:
    if field.startswith("n:") and wanted[:2] in {"i:", "f:"}:
        return written(float(read(wanted))) == f"f:{field[2:]}"
    return wanted == field


def written_list(values: Iterable[Value]) -> str:
    """Return values with blanks between them."""
    return " ".join(map(written, values))


def read_list(text: str) -> tuple[Value, ...]:
    """Return the values of a list; ValueError when it is none."""
    return tuple(map(read, text.split()))


def meaning(message: Message) -> str:
    """Return what a decoder must find: id, target, tick, error, text, command, params, data."""
    head: tuple[Value, ...] = (message.id, message.target, message.tick, message.error, message.text, message.command)
    data = (float(value) for value in message.data)
    return "\t".join([*map(written, head), written_list(message.params), written_list(data)])


def request(message: Message) -> str:
    """Return what an encoder is given: id, target, tick, command, params, data, run."""
    head: tuple[Value, ...] = (message.id, message.target, message.tick, message.command)
    return "\t".join(
        [
            *map(written, head),
            written_list(message.params),
            written_list(float(value) for value in message.data),
            written(message.run),
        ]
    )
