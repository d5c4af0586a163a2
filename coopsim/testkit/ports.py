"""Ports for simulations that end and come back at the same ones."""

import contextlib
import os
import socket

_PORTS, _WIDTH = range(20_000, 29_999), 3
"""None that systems give to programs that ask for any: such a program could take one while no simulation is there."""


def lasting_port() -> int:
    """Return a port that is free, as the next two are; other processes look at other ones first."""
    number = os.getpid()
    while True:
        port = _PORTS[_WIDTH * number % len(_PORTS)]
        with contextlib.suppress(OSError), contextlib.ExitStack() as sockets:
            for place in range(port, port + _WIDTH):
                sockets.enter_context(socket.create_server(("127.0.0.1", place)))
            return port
        number += 1
