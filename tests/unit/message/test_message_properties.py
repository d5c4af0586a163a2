"""Properties of the message's bytes that hold for whatever comes."""

import math
from dataclasses import replace
from unittest.mock import patch

import msgpack
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coopsim.errors import CoopsimError
from coopsim.message import MAX_TEXT_BYTES, Message, decode, encode, failure

UNSIGNED = st.integers(0, 2**64 - 1)
TEXT = st.text(max_size=60)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
PARAMS = st.lists(st.one_of(st.integers(-(2**63), 2**64 - 1), FINITE, TEXT), max_size=6).map(tuple)
MESSAGES = st.builds(
    Message,
    target=TEXT,
    command=UNSIGNED,
    params=PARAMS,
    data=st.lists(FINITE, max_size=12),
    tick=UNSIGNED,
    error=st.integers(0, 999),
    text=TEXT,
    id=UNSIGNED,
    binary=st.booleans(),
)
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), UNSIGNED, st.floats(), st.text(max_size=5), st.binary(max_size=9)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=12,
)


def answer(raw: bytes) -> Message:
    """Do what a server does with `raw`: decode it, or say why not."""
    try:
        return decode(raw)
    except CoopsimError as problem:
        return decode(encode(failure(problem)))


@given(MESSAGES)
def test_what_is_encoded_decodes_to_the_same(message: Message) -> None:
    back = decode(encode(message))
    assert list(back.data) == list(message.data)
    same = ("target", "command", "params", "tick", "error", "text", "id", "binary")
    assert all(getattr(back, name) == getattr(message, name) for name in same)
    assert encode(back) == encode(message)


@given(st.lists(FINITE, max_size=40))
def test_both_forms_of_data_carry_the_same_values(values: list[float]) -> None:
    as_list, as_bytes = (decode(encode(Message("/a", data=values, binary=binary))) for binary in (False, True))
    assert np.array_equal(np.array(as_list.data), np.array(as_bytes.data))


@settings(max_examples=400)
@given(st.binary(max_size=200))
@example(b"\xdf\xff\xff\xff\xff")
@example(b"\x99" * 2000)
@example(b"\xd6\xff\xff\xff\xff\xff")
@example(b"\xc7\x0c\xff" + b"\xff" * 12)
@example(b"\x81\x91\x01\x01")
def test_no_bytes_raise_anything_but_our_own_errors(raw: bytes) -> None:
    answer(raw)


@settings(max_examples=400)
@given(MESSAGES, st.data())
def test_mutated_messages_raise_nothing_but_our_own_errors(message: Message, data: st.DataObject) -> None:
    raw = bytearray(encode(message))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    del raw[data.draw(st.integers(0, len(raw))) :]
    answer(bytes(raw))


@settings(max_examples=300)
@given(st.lists(ANYTHING, min_size=9, max_size=10))
def test_fields_of_any_type_give_a_message_or_an_error_that_can_be_sent(fields: list[object]) -> None:
    reply = answer(msgpack.packb(fields))
    assert all(math.isfinite(value) for value in reply.data)
    assert all(isinstance(value, int | float | str) and not isinstance(value, bool) for value in reply.params)


def judged(raw: bytes) -> object:
    """Return the message of `raw`, with its data as bytes, or the number of its error."""
    try:
        message = decode(raw)
    except CoopsimError as problem:
        return problem.code
    return replace(message, data=()), np.asarray(message.data).tobytes()


@settings(max_examples=200)
@given(MESSAGES, st.integers(520, 9000), st.integers(0, 2**53), st.data())
@example(Message("/a", id=197), 520, 197, None)
@example(Message("/a", id=0xC5C5C5C5), 9000, 0xC6C6, None)
def test_long_binary_data_are_judged_as_the_closer_look_does(
    message: Message, size: int, run: int, data: st.DataObject | None
) -> None:
    raw = bytearray(encode(replace(message, data=np.arange(size, dtype=float), binary=True), run=run))
    for _ in range(data.draw(st.integers(0, 2)) if data else 0):
        raw[data.draw(st.integers(0, 60))] = data.draw(st.sampled_from([0xC4, 0xC5, 0xC6, 0x00, 0x99, 0x9A, 0xCC]))
    quick = judged(bytes(raw))
    with patch("coopsim.message._fields._read_binary", return_value=None):
        assert judged(bytes(raw)) == quick


def test_long_binary_data_need_no_closer_look() -> None:
    for size, number in ((520, 1), (8000, 1), (9000, 196)):
        raw = encode(Message("/sim/step", 11, (1,) * 50, np.zeros(size), id=number, binary=True), run=7)
        with patch("coopsim.message._fields._FieldReader", side_effect=AssertionError):
            assert len(decode(raw).data) == size


@given(st.text(min_size=200, max_size=1500))
def test_a_long_text_is_cut_at_a_whole_character_within_its_limit(text: str) -> None:
    back = decode(encode(Message("/a", text=text))).text
    assert text.startswith(back)
    assert len(back.encode()) <= MAX_TEXT_BYTES
    assert back == text or len(back.encode()) > MAX_TEXT_BYTES - 4
