"""Which connection serves which module, what a refusal means, and why there was no reply."""

import json
import logging
import threading
from dataclasses import replace
from typing import TypeVar

import zmq

from coopsim.client.absence import why_absent
from coopsim.client.endpoints import IN_PROCESS, Endpoint, parse
from coopsim.client.exchange import Exchange
from coopsim.client.flows import Ask, Flow
from coopsim.client.keys import Keys, Lock
from coopsim.client.link import Link, LinkSource
from coopsim.client.links import PlainLink, ZmqLink
from coopsim.errors import CoopsimError, KeyRefused, LivesElsewhere, NoReply, NoSuchName, OwnedByAnother, error_for
from coopsim.interfaces import CLOCK, NAMES, STEP, Common
from coopsim.message import Message, Param

_T = TypeVar("_T")
HOPS = 4
_ANYWHERE = {"0.0.0.0", "[::]"}  # noqa: S104 - nothing is bound here
ASK_WHY = (0.5, 5.0)
"""Least and longest time that the clock has to say why there was no reply [s]."""
EDIT_PATIENCE = 10.0
"""An edit has so many times as long as another request."""
GREETING = Ask("/sim/clock", Common.PING)
STATUS = Ask("/sim/clock", CLOCK.command("status").number)
LOOKUP, JOIN = NAMES.command("lookup").number, STEP.command("claim_with").number
_log = logging.getLogger(__name__)


