"""Tasks: what learners see and do, what they are rewarded for, and what is refused."""

import numpy as np
import pytest

from coopsim.errors import BadArgument, NoSuchName, PluginFailed
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Acting, Encoder, Observed
from coopsim.features.learning.scoring import by_chance, law, score
from coopsim.features.learning.task import StepScene
from coopsim.features.learning.tasks import TASKS, TargetTask, task_of
from coopsim.geometry import Floats


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_plain_law_gets_more_than_chance(name: str) -> None:
    task = task_of(name)
    task.limit = 60  # type: ignore[misc]  # of this object alone: long enough to tell them apart
    planned, random = score(task, law(task), episodes=6), score(task, by_chance(task), episodes=6)
    assert planned.returned > random.returned + 0.3


def test_robots_that_stand_at_their_targets_have_reached_the_goal() -> None:
    batch = LearningBatch(TargetTask(), 4, resets=False)
    batch.reset([1, 2, 3, 4])
    policy, ended = law(batch.task), np.zeros(4, bool)
    observations = batch.observe()
    for _ in range(batch.task.limit):
        step = batch.step(policy(observations))
        observations, ended = step.observations, ended | step.terminated
    distances = np.linalg.norm(batch.worlds.targets[:, 0] - batch.worlds.poses[:, 0, :2], axis=1)
    assert ended.all()
    assert (distances < 1.0).all()
    batch.close()


def test_worlds_that_end_begin_anew_within_the_step_and_keep_their_last_observations() -> None:
    batch = LearningBatch(TargetTask(), 3)
    batch.steps[1] = batch.task.limit - 1
    step = batch.step(np.zeros((3, 1, 2)))
    assert step.truncated.tolist() == [False, True, False]
    assert batch.steps.tolist() == [1, 0, 1]
    assert not np.array_equal(step.last[1], step.observations[1])
    assert np.array_equal(step.last[0], step.observations[0])
    batch.close()


def test_observations_are_scaled_clipped_and_own() -> None:
    readings = {"sonars": np.array([[1.0, 9.0], [2.0, 3.0]]), "target": np.arange(12.0).reshape(2, 6)}
    seen = Encoder((Observed("sonars", scale=4.0), Observed("target", columns=(0,), scale=10.0, own=3))).restart(
        readings
    )
    assert seen.dtype == np.float32
    assert np.allclose(seen, [[0.25, 1.0, 0.0], [0.5, 0.75, 0.9]])
    angles = Encoder((Observed("target", columns=(1,), is_angle=True),)).restart(readings)
    assert np.allclose(angles, [[np.cos(1.0), np.sin(1.0)], [np.cos(7.0), np.sin(7.0)]])


def test_actions_are_ranges_of_commands() -> None:
    acting = Acting(low=(-0.5, -2.0), high=(0.5, 1.0))
    assert acting.values(np.array([[0.0, 1.0], [-3.0, -1.0]])).tolist() == [[0.0, 1.0], [-0.5, -2.0]]


@pytest.mark.parametrize("action", [np.nan, np.inf])
def test_an_action_that_is_no_number_is_refused_with_its_place(action: float) -> None:
    batch = LearningBatch(TargetTask(), 2)
    with pytest.raises(BadArgument, match=r"action at \(1, 0, 1\)"):
        batch.step(np.array([[[0.0, 0.0]], [[0.0, action]]]))
    with pytest.raises(BadArgument, match="expected actions of shape"):
        batch.step(np.zeros((2, 2)))
    batch.close()


class Broken(TargetTask):
    def rewards(self, scene: StepScene) -> Floats:
        return scene.now / (scene.now - scene.now)


class Raising(TargetTask):
    def rewards(self, scene: StepScene) -> Floats:
        raise ValueError(f"no {len(scene.now)}")


@pytest.mark.parametrize(("task", "text"), [(Broken(), "finite rewards"), (Raising(), "no 2")])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_task_that_raises_or_rewards_no_numbers_is_named(task: TargetTask, text: str) -> None:
    batch = LearningBatch(task, 2)
    with pytest.raises(PluginFailed, match=f"task Target: .*{text}"):
        batch.step(np.zeros((2, 1, 2)))
    batch.close()


def test_a_task_that_asks_for_what_is_not_there_is_refused() -> None:
    task = TargetTask()
    task.observed = (Observed("sonars", columns=(11,)),)  # type: ignore[misc]
    with pytest.raises(BadArgument, match="sonars has 11 readings, and column 11"):
        LearningBatch(task, 1)
    with pytest.raises(NoSuchName, match="known: target"):
        task_of("targets")
    with pytest.raises(BadArgument, match="scale above 0"):
        Observed("sonars", scale=0.0)
