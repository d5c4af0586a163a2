"""A process that records is killed, or its disk is full: what was written is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coopsim.recording import Recording, Scrubber, recover

HERE = Path(__file__).parent
SCENES = HERE.parents[1] / "standins"
A_SECOND = 100

pytestmark = pytest.mark.integration


def start(path: Path, largest: int = 0) -> "subprocess.Popen[str]":
    """Start a process that records to `path`."""
    environment = {**os.environ, "PYTHONPATH": f"{SCENES}{os.pathsep}{HERE}"}
    command = [sys.executable, str(HERE / "recording_child.py"), str(path), str(largest)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("killed_at", [1, 150, 699, 2000])
def test_a_killed_recorder_loses_at_most_a_second(tmp_path: Path, killed_at: int) -> None:
    path = tmp_path / "a.mcap"
    with start(path) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if int(line) >= killed_at:
                break
        child.kill()
        taken = [int(line) for line in child.stdout.read().split("\n")[:-1]]
    last = taken[-1] if taken else killed_at
    with Recording.open(path) as recording:
        assert last - A_SECOND <= len(recording) <= last + 1
        assert not recording.complete
        assert [record.tick for record in recording.records()] == list(range(1, len(recording) + 1))
    assert recover(path).records == len(recording)
    assert Recording.open(path).complete


def test_a_file_that_the_system_lets_grow_no_more_stays_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with start(path, largest=100_000) as child:
        assert child.stdout is not None
        lines = child.stdout.read().splitlines()
        assert child.wait(timeout=60) == 3
    assert "a.mcap: File too large" in lines[-1]
    assert path.stat().st_size <= 100_000
    with Recording.open(path) as recording:
        assert len(recording) >= int(lines[-2]) - A_SECOND - 1
        assert Scrubber(recording).at_tick(10**9).tick == len(recording)
