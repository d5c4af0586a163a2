"""The message and its bytes: limits, echoes, forms of data (C-14 to C-22)."""

import struct
import sys
import tracemalloc

import msgpack
import numpy as np
import pytest

from coopsim.errors import BadArgument, CoopsimError, MalformedMessage, MessageTooLarge, NoSuchName, WrongVersion
from coopsim.message import (
    MAX_BYTES,
    MAX_DATA,
    MAX_PARAM_BYTES,
    MAX_PARAMS,
    MAX_TEXT_BYTES,
    Message,
    decode,
    encode,
    failure,
)
from coopsim.testkit import MALFORMED


def request(**changed: object) -> bytes:
    """Return the bytes of a request with some fields changed."""
    names = ("version", "id", "target", "tick", "error", "text", "command", "params", "data")
    fields = dict(zip(names, (1, 7, "/robot1/motors", 0, 0, "", 10, [], [0.3, 0.1]), strict=True)) | changed
    return msgpack.packb(list(fields.values()))


def refused(raw: bytes) -> tuple[CoopsimError, Message]:
    """Return the error that `raw` raises and the reply to it."""
    with pytest.raises(CoopsimError) as caught:
        decode(raw)
    return caught.value, decode(encode(failure(caught.value)))


def test_the_fields_travel_in_the_papers_order() -> None:
    """C-15 to C-20, C-22: error code, text, command, parameters, data; the counts of both stand before them."""
    message = Message("/robot1/motors", 10, (1, "a"), (0.5,), tick=3, error=2, text="why", id=9)
    assert msgpack.unpackb(encode(message)) == [1, 9, "/robot1/motors", 3, 2, "why", 10, [1, "a"], [0.5]]
    assert encode(message).endswith(b"\x92\x01\xa1a" + b"\x91\xcb" + struct.pack(">d", 0.5))


def test_a_reply_echoes_id_target_command_and_form() -> None:
    asked = decode(request(data=b"", id=2**64 - 1))
    answer = asked.reply(("a",), np.arange(3.0), tick=4)
    assert (answer.id, answer.target, answer.command, answer.binary) == (2**64 - 1, "/robot1/motors", 10, True)
    assert decode(encode(answer)).data.tolist() == [0.0, 1.0, 2.0]


def test_a_refusal_carries_number_and_text_of_the_error_and_no_data() -> None:
    answer = decode(request()).refusal(NoSuchName("there is no /robot1").bring("a"), tick=8)
    assert (answer.error, answer.text, answer.tick) == (201, "there is no /robot1", 8)
    assert (answer.params, answer.data) == (("a",), ())


def test_the_failure_of_unreadable_bytes_has_id_0_and_no_target() -> None:
    problem, reply = refused(b"\xc1")
    assert isinstance(problem, MalformedMessage)
    assert (reply.id, reply.target, reply.error) == (0, "", 101)


@pytest.mark.parametrize("value", [True, None, [0.1], {}, b"a", "0.1", float("nan"), float("inf")])
def test_a_refused_datum_is_named_by_its_place_and_the_request_is_echoed(value: object) -> None:
    problem, reply = refused(request(data=[0.3, value]))
    assert isinstance(problem, BadArgument)
    assert "data[1]" in reply.text
    assert (reply.id, reply.target, reply.command, reply.error) == (7, "/robot1/motors", 10, 203)


@pytest.mark.parametrize(
    ("value", "what"),
    [(float("inf"), r"params\[20\] is inf"), ("a" * (MAX_PARAM_BYTES + 1), r"params\[20\] is longer")],
)
def test_one_refused_param_of_many_is_named_by_its_place(value: object, what: str) -> None:
    with pytest.raises(CoopsimError, match=what):
        decode(request(params=[*["x", 0.5, 3] * 6, "x", 0.5, value, "x"]))


