"""Metrics as rewards: of single and batched worlds, with the numbers of the same run judged alone."""

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import coopsim.features.learning.environments  # noqa: F401 - registers the tasks
from coopsim import plugins
from coopsim.errors import BadFile, PluginFailed
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.episode_metrics import EpisodeMetrics
from coopsim.features.learning.tasks import task_of
from coopsim.geometry import Floats
from coopsim.metrics import Metrics, RunArrays, measure
from coopsim.recording import Recording
from coopsim.replay.judging import formations_of, records_as_part
from coopsim.robots import examine, load

STEPS, EVERY, WORLD = 12, 10, 1
SCENE = """[WORLD]
file arena
[TARGET]
red 1 0 0
[ROBOT_1]
type single
name r
count 3
grid 3x1 0.8
[CONTROLLER_1]
run formation
robots r1-r3
[LEARNING]
observe sonars scale 3
action motors.set_velocity -0.5 0.5 -1.5 1.5
start all distance 0.1 turn 20
vary all.sonars.noise 0 0.05
"""
FIRST = SCENE.count("\n") + 1  # line of the first reward
WEIGHTS = {
    "clearance": 2.0,
    "contacts": 0.5,
    "formation_error_max": -1.0,
    "path_length": 1.0,
    "time": 0.1,
    "tracking_error_p95": 4.0,
}


def scenario(folder: Path, rewards: str) -> str:
    file = folder / "measured.scenario"
    file.write_text(SCENE + rewards)
    return str(file)


def begun(folder: Path, rewards: str, count: int = 3) -> LearningBatch:
    """Return a batch in its second episode, with seeds from 4 on; commands of one world are kept."""
    batch = LearningBatch(task_of(scenario(folder, rewards)), count, resets=False)
    batch.worlds.keep_commands(WORLD)
    drive(batch, 2)
    batch.reset(np.arange(4, 4 + count))
    return batch


def drive(batch: LearningBatch, steps: int = STEPS) -> Floats:
    """Drive robots into one another; return the rewards of all steps, shape (steps, worlds, robots)."""
    actions = np.zeros((batch.count, len(batch.robots), 2))
    actions[..., 0] = 1.0, 0.5, -1.0
    return np.stack([batch.step(actions).rewards for _ in range(steps)])


def judged_alone(batch: LearningBatch, file: Path) -> list[Metrics]:
    """Return the metrics of a world's episode run alone, at the beginning and after each step, from its recording."""
    batch.worlds.save(WORLD, file)
    with Recording(file) as recording:
        records = list(recording.records())[::EVERY]
        part = records_as_part(
            recording.layout(records[0].header.generation), [record.header.time_ns / 1e9 for record in records], records
        )
    formations = formations_of(batch.worlds.spec(WORLD))
    assert len(part) == STEPS + 1
    return [measure(RunArrays((part.records(slice(1 + step)),), formations)) for step in range(STEPS + 1)]


@pytest.mark.parametrize("kind", ["batched", "separate"])
def test_a_metric_is_that_of_the_same_run_alone_and_of_a_new_episode(tmp_path: Path, kind: str) -> None:
    lines = "".join(f"reward {weight:g} metric {name}\n" for name, weight in WEIGHTS.items())
    batch = begun(tmp_path, f"{lines}worlds {kind}\n")
    rewards, alone = drive(batch), judged_alone(batch, tmp_path / "alone.mcap")
    batch.close()
    assert (rewards == rewards[..., :1]).all()
    names = {"path_length": "path_length_mean"}  # the first of several values
    expected = [
        sum(weight * metrics.get(names.get(name, name), 0.0) for name, weight in WEIGHTS.items()) for metrics in alone
    ]
    assert rewards[:, WORLD, 0].tolist() == expected[1:]
    assert alone[-1]["contacts"] > 0
    assert alone[-1]["formation_error_max"] > alone[0]["formation_error_max"] > 0.0


def test_a_change_is_the_difference_of_a_step(tmp_path: Path) -> None:
    batch = begun(tmp_path, "reward -2 metric clearance change\nreward 3 metric tracking_error_max change\n")
    rewards, alone = drive(batch), judged_alone(batch, tmp_path / "alone.mcap")
    batch.close()
    gaps, errors = ([metrics.get(name, np.nan) for metrics in alone] for name in ("clearance", "tracking_error_max"))
    expected = -2.0 * np.diff(gaps) + 3.0 * np.nan_to_num(np.diff(errors))
    # no speed is asked for at the beginning, so no error is known, and none has changed
    assert np.isnan(errors[0])
    assert rewards[:, WORLD, 0].tolist() == expected.tolist()


