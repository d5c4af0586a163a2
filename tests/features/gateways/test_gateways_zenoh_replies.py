"""Replies over Zenoh: the attachment names the request by number and sender, as rmw_zenoh reads it."""

import struct
from types import SimpleNamespace
from typing import Any

import pytest
import zenoh

from coopsim.features.gateways.ros2.zenoh_link import _attachment, _reply

GID = bytes(range(16))


class Query:
    """A request that notes what it is answered."""

    def __init__(self, attachment: bytes | None) -> None:
        self.attachment = None if attachment is None else SimpleNamespace(to_bytes=lambda: attachment)
        self.answers: list[tuple[str, bytes, bytes]] = []
        self.is_dropped = False

    def reply(self, key: str, response: bytes, attachment: bytes) -> None:
        self.answers.append((key, response, attachment))

    def drop(self) -> None:
        self.is_dropped = True


def answered(attachment: bytes | None) -> tuple[int, bytes]:
    """Return number and sender that a reply names."""
    query: Any = Query(attachment)
    _reply(query, "0/pause")(b"done")
    ((key, response, raw),) = query.answers
    assert (key, response, query.is_dropped) == ("0/pause", b"done", True)
    count, _, length = struct.unpack_from("<qqB", raw)
    assert length == len(raw) - 17
    return count, raw[17:]


def test_a_reply_names_its_request() -> None:
    assert answered(_attachment(7, GID)) == (7, GID)


@pytest.mark.parametrize("attachment", [None, b"", b"\0" * 16])
def test_a_request_that_names_nobody_is_answered_to_sixteen_zeros(attachment: bytes | None) -> None:
    assert answered(attachment) == (0, bytes(16))


def test_who_asked_and_is_gone_is_no_fault() -> None:
    query: Any = Query(_attachment(1, GID))

    def gone(*_: object, **__: object) -> None:
        raise zenoh.ZError("closed")

    query.reply = gone
    _reply(query, "0/pause")(b"done")
    assert not query.is_dropped
