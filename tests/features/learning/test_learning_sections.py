"""`[LEARNING]` of scenarios: what is learnt there, how it is rewarded, and mistakes with their places."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner

import coopsim.features.learning.environments  # noqa: F401 - registers the tasks
from coopsim.errors import BadArgument, BadFile
from coopsim.features.learning import Worlds
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.command import policy
from coopsim.features.learning.parallel import parallel_env
from coopsim.features.learning.policy_file import Policy
from coopsim.features.learning.sections import LEARNING
from coopsim.features.learning.separate import SeparateWorlds
from coopsim.features.learning.tasks import task_of
from coopsim.robots import examine, load

SCENE = """[WORLD]
file arena
[TARGET]
red 2 2 0
[ROBOT_1]
type single
name r
count 3
grid 3x1 1.5
position 0 0 0
[GOAL_1]
name home
reach red 1.5
[GOAL_2]
name calm
avoid reading motors.v 0.5
[LEARNING]
"""
BASE = """observe sonars scale 3
observe target.targets.distance scale 10
observe target.targets.angle angle history 2
action motors.set_velocity -0.5 0.5 -1.5 1.5
reward 1 nearer red
"""
FIRST = SCENE.count("\n") + 1  # line of the first key of the section


def scenario(folder: Path, section: str) -> str:
    file = folder / "gather.scenario"
    file.write_text(SCENE + section)
    return str(file)


def stepped(file: str, *, action: float = 1.0, steps: int = 1) -> tuple[LearningBatch, np.ndarray]:
    """Return a batch after steps straight ahead, and its last rewards."""
    batch = LearningBatch(task_of(file), 2, resets=False)
    for _ in range(steps):
        step = batch.step(np.full((2, len(batch.robots), 2), (action, 0.0)))
    return batch, step.rewards


def test_a_section_says_who_learns_and_what_is_seen_and_done(tmp_path: Path) -> None:
    file = scenario(tmp_path, BASE + "robots r1 r3\ndrive r2 by constant -0.2 0.1\nevery 20\nlimit 7\nname Own\n")
    batch = LearningBatch(task_of(file), 2, resets=False)
    assert (batch.task.name, batch.task.every, batch.task.limit) == ("Own", 20, 7)
    assert batch.robots == ("r1", "r3")
    assert batch.width == 11 + 1 + 2 * 2
    for _ in range(7):
        step = batch.step(np.zeros((2, 2, 2)))
    assert step.truncated.all()
    assert (batch.worlds.ticks == 140).all()
    driven = batch.worlds.readings("motors")[:, 1, :2]
    assert np.allclose(driven, (-0.2, 0.1), atol=0.02)


def test_history_is_what_was_seen_before_and_begins_anew_with_an_episode(tmp_path: Path) -> None:
    batch = LearningBatch(task_of(scenario(tmp_path, BASE)), 2, resets=False)
    begun = batch.reset([1, 2])
    assert np.array_equal(begun[..., 12:14], begun[..., 14:16])
    step = batch.step(np.ones((2, 3, 2)))
    assert np.array_equal(step.observations[..., 14:16], begun[..., 12:14])
    assert np.array_equal(batch.observe(), step.observations)
    again = batch.reset([3, 4], np.array([True, False]))
    assert np.array_equal(again[0, :, 12:14], again[0, :, 14:16])
    assert np.array_equal(again[1], step.observations[1])


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("2 moved", lambda way, _: 2.0 * way),
        ("1 nearer red", lambda way, nearer: nearer),
        ("-0.5 effort", lambda way, _: np.full_like(way, -0.25)),
        ("2 above motors.v 0.001", lambda way, _: np.full_like(way, 2.0)),
        ("2 below motors.v 0.001", lambda way, _: np.zeros_like(way)),
        ("1 below motors.v 9", lambda way, _: np.ones_like(way)),
        ("3 near red 1.6", lambda way, _: np.array([[0.0, 0.0, 0.0]] * 2)),
        ("1 apart others 1.4", lambda way, _: np.ones_like(way)),
        ("1 touching", lambda way, _: np.zeros_like(way)),
        ("1 goal home", lambda way, _: np.zeros_like(way)),
        ("1 goal calm", lambda way, _: np.ones_like(way)),
        ("1 near r2 0.1", lambda way, _: np.array([[0.0, 1.0, 0.0]] * 2)),
    ],
)
def test_rewards_are_terms_with_weights(tmp_path: Path, term: str, value: object) -> None:
    lines = BASE.replace("reward 1 nearer red\n", f"reward {term}\n")
    batch = LearningBatch(task_of(scenario(tmp_path, lines)), 2, resets=False)
    before = batch.worlds.poses[:, :, :2].copy()
    step = batch.step(np.full((2, 3, 2), (1.0, 0.0)))
    after, red = batch.worlds.poses[:, :, :2], np.array([2.0, 2.0])
    way = np.linalg.norm(after - before, axis=-1)
    nearer = np.linalg.norm(before - red, axis=-1) - np.linalg.norm(after - red, axis=-1)
    assert (way > 0.001).all()
    assert np.allclose(step.rewards, value(way, nearer))  # type: ignore[operator]


def test_the_mean_of_a_reading_is_a_reward(tmp_path: Path) -> None:
    lines = BASE.replace("reward 1 nearer red\n", "reward -1 reading motors.v\nreward 10 reading odometry\n")
    batch, rewards = stepped(scenario(tmp_path, lines), steps=5)
    readings = batch.worlds.readings
    assert np.allclose(rewards, -readings("motors")[..., 0] + 10 * readings("odometry").mean(axis=-1))


@pytest.mark.parametrize(
    ("end", "over"), [("any near red 3", True), ("all near red 3", False), ("all goal calm", True)]
)
def test_a_line_says_when_an_episode_ends(tmp_path: Path, end: str, over: bool) -> None:
    batch = LearningBatch(task_of(scenario(tmp_path, BASE + f"end {end}\n")), 2, resets=False)
    assert batch.step(np.zeros((2, 3, 2))).terminated.tolist() == [over, over]


def test_goals_count_where_the_target_of_a_world_is(tmp_path: Path) -> None:
    lines = BASE + "end any goal home\nstart red distance 3\nstart all area -4 -4 4 4 turn 90\n"
    batch = LearningBatch(task_of(scenario(tmp_path, lines)), 40, resets=False)
    step = batch.step(np.zeros((40, 3, 2)))
    away = np.linalg.norm(batch.worlds.poses[:, :, :2] - batch.worlds.targets, axis=-1)
    assert 0 < step.terminated.sum() < 40
    assert np.array_equal(step.terminated, (away <= 1.5).any(axis=1))


def test_worlds_begin_as_the_section_says(tmp_path: Path) -> None:
    file = scenario(tmp_path, BASE + "start r1 distance 0.4 turn 30\nvary all.sonars.noise 0 0.1\n")
    with Worlds(file, 8) as worlds:
        begun = worlds.poses[:, :, :3].copy()
        assert len(np.unique(begun[:, 0, 0])) == 8
        assert len(np.unique(begun[:, 1, 0])) == 1
        assert np.abs(begun[:, 0, 2]).max() < np.radians(30.0)
        assert len(np.unique(worlds.parameter("sonars", "noise")[:, 0])) == 8
    with Worlds(file, 8, starts=(), vary={}) as worlds:
        assert len(np.unique(worlds.poses[:, 0, 0])) == 1


def test_a_scenario_is_an_environment_and_trains_a_policy(tmp_path: Path) -> None:
    file = scenario(tmp_path, BASE + "limit 5\n")
    env = gymnasium.make("coopsim/Scenario-v0", task=file)
    assert env.reset(seed=1)[0].shape == (3, 16)
    assert gymnasium.make_vec("coopsim/Scenario-v0", num_envs=2, task=file).reset(seed=1)[0].shape == (2, 3, 16)
    assert parallel_env(file).reset(seed=1)[0]["r2"].shape == (16,)
    learnt = tmp_path / "own.onnx"
    done = CliRunner().invoke(policy, ["train", file, str(learnt), "--generations", "1"], standalone_mode=False)
    assert "Gather, 1 generations" in done.output
    assert Policy(learnt).facts.observed[2].history == 2
    scored = CliRunner().invoke(
        policy, ["score", str(learnt), "--task", file, "--episodes", "2"], standalone_mode=False
    )
    assert "chance" in scored.output
    assert "law" not in scored.output
    driven = task_of(scenario(tmp_path, BASE + f"drive r2 by policy {learnt}\ndrive r3 by steer\nlimit 5\n"))
    batch = LearningBatch(driven, 2, resets=False)
    batch.step(np.zeros((2, 1, 2)))
    assert batch.robots == ("r1",)


def test_runs_say_what_is_learnt(tmp_path: Path) -> None:
    spec = load(scenario(tmp_path, BASE))
    assert LEARNING.facts(LEARNING.of(spec.scenario))["learning"]["action"] == "motors.set_velocity"
    assert LEARNING.facts(None) == {}
    with pytest.raises(BadArgument, match=r"single.scenario: it has no section \[LEARNING\]"):
        task_of("single.scenario")


MISTAKES = [
    ("observe sonarz scale 3", 9, r"no module 'sonarz' .sonarz → sonars"),
    ("observe target.targetz", 9, r"no reading of target is called 'targetz'"),
    ("observe target.targets.width", 9, r"no column of target.targets is called 'width'"),
    ("observe sonars own", 9, "own belongs to a table"),
    ("observe target.targets.distance own", 9, "3 robots learn, and there are 1 targets"),
    ("observe sonars scale 0", 22, "scale above 0"),
    ("observe sonars scale", 1, "expects the scale behind 'scale'"),
    ("observe sonars size 2", 16, "no option 'size'"),
    ("observe sonars history 65", 24, "history of 1 to 64"),
    ("robots r1 r9", 11, "no robot 'r9'"),
    ("robots r1\ndrive r1 by steer", 7, "r1 learns and is driven"),
    ("drive r1 by flee", 13, "no law 'flee'"),
    ("drive r1 steer", 1, "the word by, and a law"),
    ("drive r1 by constant 1 x", 24, "expects a number, got 'x'"),
    ("drive r1 r2 r3 by steer", 1, "there are none"),
    ("reward nearer red", 8, "expects a weight before its term"),
    ("reward 1 nearest red", 10, r"no term 'nearest' .nearest → nearer"),
    ("reward 1 nearer redd", 17, r"no robot, target or object is called 'redd' .redd → red"),
    ("reward 1 near own 0.4", 15, "3 robots learn, and there are 1 targets"),
    ("reward 1 near red", 10, "near takes THING DISTANCE"),
    ("reward 1 near red -1", 19, "-1"),
    ("reward 1 goal hom", 15, r"no goal is called 'hom' .hom → home"),
    ("reward 1 reading sonarz", 18, "no module 'sonarz'"),
    ("end near red 1", 5, "expects all or any"),
    ("end all moved", 9, "no term 'moved'"),
    ("end all", 1, "expects one of near"),
    ("end all above motors.v", 9, "above takes MODULE.READING LIMIT"),
    ("end all below motors.v x", 24, "expects a number, got 'x'"),
    ("out", 1, "out"),
    ("out any touching", 5, r"no term 'any'"),
    ("out near redd 1", 10, r"no robot, target or object is called 'redd' .redd → red"),
    ("out near red -1", 14, "-1"),
    ("out above motors.vv 1", 11, r"no reading of motors is called 'vv'"),
    ("out goal hom", 10, r"no goal is called 'hom' .hom → home"),
    ("start r1", 1, "expects names, then area"),
    ("start r7 distance 1", 7, "no robot 'r7'"),
    ("start r1 distance -1", 19, "expects a distance from 0"),
    ("start r1 distance 1 round 2", 21, "expects area"),
    ("vary all.sonars.nois 0 1", 6, "no robot has it|no changeable number"),
    ("vary all.sonars.noise 1", 1, "takes a parameter"),
    ("vary all.sonars.noise 2 1", 23, "lowest value before the highest"),
    ("observe messages", 9, "nobody says anything; expected a line `say N`"),
    ("say 0", 5, "say"),
    ("say 2\nobserve messages scale 2", 9, "expected history alone"),
    ("robots r1\nsay 2\nobserve messages", 9, "nobody else could say anything"),
    ("limit 0", 7, "limit"),
    ("worlds seperate", 8, "separate"),
    ("watch sonars", 1, "knows no key 'watch'"),
]


@pytest.mark.parametrize(("line", "column", "says"), MISTAKES, ids=[line for line, *_ in MISTAKES])
def test_mistakes_have_their_places(tmp_path: Path, line: str, column: int, says: str) -> None:
    file = scenario(tmp_path, BASE + line + "\n")
    number = FIRST + BASE.count("\n") + line.count("\n")
    with pytest.raises(BadFile, match=f"gather.scenario:(?:{number}|{FIRST - 1}):{column}: .*(?:{says})"):
        load(file)


@pytest.mark.parametrize(
    ("action", "column", "says"),
    [
        ("motors.set_speed 0 1", 8, r"no command of motors with values is called 'set_speed'"),
        ("motors.set_velocity", 8, "v has no limits; say its lowest and highest value"),
        ("motors.set_velocity 0 1", 28, "takes v_LOW v_HIGH w_LOW w_HIGH, got 2"),
        ("motors.set_velocity 0 1 2", 1, "a lowest and a highest value of each number"),
        ("motors.set_velocity 1 0 -1 1", 28, "lowest value before the highest"),
        ("motors.set_velocity a 0 -1 1", 28, "expects a number"),
        ("engine.set_velocity 0 1 0 1", 8, "no module 'engine'"),
    ],
)
def test_mistakes_of_the_action_have_their_places(tmp_path: Path, action: str, column: int, says: str) -> None:
    lines = BASE.replace("motors.set_velocity -0.5 0.5 -1.5 1.5", action)
    with pytest.raises(BadFile, match=f"gather.scenario:{FIRST + 3}:{column}: .*{says}"):
        load(scenario(tmp_path, lines))


def test_what_must_be_said_and_what_stands_still_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=rf"gather.scenario:{FIRST - 1}:1: \[LEARNING\] needs the key 'reward'"):
        load(scenario(tmp_path, BASE.replace("reward 1 nearer red\n", "")))
    problems, spec = examine(scenario(tmp_path, BASE + "robots r1\n"))
    assert spec is not None
    assert next(str(problem).splitlines()[0] for problem in problems if problem.is_warning).endswith(
        "r2, r3 neither learns nor is driven, and stands still"
    )


def test_learners_hear_what_the_others_said_in_the_step_before(tmp_path: Path) -> None:
    batch = LearningBatch(task_of(scenario(tmp_path, BASE + "say 1\nobserve messages\n")), 2, resets=False)
    assert batch.actions == 3
    said = np.array([[0.1, 0.2, 0.3], [-0.4, 0.5, 7.0]])
    actions = np.concatenate([np.zeros((2, 3, 2)), said[..., np.newaxis]], axis=-1)
    assert (batch.observe()[..., -2:] == 0.0).all()
    heard = batch.step(actions).observations[..., -2:]
    after = [[(0.2, 0.3), (0.3, 0.1), (0.1, 0.2)], [(0.5, 1.0), (1.0, -0.4), (-0.4, 0.5)]]
    assert np.allclose(heard, after)
    # an episode begins in silence, and the other world goes on
    begun = batch.reset(mask=np.array([True, False]))[..., -2:]
    assert (begun[0] == 0.0).all()
    assert np.array_equal(begun[1], heard[1])
    with pytest.raises(BadArgument, match=r"expected actions of shape \(2, 3, 3\), got \(2, 3, 2\)"):
        batch.step(actions[..., :2])
    with pytest.raises(BadArgument, match=r"the action at \(0, 0, 2\) is nan"):
        batch.step(np.where(actions == 0.1, np.nan, actions))
    batch.close()
    agents = parallel_env(scenario(tmp_path, BASE + "say 2\nobserve messages\n"))
    assert agents.action_space("r1").shape == (4,)
    agents.close()
    problems, _ = examine(scenario(tmp_path, BASE + "say 2\n"))
    (warning,) = [str(problem) for problem in problems if problem.is_warning]
    assert "learners say 2 numbers that none of them observes" in warning


def test_worlds_of_a_section_may_be_simulations_of_their_own(tmp_path: Path) -> None:
    batches = []
    for more in ("", "worlds separate\n", "worlds batched\n"):
        batch, rewards = stepped(scenario(tmp_path, BASE + more), steps=3)
        batches.append((isinstance(batch.worlds, SeparateWorlds), rewards.tolist(), batch.worlds.state_hash(1)))
        batch.close()
    assert [is_separate for is_separate, *_ in batches] == [False, True, False]
    # the same bits, whoever ticks them
    assert batches[0][1:] == batches[1][1:] == batches[2][1:]
