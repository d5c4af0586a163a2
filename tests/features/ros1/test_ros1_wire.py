"""TCPROS on a connection: headers and messages with their lengths, and what a stranger may send."""

import socket
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import MalformedMessage
from coopsim.features.ros1.wire import LARGEST, read_block, read_header, send_header

NAME = st.text("abcdefghij_", min_size=1, max_size=9)


@pytest.fixture
def links() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    near.settimeout(20.0)
    far.settimeout(20.0)
    with near, far:
        yield near, far


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(NAME, st.text(max_size=30), max_size=6))
def test_a_header_comes_back_whatever_stands_in_it(fields: dict[str, str]) -> None:
    near, far = socket.socketpair()
    with near, far:
        send_header(near, fields)
        assert read_header(far) == fields


def test_the_bytes_of_a_header_are_those_of_the_specification(links: tuple[socket.socket, socket.socket]) -> None:
    near, far = links
    send_header(near, {"topic": "/chatter"})
    assert far.recv(100) == b"\x12\x00\x00\x00\x0e\x00\x00\x00topic=/chatter"


def test_a_message_that_comes_in_pieces_is_put_together(links: tuple[socket.socket, socket.socket]) -> None:
    near, far = links
    for piece in (b"\x05\x00", b"\x00\x00he", b"llo", b"\x00\x00\x00\x00"):
        near.sendall(piece)
    assert (read_block(far), read_block(far)) == (b"hello", b"")


@pytest.mark.parametrize(("size", "largest"), [(LARGEST + 1, LARGEST), (101, 100), (0xFFFFFFFF, LARGEST)])
def test_a_length_beyond_the_limit_is_refused_before_anything_is_read(
    links: tuple[socket.socket, socket.socket], size: int, largest: int
) -> None:
    near, far = links
    near.sendall(struct.pack("<I", size))
    with pytest.raises(MalformedMessage, match=f"{size} bytes come in one message of ROS; at most {largest} are read"):
        read_block(far, largest)


def test_a_header_that_ends_within_a_field_is_refused(links: tuple[socket.socket, socket.socket]) -> None:
    near, far = links
    near.sendall(struct.pack("<I", 3) + b"abc")
    with pytest.raises(MalformedMessage, match="ends within a field"):
        read_header(far)


def test_an_empty_field_at_the_end_is_a_field(links: tuple[socket.socket, socket.socket]) -> None:
    near, far = links
    near.sendall(struct.pack("<I", 4) + struct.pack("<I", 0))
    assert read_header(far) == {"": ""}


def test_a_field_without_a_value_and_bytes_that_are_no_text_are_read(
    links: tuple[socket.socket, socket.socket],
) -> None:
    near, far = links
    lines = b"".join(struct.pack("<I", len(line)) + line for line in (b"latching", b"md5sum=\xff*", b"a=b=c"))
    near.sendall(struct.pack("<I", len(lines)) + lines)
    assert read_header(far) == {"latching": "", "md5sum": "\N{REPLACEMENT CHARACTER}*", "a": "b=c"}


@pytest.mark.parametrize("sent", [b"", b"\x05\x00", b"\x05\x00\x00\x00hel"])
def test_a_node_that_is_gone_ends_the_reading(links: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    near, far = links
    near.sendall(sent)
    near.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionResetError, match="the other node is gone"):
        read_block(far)
