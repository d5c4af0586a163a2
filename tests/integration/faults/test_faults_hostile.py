"""Hostile values in every command of every module: one reply each, and nobody else notices. C-21.

`coopsim bench hostile --requests 1000000` sends a million of them.
"""

from pathlib import Path

import pytest

from coopsim.testkit.hostile import RECORDING, attack_run

pytestmark = pytest.mark.integration
REQUESTS = 1500


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def recording(folder: Path) -> Path:
    """Return the recording of a run in real time that was attacked by ZeroMQ."""
    report = attack_run("real-time by ZeroMQ", REQUESTS, 1, folder)
    assert report.problems == []
    assert report.requests >= REQUESTS
    return folder / RECORDING


def test_a_run_in_real_time_answers_all_and_its_recording_verifies(recording: Path) -> None:
    assert recording.stat().st_size > 0


def test_a_run_in_lockstep_answers_all_and_its_recording_verifies(tmp_path: Path) -> None:
    assert attack_run("lockstep by plain TCP", REQUESTS, 2, tmp_path).problems == []


def test_a_replay_answers_all(recording: Path, tmp_path: Path) -> None:
    assert attack_run("replay by plain TCP", REQUESTS, 3, tmp_path, recording).problems == []
