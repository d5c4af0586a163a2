"""Dispossession: clients whose rights were narrowed lose the robots that they may no longer command.

Specification: docs/protocol.md, "Roles". The robots are stopped and free, and everybody is told which and why.
"""

from collections.abc import Callable, Collection

from coopsim.client.roles import ALL, WATCH, Role
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.ownership import Owner
from coopsim.server.lockstep.sessions import Session
from coopsim.state.edits import RELEASED


class Dispossession:
    """Takes from clients what they may no longer have. All of it runs under the lock of `Modules`.

    Args:
        coordinator: Ownership and barrier.
        withdraw: Called with a client that may offer no modules any more.
    """

    def __init__(self, coordinator: LockstepCoordinator, withdraw: Callable[[Session], object]) -> None:
        self._coordinator, self._withdraw = coordinator, withdraw

    def put_out(self, session: Session, why: str) -> list[str]:
        """End a connection whose key is trusted no longer; return the robots that are free now, sorted."""
        owner = session.claimant
        freed = sorted(owner.robots) if owner is not None and owner.members <= {session} else []
        self._coordinator.lost(session, is_expelled=True)
        self._stop(freed, why)
        return freed

    def narrow(self, session: Session, role: Role, why: str) -> list[str]:
        """Take from a client what its new role does not allow; return the robots that are free now, sorted.

        A client that shares its robots with others who may command all of them leaves those others.

        Args:
            session: The connection; its limits, and those of all others, are the new ones already.
            role: The new role.
            why: The reason, for people.
        """
        if role.name == WATCH:
            self._withdraw(session)
        if role.name != ALL:
            self._coordinator.end_manual(session)
        owner = session.claimant
        forbidden = [] if owner is None else sorted(robot for robot in owner.robots if not role.may_drive(robot))
        if owner is None or not forbidden:
            return []
        if any(_may_drive(member, owner.robots) for member in owner.members if member is not session):
            self._part(session, owner, why)
            return []
        for member in owner.members:
            if isinstance(member, Session):
                self._refuse_steps(member, forbidden, why)
        self._coordinator.barrier.disown(self._coordinator.ownership.forget(forbidden))
        self._stop(forbidden, why)
        return forbidden

    def _part(self, session: Session, owner: Owner, why: str) -> None:
        owner.members.discard(session)
        session.claimant = None  # before: STEPs of those who keep the robots go on
        self._refuse_steps(session, owner.robots, why)

    def _refuse_steps(self, session: Session, robots: Collection[str], why: str) -> None:
        self._coordinator.pending.release(session, robots, self._coordinator.link.record.tick, why)

    def _stop(self, robots: Collection[str], why: str) -> None:
        """Stop robots that have no owner any more, and tell everybody."""
        if robots:
            self._coordinator.stop(robots)
        for robot in robots:
            self._coordinator.note(f"{RELEASED}{why}", robot)


def _may_drive(member: object, robots: Collection[str]) -> bool:
    """Return whether a connection may command all of some robots."""
    if not isinstance(member, Session) or member.is_gone:
        return False
    return member.limits is None or all(map(member.limits.may_drive, robots))
