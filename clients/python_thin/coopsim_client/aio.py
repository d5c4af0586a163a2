"""A client for asyncio: any number of requests may be under way, and each may be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct
from collections import deque
from collections.abc import Sequence
from typing import Self

from coopsim_client.client import ELSEWHERE, MOST_STATES, PING, WRONG_RUN, checked, usual_address
from coopsim_client.errors import CoopsimError, Lost, Malformed, Refused, Silent, Value
from coopsim_client.link import LARGEST, place_of
from coopsim_client.message import Asked, Message, decode, encode, text_at, whole_at
from coopsim_client.stepping import (
    CLAIM,
    LAYOUT_COMMAND,
    PAGE,
    RELEASE,
    STALE,
    STEP,
    RawReadings,
    StepperState,
    joined,
)


class _Link:
    """A connection: replies are matched by id, states wait in a queue."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.host, self._reader, self._writer = host, reader, writer
        self.waiting: dict[int, asyncio.Future[Message]] = {}
        self.states: deque[Message] = deque(maxlen=MOST_STATES)
        self.has_state = asyncio.Event()
        self.problem: CoopsimError | None = None
        self._task = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, address: str, tls: ssl.SSLContext | None) -> Self:
        host, port = place_of(address)
        try:
            name = "coopsim" if tls else None
            reader, writer = await asyncio.open_connection(host, port, ssl=tls, server_hostname=name)
        except OSError as problem:
            raise Lost(f"no simulation at {address}: {problem}") from None
        return cls(host, reader, writer)

    async def exchange(self, number: int, raw: bytes) -> Message:
        if self.problem is not None:
            raise self.problem
        waiter: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self.waiting[number] = waiter
        try:
            self._writer.write(struct.pack(">I", len(raw)) + raw)
            await self._writer.drain()
            return await waiter
        except OSError as problem:
            raise Lost(f"the simulation is gone: {problem}") from None
        finally:
            del self.waiting[number]

    async def _read(self) -> None:
        try:
            while True:
                (length,) = struct.unpack(">I", await self._reader.readexactly(4))
                if length > LARGEST:
                    raise Malformed(f"the server announced a message of {length} bytes")
                self._sort(await self._reader.readexactly(length))
        except (OSError, asyncio.IncompleteReadError) as problem:
            self._fail(Lost(f"the simulation is gone: {problem}"))
        except Malformed as problem:
            self._fail(problem)

    def _sort(self, raw: bytes) -> None:
        if not raw:
            return  # a probe
        message = decode(raw)
        if message.id == 0:
            self.states.append(message)
            self.has_state.set()
        elif (waiter := self.waiting.get(message.id)) is not None and not waiter.done():
            waiter.set_result(message)

    def _fail(self, problem: CoopsimError) -> None:
        self.problem = problem
        self._writer.close()
        self.has_state.set()
        for waiter in self.waiting.values():
            if not waiter.done():
                waiter.set_exception(problem)

    async def close(self) -> None:
        self._task.cancel()
        self._fail(self.problem or Lost("this client was closed"))
        await asyncio.gather(self._task, return_exceptions=True)
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


