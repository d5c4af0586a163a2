"""Recordings that are made once, and playbacks that are ended after each test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from replay_scenes import NEWCOMER, record
from replay_stage import Stage

from coopsim.state import Record
from coopsim.state.edits import Insert, Reset, SetParameter


@pytest.fixture(scope="session")
def written() -> list[Record]:
    """Return what was recorded in `film`, record by record."""
    return []


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory, written: list[Record]) -> Path:
    """Return a recording of ticks 0 to 300: a parameter changes at 100, a robot comes at 150, all is reset at 250."""
    edits = {
        100: [SetParameter("robot1", "sonars", "noise", 0.05)],
        150: [Insert(NEWCOMER)],
        250: [Reset()],
    }
    path = tmp_path_factory.mktemp("films") / "film.mcap"
    return record(path, 300, edits=edits, watch=lambda _, made: written.append(made))


@pytest.fixture
def show(film: Path) -> Iterator[Callable[..., Stage]]:
    """Return a starter of playbacks: `show(speed=2.0)`, `show(file)`."""
    started: list[Stage] = []

    def start(file: Path = film, **options: Any) -> Stage:
        started.append(Stage(file, **options))
        return started[-1]

    yield start
    for stage in started:
        stage.close()
