"""A host in a thread with real sockets, and a source in another."""

import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import zmq
from server_fakes import PLAIN, SINGLE, FakeSource

from coopsim.client.keyring import Key
from coopsim.server import Host, HostOptions
from coopsim.server.host import MakeListener
from coopsim.transport.control import Ready, Stop

DEADLINE_MS = 10_000


class Running:
    """A host that runs, and everything that talks to it."""

    def __init__(self, mode: str, more: Sequence[MakeListener] = (), **options: Any) -> None:
        self.address = options["listen"].address if "listen" in options else "127.0.0.1"
        robots = options.pop("robots", {"robot1": SINGLE, "robot2": SINGLE, "plain1": PLAIN})
        self.source = FakeSource(robots, mode)
        self.source.start()
        self.context = zmq.Context()
        self.ports: dict[str, int] = {}
        self.heard: list[Any] = []
        self._unread: deque[Any] = deque()
        self.code: int | None = None
        self._tcp: list[socket.socket] = []
        self._zeromq: list[zmq.Socket[bytes]] = []
        host = Host(self.source.link, self.source.host_launcher, HostOptions(**{"port": 0, **options}), more)
        self.modules = host._modules
        self._thread = threading.Thread(target=self._run, args=(host,), daemon=True)
        self._thread.start()

    def _run(self, host: Host) -> None:
        self.code = host.run()

    def hear(self, kind: type[Any]) -> Any:
        """Return the next message of a kind that the host sends its launcher."""
        deadline = time.monotonic() + DEADLINE_MS / 1000
        while time.monotonic() < deadline:
            while self._unread:  # several come at once where this process was late
                self.heard.append(self._unread.popleft())
                if isinstance(self.heard[-1], kind):
                    return self.heard[-1]
            self._unread.extend(self.source.launcher.wait(1.0))
        raise AssertionError(f"no {kind} within {DEADLINE_MS} ms, but {self.heard}")

    def ready(self) -> "Running":
        """Wait until the host serves."""
        self.ports = self.hear(Ready).ports
        return self

    def dealer(self, port: int = 0, kind: int = zmq.DEALER) -> zmq.Socket[bytes]:
        """Return a connected ZeroMQ client."""
        client: zmq.Socket[bytes] = self.context.socket(kind)
        self._zeromq.append(client)
        client.linger, client.rcvtimeo, client.sndtimeo = 0, DEADLINE_MS, DEADLINE_MS
        client.connect(f"tcp://127.0.0.1:{port or self.ports['zmq']}")
        return client

    def dealer_of(self, key: Key, server: Key, identity: bytes) -> zmq.Socket[bytes]:
        """Return a ZeroMQ client with a key, not connected through our own client library."""
        client: zmq.Socket[bytes] = self.context.socket(zmq.DEALER)
        self._zeromq.append(client)
        client.linger, client.rcvtimeo = 0, DEADLINE_MS
        client.identity = identity
        client.curve_publickey, client.curve_secretkey = key.public.encode(), key.secret.encode()
        client.curve_serverkey = server.public.encode()
        client.connect(f"tcp://{self.address}:{self.ports['zmq']}")
        return client

    def tcp(self) -> socket.socket:
        """Return a connected plain TCP client."""
        client = socket.create_connection(("127.0.0.1", self.ports["tcp"]), DEADLINE_MS / 1000)
        self._tcp.append(client)
        return client

    def end(self) -> int | None:
        """Ask the host to stop; return its exit code."""
        self.source.launcher.send(Stop("test"))
        return self.join()

    def join(self) -> int | None:
        """Wait for the end of the host; return its exit code."""
        self._thread.join(DEADLINE_MS / 1000)
        assert not self._thread.is_alive(), "the host does not end"
        return self.code

    def close(self) -> None:
        """End everything and let go of it."""
        self.end()
        for client in self._tcp:
            client.close()
        for end in self._zeromq:
            end.close(0)
        self.context.destroy(0)
        self.source.close()
