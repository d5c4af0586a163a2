"""A thread that tells ZeroMQ whose keys are trusted (ZAP, RFC 27), and watches the list.

The list is the folder `trusted` of our keys: a key can be trusted, or taken away, while a run goes on.
"""

import threading
from collections.abc import Callable, Sequence

import zmq
from zmq.utils import z85

from coopsim.server.access.trusted import TrustedKeys
from coopsim.server.faults import FaultLog
from coopsim.transport import Notifier

ADDRESS = "inproc://zeromq.zap.01"
# so long may a key that was taken from the list still be used
_LOOK_EVERY_MS = 500
"""Interval between checks of the list, also without new connections [ms]."""


class CurveAuthenticator:
    """Lets in whose public key is trusted, and our own; must be there before a socket that asks is bound.

    Args:
        context: Where the sockets are.
        trusted: The list.
        changed: Called in another thread after the list has changed.
        refused: Called in another thread with the address of a client that is not let in, and why.
        faults: Exceptions that nobody foresaw; None = its own.
    """

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        trusted: TrustedKeys,
        changed: Callable[[], object] = lambda: None,
        refused: Callable[[str, str], object] = lambda *_: None,
        faults: FaultLog | None = None,
    ) -> None:
        self._trusted, self._changed, self._refused = trusted, changed, refused
        self._faults = faults or FaultLog()
        self._version = trusted.version
        self._stopped, self._stop = Notifier.pair()
        self._socket = context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(ADDRESS)
        self._thread = threading.Thread(target=self._run, name="doorman", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; no further connections are accepted."""
        self._stop.notify()
        self._thread.join(5.0)
        self._stop.close()
        self._stopped.close()

    def _run(self) -> None:
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._stopped.reader, zmq.POLLIN)
        while (self._stopped.reader, zmq.POLLIN) not in (ready := poller.poll(_LOOK_EVERY_MS)):
            if ready:
                self._socket.send_multipart(self._guarded_answer(self._socket.recv_multipart()))
            try:
                self._refresh()
            except Exception as problem:
                self._faults.note("the list of trusted keys", problem)
        self._socket.close(0)

    def _guarded_answer(self, asked: Sequence[bytes]) -> list[bytes]:
        """Return the reply to a question; who cannot be judged is refused, for without a reply nobody gets in again."""
        try:
            return self._answer(asked)
        except Exception as problem:
            self._faults.note("a handshake by CURVE", problem)
            return [*asked[:2], b"500", b"the server failed", b"", b""]

    def _refresh(self) -> None:
        version = self._trusted.refresh()
        if version != self._version:
            self._version = version
            self._changed()

    def _answer(self, asked: Sequence[bytes]) -> list[bytes]:
        """Return the reply to: version, request id, domain, address, identity, mechanism, public key."""
        version, number, _, address, _, mechanism, *credentials = asked
        self._trusted.refresh()
        public = credentials[0] if mechanism == b"CURVE" and credentials else b""
        key = self._trusted.of_curve(public) if public else None
        if key is None:
            self._refused(address.decode("ascii", "replace"), f"its key {_shown(public)} is not trusted")
            return [version, number, b"400", b"this key is not trusted", b"", b""]
        return [version, number, b"200", b"OK", key.public.encode(), b""]


def _shown(public: bytes) -> str:
    return z85.encode(public).decode() if len(public) == 32 else "none"


def who_sent(frame: zmq.Frame) -> tuple[str, int]:
    """Return the public key (Z85) that a message came with, and the descriptor of its connection."""
    try:
        return str(frame.get("User-Id")), int(frame.get(zmq.SRCFD))
    except zmq.ZMQError:
        return "", -1
