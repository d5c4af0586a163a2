"""Foreign modules: servers that are none of the simulation's, and whether their names still belong to them.

Specification: docs/protocol.md, "/sim/names".
"""

import time
from collections.abc import Callable
from dataclasses import replace

from coopsim.client.connection import refusal
from coopsim.client.endpoints import Endpoint, parse
from coopsim.message import Message

# not before each request: a real robot is commanded fifty times a second
LOOK_EVERY = 0.5
"""Interval at which a client that asks a foreign module looks up its name: a simulated robot may hide it [s]."""
LOOK_PATIENCE = 1.0
"""Time limit of that; a real robot is driven on where the simulation does not answer [s]."""


class ForeignRoutes:
    """Endpoints of foreign modules, and when the name of each module was looked up last.

    Args:
        clock: Real time [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._endpoints: set[Endpoint] = set()
        self._looked: dict[str, float] = {}

    def __contains__(self, endpoint: Endpoint) -> bool:
        return endpoint in self._endpoints

    def add(self, endpoint: Endpoint) -> None:
        """Note an endpoint of a foreign module."""
        self._endpoints.add(endpoint)

    def discard(self, endpoint: Endpoint) -> None:
        """Forget an endpoint."""
        self._endpoints.discard(endpoint)

    def is_due(self, target: str, endpoint: Endpoint) -> bool:
        """Return whether the name of a module that is asked there must be looked up again."""
        return endpoint in self._endpoints and self._clock() - self._looked.get(target, 0.0) >= LOOK_EVERY

    def note_lookup(self, target: str) -> None:
        """Note that the name of a module belongs to its server now."""
        self._looked[target] = self._clock()


def driver_is_silent(endpoint: Endpoint, *, is_simulation_alive: bool) -> str:
    """Return in words why a foreign module did not answer."""
    alive = "the simulation itself answers" if is_simulation_alive else "the simulation does not answer either"
    return f"this module has a driver of its own, at {endpoint}, which has ended or cannot be reached; {alive}"


# Facts that replies bring in params: the run that a ping names, and the address of a module elsewhere.
_ANYWHERE = {"0.0.0.0", "[::]"}  # noqa: S104 - nothing is bound here


def run_in(reply: Message) -> int:
    """Return the run that a reply to a ping names; 0 = it names none."""
    number = reply.params[1] if len(reply.params) > 1 else 0
    return number if isinstance(number, int) and number > 0 else 0


def elsewhere(reply: Message, main: Endpoint) -> Endpoint:
    """Return the address in params that suits our transport: ZeroMQ's comes first, plain TCP's second.

    Args:
        reply: Of LOOKUP, or one that says that the module lives elsewhere.
        main: Where the simulation itself is reached.

    Raises:
        CoopsimError: There is none.
    """
    zeromq, plain = (str(param) for param in (*reply.params, "", "")[:2])
    if not zeromq and not plain:
        raise refusal(reply, reply.target)
    is_plain = bool(plain) and (main.is_plain or not zeromq)
    endpoint = parse(plain if is_plain else zeromq, is_plain=is_plain)
    # a server on all interfaces does not know by which of its addresses we reach it
    return replace(endpoint, host=main.host) if endpoint.host in _ANYWHERE else endpoint