class AsyncClient:
    """A client of one run; `async with await connect() as sim`."""

    def __init__(self, address: str, timeout: float, tls: ssl.SSLContext | None) -> None:
        self._address, self._timeout, self._tls = usual_address(address), timeout, tls
        self._number, self.run = 0, 0
        self._links: dict[str, _Link] = {}

    async def reconnect(self) -> None:
        """Connect anew, to the same run; Refused with 208 when another one is there, which a new client may drive."""
        await self.close()
        run, self.run = self.run, 0
        try:
            served = whole_at(await self.ask("/sim/clock", PING), 1)
        except BaseException:
            self.run = run
            await self.close()
            raise
        self.run = run or served
        if served != self.run:
            await self.close()
            raise Refused(WRONG_RUN, f"another run is at {self._address}", [served])

    async def ask(
        self,
        target: str,
        command: int,
        params: Sequence[Value] = (),
        data: Sequence[float] = (),
        tick: int = 0,
        timeout: float | None = None,
    ) -> Message:
        """Send a request and return its reply; CoopsimError says what went wrong."""
        try:
            async with asyncio.timeout(self._timeout if timeout is None else timeout):
                return await self._ask((target, command, params, data, tick))
        except TimeoutError:
            raise Silent("no reply in time: is the simulation paused, or waiting for another robot?") from None

    async def ask_all(self, asked: Sequence[Asked], timeout: float | None = None) -> list[Message]:
        """Send several requests to the simulation one behind the other, and return all replies, as `Client.ask_all`."""
        try:
            async with asyncio.timeout(self._timeout if timeout is None else timeout):
                return await asyncio.gather(*map(self._ask, asked))
        except TimeoutError:
            raise Silent("no reply in time: is the simulation paused, or waiting for another robot?") from None

    async def _ask(self, asked: Asked) -> Message:
        target, command, params, data, tick = asked
        for _ in range(2):
            has_own = target in self._links
            self._number += 1
            raw = encode(self._number, target, command, params, data, tick, 0 if has_own else self.run)
            link = await self._link(target if has_own else "", self._address)
            try:
                reply = await link.exchange(self._number, raw)
            except (Lost, Malformed):
                if has_own:
                    del self._links[target]  # the next request asks where it is now
                raise
            if has_own or reply.error != ELSEWHERE or len(reply.params) < 2 or not reply.params[1]:
                break
            await self._link(target, text_at(reply, 1).replace("0.0.0.0", link.host))
        return checked(reply)

    async def _link(self, name: str, address: str) -> _Link:
        if name not in self._links:
            self._links[name] = await _Link.open(address, self._tls if not name else None)
        return self._links[name]

    async def state(self, timeout: float | None = None) -> Message:
        """Return the next state of a topic that was subscribed to (`ask("/sim/info", 11, [topic])`)."""
        link = await self._link("", self._address)
        try:
            async with asyncio.timeout(self._timeout if timeout is None else timeout):
                while not link.states:
                    if link.problem is not None:
                        raise link.problem
                    link.has_state.clear()
                    await link.has_state.wait()
        except TimeoutError:
            raise Silent("no state came in time") from None
        return link.states.popleft()

    async def close(self) -> None:
        """End all connections."""
        links, self._links = list(self._links.values()), {}
        for link in links:
            await link.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def connect(address: str = "", timeout: float = 5.0, tls: ssl.SSLContext | None = None) -> AsyncClient:
    """Return a client of the run at host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571."""
    client = AsyncClient(address, timeout, tls)
    await client.reconnect()
    return client


class AsyncRawStepper(StepperState):
    """Steps robots of a client, or all: `async with`, which claims them and gives them back."""

    def __init__(self, client: AsyncClient, *robots: str) -> None:
        super().__init__(robots)
        self._client = client

    async def open(self) -> None:
        """Learn the layout and claim the robots."""
        await self._renew()
        for robots in self.claimed:
            await self._client.ask(STEP, CLAIM, robots)

    async def _renew(self) -> None:
        pages = [await self._client.ask(STEP, LAYOUT_COMMAND, [0, PAGE])]
        while len(pages[-1].data) == 2 * PAGE:
            pages.append(await self._client.ask(STEP, LAYOUT_COMMAND, [PAGE * len(pages), PAGE]))
        self.learn(pages)

    async def raw_step(self, timeout: float | None = None) -> Message:
        """Do a step and return the reply; when the scene has changed, robots begin anew with commands of 0."""
        try:
            return await self._stepped(timeout)
        except Refused as refusal:
            if refusal.number != STALE:
                raise
            await self._renew()
            return await self._stepped(timeout)

    async def _stepped(self, timeout: float | None) -> Message:
        return joined(await self._client.ask_all(self.messages(), timeout))

    async def raw_readings(self, timeout: float | None = None) -> RawReadings:
        """Do a step and return what the robots read."""
        return RawReadings(await self.raw_step(timeout), self.layout.gives)

    async def close(self) -> None:
        """Give the robots back."""
        for robots in self.claimed:
            await self._client.ask(STEP, RELEASE, robots)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            await self.close()
        except CoopsimError:
            if kind is None:
                raise
