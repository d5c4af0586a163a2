"""Connections that came in with a key: who they are, what they may, and how they are put out.

Specification: docs/protocol.md, "Security".
"""

from collections import Counter
from collections.abc import Callable

from coopsim.client.keyring import Key, decode_key
from coopsim.client.roles import WATCH, Role
from coopsim.server.access.limits import Limits, limits_of
from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.access.wires import KeyedConnection, Wire
from coopsim.server.audit import Audit
from coopsim.server.lockstep.sessions import Session


class KeyedConnections:
    """Everybody inside, by connection. All of it runs under the lock of `Modules`.

    Args:
        put_out: Called with the session of a guest who has to go.
        audit: Told who comes and goes.
        trusted: The keys that are trusted; None = everybody may come in, and nobody is a guest.

    Attributes:
        audit: Told who comes and goes.
    """

    def __init__(self, put_out: Callable[[Session], object], audit: Audit, trusted: TrustedKeys | None = None) -> None:
        self._put_out, self.audit, self._trusted = put_out, audit, trusted
        self._inside: set[Session] = set()
        self._listeners: dict[int, KeyedConnection] = {}
        self._count: Counter[str] = Counter()

    def welcome(self, session: Session, key: Key | None, descriptor: int) -> None:
        """Take in a connection; one whose key was taken away meanwhile may do nothing, and ends.

        Args:
            session: The connection.
            key: Whose it is.
            descriptor: Of its socket.
        """
        wire = Wire(descriptor)
        if key is None:
            session.limits = _nobody(session.label)
            wire.cut()
            return
        session.guest, session.label = KeyedConnection(key, wire), key.name
        session.limits = limits_of(key.name, key.role)
        self._inside.add(session)
        self._count[key.name] += 1
        if self._count[key.name] == 1:
            self.audit.tell(key.name, f"connected from {wire.address}")

    def listens(self, public: str, descriptor: int) -> None:
        """Take notice of a subscription to the state stream."""
        key = self.of_curve(public)
        if key is not None:
            self._listeners[descriptor] = KeyedConnection(key, Wire(descriptor))

    def left(self, session: Session) -> None:
        """Take notice that a connection is over."""
        if session not in self._inside or session.guest is None:
            return
        self._inside.discard(session)
        name = session.guest.key.name
        self._count[name] -= 1
        if not self._count[name]:
            del self._count[name]
            self.audit.tell(name, "left")

    def of_curve(self, public: str) -> Key | None:
        """Return the trusted key of this public half (Z85)."""
        return self._trusted.of_curve(decode_key(public) or b"") if self._trusted is not None else None

    def of_certificate(self, certificate: bytes) -> Key | None:
        """Return the trusted key of this certificate (DER)."""
        return self._trusted.of_certificate(certificate) if self._trusted is not None else None

    def review(self) -> None:
        """Put out whose key is no longer trusted, and give everybody else the role of today."""
        if self._trusted is None:
            return
        for session in list(self._inside):
            guest = session.guest
            assert guest is not None  # noqa: S101 - everybody inside has one
            key = self._trusted.still(guest.key)
            if key is None:
                self._expel(session, guest)
            elif key.role != guest.key.role:
                session.guest, session.limits = KeyedConnection(key, guest.wire), limits_of(key.name, key.role)
                session.memory.clear()  # groups of robots that were looked at
        for descriptor, listener in list(self._listeners.items()):
            if self._trusted.still(listener.key) is None:
                del self._listeners[descriptor]
                listener.wire.cut()

    def _expel(self, session: Session, guest: KeyedConnection) -> None:
        self.audit.tell(guest.key.name, "put out: its key is no longer trusted")
        session.limits = _nobody(guest.key.name)
        self._put_out(session)
        guest.wire.cut()


def _nobody(name: str) -> Limits:
    return Limits(name, Role(WATCH))