def test_a_world_has_the_same_metrics_alone_in_a_batch_and_after_others_were_put_back(tmp_path: Path) -> None:
    line = "reward 1 metric path_length_max\n"
    wide, narrow = begun(tmp_path, line), begun(tmp_path, line, 2)
    first = drive(wide, 5)
    wide.reset([9, 0, 9], np.array([True, False, True]))
    assert np.array_equal(np.concatenate([first, drive(wide, 7)])[:, WORLD], drive(narrow)[:, WORLD])
    wide.reset([4, 5, 6])
    assert np.array_equal(drive(wide, 5), first)
    wide.close()
    narrow.close()


def test_metrics_of_a_world_that_ended_stay(tmp_path: Path) -> None:
    batch = begun(tmp_path, "reward 1 metric path_length_max\n")
    metrics = EpisodeMetrics(batch.worlds, ["energy"])
    metrics.begin(np.ones(3, np.bool_))
    batch.worlds.ends[0] = 1
    batch.worlds.planar[:, :, 3] += 1.0
    metrics.advance()
    assert metrics.value("energy").astype(bool).tolist() == [False, True, True]
    assert np.array_equal(metrics.change("energy"), metrics.value("energy"))
    assert drive(batch, 1)[0].astype(bool).all(axis=1).tolist() == [False, True, True]
    batch.close()


OTHERS = """import numpy as np


def turning(run):
    return float(np.abs(run.twists("r2")[:, 5]).max())


def failing(run):
    return 1.0 / float(len(run.times) == 1)


PLUGINS = {"metrics": {"turning": turning, "failing": failing}}
"""


@pytest.fixture
def others(tmp_path: Path) -> Iterator[None]:
    """Metrics of somebody else; one of them raises after the beginning."""
    file = tmp_path / "others.py"
    file.write_text(OTHERS)
    plugins.add(file)
    yield
    plugins.forget(file)


@pytest.mark.usefixtures("others")
def test_metrics_of_plugins_are_rewards_and_blamed_by_their_lines(tmp_path: Path) -> None:
    batch = begun(tmp_path, "reward 1 metric turning\n")
    actions = np.zeros((3, 3, 2))
    actions[:, 1, 1] = 1.0
    rewards = [batch.step(actions).rewards[WORLD, 0] for _ in range(6)]
    assert rewards == sorted(rewards)
    assert rewards[-1] > 0.5
    batch.close()
    with pytest.raises(PluginFailed, match=r"others.py:9: metric failing: ZeroDivisionError"):
        begun(tmp_path, "reward 1 metric failing\n")


def test_an_environment_is_rewarded_by_a_metric(tmp_path: Path) -> None:
    env = gymnasium.make("coopsim/Scenario-v0", task=scenario(tmp_path, "reward 5 metric path_length change\n"))
    env.reset(seed=2)
    rewards = [env.step(np.ones((3, 2), np.float32))[1] for _ in range(3)]
    assert all(float(reward) > 0.0 for reward in rewards)
    env.close()


MISTAKES = [
    ("1 metric clearence", 17, r"no metric is called 'clearence' .clearence → clearance"),
    ("1 metric path_length_min", 17, r"path_length has no value 'path_length_min'.*known: path_length_mean"),
    ("1 metric lateness_max", 17, "lateness is of runs in real time"),
    ("1 metric", 10, "metric takes a name, and change behind it"),
    ("1 metric energy changes", 10, "metric takes a name, and change behind it"),
    ("1 moved change", 10, "moved takes nothing"),
]


@pytest.mark.parametrize(("line", "column", "says"), MISTAKES, ids=[line for line, *_ in MISTAKES])
def test_mistakes_have_their_places(tmp_path: Path, line: str, column: int, says: str) -> None:
    with pytest.raises(BadFile, match=f"measured.scenario:{FIRST}:{column}: .*{says}"):
        load(scenario(tmp_path, f"reward {line}\n"))


def test_a_metric_ends_no_episode(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=f"measured.scenario:{FIRST + 1}:9: .*no term 'metric'"):
        load(scenario(tmp_path, "reward 1 moved\nend all metric clearance\n"))


def test_a_metric_that_measures_nothing_yet_is_a_warning(tmp_path: Path) -> None:
    problems, spec = examine(scenario(tmp_path, "reward 1 metric bar_force_max\n"))
    assert spec is not None
    (warning,) = (str(problem) for problem in problems if problem.is_warning)
    assert f":{FIRST}:17: " in warning
    assert "bar_force measures nothing at the beginning of this scenario, and is 0 until it does" in warning
