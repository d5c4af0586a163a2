"""Learners that are out while their world goes on: in batches, and as environments of Gymnasium and PettingZoo."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test

from coopsim.features.learning.batch import BatchStep, LearningBatch
from coopsim.features.learning.encoding import Acting
from coopsim.features.learning.environments import TaskEnv, TaskVectorEnv
from coopsim.features.learning.parallel import parallel_env
from coopsim.features.learning.scoring import score
from coopsim.features.learning.tasks import task_of

SCENE = """[WORLD]
file arena
[TARGET]
red 3 0 0
[ROBOT_1]
type single
name r
count 3
grid 3x1 1.5
position 0 0 0
[LEARNING]
observe sonars scale 3
observe target.targets.distance scale 10 history 2
observe messages
say 1
action motors.set_velocity -0.1 0.5 -1.5 1.5
reward 1 nearer red
reward 1 below target.targets.distance 9
vary all.sonars.noise 0.01 0.05
limit 12
"""
OUT = "out near red 1.4\n"
LAST = 3  # the step in which r3, which begins 1.5 m before its target, is so near
AHEAD = np.array([[-2 / 3, 0.0, 0.1], [-2 / 3, 0.0, 0.2], [1.0, 0.0, 0.3]])
"""Actions of r1 and r2, which stand still, and of r3; all three say something."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def scenario(folder: Path, lines: str = OUT) -> str:
    file = folder / "out.scenario"
    file.write_text(SCENE + lines)
    return str(file)


def begun(folder: Path, count: int = 2, lines: str = OUT) -> LearningBatch:
    batch = LearningBatch(task_of(scenario(folder, lines)), count, resets=False)
    batch.reset(np.arange(4, 4 + count))
    return batch


def actions_of(count: int = 2) -> np.ndarray:
    """Return actions with which r3 of the last world alone drives to the target."""
    actions = np.tile(AHEAD, (count, 1, 1))
    actions[:-1, 2, 0] = -2 / 3
    return actions


def drive(batch: LearningBatch, steps: int = LAST) -> BatchStep:
    for _ in range(steps):
        step = batch.step(actions_of(batch.count))
    return step


def test_a_learner_that_is_out_stands_still_sees_nothing_and_earns_nothing(folder: Path) -> None:
    batch = begun(folder)
    before = drive(batch, LAST - 1)
    assert not before.out.any()
    last = drive(batch, 1)
    # the step that ends its part is rewarded and seen as any other
    assert last.out.tolist() == last.robots_terminated.tolist() == [[False] * 3, [False, False, True]]
    assert not last.terminated.any()
    assert last.rewards[1, 2] > 1.0
    assert np.abs(last.observations[1, 2, :11]).min() > 0.0
    assert last.observations[1, 0, -1] == np.float32(0.3)  # what r3 said last
    assert np.array_equal(batch.observe(), last.observations)
    actions = actions_of()
    actions[1, 2] = np.nan  # no action of it counts
    after = batch.step(actions)
    assert (after.rewards != 0.0).tolist() == [[True] * 3, [True, True, False]]
    assert (after.observations[1, 2] == 0.0).all()
    assert np.array_equal(batch.observe(), after.observations)
    assert after.observations[0, 2].any()
    assert after.observations[1, 0, -1] == 0.0
    assert batch.worlds.slots("motors")[1, 2, 2:4].tolist() == [0.0, 0.0]
    drive(batch, 3)
    assert abs(batch.worlds.readings("motors")[1, 2, 0]) < 0.01
    # it takes part again in the next episode of its world, and nobody else began anew
    observations = batch.reset(mask=np.array([False, True]))
    assert not batch.out.any()
    assert observations[1, 2, :11].all()
    batch.close()


def test_a_learner_stays_out_whatever_becomes_of_it_and_alone_in_its_world(folder: Path) -> None:
    batch = begun(folder)
    drive(batch)
    # what it saw last is there still when another world begins anew
    assert batch.reset(mask=np.array([True, False]))[1, 2, :11].all()
    for _ in range(2):
        batch.worlds.targets[1, 0] = -9.0, 0.0  # it would be far away now
        assert batch.step(actions_of()).out.tolist() == [[False] * 3, [False, False, True]]
    batch.reset(mask=np.array([True, False]))
    assert batch.out[1, 2]
    batch.close()


@pytest.mark.parametrize("kind", ["batched", "separate"])
def test_a_world_whose_learner_is_out_has_the_bits_of_its_run_alone(folder: Path, kind: str) -> None:
    wide = begun(folder, 3)
    narrow = LearningBatch(task_of(scenario(folder, f"{OUT}worlds {kind}\n")), 1, resets=False)
    narrow.reset([6])
    wide.worlds.keep_commands(2)
    for _ in range(LAST + 3):
        both, alone = wide.step(actions_of(3)), narrow.step(actions_of(1))
        for name in ("observations", "rewards", "out", "terminated"):
            assert np.array_equal(getattr(both, name)[2], getattr(alone, name)[0])
        assert wide.worlds.state_hash(2) == narrow.worlds.state_hash(0)
    assert alone.out.any()
    assert wide.worlds.alone(2).state_hash() == wide.worlds.state_hash(2)
    wide.close()
    narrow.close()


