"""Bad input of learners and of authors of tasks: each is said in words, and nothing is done."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coopsim.errors import BadArgument, PluginFailed
from coopsim.features.learning import Worlds
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Acting
from coopsim.features.learning.environments import TaskEnv, TaskVectorEnv
from coopsim.features.learning.parallel import parallel_env
from coopsim.features.learning.separate import SeparateWorlds
from coopsim.features.learning.tasks import CrossingTask, TargetTask

THIS = Path(__file__).name
ROBOTS = [f"robot{number}" for number in range(1, 7)]


@pytest.fixture(scope="module")
def takers() -> Iterator[dict[str, Any]]:
    """The four ways to step `crossing`, with what turns the actions of one world into theirs."""
    env, vector, agents = TaskEnv("crossing"), TaskVectorEnv(1, "crossing"), parallel_env("crossing")
    batch = LearningBatch(CrossingTask(), 1)
    for environment in (env, vector, agents):
        environment.reset(seed=1)
    yield {
        "gymnasium": env.step,
        "vector": vector.step,
        "pettingzoo": lambda actions: agents.step(dict(zip(ROBOTS, actions, strict=True))),
        "batch": lambda actions: batch.step([actions]),
    }
    for environment in (env, vector, agents, batch):
        environment.close()


BAD = {
    "not a number": (np.full((6, 2), np.nan), "the action at .* is nan; expected finite numbers"),
    "infinite": (np.full((6, 2), np.inf), "the action at .* is inf; expected finite numbers"),
    "too many": (np.zeros((6, 3)), r"expected actions of shape \(.*\), got \(.*\)"),
    "words": ([["fast", "left"]] * 6, "numbers from -1 to 1, got list .*fast"),
    "ragged": ([[0.0], *[[0.0, 1.0]] * 5], r"expected actions of shape"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("taker", ["gymnasium", "vector", "pettingzoo", "batch"])
def test_actions_that_do_not_fit_are_refused(takers: dict[str, Any], taker: str, kind: str) -> None:
    actions, says = BAD[kind]
    with pytest.raises(BadArgument, match=says):
        takers[taker](actions)
    # the world goes on, and what lies beyond the space is clipped
    takers[taker](np.full((6, 2), 9.0))


def test_an_agent_that_is_not_there_is_refused() -> None:
    agents = parallel_env("crossing")
    agents.reset(seed=1)
    with pytest.raises(BadArgument, match=r"no agent is called 'robto1' \(robto1 → robot1\?\); robot1, robot2"):
        agents.step({"robto1": np.zeros(2, np.float32)})
    agents.close()


class Broken(TargetTask):
    """A task that breaks wherever a test says."""

    def __init__(self, where: str) -> None:
        self.where = where

    def prepare(self, worlds: Any) -> None:
        """Break, or note nothing."""
        self.check("prepare")

    def begin(self, mask: Any) -> None:
        """Break, or forget nothing."""
        self.check("begin")

    def measure(self, places: Any) -> Any:
        """Break, or measure."""
        self.check("measure")
        return super().measure(places)

    def rewards(self, scene: Any) -> Any:
        """Break, or reward."""
        self.check("rewards")
        return super().rewards(scene)

    def is_over(self, scene: Any) -> Any:
        """Break, or end what ends."""
        self.check("is_over")
        return {"shape": np.zeros((2, 2), np.bool_), "kind": np.zeros(2)}.get(self.where, super().is_over(scene))

    def is_out(self, scene: Any) -> Any:
        """Break, or let nobody be out."""
        self.check("is_out")
        return {"robots": np.zeros(2, np.bool_), "number": np.zeros((2, 1))}.get(self.where)

    def check(self, where: str) -> None:
        """Raise where this is the place."""
        if where == self.where:
            raise ValueError("this breaks")


@pytest.mark.parametrize("where", ["prepare", "begin", "measure", "rewards", "is_over", "is_out"])
def test_a_task_that_raises_is_named_with_its_line(where: str) -> None:
    with pytest.raises(PluginFailed, match=rf"{THIS}:\d+: task Target: ValueError: this breaks"):
        LearningBatch(Broken(where), 2).step(np.zeros((2, 1, 2)))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("shape", r"is_over truth values of shape \(2,\), got bool of shape \(2, 2\)"),
        ("kind", r"is_over truth values of shape \(2,\), got float64 of shape \(2,\)"),
        ("robots", r"is_out truth values of shape \(2, 1\), got bool of shape \(2,\)"),
        ("number", r"is_out truth values of shape \(2, 1\), got float64 of shape \(2, 1\)"),
    ],
)
def test_ends_that_are_no_truth_values_are_named(where: str, expected: str) -> None:
    task = Broken(where)
    task.rewards = lambda scene: np.zeros(scene.now.shape)  # type: ignore[method-assign]
    with pytest.raises(PluginFailed, match=f"task Target: expected from {expected}"):
        LearningBatch(task, 2).step(np.zeros((2, 1, 2)))


def test_a_world_that_explodes_ends_and_the_others_go_on() -> None:
    task = TargetTask()
    task.acting = Acting("motors", "set_velocity", (0.0, 0.0), (1e25, 0.0))  # type: ignore[misc]
    for resets in (False, True):
        batch = LearningBatch(task, 3, resets=resets)
        for name in ("max_force", "max_speed", "grip"):
            batch.worlds.parameter("motors", name)[1] = 1e30
        step = batch.step(np.array([[[-1.0, 0.0]], [[1.0, 0.0]], [[-1.0, 0.0]]]))
        assert step.terminated.tolist() == [False, True, False]
        assert step.rewards[1, 0] == 0.0
        assert np.isfinite(step.rewards).all()
        assert np.isfinite(step.observations).all()
        assert batch.worlds.ticks[[0, 2]].tolist() == [10, 10]
        assert bool(batch.worlds.reason(1)) is not resets
        batch.close()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"observed": ()}, "at least one reading that robot1 observes, got none"),
        ({"acting": Acting(low=(0.0,) * 3, high=(1.0,) * 3)}, "set_velocity of motors takes 2 values, got 3"),
        ({"measure": lambda places: None}, r"measure an array of shape \(2, ...\), got NoneType of shape \(\)"),
        ({"measure": lambda places: np.zeros(3)}, r"measure an array of shape \(2, ...\), got ndarray of shape \(3,\)"),
    ],
)
def test_a_task_that_does_not_fit_is_refused_before_its_first_step(changed: dict[str, Any], expected: str) -> None:
    task = TargetTask()
    vars(task).update(changed)
    with pytest.raises((BadArgument, PluginFailed), match=expected):
        LearningBatch(task, 2)


@pytest.mark.parametrize(
    ("count", "seed", "text"), [(2.5, 1, "worlds, got 2.5"), ("2", 1, "got '2'"), (2, "x", "seed, got 'x'")]
)
def test_a_number_of_worlds_and_a_seed_are_whole_numbers(count: Any, seed: Any, text: str) -> None:
    with pytest.raises(BadArgument, match=text):
        LearningBatch(TargetTask(), count, seed=seed)


@pytest.mark.parametrize("kind", [Worlds, SeparateWorlds])
def test_worlds_that_are_closed_are_neither_stepped_nor_reset(kind: type[Worlds]) -> None:
    """Their spaces are freed: a step would read memory of others."""
    worlds = kind("single", 2, threads=2)
    worlds.step(3)
    worlds.close()
    for method in (worlds.step, worlds.reset):
        with pytest.raises(BadArgument, match=rf"{method.__name__} needs worlds that are open"):
            method()
    assert worlds.ticks.tolist() == [3, 3]


@pytest.mark.parametrize("make", [TaskEnv, lambda name: TaskVectorEnv(2, name), parallel_env])
def test_an_environment_that_is_closed_is_not_stepped(make: Callable[[str], Any]) -> None:
    env = make("target")
    env.reset(seed=1)
    env.close()
    actions = {"robot1": np.zeros(2)} if hasattr(env, "agents") else env.action_space.sample()
    with pytest.raises(BadArgument, match="step needs worlds that are open"):
        env.step(actions)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (lambda worlds: worlds.step(1.5), "whole number of ticks from 0 on, got 1.5"),
        (lambda worlds: worlds.step("ten"), "whole number of ticks from 0 on, got 'ten'"),
        (lambda worlds: worlds.step(-1), "whole number of ticks from 0 on, got -1"),
        (
            lambda worlds: worlds.command("motors", 99, (0.0, 0.0)),
            "motors has no command 99 .* it has: 10 set_velocity",
        ),
        (lambda worlds: worlds.command("motors", 10, (0.0, 0.0, 0.0)), r"shape \(2, 1, 2\), .* got \(3,\)"),
        (
            lambda worlds: Worlds("single", 1, vary={"all.sonars.noise": 0.1}),
            "all.sonars.noise: .* two numbers, .* got 0.1",
        ),
    ],
)
def test_steps_commands_and_ranges_that_mean_nothing_are_refused(bad: Callable[[Worlds], None], says: str) -> None:
    with Worlds("single", 2) as worlds:
        before = worlds.slots("motors").copy()
        with pytest.raises(BadArgument, match=says):
            bad(worlds)
        assert worlds.ticks.tolist() == [0, 0]
        assert np.array_equal(worlds.slots("motors"), before)


def test_lengths_of_a_task_may_be_whole_numbers_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TargetTask, "every", np.int64(3))
    batch = LearningBatch(TargetTask(), 1)
    batch.reset()
    batch.step(np.zeros((1, 1, 2)))
    assert batch.worlds.ticks.tolist() == [3]


@pytest.mark.parametrize(("name", "value"), [("every", 0), ("limit", 0), ("every", 2.5)])
def test_a_task_without_length_is_refused(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TargetTask, name, value)
    with pytest.raises(BadArgument, match=f"task Target: expected {name} to be 1 or more, got {value}"):
        LearningBatch(TargetTask(), 1)
