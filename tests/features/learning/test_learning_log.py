"""Log of commands: an episode done again alone, and what is refused as its recording."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import CannotRecord
from coopsim.features.learning.log import CommandLog, run_again, save
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation

SET_VELOCITY = 10


def _driven(speeds: list[tuple[float, int]]) -> tuple[Simulation, CommandLog]:
    """Return a simulation that was driven at speeds, each for some ticks, and the log of it."""
    simulation, log = Simulation(load("single")), CommandLog()
    for speed, ticks in speeds:
        simulation.command("robot1", "motors", SET_VELOCITY, (speed, 0.2))
        log.add(ticks, simulation.commands)
        for _ in range(ticks):
            simulation.tick()
    return simulation, log


def test_commands_hold_for_their_ticks_and_are_kept_as_they_were() -> None:
    log, commands = CommandLog(), np.zeros(3)
    for ticks, value in ((2, 1.0), (0, 2.0), (1, 3.0)):
        commands[:] = value
        log.add(ticks, commands)
    assert [entry.tolist() for entry in log] == [[1.0] * 3, [1.0] * 3, [3.0] * 3]
    assert [entry.tolist() for entry in log] == [[1.0] * 3, [1.0] * 3, [3.0] * 3]


def test_an_episode_that_is_run_again_has_the_same_bits() -> None:
    simulation, log = _driven([(0.3, 4), (-0.2, 3)])
    again = Simulation(load("single"))
    run_again(again, log)
    assert again.state_hash() == simulation.state_hash()


def test_an_episode_becomes_a_recording_of_its_ticks(tmp_path: Path) -> None:
    simulation, log = _driven([(0.3, 5), (0.0, 2)])
    save(tmp_path / "episode.mcap", load("single"), log, simulation.state_hash())
    with Recording(tmp_path / "episode.mcap") as recording:
        assert recording.complete
        assert len(recording) == 1 + 7  # and how it began


def test_an_episode_that_went_another_way_is_no_recording_of_this_world(tmp_path: Path) -> None:
    _, log = _driven([(0.3, 5)])
    other_run, _ = _driven([(0.31, 5)])
    with pytest.raises(CannotRecord, match=r"episode\.mcap: the world and its episode run alone have different states"):
        save(tmp_path / "episode.mcap", load("single"), log, other_run.state_hash())


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    _, log = _driven([(0.3, 1)])
    with pytest.raises(CannotRecord, match=r"nowhere"):
        save(tmp_path / "nowhere" / "episode.mcap", load("single"), log, b"")
