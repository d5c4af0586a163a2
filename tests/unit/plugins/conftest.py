"""Loose plugins that are forgotten after a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from plugin_sources import Put

from coopsim import plugins


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    for loose in plugins.loose_files():
        plugins.forget(loose.path)


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Write a file into a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
