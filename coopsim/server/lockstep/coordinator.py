"""The host's side of lockstep: commands for the next tick, when it begins, replies after it.

Specification: docs/protocol.md, "Stepping" and "Ownership".
"""

import logging
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from coopsim.errors import Evicted, NotInThisMode, SimulationEnded
from coopsim.message import Message
from coopsim.server.faults import FaultLog
from coopsim.server.lockstep.barrier import Barrier, RobotTimeout
from coopsim.server.lockstep.groups import RobotGroup
from coopsim.server.lockstep.ownership import Owner, Ownership
from coopsim.server.lockstep.sessions import CoordinatorHooks, Session
from coopsim.server.lockstep.waiting import Pending, WaitingStep
from coopsim.state import Layout, Record
from coopsim.state.edits import PATIENCE_OVER, Note, Pause
from coopsim.transport import Source

_log = logging.getLogger(__name__)
LOCKSTEP = "lockstep"


class LockstepCoordinator:
    """Ownership and barrier applied to the records that come and the commands that go.

    All of it runs under the lock of `Modules`.

    Args:
        link: The source.
        barrier: Decides when a lockstep tick may begin.
        ownership: Decides who may command.
        clock: Monotonic seconds.
        hooks: Its callbacks.
        is_recording: Whether the source is a recording: what happened in it cannot be changed.

    Attributes:
        faults: Exceptions that nobody foresaw, of the whole run.
        pending: Requests that are answered later.
        is_lockstep: Whether the newest record says so.
        is_running: Whether a lockstep tick was permitted and its record has not come yet.
        planned: Until when the thread that calls `turn` sleeps; minus infinity while it is awake.
        manual: How many `/sim/clock` steps are under way; they need no permission.
        layout: That of the newest record that was taken in.
    """

    def __init__(
        self,
        link: Source,
        barrier: Barrier,
        ownership: Ownership,
        clock: Callable[[], float],
        hooks: CoordinatorHooks | None = None,
        *,
        is_recording: bool = False,
    ) -> None:
        self.link, self.barrier, self.ownership, self.clock = link, barrier, ownership, clock
        self.is_recording, self._hooks = is_recording, hooks or CoordinatorHooks()
        self.has_waiting_edits = self._hooks.has_waiting_edits
        self.faults = FaultLog()
        self.pending = Pending(self.faults)
        self.is_lockstep = self.is_paused = self.is_ended = False
        self.manual = self._tick = 0
        self._manual_of: Session | None = None
        self.planned, self.is_running = -math.inf, False
        self.layout: Layout | None = None
        self._record: Record | None = None

    # what clients do

    def claimant(self, session: Session) -> Owner:
        """Return what `session` owns robots as."""
        if session.claimant is None:
            session.claimant = Owner(session.label, session)
        return session.claimant

    def control(self, session: Session, robots: Collection[str], stamp: int) -> None:
        """Make sure that `session` may command `robots` for step `stamp`; free ones become its own.

        Raises:
            NotInThisMode: The source is a recording.
            SimulationEnded: There will be no next step.
            Evicted: It lost robots; raised once.
            Late: The step is over.
            BadArgument: The step is not the next one.
            OwnedByAnother: Another client controls one of them.
        """
        self.refuse_in_recording()
        if self.is_ended:
            raise SimulationEnded("the simulation has ended")
        if session.evicted:
            self.refuse_evicted(session, robots)
        if self.is_lockstep:
            self.barrier.check(stamp, robots)
        new = self.ownership.command(self.claimant(session), robots, lockstep=self.is_lockstep)
        if new:
            self._await(new)

    def _await(self, robots: Iterable[str]) -> None:
        """Have steps wait for robots of a new owner, but for those whose file says that none of its modules paces."""
        places = self.layout.robot if self.layout is not None else {}
        unpaced = {robot for robot in robots if robot in places and places[robot].type.is_unpaced}
        self.barrier.own([robot for robot in robots if robot not in unpaced], self.clock())

    def refuse_evicted(self, session: Session, robots: Iterable[str]) -> None:
        """Raise for the robots that `session` lost, once.

        Raises:
            Evicted: It lost some of them.
        """
        lost = {robot: session.evicted.pop(robot) for robot in sorted(robots) if robot in session.evicted}
        if lost:
            why = ", ".join(f"{robot}: no command for {waited:.2f} s" for robot, waited in lost.items())
            raise Evicted(f"you lost {why}").bring(*lost)

    def commanded(self, robots: str | Collection[str]) -> Sequence[str]:
        """Handle a command for `robots`; return those that had been stopped for want of commands."""
        return self.barrier.commanded(robots, 0, self.clock()) if self.is_lockstep else ()

    def wait(self, parts: Sequence[tuple[Message, RobotGroup]], robots: Collection[str], session: Session) -> None:
        """Answer the parts of a STEP after the next tick, or after the last one of the period of their robots.

        Args:
            parts: Requests and their robots, which are commanded now.
            robots: Those of all parts.
            session: Where the answers go.
        """
        # where nobody was stopped nobody takes part again
        if self.barrier.is_regular:
            backs = [self.commanded(robots)] * len(parts)
        else:
            backs = [self.commanded(group.members) for _, group in parts]
        tick = max(self.tick_before_answer(group.names) for _, group in parts)
        for (request, group), back in zip(parts, backs, strict=True):
            self.pending.wait(WaitingStep(request, session, group, tick, back))

    def tick_before_answer(self, robots: Collection[str]) -> int:
        """Return the last tick that is done before a STEP for robots, which are commanded already, may be answered."""
        tick = self._tick if self.is_lockstep else self.link.record.tick
        return tick + self.barrier.periods.further(robots, tick, lockstep=self.is_lockstep)

    def must_hold_command(self, session: Session) -> bool:
        """Return whether a command must wait: for the end of a tick, since it belongs to the next, or for own edits."""
        is_open = self.is_lockstep and not self.is_ended  # what has ended has no next tick
        return is_open and (self.is_between or self.has_waiting_edits(session))

    @property
    def is_between(self) -> bool:
        """Whether a tick, or another layout, is under way."""
        return self.is_running or self.link.layout is not self.layout

    def must_hold_readings(self, session: Session) -> bool:
        """Whether a reading is answered after the step: all robots of this client are ready for it."""
        claimant = session.claimant
        if not self.is_lockstep or self.is_ended or claimant is None or not claimant.robots:
            return False
        return self.is_running or self.barrier.is_ready(claimant.robots)

    def refuse_in_recording(self) -> None:
        """Refuse what has no meaning in a recording.

        Raises:
            NotInThisMode: The source is one.
        """
        if self.is_recording:
            text = "this is a recording; its robots do what they did then and take no commands"
            raise NotInThisMode(text).bring("recording")

    def set_patience(self, patience: float) -> None:
        """Change how long lockstep waits for a robot [s]; the record says so.

        Raises:
            NotInThisMode: The source is a recording.
        """
        self.refuse_in_recording()
        self.barrier.set_patience(patience)
        self.note(f"patience {patience:g} s")

    def set_policy(self, policy: str, robot: str = "") -> None:
        """Change what happens when patience is over, with one robot or with all others; the record says so.

        Raises:
            NotInThisMode: The source is a recording.
        """
        self.refuse_in_recording()
        self.barrier.set_policy(policy, robot)
        self.note(f"policy {policy or 'default'}", robot)

    def begin_manual(self, session: Session) -> Callable[[], None]:
        """Expect ticks without permission; return what to call when they are over."""
        self.manual += 1
        before, self._manual_of = self._manual_of, session

        def over() -> None:
            self.manual -= 1
            self._manual_of = before if self.manual else None

        return over

    def claim(self, session: Session, robots: Collection[str]) -> str:
        """Make `session` the owner of `robots`; return its token.

        Raises:
            NotInThisMode: The source is a recording.
            OwnedByAnother: Another client controls one of them.
        """
        self.refuse_in_recording()
        claimant = self.claimant(session)
        self._await(self.ownership.claim(claimant, robots, lockstep=self.is_lockstep))
        for robot in robots:
            session.evicted.pop(robot, None)
        return claimant.token

    def join(self, session: Session, token: str) -> Owner:
        """Add `session` to the owner with `token`.

        Raises:
            NotInThisMode: The source is a recording.
            BadArgument: There is none.
        """
        self.refuse_in_recording()
        session.claimant = self.ownership.join(self.claimant(session), session, token)
        return session.claimant

    def set_period(self, session: Session, robots: Collection[str], ticks: int) -> None:
        """Let commands for `robots` count for `ticks` ticks each.

        Raises:
            NotInThisMode: The source is a recording.
            OwnedByAnother: One of them is not the client's own.
        """
        self.refuse_in_recording()
        self.claim(session, robots)
        self.barrier.periods.set(robots, ticks)

    def release(self, session: Session, robots: Collection[str]) -> None:
        """Give `robots` back; what waited for them is answered.

        Raises:
            OwnedByAnother: One of them is another client's.
        """
        freed = self.ownership.release(self.claimant(session), robots)
        self.barrier.disown(freed)
        self.pending.release(session, freed, self._tick)

    def lost(self, session: Session, *, is_expelled: bool = False) -> None:
        """Handle a closed connection.

        Args:
            session: The connection.
            is_expelled: Whether it was put out: nothing is kept for its return.
        """
        if session.is_gone:
            return
        session.is_gone = True
        self.pending.forget(session)
        self.end_manual(session)  # no connection is left that could
        if session.claimant is not None:
            is_final = self.is_lockstep or is_expelled
            freed = self.ownership.lost(session.claimant, session, self.clock(), lockstep=is_final)
            self.barrier.disown(freed)
            self.advance()

    def end_manual(self, session: Session) -> None:
        """End the ticks that `session` asked for."""
        if session is self._manual_of:
            self.link.edit(Pause(), lambda _: None)

    # what the source does

    @property
    def is_awaited(self) -> bool:
        """Whether the newest record must be read at once: a client waits for it, or requests depend on it."""
        if self.is_lockstep or self.pending:
            return True
        try:
            layout, record = self.link.now
        except SimulationEnded:
            return False
        return layout is not self.layout or record.mode == LOCKSTEP

    def poll(self) -> bool:
        """Read the newest record and answer waiting requests; True when held requests should be checked."""
        self.link.follow_layouts()
        try:
            layout, record = self.link.now
        except SimulationEnded:
            return False
        if record is self._record:
            return False
        self._record = record
        if layout is not self.layout:
            self._renew(layout)
        self._apply_state(record)
        if self.pending.steps:
            self.pending.answer(layout, record)
        return self.pending.has_held and not (self.is_lockstep and self.is_between)

    def _renew(self, layout: Layout) -> None:
        self.layout = layout
        self.barrier.disown(self.ownership.keep(layout.robot))
        self._hooks.on_layout(layout)

    def _apply_state(self, record: Record) -> None:
        header, now = record.header, self.clock()
        was_lockstep, was_paused, before = self.is_lockstep, self.is_paused, self._tick
        self.is_lockstep, self.is_paused = record.mode == LOCKSTEP, header.paused
        self.is_ended, self._tick = header.ended, header.tick
        if header.tick < before:  # a recording goes backward
            self.pending.rewind(header.tick)
        if not self.is_lockstep:
            self.is_running = False
        elif not was_lockstep:
            self._enter(header.tick, now)
        elif header.tick < before:
            self.barrier.next = header.tick + 1
        elif header.tick > before:
            self.is_running = self.is_running and self.manual > 0
            self.barrier.ticked(header.tick, now)
        elif was_paused and not header.paused:
            self.barrier.resume(now)

    def _enter(self, tick: int, now: float) -> None:
        """Begin lockstep; STEPs that wait count for its first step."""
        self.is_running = False
        self.barrier.disown(self.ownership.expire(now, lockstep=True))
        self.barrier.ticked(tick, now)
        for step in self.pending.steps:
            claimant = step.session.claimant
            if step.tick >= tick and claimant is not None and claimant.robots.issuperset(step.group.names):
                self.barrier.commanded(step.group.names, 0, now)

    # for `server.lane`

    def stepped(self, tick: int, spans: Mapping[str, tuple[int, int]]) -> None:
        """Go on after ticks until this one that were done elsewhere; `spans` as `Periods.resume` takes them."""
        self._tick = tick
        self.barrier.periods.resume(spans)
        self.barrier.ticked(tick, self.clock())

    # what time does

    def advance(self) -> None:
        """Permit the next lockstep tick if all commands are there."""
        if self.barrier.due < self.planned:  # by another thread than the one that sleeps until then
            self.planned = self.barrier.due
            self._hooks.wake()
        if not self.is_lockstep or self.is_running or not self.barrier.complete:
            return
        if not (self.is_paused or self.is_ended or self.manual or self.link.layout is not self.layout):
            self.is_running = True
            self.link.grant_tick()

    def turn(self, now: float) -> None:
        """Go on without robots that are overdue, and free those whose owner does not come back."""
        self.barrier.disown(self.ownership.expire(now, lockstep=self.is_lockstep))
        self.pending.expire_parts(now, self._tick)
        if self.is_lockstep and not (self.is_running or self.is_paused or self.is_ended):
            for firing in self.barrier.fire(now):
                self._fire(firing)
        self.advance()

    def awaited(self, now: float, least: float = 0.0) -> dict[str, float]:
        """Return the robots that lockstep waits for, and for how long [s]; nobody before the step is `least` old."""
        if not self.is_lockstep or self.is_running or self.is_paused or self.is_ended or self.is_recording:
            return {}
        return self.barrier.awaited(now, least)

    def _fire(self, firing: RobotTimeout) -> None:
        robot = firing.robot
        _log.warning(
            "step %d: no command from %s for %.2f s: %s", self.barrier.next, robot, firing.waited, firing.policy
        )
        if firing.policy != "hold":
            self.stop((robot,))
        if firing.policy == "evict":
            self._evict(robot, firing.waited)
        self.note(f"{PATIENCE_OVER}{firing.policy}", robot)

    def _evict(self, robot: str, waited: float) -> None:
        claimant = self.ownership.owner(robot)
        for session in claimant.members if claimant else ():
            if isinstance(session, Session):
                session.evicted[robot] = waited
        self.barrier.disown(self.ownership.forget((robot,)))

    def stop(self, robots: Iterable[str]) -> None:
        """Stop robots: their newest command is that of rest."""
        with self.link.writing() as (layout, rows):
            RobotGroup(layout, [robot for robot in robots if robot in layout.robot]).stop(rows)

    def note(self, what: str, robot: str = "") -> None:
        """Write a note about `robot` into the record."""
        self.link.edit(Note(what, robot), lambda _: None)
