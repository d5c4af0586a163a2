"""Reference implementation of the message layout."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import msgpack
import numpy as np

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage, MessageTooLarge, WrongVersion
from coopsim.geometry import Floats

VERSION = 1
MAX_BYTES = 1 << 20
MAX_PARAMS = 4096
MAX_DATA = 65_536
MAX_TEXT_BYTES = 1024
MAX_PARAM_BYTES = 256 * 1024
_FIELDS = 9

Param: TypeAlias = int | float | str


@dataclass(frozen=True, slots=True)
class Message:
    """One request or one reply between a client and a module.

    Source: CoopDynSim, section III and Fig. 2.

    Attributes:
        target: Name of the module, `/robot1/motors`.
        command: Number of the command within the module's interface.
        params: The M parameters, in the order the interface lists them.
        data: The N data values, SI units, angles in radians; any sequence or array of floats.
        tick: The step a request is meant for (0 = next); the tick a reply speaks of.
        error: 0 for success, otherwise a number from `coopsim.errors`.
        text: Explanation for people. Programs must not parse it.
        id: Chosen by the client, echoed in the reply.
        binary: Whether `data` travels as little-endian bytes; a reply uses the request's form.
    """

    target: str
    command: int = 0
    params: tuple[Param, ...] = ()
    data: Sequence[float] | Floats = ()
    tick: int = 0
    error: int = 0
    text: str = ""
    id: int = 0
    binary: bool = False

    def reply(
        self, params: tuple[Param, ...] = (), data: Sequence[float] | Floats = (), *, tick: int = 0, text: str = ""
    ) -> "Message":
        """Return the successful reply to this request."""
        return Message(self.target, self.command, params, data, tick, 0, text, self.id, self.binary)

    def refusal(self, problem: CoopsimError, *, tick: int = 0, params: tuple[Param, ...] = ()) -> "Message":
        """Return the reply that says why this request failed."""
        return Message(self.target, self.command, params, (), tick, problem.code, str(problem), self.id, self.binary)


def encode(message: Message) -> bytes:
    """Return the bytes that carry `message`; `text` is cut to its limit."""
    data: Any
    if message.binary:
        data = np.ascontiguousarray(message.data, dtype="<f8").tobytes()
    elif isinstance(message.data, np.ndarray):
        data = message.data.tolist()
    else:
        data = [float(value) for value in message.data]
    text = message.text
    if len(text) > MAX_TEXT_BYTES // 4:
        text = text.encode()[:MAX_TEXT_BYTES].decode(errors="ignore")
    fields = (
        VERSION,
        message.id,
        message.target,
        message.tick,
        message.error,
        text,
        message.command,
        message.params,
        data,
    )
    packed: bytes = msgpack.packb(fields)
    return packed


def decode(raw: bytes) -> Message:
    """Return the message that `raw` carries.

    Raises:
        MalformedMessage: `raw` is empty, cut short, not msgpack, or a field has the wrong type.
        WrongVersion: The message speaks another version.
        MessageTooLarge: A field is over its limit.
        BadArgument: A parameter or datum is of a refused type, or a datum is not finite.

    An error raised for a readable envelope carries it as `error.request` (see `failure`).
    """
    fields = _unpack(raw)
    request = _envelope(fields)
    try:
        return replace(request, params=_params(fields[7]), data=_data(fields[8]), binary=isinstance(fields[8], bytes))
    except CoopsimError as problem:
        problem.request = request
        raise


def failure(problem: CoopsimError) -> Message:
    """Return the reply to a request that `decode` refused: id and target are echoed where they could be read."""
    request: Message = problem.request or Message("")
    return request.refusal(problem)


def _unpack(raw: bytes) -> list[Any]:
    if len(raw) > MAX_BYTES:
        raise MessageTooLarge(f"a message is at most {MAX_BYTES} bytes, this one has {len(raw)}")
    try:
        fields = msgpack.unpackb(
            raw,
            max_array_len=MAX_DATA,
            max_str_len=MAX_PARAM_BYTES,
            max_bin_len=8 * MAX_DATA,
            max_map_len=0,
            max_ext_len=0,
        )
    except Exception as problem:  # msgpack raises six unrelated kinds; all mean the same here
        raise MalformedMessage(f"not a msgpack array: {type(problem).__name__} {problem}"[:200]) from None
    if not isinstance(fields, list) or len(fields) < _FIELDS:
        came = f"an array of {len(fields)}" if isinstance(fields, list) else type(fields).__name__
        raise MalformedMessage(f"expected an array of {_FIELDS} fields, got {came}")
    return fields


_ENVELOPE = (
    (0, "version", int),
    (1, "id", int),
    (2, "target", str),
    (3, "tick", int),
    (4, "error", int),
    (5, "text", str),
    (6, "command", int),
)


def _envelope(fields: list[Any]) -> Message:
    for place, name, kind in _ENVELOPE:
        if type(fields[place]) is not kind:
            raise MalformedMessage(
                f"field {place} ({name}) must be {kind.__name__}, got {type(fields[place]).__name__}"
            )
    version, number, target, tick, error, text, command = fields[:7]
    request = Message(target[:256], command, (), (), tick, error, text, number)
    if version != VERSION:
        problem: CoopsimError = WrongVersion(f"this side speaks version {VERSION}, the message is version {version}")
    elif min(number, tick, command) < 0:
        problem = MalformedMessage("id, tick and command are never negative")
    elif len(text) > MAX_TEXT_BYTES or len(target) > 256:
        problem = MessageTooLarge(f"text is at most {MAX_TEXT_BYTES} bytes, a target at most 256")
    else:
        return request
    problem.request = request
    raise problem


def _params(given: Any) -> tuple[Param, ...]:
    if type(given) is not list:
        raise MalformedMessage(f"field 7 (params) must be an array, got {type(given).__name__}")
    if len(given) > MAX_PARAMS:
        raise MessageTooLarge(f"at most {MAX_PARAMS} params, got {len(given)}")
    for place, value in enumerate(given):
        if type(value) is float:
            if not math.isfinite(value):
                raise BadArgument(f"params[{place}] is {value}; numbers must be finite")
        elif type(value) is not int and type(value) is not str:
            raise BadArgument(f"params[{place}] must be int, float or str, got {type(value).__name__}")
    return tuple(given)


def _data(given: Any) -> Sequence[float] | Floats:
    if type(given) is bytes:
        return _binary(given)
    if type(given) is not list:
        raise MalformedMessage(f"field 8 (data) must be an array or bin, got {type(given).__name__}")
    kinds = set(map(type, given))
    if not kinds <= {float, int}:
        place, value = next((i, v) for i, v in enumerate(given) if type(v) is not float and type(v) is not int)
        raise BadArgument(f"data[{place}] must be a number, got {type(value).__name__}")
    values = given if int not in kinds else list(map(float, given))
    if not all(map(math.isfinite, values)):
        place = next(i for i, v in enumerate(values) if not math.isfinite(v))
        raise BadArgument(f"data[{place}] is {values[place]}; numbers must be finite")
    return values


def _binary(given: bytes) -> Floats:
    if len(given) % 8:
        raise MalformedMessage(f"binary data must hold whole float64, got {len(given)} bytes")
    values = np.frombuffer(given, dtype="<f8")
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise BadArgument(f"data[{place}] is {values[place]}; numbers must be finite")
    return values.astype(np.float64, copy=False)
