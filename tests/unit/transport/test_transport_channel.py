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
    one, other = Channel.pair()
    yield one, other
    one.close()
    other.close()


def test_messages_arrive_whole_and_in_order_both_ways(ends: tuple[Channel, Channel]) -> None:
    one, other = ends
    sent = [Answer(params=(number, "a", 0.5), id=number) for number in range(5)]
    for message in sent:
        one.send(message)
    other.send(Ready())
    assert other.wait(5.0) == sent
    assert one.wait(5.0) == [Ready()]
    assert other.receive() == []


def test_a_message_larger_than_the_sockets_buffers_arrives_while_both_sides_wait(ends: tuple[Channel, Channel]) -> None:
    one, other = ends
    large = Configure(bytes(range(256)) * 40_000)
    one.send(large)
    other.send(large)
    assert one.pending
    came: list[Configure] = []

    def take() -> None:
        came.extend(other.wait(20.0))
        finish(other)

    thread = threading.Thread(target=take)
    thread.start()
    mine = one.wait(20.0)
    finish(one)
    thread.join(20.0)
    assert (mine, came) == ([large], [large])


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
    one, other = ends
    one.send(HostSummary({}, 3, 0))
    one.close()
    assert other.receive() == [HostSummary({}, 3, 0)]
    assert other.closed
    assert other.wait(5.0) == []


def test_half_a_frame_at_the_end_is_dropped() -> None:
    near, far = socket.socketpair()
    channel = Channel(near)
    far.sendall(struct.pack(">I", 100) + b"half")
    far.close()
    assert channel.receive() == []
    assert channel.closed
    channel.close()


def test_sending_after_the_other_end_is_gone_is_dropped_and_keeps_nothing(ends: tuple[Channel, Channel]) -> None:
    one, other = ends
    other.close()
    for _ in range(3):
        one.send(Configure(bytes(1000)))
    assert one.closed
    assert not one.pending


def test_waiting_ends_at_its_deadline(ends: tuple[Channel, Channel]) -> None:
    assert ends[0].wait(0.0) == []
    assert ends[0].wait(0.01) == []


def test_several_threads_send_without_mixing_their_frames(ends: tuple[Channel, Channel]) -> None:
    one, other = ends
    count, size = 200, 5000

    def send(who: int) -> None:
        for number in range(count):
            one.send(Answer(who, tick=number, content=bytes(size)))

    threads = [threading.Thread(target=send, args=(who,)) for who in range(4)]
    came: list[Answer] = []
    for thread in threads:
        thread.start()
    while len(came) < 4 * count:
        one.flush()
        new = other.wait(0.05)
        assert new or not other.closed
        came += new
    for thread in threads:
        thread.join()
    assert all([m.tick for m in came if m.error == who] == list(range(count)) for who in range(4))


def test_a_descriptor_from_a_parent_becomes_an_end() -> None:
    near, far = socket.socketpair()
    one, other = Channel(near), Channel.from_descriptor(far.detach())
    other.send(Ready())
    assert one.wait(5.0) == [Ready()]
    one.close()
    other.close()
