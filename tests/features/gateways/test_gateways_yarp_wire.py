"""Connections of YARP: bytes of real ports, and the generic message as a bottle."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.gateways.yarp import bottle, generic, wire
from coopsim.features.gateways.yarp.bottle import Vocab
from coopsim.features.gateways.yarp.names import END, NameTable, address_in
from coopsim.interfaces import MOTORS

CAPTURED = bytes.fromhex(
    "59410a0000005250 0201ffffffffffffffff 08000000 14000000 00000000 000000007e440001"
    " 01010000 03000000 01000000 02000000 03000000"
)
"""`1 2 3` as a real port sent it over tcp."""


class Sink:
    """What is written to a connection."""

    def __init__(self) -> None:
        self.raw = b""

    def write(self, raw: bytes) -> None:
        self.raw += raw


def read(raw: bytes, carrier: str = wire.TCP) -> wire.PortMessage:
    async def reading() -> wire.PortMessage:
        reader = asyncio.StreamReader()
        reader.feed_data(raw)
        reader.feed_eof()
        return await wire.PortConnection(reader, Sink(), carrier, "/peer").read()  # type: ignore[arg-type]

    return asyncio.run(reading())


def test_frames_are_those_of_real_ports() -> None:
    assert wire.number(7777 + 3 + 128) == bytes.fromhex("5941e41e00005250")
    assert wire.number(7777 + 3) == bytes.fromhex("5941641e00005250")
    assert wire.number(11006) == bytes.fromhex("5941fe2a00005250")
    assert wire.framed(bottle.packed([1, 2, 3]), wire.DATA) == CAPTURED
    assert read(CAPTURED) == ("D", "", [1, 2, 3])
    parting = bytes.fromhex("59410a0000005250 0101ffffffffffffffff 0a000000 00000000 02000000 7e000001 7100")
    assert read(parting).command == "q"


@given(st.lists(st.floats(allow_nan=False), max_size=8), st.integers(0, 10**9))
def test_a_frame_brings_back_its_bottle_and_its_envelope(values: list[float], count: int) -> None:
    framed = wire.framed(bottle.packed(values), wire.DATA, f"{count} 1.5")
    assert read(framed) == ("D", f"{count} 1.5", values)


@given(st.binary(max_size=60))
def test_whatever_comes_is_a_message_or_ends_the_connection(raw: bytes) -> None:
    for begun in (raw, CAPTURED[:8] + raw, CAPTURED[:30] + raw):
        for carrier in wire.CARRIERS:
            try:
                read(begun, carrier)
            except wire.PROBLEMS:
                continue


@pytest.mark.parametrize("length", [2**31 - 1, -1, 7])
def test_frames_that_lie_about_their_length_are_refused(length: int) -> None:
    raw = CAPTURED[:18] + length.to_bytes(4, "little", signed=True) + bytes(8)
    with pytest.raises(BadArgument, match="bytes"):
        read(raw)


def test_people_type_over_several_lines() -> None:
    assert read(b'd\r\n(1 2\r\n3) "a"\r\n', wire.TEXT) == ("d", "", [[1, 2, 3], "a"])
    assert read(b"do 3 0.5\r\n7\r\n", wire.TEXT_ACK).values == [7]
    assert read(b"*\r\n", wire.TEXT).command == "*"


def accepted(head: bytes, more: bytes) -> tuple[str, bytes]:
    async def accepting() -> tuple[str, bytes]:
        reader, sink = asyncio.StreamReader(), Sink()
        reader.feed_data(more)
        connection = await wire.accept(reader, sink, head, 11006)  # type: ignore[arg-type]
        return "" if connection is None else f"{connection.carrier} {connection.peer}", sink.raw

    return asyncio.run(accepting())


def test_connections_begin_as_with_real_ports() -> None:
    name = b"\x04\0\0\0/w2\0"
    assert accepted(wire.number(7908), name) == ("tcp /w2", bytes.fromhex("5941fe2a00005250"))
    assert accepted(wire.number(7780), name) == ("fast_tcp /w2", bytes.fromhex("5941fe2a00005250"))
    assert accepted(b"CONNECT ", b"/w2\r\n") == ("text /w2", b"Welcome /w2\r\n")
    assert accepted(b"CONNACK ", b"/w2\r\n") == ("text_ack /w2", b"Welcome /w2\r\n")
    assert accepted(b"GET / HT", b"") == ("", wire.NO_PROTOCOL)
    assert accepted(wire.number(7777 + 1), b"") == ("", wire.NO_PROTOCOL)


# the generic message


def test_the_generic_form_has_the_fields_of_the_message() -> None:
    request = generic.request_in([0, "", 10, 1, "a", 2, 0.2, 0.1])
    assert request == (10, ["a", 0.2, 0.1], False)
    assert generic.request_in([0, "", 10, [], [0.2, 0.1]]) == (10, [0.2, 0.1], False)
    assert generic.answer_to(request, ["x", [1.0, 2.0], 3]) == [0, "", 10, 1, "x", 3, 1.0, 2.0, 3.0]
    assert generic.refused(request, 203, "no") == [203, "no", 10, 0, 0]


def test_typed_commands_are_answered_in_words() -> None:
    request = generic.request_in(bottle.parsed("set_velocity 0.2 0.1"))
    assert request == ("set_velocity", [0.2, 0.1], True)
    assert generic.answer_to(request, []) == ["ok"]
    assert bottle.text(generic.refused(request, 203, "too fast")) == '[fail] "too fast"'
    listed = generic.help_of(MOTORS)
    assert listed[0] == Vocab("many")
    assert {"set_velocity", "stop", "help"} <= set(listed[1])
    assert generic.help_of(MOTORS, "set_velocity")[1] == "10 set_velocity v[m/s] w[rad/s]"
    assert generic.help_of(MOTORS, "fly")[0] == Vocab("fail")


@pytest.mark.parametrize(
    "items",
    [[], [0, "", 10], [0, 1, 10, 0, 0], [0, "", "x", 0, 0], [0, "", 10, 5, 0], [0, "", 10, 0, 3], [0, "", 10, -1, 0],
     [0, "", 10, 0, 0, 7], [0, "", True, 0, 0], [1.5]],
)  # fmt: skip
def test_what_is_no_request_is_refused(items: list) -> None:
    with pytest.raises(BadArgument):
        generic.request_in(items)


# names


def test_a_name_server_answers_as_yarpserver_does() -> None:
    table = NameTable(10_002)
    line = "registration name /a ip 127.0.0.1 port 4567 type tcp"
    assert table.answer(["register", "/a", "tcp", "127.0.0.1", "4567"], "10.0.0.1") == [line, END]
    assert table.answer(["register", "/b"], "10.0.0.1")[0] == "registration name /b ip 10.0.0.1 port 10002 type tcp"
    assert "/anonymous/port/1" in table.answer(["register", "..."], "10.0.0.1")[0]
    assert table.answer(["query", "/a"], "") == [line, END]
    assert table.answer(["query", "/x"], "") == [END]
    assert [address_in([line]).name for line in table.answer(["list"], "")[:-1]] == ["/a", "/anonymous/port/1", "/b"]
    assert table.answer(["list", "/a"], "")[:-1] == [line]
    assert table.answer(["set", "/a", "offers", "tcp", "text"], "") == ["port /a property offers = tcp text", END]
    assert table.answer(["check", "/a", "offers", "tcp"], "")[0].endswith("present true")
    assert table.answer(["get", "/a", "offers"], "")[0] == "port /a property offers = tcp text"
    assert table.answer(["announce", "/a"], "") == ["[ok]"]
    assert table.answer(["unregister", "/a"], "") == [END]
    assert table.answer(["query", "/a"], "") == [END]
    assert table.answer(["dance"], "") == [END]
    assert table.answer([], "") == [END]


def test_a_registration_that_is_none_is_no_address() -> None:
    assert address_in(["registration name /a ip 127.0.0.1 port none type tcp", "x"]) is None
