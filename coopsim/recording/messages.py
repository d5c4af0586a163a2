"""The messages of a recording, decoded and compared with what they should be before anybody uses them."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypedDict, cast

import msgpack

from coopsim.recording.limits import MOST_EDITS_BYTES, MOST_RECORDS
from coopsim.state.edits import AppliedEdit
from coopsim.state.plain import Count, Misfit, check, unpack

_MOST_FIELDS = 64  # of a header that somebody else may have written
_Span = tuple[Count, Count]


class Table(TypedDict):
    """A table as it stands in a message, see `tables`."""

    sums: bytes
    planes: bytes
    bytes: int


class Ticks(TypedDict):
    """A message of `/coopsim/ticks`."""

    records: Annotated[int, 1, MOST_RECORDS]
    generation: Count
    gap: Count
    tick: _Span
    position_ns: _Span
    revision: _Span
    hashes: bytes
    heads: Table
    speed: Table
    poses: Table
    twists: Table
    readings: Table
    commands: Table


class _Companion(TypedDict):
    row: Count
    tick: Count
    time_ns: Count


class EditsMessage(_Companion):
    """A message of `/coopsim/edits`."""

    edits: list[dict[str, Any]]


class KeyFrameMessage(_Companion):
    """A message of `/coopsim/keyframes`."""

    state: bytes


def ticks_of(raw: bytes) -> Ticks:
    """Return what a message of `/coopsim/ticks` says.

    Raises:
        ValueError: It is none.
    """
    decoded = _read(raw, _TICKS)
    check(decoded, Ticks)
    ticks = cast("Ticks", decoded)
    first, last = ticks["position_ns"]
    if first > last:
        raise ValueError(f"position_ns: expected the first and the last one, found {first} and {last}")
    return ticks


def edits_of(raw: bytes) -> EditsMessage:
    """Return what a message of `/coopsim/edits` says.

    Raises:
        ValueError: It is none.
    """
    if len(raw) > MOST_EDITS_BYTES:
        raise ValueError(f"expected at most {MOST_EDITS_BYTES} bytes of edits, found {len(raw)}")
    decoded = unpack(raw)
    check(decoded, EditsMessage)
    return cast("EditsMessage", decoded)


def applied_edits(message: EditsMessage) -> list[AppliedEdit]:
    """Return the edits of a message.

    Raises:
        ValueError: One does not hold what its name promises.
    """
    return [_applied(index, plain) for index, plain in enumerate(message["edits"])]


def _applied(index: int, plain: dict[str, Any]) -> AppliedEdit:
    try:
        return AppliedEdit.from_plain(plain)
    except Misfit as problem:
        raise problem.within(f"edits[{index}]") from None


def keyframe_of(raw: bytes) -> KeyFrameMessage:
    """Return what a message of `/coopsim/keyframes` says.

    Raises:
        ValueError: It is none.
    """
    decoded = _read(raw, _KEYFRAME)
    check(decoded, KeyFrameMessage)
    return cast("KeyFrameMessage", decoded)


# a map of known fields: nothing but what is expected is ever made of the bytes

_Reader = Callable[[Any], Any]


def _value(unpacker: Any) -> Any:
    return unpacker.unpack()


def _span(unpacker: Any) -> Any:
    count = unpacker.read_array_header()
    if count != 2:
        raise ValueError(f"expected the first and the last one, found {count} values")
    return [unpacker.unpack() for _ in range(count)]


def _table(unpacker: Any) -> Any:
    return _fields(unpacker, dict.fromkeys(Table.__annotations__, _value))


_TICKS: Mapping[str, _Reader] = {
    **dict.fromkeys(("records", "generation", "gap", "hashes"), _value),
    **dict.fromkeys(("tick", "position_ns", "revision"), _span),
    **dict.fromkeys(("heads", "speed", "poses", "twists", "readings", "commands"), _table),
}
_KEYFRAME: Mapping[str, _Reader] = dict.fromkeys(("row", "tick", "time_ns", "state"), _value)


def _read(raw: bytes, readers: Mapping[str, _Reader]) -> dict[str, Any]:
    size = max(1, len(raw))
    unpacker = msgpack.Unpacker(max_buffer_size=size, max_bin_len=size, max_array_len=0, max_map_len=0)
    unpacker.feed(raw)
    try:
        return _fields(unpacker, readers)
    except (msgpack.UnpackException, ValueError, OverflowError) as problem:
        raise ValueError(f"it cannot be unpacked: {problem or type(problem).__name__}") from None


def _fields(unpacker: Any, readers: Mapping[str, _Reader]) -> dict[str, Any]:
    count = unpacker.read_map_header()
    if count > _MOST_FIELDS:
        raise ValueError(f"expected a map of {len(readers)} fields, found {count}")
    values: dict[str, Any] = {}
    for _ in range(count):
        name = unpacker.unpack()
        if name in readers:
            values[name] = readers[name](unpacker)
        else:
            unpacker.skip()
    return values
