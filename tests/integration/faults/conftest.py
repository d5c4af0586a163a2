"""Runs of the simulator for fault tests."""

from collections.abc import Callable, Iterator

import pytest
from fault_runs import scene

from coopsim.testing import RawClient, Run

Connect = Callable[..., RawClient]


@pytest.fixture
def connect() -> Iterator[Callable[[str], RawClient]]:
    """Return a maker of raw clients that are closed in the end."""
    made: list[RawClient] = []

    def make(endpoint: str, timeout: float = 10.0) -> RawClient:
        made.append(RawClient(endpoint, timeout))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture(scope="module")
def real_time() -> Iterator[Run]:
    """A run of three robots in real time, for all tests of a module."""
    with Run(scene(3), "--no-controllers") as run:
        yield run
        assert run.is_alive, run.said
