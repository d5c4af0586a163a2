"""Ways in: what the conductor asks of ZeroMQ, plain TCP, the robots' own endpoints and the state stream alike.

Another one, a WebSocket for instance, is one file with a subclass of `Listener` and one line in `Host`.
"""

import math
from collections.abc import Collection, Iterator, Mapping

from coopsim.server.polling import Poller
from coopsim.state import Layout

BURST = 0.0002
"""Time limit for answering requests of one client before other sockets are served [s].

About what an exchange takes: with ten times as much, a client that floods doubled the exchanges of others, and whoever
has 200 requests under way gets 7 % fewer answers a second than with that.
"""
SOON = 0.002
"""After which what could not be sent at once is tried again [s]."""


class Listener:
    """Sockets that clients reach, and their connections; what it does not need it leaves out.

    It answers a request by `Modules.respond(raw, session)`, with one `Session` per connection whose `sender` sends
    the replies that come later; `Modules.lost(session)` when a connection is over. Other threads may call the outlet;
    everything else happens in the conductor's thread.
    """

    @property
    def clients(self) -> int:
        """Number of connections."""
        return 0

    @property
    def ports(self) -> Mapping[str, int]:
        """TCP ports by the name that `/sim/info` gives them; 0 = closed."""
        return {}

    @property
    def needs_each_record(self) -> bool:
        """Whether `serve` has something to do after each tick."""
        return False

    def register(self, poller: Poller) -> None:
        """Register the sockets with the methods that handle them."""

    def serve(self) -> bool:
        """Do what is due at the end of each turn, after all replies; return whether there may be more at once."""
        return False

    def flush(self) -> None:
        """Send what other threads handed over; called after `Poller.wake`."""

    def turn(self, now: float, /) -> None:
        """Do what time brings: called when it is due, and five times a second.

        Args:
            now: Monotonic clock [s].
        """

    def due(self, _now: float, /) -> float:
        """Return when the next turn must come at the latest, infinity = whenever something happens [s]."""
        return math.inf

    def follow(self, robots: Collection[str]) -> None:
        """Follow robots that came or went; called under the lock of `Modules`.

        Args:
            robots: Names of all that are there now.
        """

    def port_of(self, _robot: str, /) -> int:
        """Return the TCP port of a robot's own endpoint, 0 = it has none here."""
        return 0

    def close(self) -> None:
        """Send what is left, and close."""


class Listeners:
    """All ways into one run."""

    def __init__(self) -> None:
        self._all: list[Listener] = []

    def add(self, listener: Listener) -> None:
        """Add a listener."""
        self._all.append(listener)

    def __iter__(self) -> Iterator[Listener]:
        return iter(self._all)

    @property
    def clients(self) -> int:
        """Number of connections."""
        return sum(listener.clients for listener in self._all)

    @property
    def ports(self) -> dict[str, int]:
        """TCP ports by name."""
        return {name: port for listener in self._all for name, port in listener.ports.items()}

    def port_of(self, robot: str) -> int:
        """Return the TCP port of a robot's own endpoint, 0 = it has none."""
        return next((port for listener in self._all if (port := listener.port_of(robot))), 0)

    def follow(self, layout: Layout) -> None:
        """Update the robots of all listeners."""
        for listener in self._all:
            listener.follow(layout.robot)
