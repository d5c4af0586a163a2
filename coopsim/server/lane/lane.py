"""When steps may take the lane, and what Python is told when they come out of it.

While it is open the lock of `Modules` is held; whatever is not a STEP as those before is done by Python, which finds
everything as if it had done all steps itself. Design: docs/architecture.md.
"""

from collections.abc import Sequence

from coopsim.server.lane.library import LaneLibrary, LaneOutcome
from coopsim.server.lane.lock import CallingLock
from coopsim.server.lane.tables import LaneClient, LaneTables
from coopsim.server.listener import Listener
from coopsim.server.lockstep.repeated import RepeatedStep
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.dispatch import Modules
from coopsim.server.polling import Poller
from coopsim.server.sockets.gateway import Gateway
from coopsim.transport import SourceLink


class Lane:
    """Does steps with a library in C as long as every connection sends what it sent before.

    Args:
        library: Does them.
        link: The source.
        modules: What answers otherwise.
        lock: That of `modules`.
        poller: All sockets are registered with it.
    """

    def __init__(
        self, library: LaneLibrary, link: SourceLink, modules: Modules, lock: CallingLock, poller: Poller
    ) -> None:
        self._library, self._link, self._modules, self._lock, self._poller = library, link, modules, lock, poller
        self._coordinator = modules.coordinator
        self._tables: LaneTables | None = None
        self.steps = 0

    def run(self, until: float, listeners: Sequence[Listener]) -> list[tuple[int, int]] | None:
        """Do steps until there is something for Python; return its events, None if the lane was closed.

        Args:
            until: When to return at the latest, by the monotonic clock [s].
            listeners: If one of them needs every record, there is one step at a time.
        """
        lock = self._lock
        if lock.is_wanted() or not self._begins_step():
            return None
        with lock:
            tables = self._find_tables()
            if tables is None:
                return None
            is_single = any(each.needs_each_record for each in listeners)
            lock.is_kept = True
            try:
                if lock.is_wanted():
                    return None
                outcome = tables.run(self._library, self._coordinator.barrier.next, until, is_single=is_single)
            finally:
                lock.is_kept = False
            self._take_over(tables, outcome)
        return tables.others()

    # into the lane

    def _begins_step(self) -> bool:
        """Return whether a tick is being prepared for which there is no command yet, and nothing else waits."""
        it = self._coordinator
        if not it.is_lockstep or it.is_paused or it.is_ended or it.manual or it.pending:
            return False
        return it.barrier.is_untouched and not it.is_between

    def _find_tables(self) -> LaneTables | None:
        """Return what the lane needs, None while a step may need Python."""
        clients = self._clients() if self._begins_step() else []
        if not clients:
            return None
        tables = self._tables
        if tables is None or not tables.is_for(clients, self._link.layout):
            tables = LaneTables(clients, self._link, self._poller.fileno(), self._lock.waiting)
            self._tables = tables
        return tables

    def _clients(self) -> list[LaneClient]:
        """Return the connections that drive all awaited robots, none if one of them is unlike the last time."""
        awaited = self._coordinator.barrier.awaited_robots
        if self._client(next(iter(awaited))) is None:  # so much costs little, however many there are
            return []
        left, found = set(awaited), []
        while left:
            client = self._client(next(iter(left)))
            if client is None or not client.pattern.group.members <= left:
                return []
            left -= client.pattern.group.members
            found.append(client)
        return found

    def _client(self, robot: str) -> LaneClient | None:
        """Return the connection by which the owner of a robot drives all that it owns."""
        owner = self._coordinator.ownership.owner(robot)
        if owner is None or len(owner.members) != 1:
            return None
        (session,) = owner.members
        if not isinstance(session, Session) or session.steps is None or session.claimant is not owner:
            return None
        pattern, sender = session.steps, session.sender
        if owner.robots != pattern.group.members or pattern.group.generation != self._link.layout.generation:
            return None
        if session.limits is not None or session.evicted or session.waiting or session.is_gone:
            return None
        if self._coordinator.must_hold_command(session) or not isinstance(sender, Gateway):
            return None
        descriptor = sender.plain_descriptor(session)
        return LaneClient(session, sender, descriptor, pattern) if descriptor >= 0 else None

    # out of it

    def _take_over(self, tables: LaneTables, outcome: LaneOutcome) -> None:
        """Bring everything to where the lane left it."""
        coordinator, state = self._coordinator, tables.state
        if state.steps:
            self.steps += state.steps
            coordinator.stepped(state.next - 1)
            self._modules.count_steps(state.steps * len(tables.clients))
        if outcome == LaneOutcome.GRANTED:
            before = coordinator.barrier.next - 1
            self._modules.count_steps(len(tables.clients))
            coordinator.granted(
                [
                    RepeatedStep(client.pattern, client.session, number, before, ())
                    for client, number in zip(tables.clients, tables.numbers(), strict=True)
                ]
            )
        else:
            for client, rest in tables.unsent() if outcome == LaneOutcome.UNSENT else ():
                client.sender.send_rest(client.session, rest)
            for client, raw in tables.begun():
                client.sender.take_in(client.session, raw)
        self._modules.look()
