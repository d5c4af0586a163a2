"""Reference implementation of the message layout (docs/protocol.md, section 3)."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import msgpack
import numpy as np

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage, MessageTooLarge
from coopsim.geometry import Floats, all_finite
from coopsim.message._fields import FIELDS, REPEATED, is_over, read_fields
from coopsim.message._message import (
    MAX_BYTES,
    MAX_DATA,
    MAX_PARAM_BYTES,
    MAX_PARAMS,
    MAX_TARGET_BYTES,
    MAX_TEXT_BYTES,
    VERSION,
    Message,
    Param,
)

_FLOAT64 = np.dtype("<f8")
# one for all, since making a packer takes twice as long as packing; nothing interrupts a thread in the compiled one
_pack = msgpack.packb if msgpack.Packer.__module__.endswith("fallback") else msgpack.Packer().pack
_FEW = 16
"""Params that are looked at one by one."""
_INTEGERS, _FLOATS, _NUMBERS, _PARAMS = {int}, {float}, {float, int}, {float, int, str}


def encode(message: Message, number: int = 0, run: int = 0) -> bytes:
    """Return the bytes that carry `message`; `text` is cut to its limit.

    Args:
        message: What to send.
        number: Id that a connection gives it; 0 = its own.
        run: Run that a connection means it for; 0 = its own.

    Raises:
        BadArgument: A field is of a type, or an integer of a size, that no message can carry.
        MessageTooLarge: A field, or the whole, is over its limit.
    """
    text = message.text
    if len(text) > MAX_TEXT_BYTES // 4 or not text.isascii():
        text = text.encode(errors="replace")[:MAX_TEXT_BYTES].decode(errors="ignore")
    head = (VERSION, number or message.id, message.target, message.tick, message.error, text, message.command)
    try:
        fields = (*head, message.params, _packed(message))
        run = run or message.run
        packed: bytes = _pack((*fields, run) if run else fields)
    except (TypeError, ValueError, OverflowError) as problem:
        raise BadArgument(f"no message can carry this: {problem}"[:200]) from None
    if len(packed) > MAX_BYTES or len(message.params) > MAX_PARAMS:
        raise MessageTooLarge(f"a message is at most {MAX_BYTES} bytes and {MAX_PARAMS} params")
    return packed


def _packed(message: Message) -> Any:
    """Return `data` in the form it travels in."""
    given = message.data
    if len(given) > MAX_DATA:
        raise MessageTooLarge(f"at most {MAX_DATA} data values, got {len(given)}")
    if message.binary:
        return np.asarray(given, _FLOAT64).tobytes()
    if isinstance(given, np.ndarray):
        return given.astype(np.float64, copy=False).ravel().tolist()
    return list(map(float, given))


def decode(raw: bytes) -> Message:
    """Return the message that `raw` carries.

    Raises:
        MalformedMessage: `raw` is empty, cut short, not msgpack, or a field has the wrong type.
        WrongVersion: The message speaks another version.
        MessageTooLarge: A field is over its limit.
        BadArgument: A parameter or datum is of a refused type, or a number is not finite.

    An error raised for a readable envelope carries it as `error.request` (see `failure`).
    """
    fields: list[Any] = []
    try:
        packed = read_fields(raw, fields)
        params, data = _params(fields[7]), _data(fields[8])
    except CoopsimError as problem:
        problem.request = _readable(fields)
        raise
    if packed:
        REPEATED.keep(packed, params)
    _, number, target, tick, error, text, command = fields[:7]
    run = _run(fields) if len(fields) > FIELDS else 0
    return Message(target, command, params, data, tick, error, text, number, type(fields[8]) is bytes, run)


def _readable(fields: list[Any]) -> Message:
    """Return what of a refused request a reply can echo."""
    _, number, target, _, _, _, command, _, data = [*fields[:FIELDS], *[None] * FIELDS][:FIELDS]
    return Message(
        target if type(target) is str and not is_over(target, MAX_TARGET_BYTES) else "",
        command if type(command) is int and command >= 0 else 0,
        id=number if type(number) is int and number >= 0 else 0,
        binary=type(data) is bytes,
    )


def _run(fields: list[Any]) -> int:
    """Return the run that the tenth field names, 0 if it names none."""
    given = fields[FIELDS]
    return given if type(given) is int and given > 0 else 0


def _params(given: Any) -> tuple[Param, ...]:
    if type(given) is tuple:  # they came before and were in order
        return given
    if not given and type(given) is list:
        return ()
    if type(given) is not list:
        raise MalformedMessage(f"field 7 (params) must be an array, got {type(given).__name__}")
    if len(given) > MAX_PARAMS:
        raise MessageTooLarge(f"at most {MAX_PARAMS} params, got {len(given)}")
    kinds = set(map(type, given))
    if kinds == _INTEGERS:
        return tuple(given)
    if not kinds <= _PARAMS:
        place, kind = next((i, type(value).__name__) for i, value in enumerate(given) if type(value) not in _PARAMS)
        raise BadArgument(f"params[{place}] must be int, float or str, got {kind}")
    if len(given) > _FEW and _are_fine(given):
        return tuple(given)
    for place, value in enumerate(given):
        if type(value) is float and not isfinite(value):
            raise BadArgument(f"params[{place}] is {value}; numbers must be finite")
        if type(value) is str and is_over(value, MAX_PARAM_BYTES):
            raise MessageTooLarge(f"params[{place}] is longer than {MAX_PARAM_BYTES} bytes")
    return tuple(given)


def _are_fine(given: list[Any]) -> bool:
    """Return whether many params are within their limits for sure, looked at all together."""
    longest = max(map(len, [value for value in given if type(value) is str]), default=0)
    return longest <= MAX_PARAM_BYTES // 4 and all(map(isfinite, [value for value in given if type(value) is float]))


def _data(given: Any) -> Sequence[float] | Floats:
    if type(given) is bytes:
        return _binary(given)
    if type(given) is not list:
        raise MalformedMessage(f"field 8 (data) must be an array or bin, got {type(given).__name__}")
    kinds = set(map(type, given))
    if not kinds <= _FLOATS:
        if not kinds <= _NUMBERS:
            place = next(i for i, value in enumerate(given) if type(value) not in _NUMBERS)
            raise BadArgument(f"data[{place}] must be a number, got {type(given[place]).__name__}")
        given = list(map(float, given))
    if not all(map(isfinite, given)):
        place = next(i for i, value in enumerate(given) if not isfinite(value))
        raise BadArgument(f"data[{place}] is {given[place]}; numbers must be finite")
    values: list[float] = given
    return values


def _binary(given: bytes) -> Floats:
    if len(given) % 8:
        raise MalformedMessage(f"binary data must hold whole float64, got {len(given)} bytes")
    if len(given) > 8 * MAX_DATA:
        raise MessageTooLarge(f"at most {MAX_DATA} data values, got {len(given) // 8}")
    values = np.frombuffer(given, _FLOAT64)
    if not all_finite(values):
        place = int(np.argmin(np.isfinite(values)))
        raise BadArgument(f"data[{place}] is {values[place]}; numbers must be finite")
    return values.astype(np.float64, copy=False)
