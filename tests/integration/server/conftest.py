"""Hosts with real sockets, ended after each test."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from server_running import Running


@pytest.fixture
def serve() -> Iterator[Callable[..., Running]]:
    """Return a starter of hosts: `serve("lockstep", patience=1.0)`."""
    started: list[Running] = []

    def start(mode: str = "lockstep", **options: Any) -> Running:
        started.append(Running(mode, **options))
        return started[-1].ready()

    yield start
    for server in started:
        server.close()
