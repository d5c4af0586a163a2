"""Greeting of a ZeroMQ server before any handshake: the security mechanism that it uses (ZMTP 3.0, "Greeting")."""

import socket
import time

from coopsim.client.endpoints import Endpoint
from coopsim.message.zmtp import SIGNATURE_AND_VERSION

IN_THE_CLEAR, WITH_KEYS = "NULL", "CURVE"
_MECHANISM = slice(12, 32)


def mechanism(endpoint: Endpoint, timeout: float) -> str:
    """Return the mechanism of the server at `endpoint`, "NULL" or "CURVE"; "" if it named none within `timeout` [s].

    We name none ourselves: a server hangs up on a client that names another, often before its own greeting is out.
    """
    deadline = time.monotonic() + timeout
    greeting = b""
    try:
        with socket.create_connection((endpoint.host.strip("[]"), endpoint.port), timeout) as end:
            end.sendall(SIGNATURE_AND_VERSION)
            while len(greeting) < _MECHANISM.stop:
                end.settimeout(max(deadline - time.monotonic(), 1e-6))
                more = end.recv(_MECHANISM.stop - len(greeting))
                if not more:
                    return ""
                greeting += more
    except OSError:
        return ""
    return greeting[_MECHANISM].rstrip(b"\0").decode("ascii", "replace")
