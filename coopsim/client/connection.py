"""Requests and their replies over one connection: ids, time-outs, and what a bad network does to both."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coopsim.client import compiled
from coopsim.client.compiled import CUT, UNSENT, CompiledExchange
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Steps
from coopsim.client.link import CarriesMessages, HasSocket, Link
from coopsim.client.prepared import PreparedRequest, SentRequest
from coopsim.errors import CoopsimError, NoReply, WrongVersion, error_for
from coopsim.geometry import Floats
from coopsim.message import Message, decode, encode


class BaseConnection:
    """Numbers requests and reads replies, however it waits for them.

    Replies are matched by id: late ones, duplicates, probes (empty messages) and garbage are passed over.

    Args:
        endpoint: Where the server listens.
        run: The run that requests are meant for; 0 = whichever is there.

    Attributes:
        endpoint: Where the server listens.
        run: The run that requests are meant for.
        undecodable: How many replies could not be read so far.
    """

    _waiting: Mapping[int, object]

    def __init__(self, endpoint: Endpoint, run: int = 0) -> None:
        self.endpoint, self.run = endpoint, run
        self.undecodable = 0
        self._number = 0

    def number(self) -> int:
        """Return the id of a new request, to send it, to receive its reply, and to forget it in the end."""
        self._number += 1
        return self._number

    def send(self, number: int, request: Message, timeout: float) -> Any:
        """Send a request, perhaps once more: its reply may have been lost, and of two replies one is passed over.

        Returns:
            What is awaited until it is sent, None where that is done.

        Raises:
            NoReply: There is no connection within `timeout` [s].
            MessageTooLarge: The request is larger than any server takes.
        """
        raise NotImplementedError

    def receive(self, number: int, timeout: float) -> Any:
        """Return the reply to a request, None if it did not come within `timeout` [s], or what is awaited for that.

        Raises:
            NoReply: The server closed the connection.
            WrongVersion: The server speaks another version of the protocol.
        """
        raise NotImplementedError

    def forget(self, number: int) -> None:
        """Stop waiting for a request: its reply, if one still comes, is passed over."""
        raise NotImplementedError

    def reset(self) -> None:
        """Begin a new connection; nothing that waited to be sent will be."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connection."""
        raise NotImplementedError

    def asking(
        self,
        request: Message,
        timeout: float,
        prolong: Callable[[], Steps[float]] | None = None,
        sent: SentRequest | None = None,
    ) -> Steps[Message]:
        """Send a request and return its reply, refusals included; a request that is cancelled is forgotten.

        Args:
            request: What to send.
            timeout: How long to wait for the reply [s].
            prolong: Asked once when no reply came: how much longer to wait [s].
            sent: What was sent already, by `Connection.exchange`.

        Raises:
            NoReply: There is no connection, or no reply came in time.
            MessageTooLarge: The request is larger than any server takes.
            WrongVersion: The server speaks another version of the protocol.
        """
        deadline = time.monotonic() + timeout if sent is None else sent.deadline
        number = self.number() if sent is None else sent.number
        try:
            if sent is None and (sending := self.send(number, request, timeout)):
                yield sending
            reply = self.receive(number, deadline - time.monotonic())
            if not isinstance(reply, Message):
                reply = yield reply
            if reply is None and prolong is not None:
                more = yield from prolong()
                timeout, reply = timeout + more, (yield self.receive(number, more))
        finally:
            self.forget(number)
        if reply is None:
            raise self.no_reply(request, timeout)
        answer: Message = reply
        return answer

    def no_reply(self, request: Message, timeout: float) -> NoReply:
        """Return the error of a request that was not answered within `timeout` [s]."""
        return NoReply(f"no reply from {request.target} at {self.endpoint} within {timeout:g} s")

    def _unsent(self, request: Message, timeout: float) -> NoReply:
        return NoReply(f"no server at {self.endpoint}: no connection for {request.target} within {timeout:g} s")

    def _read(self, raw: bytes) -> Message | None:
        """Return the reply in `raw`, None if there is none in it for anybody.

        Raises:
            WrongVersion: The server speaks another version of the protocol.
        """
        if not raw:
            return None
        try:
            return decode(raw)
        except WrongVersion:
            raise
        except CoopsimError as problem:
            self.undecodable += 1
            about: Message | None = problem.request
            if about is None or about.id not in self._waiting:
                return None
            return about.refusal(type(problem)(f"the reply cannot be read: {problem}"))