class Switchboard:
    """All connections of one client; a lock lets threads share them, one request at a time.

    Args:
        endpoint: Of the main connection.
        timeout: How long to wait for a reply when a request does not say [s].
        keys: Ours and the server's; None = in the clear.
        source: The server, where it is in this process.

    Raises:
        NoKey: A key is missing.

    Attributes:
        main: The connection that takes requests for every module it is not told otherwise.
        timeout: How long to wait for a reply when a request does not say [s].
        lock: Held while a request waits for its reply.
        door: The keys of both sides; None = in the clear.
        run: The run that requests are meant for; 0 = not known yet, or the server has no such number.
    """

    def __init__(
        self, endpoint: Endpoint, timeout: float, keys: Keys | None = None, source: LinkSource | None = None
    ) -> None:
        self.timeout, self.run = timeout, 0
        self._keys, self._source = keys, source
        self.door = keys.lock(endpoint.host) if keys is not None and endpoint.may_use_keys else None
        self.lock = threading.RLock()
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._exchanges: dict[Endpoint, Exchange] = {}
        self._homes: dict[str, Exchange] = {}
        self._strangers: set[Endpoint] = set()
        self._token: Param = ""
        self.main = self._exchange(endpoint)

    def greet(self) -> None:
        """Learn which run is here; every later request is meant for that one alone.

        Raises:
            NoReply: No server answers.
        """
        self.run = run_in(self.ask(GREETING))
        for endpoint, exchange in self._exchanges.items():
            exchange.run = 0 if endpoint in self._strangers else self.run

    def reconnect(self) -> None:
        """Forget the run that was here, its tokens and its addresses, and go on with the one that is here now.

        Raises:
            NoReply: No server answers.
        """
        with self.lock:
            for exchange in [each for each in self._exchanges.values() if each is not self.main]:
                self._drop(exchange)
            self.main.reset()
            self._token, self.main.run = "", 0
            self.greet()

    def ask(self, ask: Ask) -> Message:
        """Send a request to wherever the module lives and return its reply.

        Raises:
            NoReply: No reply in time; the text says where, how long and why, as far as it can be known.
            CoopsimError: The server refuses; the class is that of the error's number.
        """
        wait = self.timeout if ask.timeout is None else ask.timeout
        more = self._patience if ask.is_edit and ask.timeout is None else None
        with self.lock:
            is_joined = False
            for _ in range(HOPS):
                exchange = self._homes.get(ask.target, self.main)
                try:
                    reply = exchange.ask(ask, wait, more)
                except NoReply as problem:
                    raise self.silence(problem, exchange) from None
                if reply.error == LivesElsewhere.code:
                    self._homes[ask.target] = self._foreign(elsewhere(reply, self.main.endpoint))
                elif reply.error == NoSuchName.code and exchange is not self.main:
                    self._homes.pop(ask.target, None)  # it has moved since
                elif reply.error == OwnedByAnother.code and not is_joined and self.rejoin(exchange):
                    is_joined = True
                else:
                    break
        if reply.error:
            raise refusal(reply, ask.target)
        return reply

    def do(self, flow: Flow[_T]) -> _T:
        """Ask what a flow asks for, and return what comes out of it.

        Raises:
            CoopsimError: As `ask` and the flow do.
        """
        try:
            ask = next(flow)
            while True:
                ask = flow.send(self.ask(ask))
        except StopIteration as end:
            result: _T = end.value
            return result

    def silence(self, problem: NoReply, exchange: Exchange) -> NoReply:
        """Return `problem` with what the clock says about the reason, if the server still answers."""
        if exchange is not self.main:
            self._drop(exchange)
        error = NoReply(f"{problem}; {self._reason(exchange)}")
        return error.advise("")

    def move_in(self, target: str) -> None:
        """From now on ask module `target` at its robot's own endpoint.

        Raises:
            NoSuchName: There is no such module.
        """
        reply = self.ask(Ask("/sim/names", LOOKUP, (target,)))
        exchange = self._exchange(elsewhere(reply, self.main.endpoint))
        if exchange is not self.main:
            self._homes[target] = exchange

    def join(self, token: Param) -> None:
        """Let every connection, now and later ones too, act for the owner that has `token`."""
        self._token = token
        for endpoint, exchange in self._exchanges.items():
            if exchange is not self.main and endpoint not in self._strangers:
                self._show_token(exchange)

    def rejoin(self, exchange: Exchange) -> bool:
        """Show our token again, for the other owner may be ourselves on a connection that broke; true if it counts.

        Raises:
            NoReply: No reply in time.
        """
        if self._token == "" or exchange.endpoint in self._strangers:
            return False
        return exchange.ask(Ask("/sim/step", JOIN, (self._token,)), self.timeout).error == 0

    def close(self) -> None:
        """Close all connections."""
        with self.lock:
            for exchange in self._exchanges.values():
                exchange.close()
            self._exchanges.clear()
            self._homes.clear()
            if self._context is not None:
                self._context.destroy(linger=0)
                self._context = None

    def _exchange(self, endpoint: Endpoint) -> Exchange:
        if endpoint not in self._exchanges:
            exchange = Exchange(self._link(endpoint, self.door), endpoint, self.run)
            self._exchanges[endpoint] = exchange
            if self._token != "":
                self._show_token(exchange)
        return self._exchanges[endpoint]

    def _foreign(self, endpoint: Endpoint) -> Exchange:
        """Return a connection to a server that is none of the simulation's: it knows no tokens, and has other keys."""
        if endpoint not in self._exchanges:
            lock = self._keys.foreign_lock(endpoint) if self._keys is not None else None
            self._exchanges[endpoint] = Exchange(self._link(endpoint, lock), endpoint)
            self._strangers.add(endpoint)
        return self._exchanges[endpoint]

    def _drop(self, exchange: Exchange) -> None:
        exchange.close()
        self._exchanges.pop(exchange.endpoint, None)
        self._strangers.discard(exchange.endpoint)
        self._homes = {target: home for target, home in self._homes.items() if home is not exchange}

    def _link(self, endpoint: Endpoint, lock: Lock | None) -> Link:
        if self._source is not None and endpoint == IN_PROCESS:
            return self._source.open_link()
        return PlainLink(endpoint, lock) if endpoint.is_plain else ZmqLink(self.context, endpoint, lock)

    @property
    def context(self) -> "zmq.Context[zmq.Socket[bytes]]":
        """Where sockets are made."""
        # one of our own: the shared one does not survive forks and foreign terminations
        self._context = self._context or zmq.Context()
        return self._context

    def _show_token(self, exchange: Exchange) -> None:
        reply = exchange.ask(Ask("/sim/step", JOIN, (self._token,)), self.timeout)
        if reply.error:
            raise refusal(reply, "/sim/step")

    def _patience(self) -> float:
        """Return how much longer to wait for the reply to an edit [s]."""
        try:
            self.main.ask(STATUS, patience_for_why(self.timeout))
        except CoopsimError as problem:
            _log.debug("the clock does not answer either: %s", problem)
            return 0.0
        return (EDIT_PATIENCE - 1.0) * self.timeout

    def _ask_whether_we_are_out(self) -> None:
        """Come in again: a server with keys may have put us out.

        Raises:
            KeyRefused: It has.
        """
        if self.door is None:
            return
        try:
            self.main.ask(STATUS, patience_for_why(self.timeout))
        except KeyRefused:
            raise
        except CoopsimError as problem:
            _log.debug("nor does it refuse us: %s", problem)

    def _reason(self, exchange: Exchange) -> str:
        try:
            status = self.main.ask(STATUS, patience_for_why(self.timeout))
        except CoopsimError as problem:
            _log.debug("the clock does not answer either: %s", problem)
            self.main.reset()
            self._ask_whether_we_are_out()
            return nothing_answers(exchange.endpoint, exchange.undecodable)
        return reason_in(status, exchange.undecodable)


