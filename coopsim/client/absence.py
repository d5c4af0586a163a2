"""Why nothing answers at an endpoint: an unknown name, another socket of a run, or no run."""

import socket
from dataclasses import replace

from coopsim.client.endpoints import Endpoint
from coopsim.client.greeting import mechanism

_MOMENT = 0.3
_BELOW = {1: "plain TCP (tcp+plain://)", 2: "the state stream"}
"""What listens so many ports above the one for requests by ZeroMQ."""


def why_absent(endpoint: Endpoint) -> str:
    """Return what a user can do where nothing answers; asks the network, for a second at most."""
    if not _is_known(endpoint.host):
        return f"the name {endpoint.host} is unknown: no machine is called so"
    if not endpoint.is_plain:
        for above, what in _BELOW.items():
            run = replace(endpoint, port=endpoint.port - above)
            if _is_used(endpoint) and run.port > 0 and mechanism(run, _MOMENT):
                return f"nothing answers there by ZeroMQ: this is the port of {what}; requests go to {run}"
    return "nothing answers there: is a simulation running on this port (`coopsim run`)?"


def _is_known(host: str) -> bool:
    try:
        socket.getaddrinfo(host.strip("[]"), None)
    except OSError:
        return False
    return True


def _is_used(endpoint: Endpoint) -> bool:
    try:
        socket.create_connection((endpoint.host.strip("[]"), endpoint.port), _MOMENT).close()
    except OSError:
        return False
    return True
