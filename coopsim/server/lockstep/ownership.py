"""Owners of robots. Pure logic: no socket, no clock of its own.

Specification: docs/protocol.md, "Ownership".
"""

import secrets
from collections.abc import Callable, Collection, Hashable, Iterable

from coopsim.errors import BadArgument, OwnedByAnother

# a client whose network hangs for a moment comes back to its robots; a dead one blocks nobody for long
GRACE = 5.0
"""How long a claim outlives its last connection in real time [s]."""


class Owner:
    """A client that owns robots: the connections that share a token, and the robots.

    Attributes:
        label: Who that is, for people.
        members: Its connections.
        robots: Names of the robots it owns.
        token: Lets another connection join; "" before the first claim.
        orphaned: When its last connection was lost [s], None while it has one.
        confirmed: The set of robots that it commanded last, if it has lost none since.
    """

    __slots__ = ("confirmed", "label", "members", "orphaned", "robots", "token")

    def __init__(self, label: str, member: Hashable) -> None:
        self.label = label
        self.members: set[Hashable] = {member}
        self.robots: set[str] = set()
        self.token = ""
        self.orphaned: float | None = None
        self.confirmed: Collection[str] | None = None


class Ownership:
    """Robots and their owners.

    A command holds a robot softly, a claim holds it firmly. In lockstep both keep others out;
    in real time only a claim does, the newest command takes a softly held robot over.

    Args:
        make_token: Returns a new secret; tests pass their own.

    Attributes:
        driven: Names of all robots that ever had an owner.
    """

    def __init__(self, make_token: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self._make_token = make_token
        self.driven: set[str] = set()
        self._owner: dict[str, Owner] = {}
        self._claimed: set[str] = set()
        self._tokens: dict[str, Owner] = {}
        self._orphans: list[Owner] = []

    def owner(self, robot: str) -> Owner | None:
        """Return who owns `robot`."""
        return self._owner.get(robot)

    def labels(self, robots: Iterable[str]) -> dict[str, str | None]:
        """Return the label of each robot's owner, None where it is free."""
        return {robot: claimant.label if (claimant := self._owner.get(robot)) else None for robot in robots}

    def command(self, claimant: Owner, robots: Collection[str], *, lockstep: bool) -> list[str]:
        """Make `claimant` the soft owner of all of `robots`, or of none.

        Returns:
            The robots it did not own before.

        Raises:
            OwnedByAnother: One of them is kept by another party.
        """
        # to look for ten thousand names one by one takes half a millisecond in each step
        if robots is claimant.confirmed:
            return []
        if claimant.robots.issuperset(robots):
            claimant.confirmed = robots if isinstance(robots, frozenset) else None
            return []
        self.refuse_foreign(claimant, robots, firm_only=not lockstep)
        return self._hand_over(claimant, robots)

    def claim(self, claimant: Owner, robots: Collection[str], *, lockstep: bool) -> list[str]:
        """Make `claimant` the firm owner of all of `robots`, or of none, and give it a token.

        Returns:
            The robots it did not own before.

        Raises:
            OwnedByAnother: One of them is kept by another party.
        """
        new = self.command(claimant, robots, lockstep=lockstep)
        self._claimed.update(robots)
        if not claimant.token:
            claimant.token = self._make_token()
            self._tokens[claimant.token] = claimant
        return new

    def join(self, claimant: Owner, member: Hashable, token: str) -> Owner:
        """Move `member` of `claimant` to the party that has `token`; robots that it alone owned come along.

        Raises:
            BadArgument: No client has this token.
        """
        holder = self._tokens.get(token)
        if holder is None:
            raise BadArgument("no owner has this token; CLAIM gives one, and it ends with the last robot's release")
        if holder is not claimant:
            claimant.members.discard(member)
            if not claimant.members:
                self._hand_over(holder, tuple(claimant.robots))
                self._tokens.pop(claimant.token, None)
            holder.members.add(member)
            holder.orphaned = None
            if holder in self._orphans:
                self._orphans.remove(holder)
        return holder

    def robots_of(self, token: str) -> frozenset[str]:
        """Return the robots of the owner with `token`; none if it is unknown."""
        claimant = self._tokens.get(token)
        return frozenset(claimant.robots) if claimant is not None else frozenset()

    def release(self, claimant: Owner, robots: Collection[str]) -> list[str]:
        """Give back those of `robots` that `claimant` owns; return them sorted.

        Raises:
            OwnedByAnother: One of them is kept by another party.
        """
        self.refuse_foreign(claimant, robots, firm_only=False)
        return self._free(robot for robot in robots if robot in claimant.robots)

    def forget(self, robots: Iterable[str]) -> list[str]:
        """Free `robots` of any owner; return those that were owned, sorted."""
        return self._free(robot for robot in robots if robot in self._owner)

    def keep(self, robots: Collection[str]) -> list[str]:
        """Free the robots that are not `robots`: they were removed; return them sorted."""
        return self.forget([robot for robot in self._owner if robot not in robots])

    def lost(self, claimant: Owner, member: Hashable, now: float, *, lockstep: bool) -> list[str]:
        """Handle a closed connection; return the robots that are free now, sorted."""
        claimant.members.discard(member)
        if claimant.members:
            return []
        if lockstep:
            return self._free(tuple(claimant.robots))
        free = self._free(robot for robot in tuple(claimant.robots) if robot not in self._claimed)
        if claimant.robots:
            claimant.orphaned = now
            self._orphans.append(claimant)
        return free

    def expire(self, now: float, *, lockstep: bool) -> list[str]:
        """Free the robots of parties that have been without a connection for too long; return them sorted."""
        if not self._orphans:
            return []
        over = [claimant for claimant in self._orphans if lockstep or now - (claimant.orphaned or 0.0) >= GRACE]
        self._orphans = [claimant for claimant in self._orphans if claimant not in over]
        return self._free([robot for claimant in over for robot in claimant.robots])

    def refuse_foreign(self, claimant: Owner, robots: Iterable[str], *, firm_only: bool) -> None:
        """Refuse what only the owner of `robots` may do.

        Raises:
            OwnedByAnother: Another party owns one; with `firm_only`, has claimed one.
        """
        for robot in robots:
            owner = self._owner.get(robot)
            if owner is not None and owner is not claimant and (robot in self._claimed or not firm_only):
                raise OwnedByAnother(f"{robot} is controlled by {owner.label}").bring(robot, owner.label)

    def _hand_over(self, claimant: Owner, robots: Iterable[str]) -> list[str]:
        new = [robot for robot in robots if robot not in claimant.robots]
        for robot in new:
            before = self._owner.get(robot)
            if before is not None:
                before.robots.discard(robot)
                before.confirmed = None
            self._owner[robot] = claimant
            self.driven.add(robot)
            claimant.robots.add(robot)
        return new

    def _free(self, robots: Iterable[str]) -> list[str]:
        freed = sorted(robots)
        for robot in freed:
            claimant = self._owner.pop(robot)
            claimant.robots.discard(robot)
            claimant.confirmed = None
            self._claimed.discard(robot)
            if not claimant.robots and claimant.token:
                self._tokens.pop(claimant.token, None)
                claimant.token = ""
        return freed
