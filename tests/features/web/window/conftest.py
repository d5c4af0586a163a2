"""One browser, one simulation and one server of pages for all files of this folder; each test opens the page anew."""

from collections.abc import Iterator

import pytest
from browser import Browser, found
from web_pages import PageProcess

from coopsim.client import Client, connect
from coopsim.testkit import Run

collect_ignore_glob = [] if found() else ["test_*.py"]


@pytest.fixture(scope="package")
def simulation() -> Iterator[Run]:
    with Run("formation", "--no-controllers", "--duration", "7200") as live:
        yield live


@pytest.fixture(scope="package")
def server(simulation: Run) -> Iterator[PageProcess]:
    with PageProcess(simulation.endpoint) as process:
        process.wait_for("shows formation")
        yield process


@pytest.fixture(scope="package")
def window() -> Iterator[Browser]:
    with Browser(None, (1280, 800), "--disable-gpu-compositing") as browser:
        yield browser


@pytest.fixture
def sim(simulation: Run) -> Iterator[Client]:
    with connect(simulation.endpoint) as client:
        yield client
