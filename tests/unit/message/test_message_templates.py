"""Templates hold the bytes that messages have in common, as `encode` writes them."""

import struct
from dataclasses import replace

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_message_properties import FINITE, MESSAGES, UNSIGNED

from coopsim.message import Message, MessagePattern, MessageTemplate, encode, id_in


@settings(max_examples=100, deadline=None)
@given(MESSAGES, UNSIGNED, UNSIGNED, st.sampled_from([0, 7, 2**40]), st.data())
def test_the_parts_with_id_tick_and_values_between_them_are_the_bytes_of_encode(
    message: Message, number: int, tick: int, run: int, more: st.DataObject
) -> None:
    size = len(message.data)
    data = np.array(more.draw(st.lists(FINITE, min_size=size, max_size=size)), np.float64)
    begin, head, values, end = MessageTemplate(replace(message, run=run)).parts
    packed = data.tobytes() if message.binary else b"".join(struct.pack(">Bd", 0xCB, value) for value in data)
    raw = b"".join((begin, msgpack.packb(number), head, msgpack.packb(tick), values, packed, end))
    assert raw == encode(replace(message, data=data, tick=tick, id=number), run=run)


LIKE = Message("/sim/step", 11, (1,), np.zeros(2), 5, text="done", id=3, binary=True)


@pytest.mark.parametrize(
    ("change", "is_like"),
    [
        ({"id": 300, "tick": 0, "data": (1.0, 2.0)}, True),
        ({"target": "/sim/clock"}, False),
        ({"command": 12}, False),
        ({"params": (2,)}, False),
        ({"params": ()}, False),
        ({"data": (1.0,)}, False),
        ({"error": 201}, False),
        ({"text": ""}, False),
        ({"binary": False}, False),
        ({"run": 9}, False),
    ],
)
def test_messages_are_alike_that_differ_in_id_tick_and_values_alone(change: dict[str, object], is_like: bool) -> None:
    assert MessageTemplate(LIKE).is_like(replace(LIKE, **change)) == is_like


def test_a_pattern_learns_what_came_last_but_no_refusal() -> None:
    pattern, second = MessagePattern(), Message("/b", 3, ("x",), (1.0,), id=5)
    for message in (LIKE, second):
        pattern.learn(message)
        assert pattern.template is not None
        assert pattern.template.is_like(message)
    template = pattern.template
    pattern.learn(replace(second, error=201))
    pattern.learn(replace(second, data=(7.0,), tick=9))
    assert pattern.template is template


def test_a_pattern_that_always_changes_is_learned_no_more() -> None:
    pattern = MessagePattern()
    for turn in range(100):
        pattern.learn(replace(LIKE, text=str(turn)))
    assert pattern.template is not None
    assert pattern.template.sample.text == "15"


@settings(max_examples=60, deadline=None)
@given(MESSAGES, UNSIGNED, st.sampled_from([0, 7]))
def test_the_id_is_found_in_bytes_that_cannot_be_read_to_their_end(message: Message, number: int, run: int) -> None:
    raw = encode(replace(message, id=number), run=run)
    assert id_in(raw) == number
    assert id_in(raw[: 2 + len(msgpack.packb(number))]) == number


@pytest.mark.parametrize(
    "raw", [b"", b"\xc1", b"\x99", b"\x99\x01", b"\x99\x02\x05", b"\x99\x01\xd0\x05", b"\x92\x01\x05"]
)
def test_where_no_id_stands_it_is_zero(raw: bytes) -> None:
    assert id_in(raw) == 0
