import shutil
from collections.abc import Iterator

import pytest
from client_fakes import FakeServer, serving
from client_ways import go

from coopsim.client import Client, connect


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def sim(server: FakeServer) -> Iterator[Client]:
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim:
        yield sim


@pytest.fixture(params=["python", "compiled"] if shutil.which("cc") else ["python"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Run a test with requests packed and read in Python, and in C; gives what came of those in C."""
    return go(request.param, monkeypatch)
