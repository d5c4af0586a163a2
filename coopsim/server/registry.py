"""Names of modules that live elsewhere, each with a lease. Pure logic: no socket, the clock is passed in.

Source: CoopDynSim, section III-B (unique network names for simulated and real hardware alike).
Specification: docs/protocol.md, "Foreign modules".
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from coopsim.errors import BadArgument, LivesElsewhere, NoSuchName, OwnedByAnother

# long enough that a renewal may be lost, short enough that a driver which died can be started again
LEASE = 5.0
"""Time after which a name expires without renewal [s]."""
MOST_NAMES = 4000
"""Largest number of names; listing them all takes half a megabyte at most."""
# one client cannot take all names: sixteen may hold as many before they are gone
MOST_OF_ONE = 250
"""Largest number of names of one holder: the drivers of a large team get along with these."""
LONGEST_NAME = 128  # letters; with the module it fits a target
_NAME = re.compile(r"(/[A-Za-z][A-Za-z0-9_]*){1,4}")
_ENDPOINT = re.compile(r"tcp://([A-Za-z0-9][A-Za-z0-9.-]{0,252}):([0-9]{1,5})")
_RESERVED = "sim"

Endpoints = tuple[str, str]


@dataclass(slots=True)
class _Lease:
    endpoints: Endpoints
    owner: Hashable
    holder: Hashable
    until: float


class Registry:
    """Foreign modules by name.

    Args:
        is_gone: Says whether the connection of an owner is over.

    Attributes:
        version: Grows whenever a name comes or goes.
    """

    def __init__(self, is_gone: Callable[[Hashable], bool] = lambda _: False) -> None:
        self.version = 0
        self._is_gone = is_gone
        self._leases: dict[str, _Lease] = {}

    def register(
        self, name: str, endpoints: Endpoints, owner: Hashable, now: float, *, holder: Hashable = None
    ) -> float:
        """Register a name, or renew its lease; return how long that lasts [s].

        The name stays its owner's while the owner's connection lives, also if another connection renews the lease.

        Args:
            name: `/arm/gripper`.
            endpoints: Where it answers: ZeroMQ and plain TCP, one of them may be "".
            owner: The connection that registers it.
            now: The time [s].
            holder: Whose names they are where they are counted: the key behind connections; None = the connection.

        Raises:
            BadArgument: A name or an endpoint that cannot be, or too many names of one holder.
            OwnedByAnother: Another client has registered the name for another endpoint.
        """
        check_name(name)
        _check_endpoints(endpoints)
        self.expire(now)
        lease = self._leases.get(name)
        if lease is None:
            self._make_room(owner if holder is None else holder)
            self.version += 1
        elif lease.owner != owner and lease.endpoints != endpoints:
            where = " and ".join(filter(None, lease.endpoints))
            raise OwnedByAnother(f"{name} is registered for {where}").bring(name, where)
        elif lease.owner != owner and not self._is_gone(lease.owner):
            owner, holder = lease.owner, lease.holder
        self._leases[name] = _Lease(endpoints, owner, owner if holder is None else holder, now + LEASE)
        return LEASE

    def _make_room(self, holder: Hashable) -> None:
        """Make room for a further name of a holder.

        A full table is shared max-min fairly: who has most gives up the newest name for whoever has at least two less,
        so that nobody keeps others from their share, over however many connections.

        Raises:
            BadArgument: The holder has as many as one may have, or its share of a full table.
        """
        counts = Counter(lease.holder for lease in self._leases.values())
        held = counts[holder]
        if held >= MOST_OF_ONE:
            raise BadArgument(f"{held} names are registered by this connection, or by its key, the most for one")
        if len(self._leases) < MOST_NAMES:
            return
        largest, most = counts.most_common(1)[0]
        if most < held + 2:
            raise BadArgument(
                f"{MOST_NAMES} names are registered already, and {held} of this connection, or its key, are its share; "
                f"a name is free {LEASE:g} s after its driver"
            )
        # a lease that is renewed is written in its old position: the last one of a holder is the newest
        newest = next(name for name, lease in reversed(self._leases.items()) if lease.holder == largest)
        del self._leases[newest]
        self.version += 1

    def unregister(self, name: str, owner: Hashable, now: float) -> None:
        """Give a name back.

        Raises:
            NoSuchName: It is not registered.
            OwnedByAnother: Another connection registered it.
        """
        self.expire(now)
        lease = self._leases.get(name)
        if lease is None:
            raise NoSuchName(f"{name[:80]!r} is not registered").bring(name)
        if lease.owner != owner:
            text = f"{name} was registered by another connection; its lease ends by itself"
            raise OwnedByAnother(text).bring(name, "another connection")
        del self._leases[name]
        self.version += 1

    def renew(self, owner: Hashable, now: float) -> None:
        """Renew the leases of everything that `owner` registered."""
        self.expire(now)
        for lease in self._leases.values():
            if lease.owner == owner:
                lease.until = now + LEASE

    def find(self, name: str, now: float) -> Endpoints | None:
        """Return where a name is served, None if it is not registered."""
        lease = self._leases.get(name)
        return lease.endpoints if lease is not None and lease.until > now else None

    def elsewhere(self, name: str, now: float) -> LivesElsewhere | None:
        """Return the refusal that sends a client to where the module lives, None if it is not registered."""
        endpoints = self.find(name, now)
        if endpoints is None:
            return None
        return LivesElsewhere(f"{name} answers at {' and '.join(filter(None, endpoints))}").bring(*endpoints)

    def names(self, now: float) -> list[str]:
        """Return all names, sorted."""
        self.expire(now)
        return sorted(self._leases)

    def expire(self, now: float) -> None:
        """Forget names whose lease is over."""
        over = [name for name, lease in self._leases.items() if lease.until <= now]
        for name in over:
            del self._leases[name]
        self.version += len(over)


def check_name(name: str) -> None:
    """Refuse a name that no module may have.

    Raises:
        BadArgument: It is not like `/arm/gripper`, or reserved.
    """
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise BadArgument(
            f"a name is one to four parts of letters, digits and _, each behind a slash, at most {LONGEST_NAME} "
            f"characters; got {name[:80]!r}"
        )
    if name.split("/")[1] == _RESERVED:
        raise BadArgument(f"names below /{_RESERVED} are the simulation's own")


def _check_endpoints(endpoints: Endpoints) -> None:
    given = [endpoint for endpoint in endpoints if endpoint]
    for name in given:
        match = _ENDPOINT.fullmatch(name)
        if match is None or not 0 < int(match[2]) < 65_536:
            raise BadArgument(f"an endpoint is tcp://HOST:PORT, got {name[:80]!r}")
    if not given:
        raise BadArgument("at least one endpoint, ZeroMQ or plain TCP, must be given")
