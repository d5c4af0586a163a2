"""Templates write what `encode` writes and read what `decode` reads, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_message_properties import FINITE, MESSAGES, UNSIGNED

from coopsim.errors import CoopsimError
from coopsim.message import Message, MessagePattern, MessageTemplate, decode, encode, id_in


def read(template: MessageTemplate, raw: bytes) -> Message | None:
    """Return what a template reads; its tick and values alone must be the same."""
    number, at = id_in(raw)
    found = template.read(raw, number, at) if number >= 0 else None
    values = template.values(raw, max(number, 0))
    if values is not None:
        assert found is not None
        assert (values[0], values[1].tobytes()) == (found.tick, np.asarray(found.data).tobytes())
    return found


def plain(message: Message) -> Message:
    return replace(message, data=np.asarray(message.data).tobytes())


@settings(max_examples=60, deadline=None)
@given(MESSAGES, UNSIGNED, UNSIGNED, UNSIGNED, st.data())
def test_a_template_packs_the_bytes_of_encode(
    message: Message, number: int, tick: int, run: int, more: st.DataObject
) -> None:
    size = len(message.data)
    data = np.array(more.draw(st.lists(FINITE, min_size=size, max_size=size)), np.float64)
    binary = replace(message, binary=True)
    expected = encode(replace(binary, tick=tick, data=data, id=number), run=run)
    assert MessageTemplate(binary).pack(number, tick, data, run) == expected


@settings(max_examples=60, deadline=None)
@given(MESSAGES, UNSIGNED, UNSIGNED, st.data())
def test_a_template_reads_what_decode_reads(message: Message, number: int, tick: int, more: st.DataObject) -> None:
    size = len(message.data)
    values = more.draw(st.lists(FINITE, min_size=size, max_size=size))
    run = more.draw(st.sampled_from([0, 7, 2**40]))
    raw = encode(replace(message, tick=tick, data=values, id=number), run=run)
    found = read(MessageTemplate(decode(encode(message, run=run))), raw)
    assert read(MessageTemplate(decode(encode(message, run=8))), raw) is None
    assert found is not None
    has_values = MessageTemplate(decode(encode(message, run=run))).values(raw, number) is not None
    assert has_values == (message.binary and not run)
    assert plain(found) == plain(decode(raw))
    assert type(found.data) is type(decode(raw).data)


@settings(max_examples=150, deadline=None)
@given(MESSAGES, st.data())
def test_of_changed_bytes_a_template_reads_the_same_as_decode_or_nothing(message: Message, more: st.DataObject) -> None:
    raw = bytearray(encode(message))
    place = more.draw(st.integers(0, len(raw) - 1))
    raw[place : place + more.draw(st.integers(0, 2))] = more.draw(st.binary(max_size=2))
    found = read(MessageTemplate(message), bytes(raw))
    if found is not None:
        assert plain(found) == plain(decode(bytes(raw)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("binary", [True, False])
def test_data_that_are_not_finite_are_left_to_decode(value: float, binary: bool) -> None:
    good = Message("/sim/step", 11, (1,), (1.0, 2.0), id=1, binary=binary)
    packed = np.array(2.0).astype("<f8" if binary else ">f8").tobytes()
    raw = encode(good).replace(packed, np.array(value).astype("<f8" if binary else ">f8").tobytes())
    assert read(MessageTemplate(good), raw) is None
    with pytest.raises(CoopsimError):
        decode(raw)


def test_a_pattern_learns_what_came_last_but_no_refusal() -> None:
    pattern, other = MessagePattern(), Message("/b", 3, ("x",), (1.0,), id=5)
    for message in (Message("/a", 3, (1,), (1.0,), id=5), other):
        raw = encode(message)
        assert pattern.read(raw, *id_in(raw)) is None
        pattern.learn(message)
        again = pattern.read(raw, *id_in(raw))
        assert again is not None
        assert plain(again) == plain(message)
    pattern.learn(replace(other, error=201))
    raw = encode(other)
    assert pattern.read(raw, *id_in(raw)) is not None
