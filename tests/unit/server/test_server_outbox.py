"""Bytes that wait for a client: in their order, whole, and for what they weigh."""

import random
import tracemalloc

from coopsim.server.sockets.connection import Outbox
from coopsim.server.sockets.connections import MOST_UNREAD

MESSAGE = bytes(300)


def test_bytes_come_out_as_they_went_in_however_little_is_taken() -> None:
    chance, outbox, sent, expected = random.Random(3), Outbox(), bytearray(), bytearray()

    def accept(rest: memoryview) -> int:
        count = min(len(rest), chance.choice((0, 1, 700, 1 << 20)))
        sent.extend(rest[:count])
        return count

    for _ in range(400):
        part = chance.randbytes(chance.choice((1, 50, 5000, 200_000)))
        outbox.add(memoryview(part))
        expected += part
        outbox.send(accept)
        assert len(outbox) == len(expected) - len(sent)
    while outbox:
        outbox.send(accept)
    assert sent == expected


def test_what_waits_costs_little_more_than_its_bytes() -> None:
    tracemalloc.start()
    try:
        outbox = Outbox()
        while len(outbox) <= MOST_UNREAD:
            outbox.add(MESSAGE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.02 * MOST_UNREAD
    assert 1.02 * MOST_UNREAD < 9e6, "10 MB are promised, with all that a connection has besides"