def test_a_world_without_learners_ends_and_has_not_reached_its_goal(folder: Path) -> None:
    batch = begun(folder, lines="out below target.targets.distance 9\nend all near red 0.1\n")
    step = batch.step(actions_of())
    assert step.terminated.all()
    assert not step.reached.any()
    assert not batch.step(actions_of()).reached.any()  # nobody is left to meet the line
    batch.close()
    assert score(batch.task, lambda seen: np.zeros((*seen.shape[:2], 3)), episodes=2).reached == 0.0
    resetting = LearningBatch(batch.task, 2)
    step = resetting.step(actions_of())
    assert step.out.all()
    assert not resetting.out.any()
    assert np.array_equal(step.observations, resetting.observe())
    resetting.close()


@pytest.mark.parametrize(
    ("end", "reached"),
    [("all apart red 2", True), ("any near red 1.4", False), ("all apart red 9", False)],
)
def test_those_who_are_left_reach_the_goal(folder: Path, end: str, reached: bool) -> None:
    batch = begun(folder, lines=f"out near red 1.4\nend {end}\n")
    drive(batch)
    assert drive(batch, 1).reached[1] == reached
    batch.close()


def test_an_agent_that_is_out_is_told_once_and_is_no_agent_any_more(folder: Path) -> None:
    env = parallel_env(scenario(folder))
    env.reset(seed=1)
    actions = dict(zip(env.agents, AHEAD, strict=True))
    for _ in range(LAST):
        assert env.agents == ["r1", "r2", "r3"]
        _, _, terminated, truncated, _ = env.step(actions)
    assert terminated == {"r1": False, "r2": False, "r3": True}
    assert not any(truncated.values())
    assert env.agents == ["r1", "r2"]
    answers = env.step(actions)
    assert all(list(answer) == ["r1", "r2"] for answer in answers)
    assert (env.state().reshape(3, -1).any(axis=1)).tolist() == [True, True, False]
    while env.agents:
        *_, truncated, _ = env.step({})
    assert truncated == {"r1": True, "r2": True}
    env.reset(seed=2)
    assert env.agents == ["r1", "r2", "r3"]
    env.close()


def test_agents_that_may_be_out_keep_the_contract_of_pettingzoo(folder: Path) -> None:
    file = scenario(folder, "out touching\nout above motors.w 0.3\n")
    env = parallel_env(file)
    parallel_api_test(env, num_cycles=60)
    env.reset(seed=1)
    turning = dict(zip(env.agents, np.add(AHEAD, [[0, 1, 0], [0, 0, 0], [0, 0, 0]]), strict=True))
    for _ in range(5):
        env.step(turning)
    assert env.agents == ["r2", "r3"]
    parallel_seed_test(lambda: parallel_env(file), num_cycles=20)


def test_an_environment_says_in_its_infos_who_is_out(folder: Path) -> None:
    env = TaskEnv(scenario(folder))
    check_env(env, skip_render_check=True)
    env.reset(seed=1)
    infos = [env.step(AHEAD)[-1]["out"].tolist() for _ in range(LAST)]
    assert infos == [[False, False, False]] * (LAST - 1) + [[False, False, True]]
    env.close()
    assert TaskEnv("target").step(np.zeros(2))[-1] == {}


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_vector_says_in_its_infos_who_is_out(folder: Path, mode: AutoresetMode) -> None:
    vector = TaskVectorEnv(2, scenario(folder), autoreset_mode=mode)
    vector.reset(seed=1)
    for _ in range(LAST):
        infos = vector.step(actions_of())[-1]
    out = [[False] * 3, [False, False, True]]
    assert infos["out"].tolist() == out
    assert infos["_out"].all()
    vector.batch.steps[1] = vector.batch.task.limit - 1
    infos = vector.step(actions_of())[-1]
    if mode is AutoresetMode.SAME_STEP:
        assert infos["final_info"]["out"].tolist() == out
        assert infos["_final_info"].tolist() == infos["final_info"]["_out"].tolist() == [False, True]
        assert not infos["out"].any()
    else:
        assert infos["out"].tolist() == out
        infos = vector.step(actions_of())[-1]
        assert infos["out"].any() == (mode is AutoresetMode.DISABLED)
    vector.close()


def test_zeros_are_the_command_of_whoever_is_out_and_parameters_stay_in_their_range() -> None:
    assert Acting(low=(0.1, -1.0), high=(0.5, 1.0)).still.tolist() == [0.0, 0.0]
    assert Acting("law", "", (0.1, -1.0), (0.5, 1.0), parameters=("Kv", "Kw")).still.tolist() == [0.1, 0.0]


def test_a_task_in_python_says_who_is_out() -> None:
    task = task_of("formation")
    task.is_out = lambda scene: scene.touched | (scene.worlds.ticks >= 20)[:, np.newaxis] & [True, False, False]
    batch = LearningBatch(task, 2)
    steps = [batch.step(np.zeros((2, 3, 2))) for _ in range(3)]
    assert [step.out[0].tolist() for step in steps] == [[False] * 3, [True, False, False], [True, False, False]]
    assert [step.rewards[0, 0] == 0.0 for step in steps] == [False, False, True]
    batch.close()


def test_a_scenario_of_gymnasium_has_the_line_too(folder: Path) -> None:
    env = gymnasium.make("coopsim/Scenario-v0", task=scenario(folder, f"out apart others 9\n{OUT}"))
    env.reset(seed=1)
    assert "out" in env.step(AHEAD.astype(np.float32))[-1]
    env.close()
