"""STEPs that come again and again: the bytes of request and reply are compared and made by templates.

What differs from the last ones in more than id, tick and commands goes the way of every request.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coopsim.message import Message
from coopsim.server.lockstep.groups import RobotGroup
from coopsim.server.lockstep.sessions import MOST_WAITING, Session
from coopsim.server.lockstep.step_pattern import StepPattern
from coopsim.server.lockstep.waiting import WaitingStep
from coopsim.state import Layout, Record

if TYPE_CHECKING:
    from coopsim.server.lockstep.coordinator import LockstepCoordinator


class RepeatedStep:
    """A STEP that is answered after the next tick, as `WaitingStep`.

    Args:
        pattern: What it looks like.
        session: Where the answer goes.
        number: Its id.
        tick: The last one that is done before it is answered.
        back: Robots that had been stopped for want of commands.
    """

    __slots__ = ("back", "number", "pattern", "session", "tick")

    def __init__(self, pattern: StepPattern, session: Session, number: int, tick: int, back: Sequence[str]) -> None:
        self.pattern, self.session, self.number, self.tick, self.back = pattern, session, number, tick, back

    @property
    def group(self) -> RobotGroup:
        """Its robots."""
        return self.pattern.group

    @property
    def request(self) -> Message:
        """The request, without its commands."""
        return self.pattern.request(self.number, 0)

    def send(self, layout: Layout, record: Record) -> None:
        """Answer with the readings of its robots."""
        session, group = self.session, self.pattern.group
        if not self.back and group.generation == layout.generation:
            readings = group.read(record.readings)
            if session.reply_again(self.pattern, self.number, record.tick, readings):
                return
        WaitingStep(self.request, session, group, self.tick, self.back).send(layout, record)


def step_again(coordinator: "LockstepCoordinator", session: Session, request: bytes | Message) -> bool:
    """Take a STEP that looks as the last ones of its connection did; False if it has to be looked at as any other.

    It is taken where the general way would refuse, hold and note nothing.
    """
    pattern, claimant, barrier = session.steps, session.claimant, coordinator.barrier
    if pattern is None or claimant is None or not _is_plain(coordinator, session):
        return False
    found = pattern.read(request) if isinstance(request, bytes) else pattern.read_message(request)
    if found is None:
        return False
    number, stamp, commands = found
    robots = pattern.group.members
    is_owner = claimant.robots == robots if pattern.names_none else claimant.robots.issuperset(robots)
    if not is_owner or stamp not in (0, barrier.next):
        return False
    with coordinator.link.writing() as (layout, rows):
        if layout.generation != pattern.group.generation:
            return False
        pattern.group.write(commands, rows)
    back = coordinator.commanded(robots)
    coordinator.pending.wait(RepeatedStep(pattern, session, number, coordinator.tick_before_answer(robots), back))
    coordinator.advance()
    return True


def _is_plain(coordinator: "LockstepCoordinator", session: Session) -> bool:
    """Return whether a lockstep tick is being prepared, and nothing else is to be said to this connection."""
    if not coordinator.is_lockstep or coordinator.is_ended:
        return False
    if session.limits is not None or session.evicted or session.waiting >= MOST_WAITING:
        return False
    return not coordinator.must_hold_command(session)
