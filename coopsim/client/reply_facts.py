"""Facts that replies bring in params: the run that a ping names, and the address of a module elsewhere."""

from dataclasses import replace

from coopsim.client.connection import refusal
from coopsim.client.endpoints import Endpoint, parse
from coopsim.message import Message

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
