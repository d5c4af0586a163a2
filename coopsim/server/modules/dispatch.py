"""Dispatch of requests from every socket: finds the module, checks, counts, and turns mistakes into replies.

Source: CoopDynSim, section III and Fig. 1 (each hardware module is a server behind one generic protocol).
"""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from coopsim.errors import (
    BadArgument,
    CoopsimError,
    InternalError,
    NoSuchCommand,
    NoSuchName,
    SimulationEnded,
    WrongRun,
)
from coopsim.interfaces import COMMON, Command, Common
from coopsim.interfaces.rights import ChangingCommand
from coopsim.message import Message, decode, failure, id_in
from coopsim.message.targets import robot_and_module
from coopsim.server.audit import Audit
from coopsim.server.dispossession import Dispossession
from coopsim.server.edits import EditForwarder
from coopsim.server.keyed_connections import KeyedConnections
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.sessions import Session, pack
from coopsim.server.modules.camera import ImageSource, NoCameras
from coopsim.server.modules.module_table import ModuleTable, UnknownTarget
from coopsim.server.modules.offered_names import OfferedNames
from coopsim.server.modules.request_books import ExchangeBook, RequestStatistics
from coopsim.server.modules.requests import params_of, text
from coopsim.server.modules.served import HasParameters, NoticesPings, ServedModule
from coopsim.server.modules.suggestions import Suggestions
from coopsim.state import Layout

_COMMON: Mapping[int, Command] = {command.number: command for command in COMMON}


