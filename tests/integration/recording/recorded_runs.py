"""Runs that are recorded, and what is asked of them and of their files."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from coopsim.client import Client
from coopsim.recording import Recording

DEADLINE = 90.0
SECOND = 100
"""Ticks to a simulated second."""


def scene(robots: int = 2, **settings: object) -> str:
    """Return a scenario of some robots in a row, 2 m apart, with `[SIMULATION]` keys."""
    keys = "".join(f"{key} {value}\n" for key, value in settings.items())
    places = "".join(
        f"[ROBOT_{number}]\ntype bench\nname robot{number}\nposition {2 * number} 0 0\n"
        for number in range(1, robots + 1)
    )
    return f"[SIMULATION]\n{keys}{places}\n"


def coopsim(*arguments: str) -> tuple[int, str]:
    """Return exit code and output of a command that ends by itself."""
    command = [sys.executable, "-m", "coopsim", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    return done.returncode, done.stdout + done.stderr


def wait_until(is_true: Callable[[], bool], seconds: float = DEADLINE) -> None:
    """Ask until it is true, now and then, so that those who are asked may work."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.002)


def tick_of(sim: Client) -> int:
    """Return the tick of a running simulation."""
    return int(sim.clock.ping().tick)


def wait_for_ticks(sim: Client, count: int) -> int:
    """Wait until so many more ticks are done; return the tick then."""
    end = tick_of(sim) + count
    wait_until(lambda: tick_of(sim) >= end)
    return tick_of(sim)


def ticks_of(path: Path) -> list[int]:
    """Return the tick of every record of a file."""
    with Recording.open(path) as recording:
        return [int(tick) for _, block in recording.blocks() for tick in block.ticks]


def assert_unbroken(path: Path) -> None:
    """See to it that no record of a file is missing between its first and its last."""
    with Recording.open(path) as recording:
        revisions = np.concatenate([block.head("revision") for _, block in recording.blocks()])
        assert recording.gaps == 0
    assert (np.diff(revisions.astype(np.int64)) == 1).all()
