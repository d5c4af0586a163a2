"""A thread that tells ZeroMQ whose keys are trusted (ZAP, RFC 27).

The list is the folder `trusted` of our keys; it is read anew whenever it changes, so that a key can be trusted, or
taken away, while a run goes on. Whoever is inside stays inside.
"""

import logging
import os
import threading
import time
from collections.abc import Sequence

import zmq
from zmq.utils import z85

from coopsim.client.keyring import KeyRing, decode_key
from coopsim.transport import Wake

_log = logging.getLogger(__name__)
ADDRESS = "inproc://zeromq.zap.01"
_MOST_TOLD = 100
_SETTLED_NS = 1_000_000_000


class Doorman:
    """Lets in whose public key is trusted, and our own; must be there before a socket that asks is bound.

    Args:
        context: Where the sockets are.
        keys: The folder.
    """

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", keys: KeyRing) -> None:
        self._keys = keys
        self._changed = self._looked = -1
        self._known: dict[bytes, str] = {}
        self._told: set[bytes] = set()
        self._stopped, self._stop = Wake.pair()
        self._own = keys.own
        self._socket = context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(ADDRESS)
        self._thread = threading.Thread(target=self._run, name="doorman", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; nobody is let in any more."""
        self._stop.ring()
        self._thread.join(5.0)
        self._stop.close()
        self._stopped.close()

    def _run(self) -> None:
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._stopped.reader, zmq.POLLIN)
        while not any(each == self._stopped.reader for each, _ in poller.poll()):
            self._socket.send_multipart(self._answer(self._socket.recv_multipart()))
        self._socket.close(0)

    def _answer(self, asked: Sequence[bytes]) -> list[bytes]:
        """Return the reply to: version, request id, domain, address, identity, mechanism, public key."""
        version, number, _, address, _, mechanism, *credentials = asked
        key = credentials[0] if mechanism == b"CURVE" and credentials else b""
        name = self._look_up(key) if key else None
        if name is None:
            self._tell(key, address)
            return [version, number, b"400", b"this key is not trusted", b"", b""]
        return [version, number, b"200", b"OK", name.encode(), b""]

    def _look_up(self, key: bytes) -> str | None:
        folder = self._keys.folder / "trusted"
        try:
            changed = os.stat(folder).st_mtime_ns
        except OSError:
            changed = 0
        # a folder that changes twice within a tick of the file system's clock shows it once
        if changed != self._changed or self._looked - changed < _SETTLED_NS:
            self._changed, self._looked = changed, time.time_ns()
            known = [self._own, *self._keys.trusted().values()]
            self._known = {decode_key(each.public) or b"": each.name for each in known}
            self._told.clear()
        return self._known.get(key)

    def _tell(self, key: bytes, address: bytes) -> None:
        if key not in self._told and len(self._told) < _MOST_TOLD:
            self._told.add(key)
            shown = z85.encode(key).decode() if len(key) == 32 else "none"
            _log.warning("refused a client at %s: its key %s is not trusted", address.decode("ascii", "replace"), shown)
