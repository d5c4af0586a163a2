from collections.abc import Iterator

import pytest
from client_fakes import FakeServer, serving

from coopsim.client import Client, connect


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def sim(server: FakeServer) -> Iterator[Client]:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        yield sim
