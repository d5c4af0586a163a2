"""The duplex channel between two of our own processes."""

import socket
import struct
import threading
from collections.abc import Iterator

import pytest

from coopsim.transport import Channel
from coopsim.transport.control import Answer, Configure, HostSummary, Ready, Stop


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    left, right = Channel.pair()
    yield left, right
    left.close()
    right.close()


def test_messages_arrive_whole_and_in_order_both_ways(ends: tuple[Channel, Channel]) -> None:
    left, right = ends
    sent = [Answer(params=(number, "a", 0.5), id=number) for number in range(5)]
    for message in sent:
        left.send(message)
    right.send(Ready())
    assert right.wait(5.0) == sent
    assert left.wait(5.0) == [Ready()]
    assert right.receive() == []


def test_a_message_larger_than_the_sockets_buffers_arrives_while_both_sides_wait(ends: tuple[Channel, Channel]) -> None:
    left, right = ends
    large = Configure(bytes(range(256)) * 40_000)
    left.send(large)
    right.send(large)
    assert left.pending
    received: list[Configure] = []

    def receive_all() -> None:
        received.extend(right.wait(20.0))
        finish(right)

    thread = threading.Thread(target=receive_all)
    thread.start()
    mine = left.wait(20.0)
    finish(left)
    thread.join(20.0)
    assert (mine, received) == ([large], [large])


def finish(channel: Channel) -> None:
    """Flush until nothing waits any more."""
    while channel.pending and not channel.closed:
        channel.flush()


def test_a_frame_in_pieces_is_delivered_when_its_last_byte_is_there() -> None:
    near, far = socket.socketpair()
    channel = Channel(near)
    frame = struct.pack(">I", 14) + b"\x81\xa7message\xa4stop"
    for byte in frame[:-1]:
        far.sendall(bytes([byte]))
        assert channel.receive() == []
    assert channel.wait(0.01) == []
    far.sendall(frame[-1:])
    assert channel.wait(5.0) == [Stop()]
    far.close()
    channel.close()


def test_what_was_sent_before_the_end_is_delivered_and_then_the_end_is_seen(ends: tuple[Channel, Channel]) -> None:
    left, right = ends
    left.send(HostSummary({}, 3, 0))
    left.close()
    assert right.receive() == [HostSummary({}, 3, 0)]
    assert right.closed
    assert right.wait(5.0) == []


def test_last_words_are_delivered_though_a_send_found_the_other_end_gone(ends: tuple[Channel, Channel]) -> None:
    left, right = ends
    left.send(Stop("the last words"))
    left.close()
    right.send(Stop("too late"))
    assert right.closed
    assert right.receive() == [Stop("the last words")]
    assert right.receive() == []


def test_half_a_frame_at_the_end_is_dropped() -> None:
    near, far = socket.socketpair()
    channel = Channel(near)
    far.sendall(struct.pack(">I", 100) + b"half")
    far.close()
    assert channel.receive() == []
    assert channel.closed
    channel.close()


def test_sending_after_the_other_end_is_gone_is_dropped_and_keeps_nothing(ends: tuple[Channel, Channel]) -> None:
    left, right = ends
    right.close()
    for _ in range(3):
        left.send(Configure(bytes(1000)))
    assert left.closed
    assert not left.pending


def test_waiting_ends_at_its_deadline(ends: tuple[Channel, Channel]) -> None:
    assert ends[0].wait(0.0) == []
    assert ends[0].wait(0.01) == []


def test_several_threads_send_without_mixing_their_frames(ends: tuple[Channel, Channel]) -> None:
    left, right = ends
    count, size = 200, 5000

    def send(who: int) -> None:
        for number in range(count):
            left.send(Answer(who, tick=number, content=bytes(size)))

    threads = [threading.Thread(target=send, args=(who,)) for who in range(4)]
    received: list[Answer] = []
    for thread in threads:
        thread.start()
    while len(received) < 4 * count:
        left.flush()
        new = right.wait(0.05)
        assert new or not right.closed
        received += new
    for thread in threads:
        thread.join()
    assert all([m.tick for m in received if m.error == who] == list(range(count)) for who in range(4))


def test_a_descriptor_from_a_parent_becomes_an_end() -> None:
    near, far = socket.socketpair()
    left, right = Channel(near), Channel.from_descriptor(far.detach())
    right.send(Ready())
    assert left.wait(5.0) == [Ready()]
    left.close()
    right.close()