def patience_for_why(timeout: float) -> float:
    """Return how long to ask the clock why there was no reply [s]: as machine and network need, for `timeout` tells."""
    least, most = ASK_WHY
    return min(max(timeout / 4.0, least), most)


def run_in(reply: Message) -> int:
    """Return the run that a reply to a ping names; 0 = it names none."""
    told = reply.params[1] if len(reply.params) > 1 else 0
    return told if isinstance(told, int) and told > 0 else 0


def refusal(reply: Message, target: str) -> CoopsimError:
    """Return the exception that a refusing reply stands for, its cure as a note."""
    kind = error_for(reply.error)
    text = reply.text or (kind.__doc__ or "").partition("\n")[0]
    number = f"error {reply.error}: " if kind.code != reply.error else ""
    problem = kind(f"{number}{text}" if target in text else f"{target}: {number}{text}")
    problem.request, problem.params = reply, reply.params
    problem.add_note(problem.cure)
    return problem


def elsewhere(reply: Message, main: Endpoint) -> Endpoint:
    """Return the address in params that suits our transport: ZeroMQ's comes first, plain TCP's second.

    Args:
        reply: Of LOOKUP, or one that says that the module lives elsewhere.
        main: Where the simulation itself is reached.

    Raises:
        CoopsimError: There is none.
    """
    zeromq, plain = (str(each) for each in (*reply.params, "", "")[:2])
    if not zeromq and not plain:
        raise refusal(reply, reply.target)
    is_plain = bool(plain) and (main.is_plain or not zeromq)
    endpoint = parse(plain if is_plain else zeromq, is_plain=is_plain)
    # a server on all interfaces does not know by which of its addresses we reach it
    return replace(endpoint, host=main.host) if endpoint.host in _ANYWHERE else endpoint


def nothing_answers(endpoint: Endpoint, undecodable: int) -> str:
    """Return why there was no reply where not even the clock answers; asks the network."""
    return why_absent(endpoint) + _unreadable(undecodable)


def reason_in(status: Message, undecodable: int) -> str:
    """Return why there was no reply, by what the clock says."""
    return _reason_in(status) + _unreadable(undecodable)


def _unreadable(count: int) -> str:
    return f" ({count} replies could not be read)" if count else ""


def _reason_in(status: Message) -> str:
    mode, paused, waited = (*status.params, "", 0, "{}")[:3] if status.error == 0 else ("", 0, "{}")
    awaited = _awaited(waited)
    if paused:
        return "the simulation is paused; `coopsim call /sim/clock continue` or `sim.clock.continue_()` lets it go on"
    if "" in awaited:
        return "lockstep waits until somebody claims a robot"
    if awaited:
        names = ", ".join(f"{robot} ({seconds:.1f} s)" for robot, seconds in sorted(awaited.items()))
        return f"lockstep waits for {names}, {_limit(status)}"
    return f"the server is alive ({mode or 'clock unknown'}): the request was lost, or is larger than it accepts"


def _limit(status: Message) -> str:
    """Return how long lockstep waits for a robot, as the clock says; an older server does not."""
    policy, patience = (*status.params, "", "", "", "")[3], (*status.data, *[0.0] * 11)[10]
    if not patience or policy == "wait":
        return "without a time limit; `/sim/clock set_parameter patience 0.5` sets one"
    return f"at most {patience:g} s each, then {policy}"


def _awaited(text: Param) -> dict[str, float]:
    try:
        awaited = json.loads(str(text))
    except ValueError:
        return {}
    return {str(robot): float(seconds) for robot, seconds in awaited.items()} if isinstance(awaited, dict) else {}