def test_many_params_within_their_limits_are_taken_as_they_are() -> None:
    params = (*("x", 0.5, 3) * 200, "\u00e4" * (MAX_PARAM_BYTES // 2), "y" * MAX_PARAM_BYTES)
    assert decode(encode(Message("/robot1/motors", 10, params))).params == params


@pytest.mark.parametrize("value", [True, None, ["a"], {}, b"a", float("nan"), -float("inf")])
def test_a_refused_param_is_named_by_its_place(value: object) -> None:
    _, reply = refused(request(params=["reach", value]))
    assert "params[1]" in reply.text
    assert reply.error == 203


def test_an_error_in_binary_form_is_answered_in_binary_form() -> None:
    problem, _ = refused(request(data=np.array([1.0, np.inf]).tobytes()))
    assert failure(problem).binary
    assert "data[1]" in str(problem)


@pytest.mark.parametrize("version", [0, 2, -1, 2**40])
def test_another_version_is_refused_by_name_whatever_follows(version: int) -> None:
    problem, reply = refused(request(version=version, data=None))
    assert isinstance(problem, WrongVersion)
    assert "version 1" in reply.text
    assert reply.id == 7


def test_a_field_of_the_wrong_type_is_named() -> None:
    _, reply = refused(request(command="set_velocity"))
    assert "field 6 (command) must be int, got str" in reply.text


@pytest.mark.parametrize("params", [(1, -2, 3), (0.5, -1.5), ("a", "b"), (3, "a", 0.5)])
def test_params_come_in_the_order_in_which_they_were_sent(params: tuple[int | float | str, ...]) -> None:
    """C-18, C-20: they are numbered, and the receiver unpacks them by their count."""
    read = decode(encode(Message("/a", 10, params))).params
    assert read == params
    assert list(map(type, read)) == list(map(type, params))


def test_integers_are_read_as_floats_where_floats_are_meant() -> None:
    """C-19: data are floating-point values."""
    values = decode(request(data=[1, -2, 2**64 - 1])).data
    assert list(values) == [1.0, -2.0, 2.0**64]
    assert all(type(value) is float for value in values)


def test_limits_are_inclusive() -> None:
    text, params = "ü" * (MAX_TEXT_BYTES // 2), ["x" * MAX_PARAM_BYTES, *([0] * (MAX_PARAMS - 1))]
    message = decode(request(text=text, params=params, data=[0.5] * MAX_DATA))
    assert (message.text, len(message.params), len(message.data)) == (text, MAX_PARAMS, MAX_DATA)
    assert len(decode(request(data=bytes(8 * MAX_DATA))).data) == MAX_DATA


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "ü" * (MAX_TEXT_BYTES // 2) + "x"},
        {"params": [0] * (MAX_PARAMS + 1)},
        {"params": [0] * (MAX_DATA + 1)},
        {"params": ["ü" * (MAX_PARAM_BYTES // 2) + "x"]},
        {"data": [0.5] * (MAX_DATA + 1)},
        {"data": [0] * (MAX_DATA + 1), "params": ["x"]},
        {"data": bytes(8 * MAX_DATA + 8)},
    ],
)
def test_a_field_over_its_limit_is_refused_as_too_large_and_echoed(changed: dict[str, object]) -> None:
    problem, reply = refused(request(**changed))
    assert isinstance(problem, MessageTooLarge)
    assert (reply.id, reply.target) == (7, "/robot1/motors")


def test_a_message_over_a_mebibyte_is_refused_unread() -> None:
    problem, reply = refused(b"\x99" + bytes(MAX_BYTES))
    assert isinstance(problem, MessageTooLarge)
    assert reply.id == 0


def test_nested_headers_of_huge_arrays_take_no_memory() -> None:
    bomb = b"\x99" + b"\xdd\x00\x00\xff\xff" * 1000
    tracemalloc.start()
    with pytest.raises(MalformedMessage):
        decode(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_nesting_deeper_than_pythons_stack_is_refused() -> None:
    with pytest.raises(MalformedMessage):
        decode(b"\x91" * (100 * sys.getrecursionlimit()))


def test_extra_trailing_fields_are_ignored() -> None:
    fields = msgpack.unpackb(request())
    assert decode(msgpack.packb([*fields, "from a later version", None])) == decode(request())


@pytest.mark.parametrize("data", [np.arange(4), np.arange(4.0).reshape(2, 2), np.arange(4, dtype=np.float32), range(4)])
@pytest.mark.parametrize("binary", [False, True])
def test_any_array_or_sequence_travels_flat_as_float64(data: np.ndarray, binary: bool) -> None:
    """C-19: data are floating-point values, in either form."""
    back = decode(encode(Message("/a", data=data, binary=binary))).data
    assert list(map(float, back)) == [0.0, 1.0, 2.0, 3.0]
    assert type(back[0]) is (np.float64 if binary else float)


def test_the_data_of_a_binary_message_cannot_be_written() -> None:
    data = decode(request(data=bytes(16))).data
    with pytest.raises(ValueError, match="read-only"):
        data[0] = 1.0


@pytest.mark.parametrize(
    "message", [Message("/a", params=(object(),)), Message("/a", id=2**64), Message("/a", data="x")]
)
def test_what_cannot_travel_is_refused_when_encoding(message: Message) -> None:
    with pytest.raises(BadArgument, match="no message can carry this"):
        encode(message)


@pytest.mark.parametrize(
    "message",
    [
        Message("/a", params=("x" * MAX_PARAM_BYTES,) * 4),
        Message("/a", params=(0,) * (MAX_PARAMS + 1)),
        Message("/a", data=np.zeros(MAX_DATA + 1)),
    ],
)
def test_what_is_too_large_is_refused_when_encoding(message: Message) -> None:
    with pytest.raises(MessageTooLarge):
        encode(message)


def test_a_text_travels_whole_up_to_its_limit_and_is_cut_there() -> None:
    """C-16: a string of characters."""
    longest = "ü" * (MAX_TEXT_BYTES // 2)
    assert decode(encode(Message("/a", text=longest))).text == longest
    assert decode(encode(Message("/a", text=longest + "x"))).text == longest


def test_text_with_half_a_surrogate_pair_still_travels() -> None:
    assert decode(encode(Message("/a", text="file \udcff"))).text == "file ?"


@pytest.mark.parametrize("size", [1, 3000])
def test_later_fields_may_be_anything(size: int) -> None:
    later = [{"a": [1, {2: None}]}, msgpack.ExtType(5, b"x" * size), [[[]] * size], True, "x" * size]
    fields = msgpack.unpackb(request())
    assert decode(msgpack.packb([*fields, *later])) == decode(request())


def error_of(raw: bytes) -> tuple[int, int]:
    """Return number of the error, 0 = none, and id of the reply to `raw`."""
    try:
        return 0, decode(raw).id
    except CoopsimError as problem:
        return problem.code, failure(problem).id


@pytest.mark.parametrize(("place", "error"), [(7, 203), (8, 203), (9, 0)])
def test_a_mebibyte_of_empty_arrays_is_never_built(place: int, error: int) -> None:
    fields = [*msgpack.unpackb(request()), 0]
    fields[place] = [[[]] * 15] * (4000 if place == 7 else 65_000)
    raw = msgpack.packb(fields)
    tracemalloc.start()
    assert error_of(raw) == (error, 7)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * len(raw) + (1 << 16)


@pytest.mark.parametrize("name", MALFORMED)
def test_a_long_message_is_judged_like_a_short_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = error_of(MALFORMED[name])
    monkeypatch.setattr("coopsim.message._fields._SMALL", 0)
    assert error_of(MALFORMED[name])[0] == short[0]


@pytest.mark.parametrize("data", [[0.5] * 200, [1] * 200, [0.5] * 199 + [7], [-0.0] * 200, [2**64 - 1] * 200])
def test_long_data_reads_the_same_whatever_its_numbers_are(data: list[float]) -> None:
    back = decode(request(data=data)).data
    assert list(back) == [float(value) for value in data]
    assert all(type(value) is float for value in back)


NAMES = tuple(f"robot{k}" for k in range(1000))


def test_long_params_that_come_again_are_read_once_and_only_byte_by_byte_the_same_ones() -> None:
    first = decode(encode(Message("/sim/step", 18, (3, *NAMES), np.ones(4), id=1, binary=True)))
    again = decode(encode(Message("/sim/step", 18, (3, *NAMES), np.zeros(9), tick=8, id=2, run=5, binary=True)))
    assert again.params is first.params
    assert (again.id, again.tick, again.run, len(again.data)) == (2, 8, 5, 9)
    for params in ((4, *NAMES), (3, *NAMES[:-1]), (3, *NAMES, "x"), (3, *NAMES[:-1], "robot99X"), (3.0, *NAMES)):
        message = Message("/sim/step", 18, params, [1.5, 2.5], id=3)
        back = decode(encode(message))
        assert (back.params, list(map(type, back.params))) == (params, list(map(type, params)))
        assert list(back.data) == [1.5, 2.5]


@pytest.mark.parametrize("bad", [float("nan"), "x" * (MAX_PARAM_BYTES + 1)])
def test_long_params_that_are_refused_are_refused_again(bad) -> None:
    raw = request(params=[*NAMES, bad])
    for _ in range(3):
        with pytest.raises((BadArgument, MessageTooLarge)):
            decode(raw)


def test_a_message_cut_behind_params_that_came_before_is_malformed() -> None:
    raw = request(params=list(NAMES), data=bytes(80))
    assert decode(raw).params == NAMES
    for end in (len(raw) - 1, len(raw) - 79, len(raw) - 83, len(raw) - 90):
        with pytest.raises(MalformedMessage):
            decode(raw[:end])
    with pytest.raises(MalformedMessage):
        decode(raw + b"\x01")


def test_long_params_that_never_come_again_take_little_memory() -> None:
    def decode_others() -> None:
        for k in range(300):
            decode(request(params=[f"{k}{name}" for name in NAMES]))

    decode_others()
    tracemalloc.start()
    decode_others()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 8 << 20
