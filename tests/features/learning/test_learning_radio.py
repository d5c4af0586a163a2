"""Worlds of a batch whose robots have radios lose and delay what the same scenario does that is run alone."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.learning import StartRule, Worlds
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.tasks import task_of
from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import spec_of
from coopsim.simulation import Simulation

SET_VELOCITY = 10
COMMANDS_LOST, READINGS_SENT = 1, 2  # columns of the readings of a radio
KINDS = {"single+radio": ("r1",), "single+radio2": ("r2", "s")}
STARTS = [StartRule(distance=0.4, angle=1.0)]
SCENARIO = """[SIMULATION]
seed 3
[WORLD]
file arena
[TARGET]
red 3 0 0
[ROBOT_1]
type single
name r
count 2
grid 2x1 1.5
[ROBOT_2]
type single
name s
position 0 2.5 0
[RADIO]
loss 0.2
delay 0.05
retries 1
bandwidth 3000
[RADIO_1]
robots r1
range 3
interval 0
[EVENT_1]
at 0
set s.radio.delay 0.1
"""
TASK = """[LEARNING]
robots r2 s
observe sonars scale 3
observe radio.age
action motors.set_velocity -0.5 0.5 -1 1
reward 1 nearer red
vary all.radio.loss 0 0.5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "linked.scenario"
    path.write_text(SCENARIO)
    return path


def drive(batch: Worlds, alone: Mapping[int, Simulation], rng: np.random.Generator, steps: int = 15) -> None:
    """Drive robots by chance, the same way in the batch and alone; steps do not end where readings are sent."""
    for _ in range(steps):
        for kind, robots in KINDS.items():
            speeds = rng.uniform(-1.0, 1.0, (batch.count, len(robots), 2))
            batch.command("motors", SET_VELOCITY, speeds, kind)
            for world, simulation in alone.items():
                for robot, values in zip(robots, speeds[world].tolist(), strict=True):
                    simulation.command(robot, "motors", SET_VELOCITY, values)
        batch.step(7)
        for simulation in alone.values():
            for _ in range(7):
                simulation.tick()


@pytest.mark.parametrize("threads", [1, 2])
def test_each_world_loses_and_delays_what_its_run_alone_does_also_after_resets(file: Path, threads: int) -> None:
    rng, vary = np.random.default_rng(1), {"all.radio.loss": (0.0, 0.5), "all.sonars.noise": (0.0, 0.05)}
    with Worlds(file, 4, starts=STARTS, vary=vary, threads=threads) as batch:
        alone = {world: batch.alone(world) for world in range(4)}
        for _ in range(2):
            assert [batch.state_hash(world) for world in alone] == [single.state_hash() for single in alone.values()]
            drive(batch, alone, rng)
            assert [batch.state_hash(world) for world in alone] == [single.state_hash() for single in alone.values()]
            batch.reset(np.array([False, True, False, True]))
            alone |= {world: batch.alone(world) for world in (1, 3)}
        links = batch.readings("radio", "single+radio2")
        assert links[[1, 3], :, :READINGS_SENT].max() == 0.0
        assert links[[0, 2], :, COMMANDS_LOST].min() > 0.0
        assert len(np.unique(links[[0, 2], :, COMMANDS_LOST])) > 1
        assert batch.readings("odometry", "single+radio2")[0, 0].tolist() == alone[0].reading("r2", "odometry").tolist()


def test_an_episode_by_radio_becomes_an_ordinary_recording(file: Path, tmp_path: Path) -> None:
    with Worlds(file, 2, starts=STARTS, vary={"all.radio.loss": (0.2, 0.5)}) as batch:
        batch.keep_commands(1)
        drive(batch, {}, np.random.default_rng(2), 10)
        batch.save(1, tmp_path / "world.mcap")
        assert batch.alone(1).state_hash() == batch.state_hash(1)
    with Recording(tmp_path / "world.mcap") as recording:
        assert verify(recording, spec_of(recording)).outcome is Outcome.IDENTICAL


def test_learners_with_radios_learn_in_a_compiled_batch(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text(SCENARIO.replace("[RADIO_1]\nrobots r1\n", "[RADIO_1]\nrobots r1\n") + TASK)
    batch = LearningBatch(task_of(str(file)), 3)
    assert type(batch.worlds) is Worlds
    assert not caplog.messages
    ages = [batch.step(np.ones((3, 2, 2))).observations[:, :, -1] for _ in range(10)]
    assert np.ptp(ages) > 0.0
    losses = batch.worlds.parameter("radio", "loss", "single+radio2")
    assert 0.0 <= losses.min() < losses.max() <= 0.5
    batch.close()