class Modules:
    """Modules that answer, in all threads: one request at a time, under one lock.

    Args:
        coordinator: Ownership and barrier.
        edits: Way to the source.
        fixed: Modules under `/sim`, by name.
        elsewhere: Returns the refusal for a module that lives elsewhere, None if it does not.
        run: Number of the run; requests for another one are refused.
        keyed_connections: Connections with a key; None = no keys and no audit.
        lock: Held while a request is answered or a record is taken in.
        offers: Modules that programs offer.

    Attributes:
        lock: Held while a request is answered or a record is taken in.
        keyed_connections: Who came in with a key.
        faults: Exceptions that nobody foresaw: each is answered with an error.
        statistics: Numbers of requests.
        table: Modules by name.
        audit: Records edits and claims.
        images: Draws what cameras see.
        exchanges: What requests look like that come again and again; None = nobody needs to know.
    """

    def __init__(
        self,
        coordinator: LockstepCoordinator,
        edits: EditForwarder,
        fixed: Mapping[str, ServedModule],
        elsewhere: Callable[[str], CoopsimError | None] = lambda _: None,
        run: int = 0,
        keyed_connections: KeyedConnections | None = None,
        lock: AbstractContextManager[bool] | None = None,
        offers: OfferedNames | None = None,
    ) -> None:
        self.lock: AbstractContextManager[bool] = lock or threading.RLock()
        self.coordinator, self._edits, self._run = coordinator, edits, run
        self._offers = offers or OfferedNames(coordinator, edits)
        self.keyed_connections = keyed_connections or KeyedConnections(
            Dispossession(coordinator, self._offers.lost), Audit(is_silent=True)
        )
        self.audit = self.keyed_connections.audit
        self.faults, self.statistics = coordinator.faults, RequestStatistics(coordinator.link)
        self.images: ImageSource = NoCameras()
        self.exchanges: ExchangeBook | None = None
        self.table = ModuleTable(coordinator, edits, fixed, elsewhere, self._offers, lambda: self.images)
        self._suggestions = Suggestions(self.table.fixed, coordinator.clock)

    def respond(self, raw: bytes, session: Session) -> bytes | None:
        """Return the bytes of the reply to the bytes of a request; None when it comes later. Never fails."""
        try:
            request = decode(raw)
        except CoopsimError as problem:
            refusal = failure(problem)
            self._refused(refusal, problem, session)
            return pack(refusal)
        except Exception as problem:
            return pack(Message("", id=id_in(raw)).refusal(self.faults.note("reading a request", problem)))
        reply = self.answer(request, session)
        if self.exchanges is not None and self.coordinator.is_lockstep and (reply is None or reply.error == 0):
            self._learn(request, session, self.exchanges)
        return None if reply is None else pack(reply)

    def _learn(self, request: Message, session: Session, exchanges: ExchangeBook) -> None:
        """Remember what a request that was not refused looks like."""
        with self.lock:
            named = self.table.last_found(request.target)
            try:
                if named is not None:
                    exchanges.notice(request, session, named.module, self.table.generation)
            except Exception as problem:  # its reply is on the way all the same
                self.faults.note("learning a request", problem)

    def count(self, target: str, count: int) -> None:
        """Count requests that were carried out elsewhere."""
        self.statistics.count(target, count)

    def learn_exchanges(self, is_apt: Callable[[Session], bool]) -> ExchangeBook:
        """Learn from now on what the requests of those connections look like that `is_apt` names; return the book."""
        self.exchanges = ExchangeBook(self._run, is_apt)
        return self.exchanges

    def answer(self, request: Message, session: Session, *, is_new: bool = True) -> Message | None:
        """Return the reply to a request; None when it comes later. Never fails."""
        try:
            return self._answer_locked(request, session, is_new=is_new)
        except UnknownTarget as missing:  # a name near to it is looked for without the lock
            return self._refuse_unknown(request, missing.layout)

    def _refuse_unknown(self, request: Message, layout: Layout) -> Message:
        try:
            near = self._suggestions.near(request.target, layout)
        except Exception as bug:
            return request.refusal(self.faults.note("the names that are near", bug), tick=self._tick)
        problem = NoSuchName(f"there is no {request.target[:80]!r}" + (f"; did you mean {near}?" if near else ""))
        return request.refusal(problem.bring(request.target), tick=self._tick)

    def _answer_locked(self, request: Message, session: Session, *, is_new: bool) -> Message | None:
        with self.lock:
            try:
                reply = self._answer(request, session, is_new=is_new)
            except UnknownTarget:
                raise
            except CoopsimError as problem:
                self.statistics.count_error(request.target)
                self._refused(request, problem, session)
                return request.refusal(problem, tick=self._tick)
            except Exception as problem:
                self.statistics.count_error(request.target)
                refusal = self.faults.note(f"command {request.command} of {_kind(request.target)}", problem)
                self._edits.withdraw(request)
                return request.refusal(refusal, tick=self._tick)
            self._go_on()
            return reply

    def _refused(self, request: Message, problem: CoopsimError, session: Session) -> None:
        with self.lock:
            self.coordinator.pending.refused(request, problem, session, self.coordinator.clock())

    def _go_on(self) -> None:
        """Do what a request has made possible: a tick, replies that waited; its own reply depends on none of it."""
        try:
            self.coordinator.advance()
            if self.coordinator.pending.must_look_again:
                self._retry_held()
        except Exception as problem:
            self.faults.note("what follows a request", problem)

    def poll(self) -> None:
        """Read the newest record and answer the requests that waited for it."""
        with self.lock:
            if self.coordinator.poll() or self.coordinator.pending.must_look_again:
                self._retry_held()
            self.coordinator.advance()

    def _retry_held(self) -> None:
        for request, session in self.coordinator.pending.pop_held():
            reply = self.answer(request, session, is_new=False)
            if reply is not None:
                session.reply(reply)

    def turn(self, now: float) -> None:
        """Do what time brings: patience, claims that run out."""
        with self.lock:
            self.coordinator.turn(now)

    def lost(self, session: Session) -> None:
        """Handle a closed connection."""
        with self.lock:
            self._edits.forget(session)
            self._offers.lost(session)
            if self.exchanges is not None:
                self.exchanges.forget(session)
            self.coordinator.lost(session)
            self.keyed_connections.remove(session)

    def welcome(self, session: Session, public: str, descriptor: int) -> None:
        """Register a connection with the CURVE key `public` (Z85)."""
        with self.lock:
            self.keyed_connections.add(session, self.keyed_connections.of_curve(public), descriptor)

    def welcome_certificate(self, session: Session, certificate: bytes, descriptor: int) -> None:
        """Register a TLS connection with a certificate (DER)."""
        with self.lock:
            self.keyed_connections.add(session, self.keyed_connections.of_certificate(certificate), descriptor)

    def dismiss(self, session: Session) -> None:
        """End a connection that came in with a key, to make room; it may come back."""
        with self.lock:
            if session.keyed is not None:
                session.keyed.wire.cut()
            self._offers.lost(session)
            self.coordinator.lost(session)
            self.keyed_connections.remove(session)

    def listens(self, public: str, descriptor: int) -> None:
        """Register a subscriber to the state stream that has a key."""
        with self.lock:
            self.keyed_connections.add_listener(public, descriptor)

    def review(self) -> None:
        """Close connections whose key is no longer trusted; update the roles of the others."""
        with self.lock:
            self.keyed_connections.update_roles()
            self.coordinator.advance()

    def refuse_all(self) -> None:
        """Answer everything that waits: the simulation has ended."""
        with self.lock:
            self.coordinator.is_ended = True
            self.coordinator.pending.refuse_all(self._tick)
            self._edits.refuse_all()

    @property
    def _tick(self) -> int:
        try:
            return self.coordinator.link.record.tick
        except SimulationEnded:
            return 0

    def _answer(self, request: Message, session: Session, *, is_new: bool) -> Message | None:
        if request.run and request.run != self._run:
            raise _wrong_run(request.run, self._run)
        module, commands, changing = self.table.find(request.target)
        if is_new:
            self.statistics.count(request.target)
        change = changing.get(request.command)
        if change is None:
            return self._carry_out(module, commands, request, session)
        try:
            if change.is_audited or not _has_passed(session, change, request.target):
                self._permit(change, request, session)
            reply = self._carry_out(module, commands, request, session)
        except Exception as problem:
            caught = problem if isinstance(problem, CoopsimError) else InternalError(str(problem))
            self.audit.did(session, request, change, caught)
            raise
        if is_new and change.is_audited:
            self.audit.did(session, request, change, None)
        return reply

    def _permit(self, change: ChangingCommand, request: Message, session: Session) -> None:
        """Refuse what the role of a client forbids, and what would disturb the owner of a claimed robot.

        Raises:
            NotAllowed: It takes another role.
            OwnedByAnother: Another client has claimed the robot.
        """
        if session.limits is None:
            return
        robot = "" if request.target in self.table.fixed else self._robot_of(request.target)
        session.limits.check(change, request.target, robot)
        if robot and change.is_audited:
            self.coordinator.ownership.refuse_foreign(self.coordinator.claimant(session), (robot,), firm_only=True)

    def _robot_of(self, target: str) -> str:
        name = target[1:]
        return name if name in self.coordinator.link.layout.robot else robot_and_module(name)[0]

    def _carry_out(
        self, module: ServedModule, commands: Mapping[int, Command], request: Message, session: Session
    ) -> Message | None:
        own = commands.get(request.command)
        command = own or _COMMON.get(request.command)
        if command is None:
            module.interface.command(request.command)  # says what there is
            raise NoSuchCommand(f"{request.target} has no command {request.command}")
        if len(request.data) and not command.takes_data:
            raise BadArgument(f"{command.name} takes no data, got {len(request.data)} values")
        if own is not None:
            return module.answer(command, request, session)
        return self._answer_common(module, command, request, session)

    # common commands

    def _answer_common(
        self, module: ServedModule, command: Command, request: Message, session: Session
    ) -> Message | None:
        params = params_of(command, request)
        record = self.coordinator.link.record
        match command.number:
            case Common.PING:
                if isinstance(module, NoticesPings):
                    module.pinged(session)
                return request.reply((module.interface.kind, self._run), (record.tick, record.time), tick=record.tick)
            case Common.DESCRIBE:
                return request.reply((module.interface.to_json(module.counts),), tick=record.tick)
            case Common.STATISTICS:
                return request.reply((json.dumps(self.statistics.of(request.target)),), tick=record.tick)
        parameter = module.interface.parameter(text(params[0], "name"))
        if not isinstance(module, HasParameters):
            raise InternalError(f"{request.target} declares parameters but has no method `parameter`")
        return module.parameter(parameter, params[1] if len(params) > 1 else None, request, session)


def _wrong_run(wanted: int, run: int) -> WrongRun:
    return WrongRun(f"the simulation was restarted: this is run {run}, the request is for run {wanted}").bring(run)


def _kind(target: str) -> str:
    """Return the module of a request without its robot: one mistake is one kind of fault."""
    return target if target.startswith("/sim/") else target.rpartition("/")[2]


def _has_passed(session: Session, change: ChangingCommand, target: str) -> bool:
    """Return whether nothing has to be looked at: the client has no limits, or did this before."""
    return session.limits is None or session.limits.is_known(change, target)
