"""Routes from modules to connections, and the cure of refusals and silence."""

import logging
import time
from collections.abc import Sequence
from typing import TypeVar

from coopsim.client.absence import RUN_INFO, compiling_in, nothing_answers, reason_in
from coopsim.client.connection import BaseConnection, refusal
from coopsim.client.connections import ConnectionSet
from coopsim.client.endpoints import Endpoint
from coopsim.client.flows import Ask, Flow, Steps
from coopsim.client.foreign_routes import LOOK_PATIENCE, driver_is_silent, elsewhere, run_in
from coopsim.client.layout import STEP_MODULE
from coopsim.errors import CoopsimError, KeyRefused, LivesElsewhere, NoReply, NoSuchName, OwnedByAnother
from coopsim.interfaces import CLOCK, NAMES, STEP, Common
from coopsim.message import Message, Param
from coopsim.message.targets import robot_and_module

_T = TypeVar("_T")
HOPS = 4  # a module may move while it is sought, but not for ever: two servers could name each other
# an edit may load meshes or build an engine anew
EDIT_PATIENCE = 10.0
"""Time limit of an edit, in those of other requests."""
GREETING = Message("/sim/clock", Common.PING)
STATUS = Message("/sim/clock", CLOCK.command("status").number)
STALE_CLAIM, RETRY_PAUSE = 1.0, 0.01
"""How long the server may keep our robots for a connection of ours that broke, and how often we try [s]."""
_LOOKUP = NAMES.command("lookup").number
_STEP_COMMANDS = ("claim_with", "claim", "release", "set_period")
_JOIN, _CLAIM, _RELEASE, _SET_PERIOD = (STEP.command(name).number for name in _STEP_COMMANDS)
# s; a clock on a busy machine needs half a second, and nobody waits five more for a reason
_SHORTEST, _LONGEST = 0.5, 5.0
_log = logging.getLogger(__name__)


