"""Bytes that are no messages: one error reply each, and nobody else notices. C-21."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fault_runs import SET_VELOCITY, ask

from coopsim.message import MAX_BYTES, Message, encode
from coopsim.testkit import MALFORMED, RawClient, Run, memory_of

pytestmark = pytest.mark.integration
PAYLOADS = 1500
READING = ask("/robot1/sonars", 10)
FEW = 5
Connect = Callable[..., RawClient]


@pytest.fixture(params=["zmq", "tcp"])
def endpoint(request: pytest.FixtureRequest, real_time: Run) -> str:
    return real_time.endpoint if request.param == "zmq" else real_time.plain


@pytest.fixture(autouse=True)
def another_client(real_time: Run) -> Iterator[list[int]]:
    """Serve another client all the time; every one of its requests must be answered, and there must be some."""
    answers: list[int] = []
    with RawClient(real_time.plain) as client, ThreadPoolExecutor(1) as threads:
        ending: list[bool] = []

        def ask_on() -> None:
            while not ending:
                answers.append(client.ask(READING).error)

        asking = threads.submit(ask_on)
        yield answers
        ending.append(True)
        asking.result(20)
    assert len(answers) > FEW
    assert set(answers) == {0}


def replies_to(client: RawClient, raw: bytes) -> list[Message]:
    """Return everything that is answered to `raw`, up to the answer to a good request sent after it."""
    client.send(raw)
    number = client.post(READING)
    replies: list[Message] = []
    while (reply := client.receive()) is not None:
        if reply.id == number and reply.error == 0:
            return replies
        replies.append(reply)
    raise AssertionError(f"no answer to the good request; before it came {replies}")


def test_every_malformed_message_is_answered_by_exactly_one_error(
    connect: Connect, endpoint: str, another_client: list[int]
) -> None:
    client = connect(endpoint)
    for _ in range(100):
        for name, raw in MALFORMED.items():
            assert [reply.error > 0 for reply in replies_to(client, raw)] == [True], name
        if len(another_client) > FEW:  # once is over before a busy machine has let the other one ask
            break


def test_random_payloads_are_answered_by_exactly_one_error_each(connect: Connect, endpoint: str) -> None:
    client, chance = connect(endpoint), random.Random(3)
    for _ in range(PAYLOADS // 50):
        for _ in range(50):
            client.send(chance.randbytes(chance.randint(0, 200)))
        replies = [client.receive() for _ in range(50)]
        assert all(reply is not None and reply.error for reply in replies)
    assert client.ask(READING).error == 0
    assert client.receive(0.05) is None


def test_damaged_requests_do_nothing_to_the_robots(connect: Connect, endpoint: str, real_time: Run) -> None:
    client, chance = connect(endpoint), random.Random(4)
    good = encode(ask("/robot3/motors", SET_VELOCITY, data=(0.3, 0.0)))
    for _ in range(300):
        cut = good[: chance.randrange(1, len(good) - 1)]
        assert [reply.error > 0 for reply in replies_to(client, cut)] == [True]
    assert client.ask(ask("/robot3/motors", 13)).data[0] == 0.0
    assert real_time.is_alive


def test_oversized_messages_cost_their_sender_its_connection_and_the_host_no_memory(
    connect: Connect, real_time: Run
) -> None:
    # a gateway refuses the length and hangs up; ZeroMQ drops the connection without a word
    plain, zmq = connect(real_time.plain), connect(real_time.endpoint, timeout=0.5)
    before = memory_of(real_time.host)
    plain.send(bytes(MAX_BYTES + 1))
    refusal = plain.receive()
    assert refusal is not None
    assert refusal.error == 103
    for _ in range(10):
        zmq.send(bytes(MAX_BYTES + 1))
        assert zmq.receive(0.05) is None
    assert memory_of(real_time.host) < before + 10.0
    assert connect(real_time.endpoint).ask(READING).error == 0
