"""Bare bytes from one process to another and back by TCP: what messages cost without anybody who reads them."""

import socket
import statistics
import time
from typing import NamedTuple


class EchoTimes(NamedTuple):
    """Time of a round trip [us].

    Attributes:
        whole: Until the bytes are back, the median.
        asking: Processor time of who asks.
        answering: Processor time of who answers.
    """

    whole: float
    asking: float
    answering: float


def listen() -> socket.socket:
    """Return a socket that waits for who asks."""
    return socket.create_server(("127.0.0.1", 0))


def answer(server: socket.socket, request: int, reply: int, count: int) -> float:
    """Answer requests of so many bytes; return the processor time of one [us]."""
    connection, _ = server.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw = bytes(reply)
        began = time.thread_time()
        for _ in range(count):
            _receive(connection, request)
            connection.sendall(raw)
        return 1e6 * (time.thread_time() - began) / count


def ask(port: int, request: int, reply: int, count: int) -> tuple[float, float]:
    """Send requests of so many bytes, one after the other; return what `EchoTimes` calls whole and asking."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw, times = bytes(request), []
        busy = time.thread_time()
        for _ in range(count):
            began = time.perf_counter()
            connection.sendall(raw)
            _receive(connection, reply)
            times.append(time.perf_counter() - began)
        busy = time.thread_time() - busy
    return 1e6 * statistics.median(times), 1e6 * busy / count


def _receive(connection: socket.socket, size: int) -> None:
    """Receive so many bytes.

    Raises:
        EOFError: The other end is gone.
    """
    while size:
        received = len(connection.recv(size))
        if not received:
            raise EOFError
        size -= received
