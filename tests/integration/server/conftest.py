"""Hosts with real sockets, ended after each test."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "server"))
from server_running import Running


@pytest.fixture
def serve() -> Iterator[Callable[..., Running]]:
    """Return a starter of hosts: `serve("lockstep", patience=1.0)`."""
    started: list[Running] = []

    def start(mode: str = "lockstep", **options: Any) -> Running:
        started.append(Running(mode, **options))
        return started[-1].ready()

    yield start
    for each in started:
        each.close()
