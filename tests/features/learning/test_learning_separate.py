"""Worlds that are simulations of their own: whatever a scenario has, each has the bits of its run alone."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.features.learning import StartRule, Worlds
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.flying_tasks import WaypointsTask
from coopsim.features.learning.scoring import law
from coopsim.features.learning.separate import SeparateWorlds
from coopsim.features.learning.tasks import task_of
from coopsim.features.learning.tuning_tasks import TuningTask

SET_VELOCITY = 10
INFANTRY = """[WORLD]
file arena
[TARGET]
red 3 0 0
[ROBOT_1]
type game_infantry
name r
count 2
grid 2x1 1.5
[LEARNING]
observe sonars scale 3
action motors.set_velocity -0.5 0.5 -1 1
reward 1 nearer red
"""
STARTS = [StartRule(distance=0.4, angle=1.0)]


@pytest.fixture(scope="module")
def flight() -> Iterator[LearningBatch]:
    batch = LearningBatch(WaypointsTask(), 2, seed=1, resets=False)
    yield batch
    batch.close()


def test_they_have_the_bits_of_a_compiled_batch_also_after_a_reset() -> None:
    ranges = {"all.sonars.noise": (0.0, 0.05)}
    with (
        Worlds("formation", 2, starts=STARTS, vary=ranges) as batch,
        SeparateWorlds("formation", 2, starts=STARTS, vary=ranges) as separate,
    ):
        for both in range(2):
            for worlds in (batch, separate):
                worlds.command("motors", SET_VELOCITY, (0.4, 0.3 * both))
                worlds.step(20)
            assert [separate.state_hash(world) for world in range(2)] == [batch.state_hash(world) for world in range(2)]
            assert np.array_equal(separate.readings("sonars"), batch.readings("sonars"))
            assert np.array_equal(separate.poses, batch.poses)
            for worlds in (batch, separate):
                worlds.reset(np.array([False, True]))
            assert separate.ticks.tolist() == [20 * (1 + both), 0]
            assert separate.seeds.tolist() == batch.seeds.tolist()


@pytest.mark.parametrize("worlds", ["", "worlds separate", "worlds batched"])
def test_worlds_with_programs_are_separate_by_themselves_and_a_line_says_so(
    worlds: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "infantry.scenario"
    file.write_text(f"{INFANTRY}{worlds}\n")
    if worlds == "worlds batched":
        with pytest.raises(EngineCannot, match=r"infantry.scenario:5:.*intelligence of r1 .*as programs on board do"):
            LearningBatch(task_of(str(file)), 2)
        return
    batch = LearningBatch(task_of(str(file)), 2)
    assert type(batch.worlds) is SeparateWorlds
    assert len(caplog.messages) == (worlds == "")
    assert all("a simulation of its own" in text and "programs on board" in text for text in caplog.messages)
    step = batch.step(np.ones((2, 2, 2)))
    assert np.isfinite(step.rewards).all()
    assert batch.worlds.alone(1).spec.scenario.settings.seed == batch.worlds.seeds[1]
    batch.close()


def test_they_hold_what_a_compiled_batch_refuses(flight: LearningBatch) -> None:
    task = flight.task
    with pytest.raises(EngineCannot, match="expected the engine pymunk, got mujoco"):
        Worlds(task.scenario, 1)
    flight.reset([5, 6])
    worlds = flight.worlds
    worlds.keep_commands(1)
    for _ in range(4):
        flight.step(np.full((2, 1, 3), 0.5))
    alone = worlds.alone(1)
    assert alone.spec.scenario.settings.seed == 6
    assert alone.state_hash() == worlds.state_hash(1)
    assert worlds.heights(["quad"])()[1, 0] == alone.engine.height[0] > 0.0
    # goals and metrics see all of it, as it is recorded
    row = alone.engine.names.index("quad")
    assert np.array_equal(worlds.as_run().poses("quad")[1], alone.engine.poses[row].astype(np.float32))


def test_the_next_way_point_is_what_a_quadrotor_sees(flight: LearningBatch) -> None:
    flight.reset([1, 2])
    worlds, policy = flight.worlds, law(flight.task)
    points, observations, ended = worlds.targets.copy(), flight.observe(), np.zeros(2, bool)
    reached = [0]
    for _ in range(flight.task.limit):
        step = flight.step(policy(observations))
        observations, ended = step.observations, ended | step.terminated
        passed = int(np.abs(points[0] - worlds.targets[0, 0]).sum(axis=1).argmin())
        if passed != reached[-1]:
            # the reward of a way point comes with it, and the one after it is seen from then on
            assert step.rewards[0, 0] > 0.9
            reached.append(passed)
        if ended.all():
            break
    assert ended.all()
    assert reached == [0, 1, 2]


def test_an_action_may_set_gains_of_a_system_of_components() -> None:
    batch = LearningBatch(TuningTask(), 2, seed=1)
    batch.step(np.array([[[-1.0, 0.0]], [[0.0, 1.0]]]))
    faces = [simulation.tables.block_of("rover") for simulation in batch.worlds._simulations]  # type: ignore[attr-defined]
    gains = [
        [float(face.devices["MyFollowerController"].parameters[name][0]) for name in ("Kv", "Kw")]
        for face in faces
        if face is not None
    ]
    assert np.allclose(gains, [[0.0, 0.5], [1.0, 1.0]])
    with pytest.raises(BadArgument, match="Kv"):
        batch.worlds.set_parameter(["rover"], "MyFollowerController", "Kv", np.full((2, 1), 99.0))
    batch.close()


def test_a_compiled_batch_sets_parameters_of_some_robots() -> None:
    with Worlds("formation", 2) as worlds:
        robots = worlds.robots[1:]
        worlds.set_parameter(robots, "sonars", "reach", np.array([[1.0, 2.0], [0.5, 1.5]]))
        assert worlds.parameter("sonars", "reach")[:, 1:].tolist() == [[1.0, 2.0], [0.5, 1.5]]
        worlds.step(1)
        assert (worlds.readings("sonars")[:, 1:].max(axis=2) <= [[1.0, 2.0], [0.5, 1.5]]).all()
        with pytest.raises(NoSuchName, match="no number 'colour'"):
            worlds.set_parameter(robots, "sonars", "colour", np.zeros((2, 2)))
