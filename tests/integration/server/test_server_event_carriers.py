"""Events over real sockets: every carrier, asyncio, robots' own endpoints, hostile input, the end. G-5, G-9, G-10."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from server_fakes import ask
from server_running import Running
from server_wire import call, receive, receive_tcp, send_tcp

from coopsim.client import aio, connect
from coopsim.errors import BadArgument, NotAllowed
from coopsim.message import Message, encode, events_of

pytestmark = pytest.mark.integration
PUBLISH, SUBSCRIBE, UNSUBSCRIBE = 10, 12, 13


def _endpoints(run: Running) -> tuple[str, str]:
    return f"tcp://127.0.0.1:{run.ports['zmq']}", f"tcp+plain://127.0.0.1:{run.ports['tcp']}"


@pytest.mark.parametrize("carrier", [0, 1], ids=["zeromq", "tcp"])
def test_a_thousand_events_come_in_their_order_and_none_is_lost(serve: Callable[..., Running], carrier: int) -> None:
    endpoint = _endpoints(serve("real-time"))[carrier]
    with connect(endpoint) as ada, connect(endpoint) as bob, bob.listen("/count/**") as heard:
        for first in range(0, 1000, 100):
            ada.publish_all((f"/count/n{number}", "", [number]) for number in range(first, first + 100))
        events = [heard.hear(10.0) for _ in range(1000)]
        assert [event.data[0] for event in events if event] == list(range(1000))
        assert [event.number for event in events if event] == list(range(1, 1001))
        assert heard.lost == 0
        assert len({event.source for event in events if event}) == 1


@pytest.mark.parametrize("carrier", [0, 1], ids=["zeromq", "tcp"])
def test_with_asyncio_events_come_while_requests_are_answered(serve: Callable[..., Running], carrier: int) -> None:
    endpoint = _endpoints(serve("real-time"))[carrier]

    async def play() -> list[float]:
        values = []
        async with aio.connect(endpoint) as sim, sim.listen("/a") as heard:
            for number in range(20):
                await asyncio.gather(sim.publish("/a", "", [number]), sim.clock.status())
            async for event in heard:
                values.append(event.data[0])
                if len(values) == 20:
                    return values
        return values

    assert asyncio.run(play()) == list(range(20))


def test_any_language_listens_with_messages_alone(serve: Callable[..., Running]) -> None:
    run = serve("real-time")
    dealer, tcp, publisher = run.dealer(), run.tcp(), run.dealer()
    assert call(dealer, ask("/sim/events", SUBSCRIBE, "/*", number=1)).params == (1,)
    send_tcp(tcp, encode(replace(ask("/sim/events", SUBSCRIBE, "/a", number=1), binary=True)))
    assert receive_tcp(tcp).params == (1,)
    assert call(publisher, ask("/sim/events", PUBLISH, "/a", "hello", data=(0.5,), number=5)).error == 0
    for message in (receive(dealer), receive_tcp(tcp)):
        assert (message.id, message.target, message.command) == (0, "/sim/events", SUBSCRIBE)
        assert [(event.topic, event.text, event.data) for event in events_of(message)] == [("/a", "hello", (0.5,))]
    assert call(dealer, ask("/sim/events", UNSUBSCRIBE, number=2)).error == 0
    assert call(dealer, ask("/sim/events", PUBLISH, "/a", number=3)).id == 3


def test_a_robots_own_endpoint_carries_events_too(serve: Callable[..., Running]) -> None:
    run = serve("real-time", robot_threads=4)
    with connect(_endpoints(run)[0]) as sim:
        address = sim.module("/sim/names").lookup("/robot1/motors").zmq
    port = int(str(address).rpartition(":")[2])
    own, main = run.dealer(port), run.dealer()
    assert call(own, ask("/sim/events", SUBSCRIBE, "/**", number=1)).error == 0
    assert call(main, ask("/sim/events", PUBLISH, "/to/robot1", number=1)).error == 0
    assert [event.topic for event in events_of(receive(own))] == ["/to/robot1"]
    assert call(main, ask("/sim/events", SUBSCRIBE, "/**", number=2)).error == 0
    assert call(own, ask("/sim/events", PUBLISH, "/from/robot1", number=3)).error == 0
    assert [event.topic for event in events_of(receive(main))] == ["/from/robot1"]


def test_the_end_of_the_run_ends_listening(serve: Callable[..., Running]) -> None:
    run = serve("real-time")
    heard: list[str] = []
    with connect(_endpoints(run)[0]) as sim, sim.listen("/**") as events:

        def listen() -> None:
            heard.extend(event.topic for event in events)

        listener = threading.Thread(target=listen)
        listener.start()
        sim.publish("/last")
        run.close()
        listener.join(20.0)
        assert not listener.is_alive()
    assert heard == ["/last"]


HOSTILE = [
    (PUBLISH, (), BadArgument),
    (PUBLISH, (7,), BadArgument),
    (PUBLISH, ("/a", 7), BadArgument),
    (PUBLISH, ("/a", "", ""), BadArgument),
    (PUBLISH, ("/sim/late/robot1",), NotAllowed),
    (11, (), BadArgument),
    (11, ("/a", ""), BadArgument),
    (11, ("/a", "", 1), BadArgument),
    (11, ("/a", "", -1), BadArgument),
    (11, ("/a", "", "0"), BadArgument),
    (SUBSCRIBE, (), BadArgument),
    (SUBSCRIBE, (1,), BadArgument),
    (SUBSCRIBE, ("/a",) * 5 + ("nothing",), BadArgument),
    (SUBSCRIBE, tuple(f"/{number}" for number in range(65)), BadArgument),
    (UNSUBSCRIBE, (1,), BadArgument),
]


def test_hostile_requests_are_refused_and_change_nothing(serve: Callable[..., Running]) -> None:
    run = serve("real-time")
    client = run.dealer()
    for command, params, problem in HOSTILE:
        reply = call(client, Message("/sim/events", command, params, id=4))
        assert reply.error == problem.code, (command, params, reply.text)
    assert call(client, ask("/sim/events", SUBSCRIBE, "/a", number=5)).params == (1,)
