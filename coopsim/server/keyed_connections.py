"""Connections with a key: their identity, their rights, and how they are closed.

Specification: docs/protocol.md, "Security".
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from coopsim.client.keyring import Key, decode_key
from coopsim.client.roles import WATCH, Role
from coopsim.server.access.limits import Limits, limits_of
from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.access.wires import KeyedConnection, Wire
from coopsim.server.audit import Audit
from coopsim.server.dispossession import Dispossession
from coopsim.server.lockstep.sessions import Session


class KeyedConnections:
    """The connections with a key. All of it runs under the lock of `Modules`.

    Args:
        dispossession: Takes from clients what they may no longer have.
        audit: Records connections, and changes of keys and roles.
        trusted: The keys that are trusted; None = connections need no key.

    Attributes:
        audit: Records connections.
    """

    def __init__(self, dispossession: Dispossession, audit: Audit, trusted: TrustedKeys | None = None) -> None:
        self._dispossession, self.audit, self._trusted = dispossession, audit, trusted
        self._roles: Mapping[str, Role] = trusted.roles if trusted is not None else {}
        self._inside: set[Session] = set()
        self._listeners: dict[int, KeyedConnection] = {}
        self._count: Counter[str] = Counter()

    def add(self, session: Session, key: Key | None, descriptor: int) -> None:
        """Add a connection; one whose key was revoked meanwhile has no rights, and is closed.

        Args:
            session: The connection.
            key: Whose it is.
            descriptor: Of its socket.
        """
        wire = Wire(descriptor)
        if key is None:
            session.limits = _no_rights(session.label)
            wire.cut()
            return
        session.keyed, session.label = KeyedConnection(key, wire), key.name
        session.limits = limits_of(key.name, key.role)
        self._inside.add(session)
        self._count[key.name] += 1
        if self._count[key.name] == 1:
            self.audit.record(key.name, f"connected from {wire.address}")

    def add_listener(self, public: str, descriptor: int) -> None:
        """Register a subscriber to the state stream."""
        key = self.of_curve(public)
        if key is not None:
            self._listeners[descriptor] = KeyedConnection(key, Wire(descriptor))

    def remove(self, session: Session) -> None:
        """Handle a closed connection."""
        if session not in self._inside or session.keyed is None:
            return
        self._inside.discard(session)
        name = session.keyed.key.name
        self._count[name] -= 1
        if not self._count[name]:
            del self._count[name]
            self.audit.record(name, "left")

    def of_curve(self, public: str) -> Key | None:
        """Return the trusted key of this public half (Z85)."""
        return self._trusted.of_curve(decode_key(public) or b"") if self._trusted is not None else None

    def of_certificate(self, certificate: bytes) -> Key | None:
        """Return the trusted key of this certificate (DER)."""
        return self._trusted.of_certificate(certificate) if self._trusted is not None else None

    def update_roles(self) -> None:
        """Close connections whose key is no longer trusted; update the role of the others, who lose robots by it."""
        if self._trusted is None:
            return
        self._record_roles(self._trusted.roles)
        narrowed, expelled = [], []
        for session in list(self._inside):
            keyed = session.keyed
            assert keyed is not None  # noqa: S101 - every connection inside has one
            key = self._trusted.still(keyed.key)
            if key is None:
                session.limits = _no_rights(keyed.key.name)
                expelled.append((session, keyed))
            elif key.role != keyed.key.role:
                session.keyed, session.limits = KeyedConnection(key, keyed.wire), limits_of(key.name, key.role)
                session.memory.clear()  # groups of robots that were looked at
                narrowed.append((session, key))
        for session, keyed in expelled:
            self._expel(session, keyed)
        for session, key in narrowed:  # after all limits: who shares robots with others keeps what they may command
            why = f"the role of the key {key.name!r} is `{key.role}` now"
            self._record_freed(key.name, self._dispossession.narrow(session, key.role, why), why)
        for descriptor, listener in list(self._listeners.items()):
            if self._trusted.still(listener.key) is None:
                del self._listeners[descriptor]
                listener.wire.cut()

    def _expel(self, session: Session, keyed: KeyedConnection) -> None:
        name, why = keyed.key.name, f"the key {keyed.key.name!r} is no longer trusted"
        self.audit.record(name, "disconnected: its key is no longer trusted")
        self._record_freed(name, self._dispossession.put_out(session, why), why)
        keyed.wire.cut()

    def _record_freed(self, name: str, robots: Sequence[str], why: str) -> None:
        if robots:
            self.audit.record(name, f"{', '.join(robots)} released and stopped: {why}")

    def _record_roles(self, roles: Mapping[str, Role]) -> None:
        """Record which keys came, went, and changed their role since the last time."""
        before, self._roles = self._roles, roles
        for name in sorted({*before, *roles}):
            if name not in roles:
                self.audit.record(name, "key revoked: it is no longer trusted")
            elif name not in before:
                self.audit.record(name, f"key trusted, with the role `{roles[name]}`")
            elif roles[name] != before[name]:
                self.audit.record(name, f"role changed from `{before[name]}` to `{roles[name]}`")


def _no_rights(name: str) -> Limits:
    return Limits(name, Role(WATCH))
