"""The keys of a client, and why a server did not want them."""

import os
import struct
import threading
from dataclasses import dataclass
from pathlib import Path

import zmq

from coopsim.client.endpoints import Endpoint
from coopsim.client.greeting import IN_THE_CLEAR, WITH_KEYS, mechanism
from coopsim.client.keyring import Key, KeyRing
from coopsim.errors import KeyRefused, NoKey

FOLDER_VARIABLE = "COOPSIM_KEYS"
"""Environment variable: folder with the keys of a client."""
SERVER_VARIABLE = "COOPSIM_SERVER"
"""Environment variable: name of the known key that the server has."""
_EVENT = struct.Struct("=hi")  # number and value; pyzmq's own reader of events loads asyncio
_SUCCEEDED = int(zmq.EVENT_HANDSHAKE_SUCCEEDED)
_REFUSED = int(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
_FAILED = int(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL)
_MISMATCH = int(zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
_ENOUGH = 20  # handshakes that end without a word, until the server's greeting is asked for
_PATIENCE = 1.0  # for the greeting [s]
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

    def for_server(self, host: str) -> "ConnectionKeys":
        """Return the keys of a connection to the server at `host`.

        Raises:
            NoKey: A key is missing, or it is not known which one the server has.
        """
        ring = KeyRing(Path(self.folder).expanduser())
        return ConnectionKeys(ring.own, ring.server(self.server, host), ring.own_file)

    def for_foreign_server(self, endpoint: Endpoint) -> "ConnectionKeys | None":
        """Return the keys of a connection to a module that lives elsewhere, None = in the clear.

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
        return ConnectionKeys(ring.own, key, ring.own_file) if key is not None else None


def chosen(keys: "Keys | str | Path | None") -> Keys | None:
    """Return the keys to use: those given, or those of the environment variables COOPSIM_KEYS and COOPSIM_SERVER."""
    if isinstance(keys, Keys):
        return keys
    folder = keys or os.environ.get(FOLDER_VARIABLE)
    return Keys(folder, os.environ.get(SERVER_VARIABLE, "")) if folder else None


@dataclass(frozen=True, slots=True)
class ConnectionKeys:
    """The keys of one connection, by ZeroMQ or TLS: our pair, and the key that the server must have.

    Attributes:
        own_file: Where our secret key is, for TLS.
    """

    own: Key
    server: Key
    own_file: Path = Path()

    def apply_to(self, socket: "zmq.Socket[bytes]") -> None:
        """Set the keys on a socket, before it connects.

        Raises:
            NoKey: The server's key is known for TLS alone.
        """
        if not self.server.public:
            raise NoKey(
                f"the key {self.server.name!r} of the server is a certificate for TLS alone: use tls://HOST:PORT"
            )
        socket.setsockopt(zmq.CURVE_PUBLICKEY, self.own.public.encode())
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.own.secret.encode())
        socket.setsockopt(zmq.CURVE_SERVERKEY, self.server.public.encode())


class Handshake:
    """Listens to the handshakes of a socket until one succeeds: ZeroMQ itself never says why nothing comes.

    Args:
        socket: Not connected yet.
        endpoint: Where it will connect.
        keys: The keys it uses.

    Attributes:
        monitor: To wait for.
    """

    def __init__(self, socket: "zmq.Socket[bytes]", endpoint: Endpoint, keys: ConnectionKeys | None) -> None:
        self._socket, self._endpoint, self._keys = socket, endpoint, keys
        self._failures = 0
        self._mechanism = ""
        self.monitor = socket.get_monitor_socket(_SUCCEEDED | _REFUSED | _FAILED)

    def has_succeeded(self) -> bool:
        """Return whether a handshake has succeeded.

        Raises:
            KeyRefused: There will be none.
        """
        while self.monitor.poll(0):
            what, value = _EVENT.unpack(self.monitor.recv_multipart()[0])
            if what == _SUCCEEDED:
                return True
            self._failures += 1
            if reason := self._reason(what, value):
                raise KeyRefused(reason)
        return False

    def close(self) -> None:
        """Listen no longer."""
        self._socket.disable_monitor()
        self.monitor.close(0)

    def _reason(self, what: int, value: int) -> str:
        """Return why there will be no handshake, "" = there may be one yet."""
        where, keys = self._endpoint, self._keys
        if what == _REFUSED and keys is not None:
            return f"{where} does not trust the key {keys.own.name!r} of this client ({keys.own.public})"
        if what == _REFUSED or value == _MISMATCH:
            return self._mismatch()
        # a server that hangs up without a word uses no keys, or others; which it is only its greeting tells
        if self._failures % _ENOUGH == 0 and not self._mechanism:
            threading.Thread(target=self._ask, name="coopsim-greeting", daemon=True).start()
        if self._mechanism == (WITH_KEYS if keys is None else IN_THE_CLEAR):
            return self._mismatch()
        if self._mechanism == WITH_KEYS and keys is not None:
            return f"{where} has not the key {keys.server.name!r} ({keys.server.public}) that this client expects"
        return ""

    def _mismatch(self) -> str:
        if self._keys is None:
            return f"{self._endpoint} serves only clients with keys, and this one has none; see `coopsim keys`"
        return f"{self._endpoint} uses no keys, and this client insists on them"

    def _ask(self) -> None:
        """Read the greeting in a thread of its own, so that the caller does not wait."""
        self._mechanism = mechanism(self._endpoint, _PATIENCE)
