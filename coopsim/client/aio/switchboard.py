"""Which connection serves which module, what a refusal means, and why there was no reply; for asyncio."""

import asyncio
import logging
from functools import partial
from typing import TypeVar

import zmq

from coopsim.client.aio.carriers import LinkCarrier, PlainCarrier, ZmqCarrier
from coopsim.client.aio.exchange import Exchange
from coopsim.client.endpoints import IN_PROCESS, Endpoint
from coopsim.client.flows import Ask, Flow
from coopsim.client.keys import Keys, Lock
from coopsim.client.link import LinkSource
from coopsim.client.switchboard import (
    EDIT_PATIENCE,
    GREETING,
    HOPS,
    JOIN,
    LOOKUP,
    STATUS,
    elsewhere,
    nothing_answers,
    patience_for_why,
    reason_in,
    refusal,
    run_in,
)
from coopsim.errors import CoopsimError, LivesElsewhere, NoReply, NoSuchName, OwnedByAnother
from coopsim.message import Message, Param

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class Switchboard:
    """All connections of one client, in one event loop.

    Args:
        endpoint: Of the main connection, which is made by `open`.
        timeout: How long to wait for a reply when a request does not say [s].
        keys: Ours and the server's; None = in the clear.
        source: The server, where it is in this process.

    Raises:
        NoKey: A key is missing.

    Attributes:
        endpoint: Of the main connection.
        timeout: How long to wait for a reply when a request does not say [s].
        door: The keys of both sides; None = in the clear.
        run: The run that requests are meant for; 0 = not known yet, or the server has no such number.
    """

    def __init__(
        self, endpoint: Endpoint, timeout: float, keys: Keys | None = None, source: LinkSource | None = None
    ) -> None:
        self.endpoint, self.timeout, self._keys, self._source = endpoint, timeout, keys, source
        self.door = keys.lock(endpoint.host) if keys is not None and endpoint.may_use_keys else None
        self.run = 0
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._exchanges: dict[Endpoint, Exchange] = {}
        self._homes: dict[str, Exchange] = {}
        self._strangers: set[Endpoint] = set()
        self._token: Param = ""
        self._why: asyncio.Task[str] | None = None

    @property
    def main(self) -> Exchange:
        """The connection that takes requests for every module it is not told otherwise.

        Raises:
            NoReply: It is not open.
        """
        main = self._exchanges.get(self.endpoint)
        if main is None:
            raise NoReply(f"not connected to {self.endpoint}: begin with `async with connect() as sim`")
        return main

    @property
    def context(self) -> "zmq.Context[zmq.Socket[bytes]]":
        """Where sockets are made."""
        # one of our own: the shared one does not survive forks and foreign terminations
        self._context = self._context or zmq.Context()
        return self._context

    def open(self) -> None:
        """Make the main connection, in the running event loop."""
        if self.endpoint not in self._exchanges:
            self._exchanges[self.endpoint] = self._connect(self.endpoint, self.door, self.run)

    def close(self) -> None:
        """Close all connections."""
        for exchange in self._exchanges.values():
            exchange.close()
        self._exchanges.clear()
        self._homes.clear()
        if self._why is not None:
            self._why.cancel()
        if self._context is not None:
            self._context.destroy(linger=0)
            self._context = None

    async def greet(self) -> None:
        """Learn which run is here; every later request is meant for that one alone.

        Raises:
            NoReply: No server answers.
        """
        self.run = run_in(await self.ask(GREETING))
        for endpoint, exchange in self._exchanges.items():
            exchange.run = 0 if endpoint in self._strangers else self.run

    async def reconnect(self) -> None:
        """Forget the run that was here, its tokens and its addresses, and go on with the one that is here now.

        Raises:
            NoReply: No server answers.
        """
        for exchange in [each for each in self._exchanges.values() if each is not self.main]:
            self._drop(exchange)
        self.main.reset()
        self._token, self.main.run = "", 0
        await self.greet()

    async def ask(self, ask: Ask) -> Message:
        """Send a request to wherever the module lives and return its reply.

        Raises:
            NoReply: No reply in time; the text says where, how long and why, as far as it can be known.
            CoopsimError: The server refuses; the class is that of the error's number.
        """
        wait = self.timeout if ask.timeout is None else ask.timeout
        more = self._patience if ask.is_edit and ask.timeout is None else None
        is_joined = False
        for _ in range(HOPS):
            exchange = self._homes.get(ask.target, self.main)
            try:
                reply = await exchange.ask(ask, wait, more)
            except NoReply as problem:
                raise await self.silence(problem, exchange) from None
            if reply.error == LivesElsewhere.code:
                self._homes[ask.target] = self._foreign(elsewhere(reply, self.endpoint))
            elif reply.error == NoSuchName.code and exchange is not self.main:
                self._homes.pop(ask.target, None)  # it has moved since
            elif reply.error == OwnedByAnother.code and not is_joined and await self.rejoin(exchange):
                is_joined = True
            else:
                break
        if reply.error:
            raise refusal(reply, ask.target)
        return reply

    async def do(self, flow: Flow[_T]) -> _T:
        """Ask what a flow asks for, and return what comes out of it.

        Raises:
            CoopsimError: As `ask` and the flow do.
        """
        try:
            ask = next(flow)
            while True:
                ask = flow.send(await self.ask(ask))
        except StopIteration as end:
            result: _T = end.value
            return result

    async def silence(self, problem: NoReply, exchange: Exchange) -> NoReply:
        """Return `problem` with what the clock says about the reason, if the server still answers."""
        if self._exchanges.get(exchange.endpoint) is not exchange:
            return problem  # closed here
        if exchange is not self.main:
            self._drop(exchange)
        # whoever else waits in vain wants to know the same
        if self._why is None or self._why.done():
            self._why = asyncio.create_task(self._reason(exchange))
        error = NoReply(f"{problem}; {await asyncio.shield(self._why)}")
        return error.advise("")

    async def move_in(self, target: str) -> None:
        """From now on ask module `target` at its robot's own endpoint.

        Raises:
            NoSuchName: There is no such module.
        """
        reply = await self.ask(Ask("/sim/names", LOOKUP, (target,)))
        exchange = await self._exchange(elsewhere(reply, self.endpoint))
        if exchange is not self.main:
            self._homes[target] = exchange

    async def join(self, token: Param) -> None:
        """Let every connection, now and later ones too, act for the owner that has `token`."""
        self._token = token
        for endpoint, exchange in list(self._exchanges.items()):
            if exchange is not self.main and endpoint not in self._strangers:
                await self._show_token(exchange)

    async def rejoin(self, exchange: Exchange) -> bool:
        """Show our token again, for the other owner may be ourselves on a connection that broke; true if it counts.

        Raises:
            NoReply: No reply in time.
        """
        if self._token == "" or exchange.endpoint in self._strangers:
            return False
        reply = await exchange.ask(Ask("/sim/step", JOIN, (self._token,)), self.timeout)
        return reply.error == 0

    async def _exchange(self, endpoint: Endpoint) -> Exchange:
        known = self._exchanges.get(endpoint)
        if known is not None:
            return known
        exchange = self._exchanges[endpoint] = self._connect(endpoint, self.door, self.run)
        if self._token != "":
            await self._show_token(exchange)
        return exchange

    def _foreign(self, endpoint: Endpoint) -> Exchange:
        """Return a connection to a server that is none of the simulation's: it knows no tokens, and has other keys."""
        if endpoint not in self._exchanges:
            lock = self._keys.foreign_lock(endpoint) if self._keys is not None else None
            self._exchanges[endpoint] = self._connect(endpoint, lock, 0)
            self._strangers.add(endpoint)
        return self._exchanges[endpoint]

    def _connect(self, endpoint: Endpoint, lock: Lock | None, run: int) -> Exchange:
        if self._source is not None and endpoint == IN_PROCESS:
            return Exchange(partial(LinkCarrier, self._source.open_link()), endpoint, run)
        if endpoint.is_plain:
            return Exchange(partial(PlainCarrier, endpoint, lock), endpoint, run)
        return Exchange(partial(ZmqCarrier, self.context, endpoint, lock), endpoint, run)

    def _drop(self, exchange: Exchange) -> None:
        exchange.close()
        self._exchanges.pop(exchange.endpoint, None)
        self._strangers.discard(exchange.endpoint)
        self._homes = {target: home for target, home in self._homes.items() if home is not exchange}

    async def _show_token(self, exchange: Exchange) -> None:
        reply = await exchange.ask(Ask("/sim/step", JOIN, (self._token,)), self.timeout)
        if reply.error:
            raise refusal(reply, "/sim/step")

    async def _patience(self) -> float:
        """Return how much longer to wait for the reply to an edit [s]."""
        try:
            await self.main.ask(STATUS, patience_for_why(self.timeout))
        except CoopsimError as problem:
            _log.debug("the clock does not answer either: %s", problem)
            return 0.0
        return (EDIT_PATIENCE - 1.0) * self.timeout

    async def _reason(self, exchange: Exchange) -> str:
        try:
            status = await self.main.ask(STATUS, patience_for_why(self.timeout))
        except CoopsimError as problem:
            _log.debug("the clock does not answer either: %s", problem)
            if self.endpoint in self._exchanges:
                self.main.reset()
            return await asyncio.to_thread(nothing_answers, exchange.endpoint, exchange.undecodable)
        return reason_in(status, exchange.undecodable)