class Connection(BaseConnection):
    """A connection that blocks while it waits; what comes meanwhile for other requests is kept for them.

    Args:
        link: Carries the messages.
        endpoint: Where the server listens.
        run: The run that requests are meant for; 0 = whichever is there.
    """

    def __init__(self, link: Link, endpoint: Endpoint, run: int = 0) -> None:
        super().__init__(endpoint, run)
        self._link = link
        self._direct = link if isinstance(link, CarriesMessages) else None
        self._lender = link if isinstance(link, HasSocket) else None
        self._receive: Callable[[float], bytes | Message | None] = (
            link.receive if self._direct is None else self._direct.receive_message
        )
        self._waiting: dict[int, Message | None] = {}

    def send(self, number: int, request: Message, timeout: float) -> None:
        """Send a request; see `BaseConnection.send`."""
        if not self._link.send(encode(request, number, self.run), timeout):
            raise self._unsent(request, timeout)
        self._waiting.setdefault(number)

    def receive(self, number: int, timeout: float) -> Message | None:
        """Return the reply to a request; see `BaseConnection.receive`."""
        early = self._waiting.get(number)
        if early is not None:
            return early
        deadline = time.monotonic() + timeout
        while (raw := self._receive(timeout)) is not None:
            reply = raw if isinstance(raw, Message) else self._read(raw)
            if reply is not None:
                if reply.id == number or is_about_unreadable_request(reply):
                    return reply
                if reply.id in self._waiting:
                    self._waiting[reply.id] = reply
            timeout = deadline - time.monotonic()
            if timeout <= 0.0:
                break
        return None

    @property
    def has_library(self) -> bool:
        """Whether requests can be made on its socket by the C library."""
        return self._lender is not None and compiled.library() is not None

    def exchange(
        self, prepared: PreparedRequest, tick: int, patience: float, timeout: float
    ) -> tuple[int, Floats] | SentRequest | None:
        """Make a request in C, or hand it to a server in this process, without bytes.

        Args:
            prepared: What to send.
            tick: The step that it is meant for.
            patience: How long to wait for a connection [s].
            timeout: How long to wait for the reply [s].

        Returns:
            Tick and data of its reply; what was sent, if the reply is not as expected; None if nothing was done.

        Raises:
            NoReply: The connection broke, and there is no other one within `patience`.
        """
        if self._direct is not None:
            return self._hand_over(self._direct, prepared, tick, timeout)
        lender = self._lender
        exchange = prepared.compiled(lender.framing, self.run) if lender is not None else None
        if exchange is None or lender is None:
            return None
        number, deadline = self.number(), time.monotonic() + timeout
        outcome = self._lend(lender, exchange, number, tick, timeout)
        if outcome >= 0:
            return outcome, exchange.values()
        if outcome == UNSENT:
            self._number = number - 1  # nobody has heard of it
            return None
        request = prepared.message(tick)
        if outcome != CUT:
            lender.accept_received(exchange.came())
        elif not lender.send(encode(request, number, self.run), patience, exchange.gone()):
            raise self._unsent(request, patience)
        self._waiting[number] = None
        return SentRequest(number, request, deadline)

    def _hand_over(
        self, link: CarriesMessages, prepared: PreparedRequest, tick: int, timeout: float
    ) -> tuple[int, Floats] | SentRequest:
        number, deadline = self.number(), time.monotonic() + timeout
        request = prepared.message(tick, number, self.run)
        link.send_message(request)
        reply = self.receive(number, timeout)
        if reply is not None and not reply.error:
            return reply.tick, np.asarray(reply.data, np.float64)
        self._waiting[number] = reply  # where the general way finds it
        return SentRequest(number, request, deadline)

    def _lend(self, lender: HasSocket, exchange: CompiledExchange, number: int, tick: int, timeout: float) -> int:
        """Let a request be made on a link's socket; return the tick of its reply, or what became of it."""
        descriptor = lender.descriptor(timeout)
        if descriptor < 0:
            return UNSENT
        try:
            return exchange.make(descriptor, number, tick)
        except BaseException:  # Ctrl-C while it waited
            lender.accept_received(exchange.came())
            if exchange.gone():
                self.reset()
            raise

    def forget(self, number: int) -> None:
        """Stop waiting for a request: its reply, if one still comes, is passed over."""
        self._waiting.pop(number, None)

    def reset(self) -> None:
        """Begin a new connection; nothing that waited to be sent will be."""
        self._link.reset()

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


def is_about_unreadable_request(reply: Message) -> bool:
    """Return whether a server says that it could not read what was asked, and so not say whose that was."""
    return reply.id == 0 and reply.error != 0


def refusal(reply: Message, target: str) -> CoopsimError:
    """Return the exception that a refusing reply stands for, its cure as a note."""
    kind = error_for(reply.error)
    text = reply.text or (kind.__doc__ or "").partition("\n")[0]
    number = f"error {reply.error}: " if kind.code != reply.error else ""
    problem = kind(f"{number}{text}" if target in text else f"{target}: {number}{text}")
    problem.request, problem.params = reply, reply.params
    problem.add_note(problem.cure)
    return problem
