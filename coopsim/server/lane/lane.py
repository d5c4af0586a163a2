"""Gate of the lane: its conditions, and its report to Python when messages come out of it.

While it is open the lock of `Modules` is held; whatever does not look like the messages before is done by Python, which
finds everything as if it had answered all of them itself. Design: docs/lane.md and docs/internals.md.
"""

from collections.abc import Sequence

from coopsim.server.lane.library import LaneLibrary, LaneOutcome
from coopsim.server.lane.lock import CallingLock
from coopsim.server.lane.tables import LaneClient, LaneTables
from coopsim.server.listener import Listener
from coopsim.server.lockstep.exchange_form import ExchangeForm
from coopsim.server.lockstep.ownership import Owner
from coopsim.server.lockstep.sessions import Session
from coopsim.server.lockstep.waiting import WaitingStep
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.server.sockets.gateway import Gateway
from coopsim.transport import SourceLink

_LONGEST_REST = 64
"""Largest number of turns for which it stays closed after it was open in vain.

To open it, all connections are asked for their forms: once in 64 turns that no longer counts, and a client that comes
back is served by Python for a few milliseconds at most.
"""


class Lane:
    """Answers with a library in C as long as connections send what they sent before.

    Args:
        library: Does that.
        link: The source.
        modules: What answers otherwise.
        lock: That of `modules`.
        poller: All sockets are registered with it.

    Attributes:
        steps: How many steps were done.
        messages: How many messages were answered, or had their tick permitted.
    """

    def __init__(
        self, library: LaneLibrary, link: SourceLink, modules: Modules, lock: CallingLock, poller: Poller
    ) -> None:
        self._library, self._link, self._modules, self._lock, self._poller = library, link, modules, lock, poller
        self._coordinator = modules.coordinator
        self._tables: LaneTables | None = None
        self._book = modules.learn_exchanges(lambda session: isinstance(session.sender, Gateway))
        self._waiting: dict[Session, WaitingStep] = {}
        self._left = self._skipped = 0
        self._given_up = -1
        self.steps = self.messages = 0

    def run(self, until: float, listeners: Sequence[Listener]) -> list[tuple[int, int]] | None:
        """Do steps until there is something for Python; return its events, None if the lane was closed.

        Args:
            until: When to return at the latest, by the monotonic clock [s].
            listeners: If one of them needs every record, there is one step at a time.
        """
        lock = self._lock
        if lock.is_wanted() or not self._is_open() or self._must_rest():
            return None
        with lock:
            tables, record, barrier = self._find_tables(), self._link.record, self._coordinator.barrier
            if tables is None or record.tick + 1 != barrier.next:
                return None
            is_single = any(listener.needs_each_record for listener in listeners)
            lock.is_kept = True
            try:
                if lock.is_wanted():
                    return None
                tables.begin(barrier, self._waiting, self._link.seen if self._coordinator.is_running else None)
                outcome = tables.run(self._library, record, until, is_single=is_single)
            finally:
                lock.is_kept = False
            self._adopt(tables, outcome)
            self._rest(tables)
        return tables.others()

    # into the lane

    def _is_open(self) -> bool:
        """Return whether there is something to do, and nothing is under way that only Python knows."""
        coordinator = self._coordinator
        if (
            not coordinator.is_lockstep
            or coordinator.is_paused
            or coordinator.is_ended
            or coordinator.manual
            or coordinator.is_recording
        ):
            return False
        if coordinator.pending.has_held or coordinator.link.layout is not coordinator.layout:
            return False
        return self._may_step or self._may_serve

    @property
    def _may_step(self) -> bool:
        """Whether steps may be done, if all awaited robots belong to known connections."""
        coordinator = self._coordinator
        return coordinator.barrier.is_regular and not (
            coordinator.is_running and coordinator.barrier.next == self._given_up
        )

    @property
    def _may_serve(self) -> bool:
        """Whether readings and pings may be answered alone: nothing has come yet for the step that is prepared."""
        coordinator = self._coordinator
        return bool(self._book.sessions) and not (
            coordinator.barrier.is_begun or coordinator.is_running or coordinator.pending
        )

    def _must_rest(self) -> bool:
        """Count a turn; return whether the lane stays closed, since there were no messages for it lately."""
        must_rest = self._left > 0
        self._left -= must_rest
        return must_rest

    def _rest(self, tables: LaneTables) -> None:
        """Close the lane for a while where it serves what comes between steps, and nothing came."""
        is_in_vain = not tables.state.robots and not tables.is_used and tables.state.other_count > 0
        self._skipped = min(2 * self._skipped + 1, _LONGEST_REST) if is_in_vain else 0
        self._left = self._skipped

    def _find_tables(self) -> LaneTables | None:
        """Return what the lane needs, None while there is nothing for it."""
        clients = self._clients() if self._is_open() else []
        if not clients:
            return None
        tables = self._tables
        if tables is None or not tables.is_for(clients, self._link.layout):
            tables = LaneTables(clients, self._link, self._poller.fileno(), self._lock.waiting)
            self._tables = tables
        return tables

    def _clients(self) -> list[LaneClient]:
        """Return the connections that drive all owned robots, and those that send other messages that are known."""
        self._waiting = {}
        drivers = self._drivers() if self._may_step else []
        if not (drivers or self._may_serve):
            return []
        sessions = {client.session for client in drivers}
        return drivers + [
            client
            for session in tuple(self._book.sessions)
            if session not in sessions and (client := self._guest(session)) is not None
        ]

    def _drivers(self) -> list[LaneClient]:
        """Return the connections that drive all owned robots, none if one of them is unlike the last time."""
        owned = self._coordinator.barrier.owned_robots
        if not self._find_waiting() or self._driver(next(iter(owned))) is None:  # so much costs little
            return []
        left, members = set(owned), []
        for robot in owned:
            if robot not in left:
                continue
            client = self._driver(robot)
            if client is None or not client.robots <= left:
                return []
            left -= client.robots
            members.append(client)
        is_all = self._waiting.keys() <= {client.session for client in members}
        return members if is_all else []

    def _find_waiting(self) -> bool:
        """Find the STEPs that are answered later; return whether there is none that only Python can answer."""
        steps = self._coordinator.pending.steps
        self._waiting = {step.session: step for step in steps if _is_of_form(step)}
        return len(self._waiting) == len(steps)

    def _driver(self, robot: str) -> LaneClient | None:
        """Return the connection by which the owner of a robot drives all that it owns, if in a known way."""
        owner = self._coordinator.ownership.owner(robot)
        if owner is None or len(owner.members) != 1:
            return None
        (session,) = owner.members
        if not isinstance(session, Session) or session.claimant is not owner:
            return None
        if self._coordinator.has_waiting_edits(session):
            return None
        return self._member(session, owner, waiting=session in self._waiting)

    def _guest(self, session: Session) -> LaneClient | None:
        """Return a connection that drives nothing in the lane; None if what it reads must wait for a step."""
        if session.is_gone:
            self._book.forget(session)
            return None
        return None if self._coordinator.must_hold_readings(session) else self._member(session, None, waiting=0)

    def _member(self, session: Session, owner: Owner | None, waiting: int) -> LaneClient | None:
        """Return a connection if it waits for so many answers alone, and says something that is known."""
        if session.limits is not None or session.evicted or session.waiting != waiting or session.is_gone:
            return None
        sender, generation = session.sender, self._link.layout.generation
        if not isinstance(sender, Gateway):
            return None
        known_forms = session.exchanges.known(generation) if session.exchanges is not None else ()
        # before all robots are copied: there may be ten thousand, and nothing that the lane knows
        if not known_forms and session.steps is None:
            return None
        robots = frozenset(owner.robots) if owner is not None else frozenset[str]()
        forms = tuple(form for form in known_forms if not form.owned or form.owned in robots)
        steps = session.steps
        if steps is not None and (steps.group.generation != generation or steps.members != robots):
            steps = None
        if waiting and steps is None:
            return None
        if (owner is not None and steps is None and not _drives(forms, robots)) or not (forms or steps):
            return None
        descriptor = sender.plain_descriptor(session)
        return LaneClient(session, sender, descriptor, robots, steps, forms) if descriptor >= 0 else None

    # out of it

    def _adopt(self, tables: LaneTables, outcome: LaneOutcome) -> None:
        """Bring everything to where the lane left it."""
        coordinator, state = self._coordinator, tables.state
        for target, count in tables.handled_requests():
            self.messages += count
            self._modules.count(target, count)
        if state.steps:
            self.steps += state.steps
            coordinator.stepped(state.next - 1, tables.spans())
        for client in tables.active():
            client.sender.heard(client.session)
        for client, rest in tables.unsent():
            client.sender.send_rest(client.session, rest)
        is_granted = outcome == LaneOutcome.GRANTED
        if commanded := tables.commanded(has_steps=is_granted):
            coordinator.commanded(commanded)
        coordinator.pending.go_on(tables.waiting())
        coordinator.is_running = is_granted
        self._given_up = state.next if is_granted else -1
        for client, raw in tables.begun():
            client.sender.receive(client.session, raw)
        self._modules.poll()


def _is_of_form(step: WaitingStep) -> bool:
    """Return whether the answer to a STEP is that of the known form of its connection."""
    steps = step.session.steps
    if steps is None or steps.parts:  # all parts were to be answered, and there is room for one
        return False
    return step.group is steps.group and step.request.binary and not step.back


def _drives(forms: tuple[ExchangeForm, ...], robots: frozenset[str]) -> bool:
    """Return whether there is a form by which each of some robots is commanded."""
    return robots <= {form.owned for form in forms if form.paces}
