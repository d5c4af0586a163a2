"""Both ways in which a client that blocks makes requests again and again: in Python, and in C."""

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from coopsim.client import compiled
from coopsim.client.compiled import ExchangeLibrary

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "coopsim" / "lane"


@cache
def built() -> ExchangeLibrary:
    """Return the library, built here of the sources of now, whether or not it is installed."""
    with TemporaryDirectory() as folder:
        library = Path(folder) / "_lane.so"
        sources = sorted(SOURCES.glob("*.c"))
        subprocess.run(["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o", library, *sources], check=True)
        return ExchangeLibrary(library)


def go(way: str, patch: pytest.MonkeyPatch) -> list[int]:
    """Let clients go one of both ways; return the list of what came of each exchange in C."""
    outcomes: list[int] = []
    library = built() if way == "compiled" else None
    patch.setattr(compiled, "library", lambda: library)
    make_really = compiled.CompiledExchange.make

    def make(self: compiled.CompiledExchange, descriptor: int, number: int, tick: int) -> int:
        outcomes.append(compiled.UNSENT)
        outcomes[-1] = make_really(self, descriptor, number, tick)
        return outcomes[-1]

    patch.setattr(compiled.CompiledExchange, "make", make)
    return outcomes