class RequestRouter(ConnectionSet):
    """The steps that a client takes over its connections: routes, ownership, and the cure of refusals and silence."""

    def greeting(self) -> Steps[None]:
        """Learn which run is here; every later request is meant for that one alone.

        Raises:
            NoReply: No server answers.
        """
        self.run_number = run_in((yield from self.routing(Ask(GREETING))))
        for endpoint, connection in self._connections.items():
            connection.run = 0 if endpoint in self._foreign else self.run_number

    def reconnecting(self) -> Steps[None]:
        """Forget the run that was here, its tokens and its addresses, and go on with the one that is here now.

        Raises:
            NoReply: No server answers.
        """
        with self.lock:
            for connection in [connection for connection in self._connections.values() if connection is not self._main]:
                self._drop(connection)
            self.main.reset()
            self._token, self.main.run = "", 0
            self._claimed.clear()
            yield from self.greeting()

    def must_look_up(self, target: str, connection: BaseConnection) -> bool:
        """Return whether it must be asked, before a request, whether a foreign module still has its name."""
        return self._foreign.is_due(target, connection.endpoint)

    def _looking_up(self, target: str, connection: BaseConnection) -> Steps[BaseConnection]:
        """Return the connection to a foreign module, or to whatever has its name now."""
        self._foreign.note_lookup(target)
        try:
            reply = yield from self.main.asking(Message("/sim/names", _LOOKUP, (target,)), LOOK_PATIENCE)
        except NoReply as problem:
            _log.debug("%s is not looked up: %s", target, problem)
            return connection
        if reply.error or elsewhere(reply, self.endpoint) == connection.endpoint:
            return connection  # refused: its lease is over, and nobody else has the name
        _log.warning("%s is no longer served at %s: another one has its name", target, connection.endpoint)
        self._routes.pop(target, None)
        return self.connection_to(target)

    def routing(self, ask: Ask) -> Steps[Message]:
        """Send a request to wherever the module lives and return its reply.

        Raises:
            NoReply: No reply in time; the text says where, how long and why, as far as it can be known.
            CoopsimError: The server refuses; the class is that of the error's number.
        """
        message, timeout, is_edit, sent = ask
        prolong = self._prolonging if is_edit and timeout is None else None
        with self.lock:
            is_back = False
            for _ in range(HOPS):
                connection = self.connection_to(message.target)
                if sent is None and self.must_look_up(message.target, connection):
                    connection = yield from self._looking_up(message.target, connection)
                try:
                    wait = self.timeout if timeout is None else timeout
                    reply, sent = (yield from connection.asking(message, wait, prolong, sent)), None
                except NoReply as problem:
                    raise (yield from self.explaining_timeout(problem, connection, message.target)) from None
                if reply.error == 0:
                    return reply
                if reply.error == LivesElsewhere.code:
                    self._routes[message.target] = self._connected_foreign(elsewhere(reply, self.endpoint))
                    self._foreign.note_lookup(message.target)
                elif reply.error == NoSuchName.code and connection is not self._main:
                    self._routes.pop(message.target, None)  # it has moved since
                elif reply.error != OwnedByAnother.code or is_back:
                    break
                else:
                    is_back = yield from self._returning(connection, message.target, min(wait, STALE_CLAIM))
                    if not is_back:
                        break
        raise refusal(reply, message.target)

    def following(self, flow: Flow[_T]) -> Steps[_T]:
        """Ask what a flow asks for, and return what comes out of it.

        Raises:
            CoopsimError: As `routing` and the flow do.
        """
        try:
            ask = next(flow)
            while True:
                ask = flow.send((yield from self.routing(ask)))
        except StopIteration as end:
            result: _T = end.value
            return result

    def explaining_timeout(self, problem: NoReply, connection: BaseConnection, target: str = "") -> Steps[NoReply]:
        """Return `problem`, of a module, with what the clock says about the reason, if the server still answers."""
        if self._connections.get(connection.endpoint) is not connection:
            return problem  # closed here
        is_foreign = connection.endpoint in self._foreign
        if connection is not self._main:
            self._drop(connection)
        if is_foreign:
            is_alive = (yield from self._asking_clock()) is not None
            reason = driver_is_silent(connection.endpoint, is_simulation_alive=is_alive)
        else:
            reason = yield from self._explaining(connection, target)
        return NoReply(f"{problem}; {reason}").advise("")

    def using_own_endpoint(self, target: str) -> Steps[None]:
        """From now on ask module `target` at its robot's own endpoint.

        Raises:
            NoSuchName: There is no such module.
        """
        reply = yield from self.routing(Ask(Message("/sim/names", _LOOKUP, (target,))))
        if self._source is not None:
            return
        with self.lock:
            connection = yield from self._connecting(elsewhere(reply, self.endpoint))
            if connection is not self._main:
                self._routes[target] = connection

    def claiming(self, groups: Sequence[tuple[str, ...]]) -> Steps[None]:
        """Become the owner of robots, on every connection.

        Args:
            groups: Their names, as many together as fit one message.

        Raises:
            OwnedByAnother: Another client controls one of them.
        """
        token = None
        for names in groups:
            reply = yield from self.routing(Ask(Message(STEP_MODULE, _CLAIM, names)))
            token = reply.params[0] if reply.params else token
            self._claimed.update(names)
        if token is not None:
            yield from self.joining(token)

    def releasing(self, groups: Sequence[tuple[str, ...]], timeout: float) -> Steps[None]:
        """Give robots back."""
        for names in groups:
            self._claimed.difference_update(names)
            yield from self.routing(Ask(Message(STEP_MODULE, _RELEASE, names), timeout))

    def setting_period(self, groups: Sequence[tuple[str, ...]], ticks: int) -> Steps[None]:
        """Let each command of robots of ours count for a number of ticks."""
        for names in groups:
            yield from self.routing(Ask(Message(STEP_MODULE, _SET_PERIOD, (ticks, *names))))

    def winning_back(self, groups: Sequence[tuple[str, ...]], patience: float) -> Steps[None]:
        """Claim robots again: their owner may be ourselves on a connection that broke, until the server notices.

        Our token is of no use once it has noticed that of the connection that claimed, and one that took them after
        that, by a command alone, has none.

        Raises:
            OwnedByAnother: After `patience` [s] another client still controls one of them.
        """
        deadline = time.monotonic() + patience
        while True:
            try:
                return (yield from self.claiming(groups))
            except OwnedByAnother:
                if time.monotonic() >= deadline:
                    raise
            yield self.sleep(RETRY_PAUSE)

    def _returning(self, connection: BaseConnection, target: str, patience: float) -> Steps[bool]:
        """Return whether the robot of a module is ours again, by our token or by another claim."""
        if (yield from self._rejoining(connection)):
            return True
        robot = robot_and_module(target)[0]
        if robot not in self._claimed:
            return False
        try:
            yield from self.winning_back([(robot,)], patience)
        except OwnedByAnother:
            return False
        return True

    def joining(self, token: Param) -> Steps[None]:
        """Use `token` on every connection, also on later ones: all act for its owner."""
        with self.lock:
            self._token = token
            for endpoint, connection in list(self._connections.items()):
                if connection is not self._main and endpoint not in self._foreign:
                    yield from self._introducing(connection)

    def _introducing(self, connection: BaseConnection) -> Steps[None]:
        """Show our token."""
        reply = yield from connection.asking(Message(STEP_MODULE, _JOIN, (self._token,)), self.timeout)
        if reply.error:
            raise refusal(reply, STEP_MODULE)

    def _rejoining(self, connection: BaseConnection) -> Steps[bool]:
        """Show our token again, for the other owner may be ourselves on a connection that broke; true if it counts."""
        if self._token == "" or connection.endpoint in self._foreign:
            return False
        reply = yield from connection.asking(Message(STEP_MODULE, _JOIN, (self._token,)), self.timeout)
        return reply.error == 0

    def _connecting(self, endpoint: Endpoint) -> Steps[BaseConnection]:
        if endpoint not in self._connections:
            self._connections[endpoint] = self._connect(endpoint, self.keys, self.run_number)
            if self._token != "":
                yield from self._introducing(self._connections[endpoint])
        return self._connections[endpoint]

    def _asking_clock(self, question: Message = STATUS) -> Steps[Message | None]:
        """Return what the server says of itself, None if it does not answer either.

        Raises:
            KeyRefused: The server does not let us in any more.
        """
        try:
            # as long as machine and network need, which the usual time-out tells
            wait = min(max(self.timeout / 4.0, _SHORTEST), _LONGEST)
            return (yield from self.main.asking(question, wait))
        except KeyRefused:
            raise
        except CoopsimError as problem:
            _log.debug("the clock does not answer either: %s", problem)
            return None

    def _prolonging(self) -> Steps[float]:
        """Return how much longer to wait for the reply to an edit [s]."""
        is_alive = (yield from self._asking_clock()) is not None
        return (EDIT_PATIENCE - 1.0) * self.timeout if is_alive else 0.0

    def _explaining(self, connection: BaseConnection, target: str) -> Steps[str]:
        """Return why a module did not reply.

        Raises:
            KeyRefused: The server has put us out.
        """
        status = yield from self._asking_clock()
        if status is not None:
            compiling = compiling_in((yield from self._asking_clock(RUN_INFO)))
            return compiling or reason_in(status, connection.undecodable, target)
        if self._main is not None:
            self._main.reset()
            if self.keys is not None:
                yield from self._asking_clock()  # a new connection tells whether the server lets us in
        return str((yield self._call_blocking(nothing_answers, connection.endpoint, connection.undecodable)))
