"""What both clients do about broken connections and silence, with stand-ins for what carries the messages."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar

import numpy as np
import pytest
from client_fakes import FakeServer, serving_plainly

from coopsim.client import aio, connect
from coopsim.client.connection import BaseConnection
from coopsim.client.endpoints import parse
from coopsim.client.flows import Ask, run_async, run_blocking
from coopsim.client.info import SUBSCRIBE
from coopsim.client.routing import RequestRouter
from coopsim.errors import KeyRefused, NoReply
from coopsim.message import Message, encode, state_message

ALERT = b"\x15\x03\x03\x00\x02\x02\x46"


class AnsweringServer(FakeServer):
    """Sends a state whenever somebody subscribes."""

    def info_subscribe(self, request: Message) -> Message:
        self.tick += 1
        return request.reply()

    def respond(self, raw: bytes) -> list[bytes]:
        replies = super().respond(raw)
        if self.requests[-1].command != SUBSCRIBE or self.requests[-1].target != "/sim/info":
            return replies
        head = (self.tick, 0.0, self.generation, 0, "lockstep", 0, 0, 0)
        state = state_message("/robot1@1", SUBSCRIBE, head, (0, 0), np.zeros(0), binary=True)
        return [*replies, encode(state)]


@asynccontextmanager
async def served(server: FakeServer) -> AsyncIterator[tuple[str, list[asyncio.StreamWriter]]]:
    """Serve over plain TCP in the running loop; gives the endpoint and the connections in the order they came."""
    writers: list[asyncio.StreamWriter] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                (length,) = struct.unpack(">I", await reader.readexactly(4))
                for reply in server.respond(await reader.readexactly(length)):
                    writer.write(struct.pack(">I", len(reply)) + reply)
        writer.close()

    listener = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield f"tcp+plain://127.0.0.1:{listener.sockets[0].getsockname()[1]}", writers
    finally:
        listener.close()
        for writer in writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def test_the_stream_of_asyncio_over_tcp_goes_on_after_its_connection_broke() -> None:
    server = AnsweringServer()

    async def main() -> None:
        async with (
            served(server) as (endpoint, writers),
            aio.connect(endpoint, timeout=5.0) as sim,
            sim.stream("/robot1", conflate=False) as states,
        ):
            assert (await states.latest()).tick == 1
            writers[1].close()
            with pytest.raises(NoReply, match="closed the connection"):
                await states.latest()
            assert (await states.latest()).tick == 2

    asyncio.run(main())
    assert len(server.asked("/sim/info", "subscribe")) == 2


def test_both_clients_say_at_once_that_a_server_speaks_tls() -> None:
    server = FakeServer()
    server.manners = lambda request, reply: [ALERT]

    async def main(endpoint: str) -> None:
        await aio.connect(endpoint, timeout=5.0)

    with serving_plainly(server, bare=True) as endpoint:
        with pytest.raises(KeyRefused, match="serves only clients with keys"):
            connect(endpoint, timeout=5.0)
        with pytest.raises(KeyRefused, match="serves only clients with keys"):
            asyncio.run(main(endpoint))


class Mute(BaseConnection):
    """Answers nothing; after a reset the server lets nobody in."""

    _waiting: ClassVar[dict[int, object]] = {}

    def send(self, number: int, request: Message, timeout: float) -> Any:
        return None

    def forget(self, number: int) -> None:
        pass

    def reset(self) -> None:
        self.is_reset = True


class BlockingMute(Mute):
    def receive(self, number: int, timeout: float) -> None:
        if hasattr(self, "is_reset"):
            raise KeyRefused("no longer trusted")


class AsyncMute(Mute):
    async def receive(self, number: int, timeout: float) -> None:
        BlockingMute.receive(self, number, timeout)


class Router(RequestRouter):
    """Makes connections of one kind."""

    def __init__(self, kind: type[Mute]) -> None:
        super().__init__(parse("tls://127.0.0.1:9"), 1.0)
        self.kind = kind
        self.keys = object()
        self.open()

    def sleep(self, seconds: float) -> None:
        pass

    def _connect(self, endpoint: Any, keys: Any, run: int) -> BaseConnection:
        return self.kind(endpoint, run)

    def _call_blocking(self, function: Callable[..., Any], *args: Any) -> Any:
        raise AssertionError("the network needs not be asked")


def test_a_client_that_was_put_out_is_told_so_however_it_waits() -> None:
    ask = Ask(Message("/robot1/motors", 10))
    with pytest.raises(KeyRefused, match="no longer trusted"):
        run_blocking(Router(BlockingMute).routing(ask))
    with pytest.raises(KeyRefused, match="no longer trusted"):
        asyncio.run(run_async(Router(AsyncMute).routing(ask)))
