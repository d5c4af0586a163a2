"""Tasks keep the contracts of Gymnasium and PettingZoo."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test

from coopsim.errors import BadArgument
from coopsim.features.learning.environments import TaskEnv, TaskVectorEnv
from coopsim.features.learning.human import window
from coopsim.features.learning.parallel import parallel_env
from coopsim.features.learning.tasks import TASKS

NAMES = sorted(TASKS)


class UnseenWindow:
    """Window that nobody sees."""

    def __init__(self, worlds: Any) -> None:
        self.worlds = worlds

    def show(self, seconds: float) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Close nothing."""


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_an_environment_of_gymnasium(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # the checker opens an environment in each mode; real windows are tested on a desktop
    monkeypatch.setattr(window, "EpisodeWindow", UnseenWindow)
    env = gymnasium.make(f"coopsim/{TASKS[name].name}-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how it was made; what is wrong is raised
        check_env(env.unwrapped)
    env.reset(seed=1)
    picture = env.render()
    assert picture.shape[2] == 3
    assert picture.std() > 1.0
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_an_environment_of_pettingzoo(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=30)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=20)


def test_an_episode_of_agents_ends_for_all_of_them_together() -> None:
    env = parallel_env("formation")
    env.reset(seed=1)
    steps = 0
    while env.agents:
        *_, truncated, _ = env.step({})
        steps += 1
    assert steps == env.batch.task.limit
    assert all(truncated.values())
    assert env.state().shape == (3 * env.batch.width,)


def run_to_the_end(env: TaskVectorEnv) -> tuple[np.ndarray, ...]:
    env.reset(seed=1)
    env.batch.steps[1] = env.batch.task.limit - 1
    return env.step(np.zeros(env.action_space.shape))


def test_a_vector_begins_the_next_episode_in_the_next_step() -> None:
    env = gymnasium.make_vec("coopsim/Target-v0", num_envs=3)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, _, _, truncated, _ = run_to_the_end(env)
    assert observations in env.observation_space
    assert truncated.tolist() == [False, True, False]
    begun, rewards, _, truncated, _ = env.step(np.ones(env.action_space.shape))
    assert rewards[1] == 0.0
    assert not truncated.any()
    assert env.batch.worlds.ticks.tolist() == [20, 0, 20]
    assert not np.array_equal(begun[1], observations[1])
    env.close()


def test_a_vector_begins_the_next_episode_in_the_same_step_and_gives_the_last_observations() -> None:
    env = TaskVectorEnv(3, "target", autoreset_mode=AutoresetMode.SAME_STEP)
    observations, _, _, truncated, infos = run_to_the_end(env)
    assert infos["_final_obs"].tolist() == truncated.tolist() == [False, True, False]
    assert not np.array_equal(infos["final_obs"][1], observations[1])
    env.close()


def test_a_vector_waits_for_its_reset_where_it_is_told_to() -> None:
    env = TaskVectorEnv(3, "target", autoreset_mode=AutoresetMode.DISABLED)
    run_to_the_end(env)
    env.step(np.zeros(env.action_space.shape))
    assert env.batch.worlds.ticks.tolist() == [20, 20, 20]
    env.reset(options={"reset_mask": np.array([False, True, False])})
    assert env.batch.worlds.ticks.tolist() == [20, 0, 20]
    env.close()


def test_the_same_seed_gives_the_same_steps_alone_and_in_a_vector() -> None:
    alone, vector = TaskEnv("crossing"), TaskVectorEnv(2, "crossing")
    first, _ = alone.reset(seed=3)
    seed = int(alone.batch.worlds.seeds[0])
    observations, _ = vector.reset(seed=[5, seed])
    assert np.array_equal(first, observations[1])
    action = np.full(alone.action_space.shape, 0.5, np.float32)
    stepped, reward, *_ = alone.step(action)
    both, rewards, *_ = vector.step(np.stack([action, action]))
    assert np.array_equal(stepped, both[1])
    assert reward == rewards[1]


@pytest.mark.parametrize("seed", ["abc", b"ab", "7", 1.5, True, -1, [1], [1, 2, 3], (), {1: 2}, np.arange(3), 1 << 62])
def test_seeds_of_another_kind_or_number_are_refused(seed: Any) -> None:
    vector = TaskVectorEnv(2, "target")
    before = vector.batch.worlds.seeds.copy()
    with pytest.raises(BadArgument, match="expected a seed, a whole number from 0 on, or a list of 2, got"):
        vector.reset(seed=seed)
    assert (vector.batch.worlds.seeds == before).all()
    vector.close()


def test_the_seed_of_a_world_that_is_wrong_is_named_with_its_world() -> None:
    vector = TaskVectorEnv(2, "target")
    for wrong in ("x", 0.5, False, -3, 1 << 62):
        with pytest.raises(BadArgument, match="seed of world 1: expected a whole number from 0 to"):
            vector.reset(seed=[4, wrong])  # type: ignore[list-item]
    vector.close()


@pytest.mark.parametrize("seed", [np.int64(5), np.array([5, 6]), (5, 6), [np.int32(5), 6], 5])
def test_seeds_of_numpy_are_those_of_python(seed: Any) -> None:
    vector = TaskVectorEnv(2, "target")
    vector.reset(seed=seed)
    assert vector.batch.worlds.seeds.tolist() == [5, 6]
    vector.reset(seed=[None, 9])
    assert vector.batch.worlds.seeds[1] == 9
    vector.close()
