"""Reference implementation of the message layout (docs/protocol.md, section 3)."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import msgpack
import numpy as np

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage, MessageTooLarge, WrongVersion
from coopsim.geometry import Floats
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

_FIELDS = 9
_ENVELOPE = (int, int, str, int, int, str, int)
_NAMES = ("version", "id", "target", "tick", "error", "text", "command")
_FLOATS, _NUMBERS, _PARAMS = {float}, {float, int}, {float, int, str}


def encode(message: Message) -> bytes:
    """Return the bytes that carry `message`; `text` is cut to its limit.

    Raises:
        BadArgument: A field is of a type, or an integer of a size, that no message can carry.
        MessageTooLarge: A field, or the whole, is over its limit.
    """
    text = message.text
    if len(text) > MAX_TEXT_BYTES // 4 or not text.isascii():
        text = text.encode(errors="replace")[:MAX_TEXT_BYTES].decode(errors="ignore")
    head = (VERSION, message.id, message.target, message.tick, message.error, text, message.command)
    try:
        packed: bytes = msgpack.packb((*head, message.params, _packed(message)))
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
        return np.ascontiguousarray(given, dtype="<f8").tobytes()
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
    fields = _unpack(raw)
    try:
        _check_envelope(fields)
        params, data = _params(fields[7]), _data(fields[8])
    except CoopsimError as problem:
        problem.request = _readable(fields)
        raise
    _, number, target, tick, error, text, command = fields[:7]
    return Message(target, command, params, data, tick, error, text, number, type(fields[8]) is bytes)


def _unpack(raw: bytes) -> list[Any]:
    size = len(raw)
    if size > MAX_BYTES:
        raise MessageTooLarge(f"a message is at most {MAX_BYTES} bytes, this one has {size}")
    try:
        # an array header makes room for its whole length at once, so no array may claim more than the message holds
        fields = msgpack.unpackb(raw, max_array_len=min(size, MAX_DATA), max_map_len=0, max_ext_len=0)
    except Exception as problem:  # msgpack raises six unrelated kinds; all mean the same here
        if size > MAX_DATA:
            _refuse_long_array(raw)
        raise MalformedMessage(f"not a msgpack array: {type(problem).__name__} {problem}"[:200].rstrip()) from None
    if type(fields) is not list or len(fields) < _FIELDS:
        came = f"an array of {len(fields)}" if type(fields) is list else type(fields).__name__
        raise MalformedMessage(f"expected an array of {_FIELDS} fields, got {came}")
    return fields


def _refuse_long_array(raw: bytes) -> None:
    """Raise MessageTooLarge if `raw` could not be read because its params or data are too many."""
    parts = msgpack.Unpacker(max_buffer_size=MAX_BYTES, max_array_len=0, max_map_len=0, max_ext_len=0)
    parts.feed(raw)
    try:
        if parts.read_array_header() < _FIELDS:
            return
        fields = [parts.unpack() for _ in _ENVELOPE]
        params = parts.read_array_header()
        for _ in range(min(params, MAX_PARAMS)):
            parts.skip()
        data = 0 if params > MAX_PARAMS else parts.read_array_header()
    except Exception:  # it is not a long array that is wrong, so the caller's error says it better
        return
    if params > MAX_PARAMS or data > MAX_DATA:
        problem = MessageTooLarge(f"at most {MAX_PARAMS} params and {MAX_DATA} data values, got {params} and {data}")
        problem.request = _readable([*fields, [], []])
        raise problem


def _check_envelope(fields: list[Any]) -> None:
    kinds = tuple(map(type, fields[:7]))
    if kinds != _ENVELOPE:
        place = next(i for i, kind in enumerate(_ENVELOPE) if kinds[i] is not kind)
        wanted, came = _ENVELOPE[place].__name__, kinds[place].__name__
        raise MalformedMessage(f"field {place} ({_NAMES[place]}) must be {wanted}, got {came}")
    version, number, target, tick, error, text, command = fields[:7]
    if version != VERSION:
        raise WrongVersion(f"this side speaks version {VERSION}, the message is version {version}")
    if number < 0 or tick < 0 or error < 0 or command < 0:
        raise MalformedMessage("id, tick, error and command are never negative")
    if _is_over(text, MAX_TEXT_BYTES) or _is_over(target, MAX_TARGET_BYTES):
        raise MessageTooLarge(f"text is at most {MAX_TEXT_BYTES} bytes, a target at most {MAX_TARGET_BYTES}")


def _is_over(text: str, limit: int) -> bool:
    """Say whether `text` takes more than `limit` bytes."""
    return len(text) > limit // 4 and len(text.encode()) > limit


def _readable(fields: list[Any]) -> Message:
    """Return what of a refused request a reply can echo."""
    _, number, target, _, _, _, command = fields[:7]
    return Message(
        target if type(target) is str and not _is_over(target, MAX_TARGET_BYTES) else "",
        command if type(command) is int and command >= 0 else 0,
        id=number if type(number) is int and number >= 0 else 0,
        binary=type(fields[8]) is bytes,
    )


def _params(given: Any) -> tuple[Param, ...]:
    if not given and type(given) is list:
        return ()
    if type(given) is not list:
        raise MalformedMessage(f"field 7 (params) must be an array, got {type(given).__name__}")
    if len(given) > MAX_PARAMS:
        raise MessageTooLarge(f"at most {MAX_PARAMS} params, got {len(given)}")
    if not set(map(type, given)) <= _PARAMS:
        place, kind = next((i, type(value).__name__) for i, value in enumerate(given) if type(value) not in _PARAMS)
        raise BadArgument(f"params[{place}] must be int, float or str, got {kind}")
    for place, value in enumerate(given):
        if type(value) is float and not isfinite(value):
            raise BadArgument(f"params[{place}] is {value}; numbers must be finite")
        if type(value) is str and _is_over(value, MAX_PARAM_BYTES):
            raise MessageTooLarge(f"params[{place}] is longer than {MAX_PARAM_BYTES} bytes")
    return tuple(given)


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


_SHORT = 256  # bytes below which Python is faster than an array


def _binary(given: bytes) -> Floats:
    if len(given) % 8:
        raise MalformedMessage(f"binary data must hold whole float64, got {len(given)} bytes")
    if len(given) > 8 * MAX_DATA:
        raise MessageTooLarge(f"at most {MAX_DATA} data values, got {len(given) // 8}")
    values = np.frombuffer(given, dtype="<f8")
    is_finite = all(map(isfinite, values.tolist())) if len(given) < _SHORT else bool(np.isfinite(values).all())
    if not is_finite:
        place = int(np.argmin(np.isfinite(values)))
        raise BadArgument(f"data[{place}] is {values[place]}; numbers must be finite")
    return values.astype(np.float64, copy=False)
