"""The keys of a client, and why a server did not want them."""

import os
from dataclasses import dataclass
from pathlib import Path

import zmq
from zmq.utils.monitor import recv_monitor_message

from coopsim.client.endpoints import Endpoint
from coopsim.client.keyring import Key, KeyRing
from coopsim.errors import KeyRefused, NoKey

FOLDER_VARIABLE = "COOPSIM_KEYS"
"""Environment variable: folder with the keys of a client."""
SERVER_VARIABLE = "COOPSIM_SERVER"
"""Environment variable: name of the known key that the server has."""
_SUCCEEDED = int(zmq.EVENT_HANDSHAKE_SUCCEEDED)
_REFUSED = int(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
_FAILED = int(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL)
_MISMATCH = int(zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
_ENOUGH = 20
_THIS_MACHINE = ("localhost", "127.")


@dataclass(frozen=True)
class Keys:
    """A folder with our key pair and the keys of servers (`coopsim keys`).

    Attributes:
        folder: Where they are.
        server: Name of the key that the server has; "" = the one named like its host, or the only one there is.
    """

    folder: str | Path
    server: str = ""

    def lock(self, host: str) -> "Lock":
        """Return what opens a connection to the server at `host`.

        Raises:
            NoKey: A key is missing, or it is not known which one the server has.
        """
        ring = KeyRing(Path(self.folder).expanduser())
        return Lock(ring.own, ring.server(self.server, host))

    def foreign_lock(self, endpoint: Endpoint) -> "Lock | None":
        """Return what opens a connection to a module that lives elsewhere, None = it is spoken to in the clear.

        Raises:
            NoKey: It is on another machine, and no key is named like its host.
        """
        ring = KeyRing(Path(self.folder).expanduser())
        key = ring.trusted().get(endpoint.host)
        if key is None and not endpoint.host.startswith(_THIS_MACHINE):
            raise NoKey(
                f"the module at {endpoint} is on another machine, and no key is known for it; "
                f"`coopsim keys trust FILE --name {endpoint.host}` makes it known"
            )
        return Lock(ring.own, key) if key is not None else None


def chosen(keys: "Keys | str | Path | None") -> Keys | None:
    """Return the keys to use: those given, or those of the environment variables COOPSIM_KEYS and COOPSIM_SERVER."""
    if isinstance(keys, Keys):
        return keys
    folder = keys or os.environ.get(FOLDER_VARIABLE)
    return Keys(folder, os.environ.get(SERVER_VARIABLE, "")) if folder else None


@dataclass(frozen=True, slots=True)
class Lock:
    """Our key pair and the key that the server must have."""

    own: Key
    server: Key

    def put_on(self, socket: "zmq.Socket[bytes]") -> None:
        """Have a socket use the keys; before it connects."""
        socket.setsockopt(zmq.CURVE_PUBLICKEY, self.own.public.encode())
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.own.secret.encode())
        socket.setsockopt(zmq.CURVE_SERVERKEY, self.server.public.encode())


class Handshake:
    """Listens to the handshakes of a socket until one succeeds: ZeroMQ itself never says why nothing comes.

    Args:
        socket: Not connected yet.
        endpoint: Where it will connect.
        lock: The keys it uses.

    Attributes:
        monitor: To wait for.
    """

    def __init__(self, socket: "zmq.Socket[bytes]", endpoint: Endpoint, lock: Lock | None) -> None:
        self._socket, self._endpoint, self._lock = socket, endpoint, lock
        self._failures = 0
        self.monitor = socket.get_monitor_socket(_SUCCEEDED | _REFUSED | _FAILED)

    def look(self) -> bool:
        """Return whether a handshake has succeeded.

        Raises:
            KeyRefused: There will be none.
        """
        while self.monitor.poll(0):
            event = recv_monitor_message(self.monitor)
            what, value = int(event["event"]), int(event["value"])
            if what == _SUCCEEDED:
                return True
            self._failures += 1
            if what == _REFUSED or value == _MISMATCH or (self._lock is not None and self._failures >= _ENOUGH):
                raise KeyRefused(self._reason(what, value))
        return False

    def close(self) -> None:
        """Listen no longer."""
        self._socket.disable_monitor()
        self.monitor.close(0)

    def _reason(self, what: int, value: int) -> str:
        where, lock = self._endpoint, self._lock
        if lock is None:
            return f"{where} serves only clients with keys, and this one has none; see `coopsim keys`"
        if what == _REFUSED:
            return f"{where} does not trust the key {lock.own.name!r} of this client ({lock.own.public})"
        if value == _MISMATCH:
            return f"{where} uses no keys, and this client insists on them"
        return f"{where} has not the key {lock.server.name!r} ({lock.server.public}) that this client expects"
