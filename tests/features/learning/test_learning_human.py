"""`render_mode="human"`: one window follows all episodes of an environment, and decides no more than their pace."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

import coopsim.features.learning.environments  # noqa: F401 - registers them
from coopsim.client import Client, State, connect
from coopsim.errors import BadArgument, CannotDraw, NoSuchName, NotInThisMode, OwnedByAnother
from coopsim.features.learning.environments import TaskEnv, TaskVectorEnv
from coopsim.features.learning.human import window
from coopsim.features.learning.human.pace import EpisodePace
from coopsim.features.learning.parallel import parallel_env
from coopsim.features.learning.separate import SeparateWorlds
from coopsim.state.edits import Step

DEADLINE = 60.0
SEEN = "import signal, sys; from coopsim.client import connect; run = connect(sys.argv[1]); run.info(); signal.pause()"
STILL = np.zeros((2, 2), np.float32)


def viewer_of(program: str) -> Callable[[str], tuple[str, ...]]:
    return lambda endpoint: (sys.executable, "-c", program, endpoint)


@pytest.fixture(scope="module")
def env() -> Iterator[TaskEnv]:
    """An environment that a stand-in for the window looks at, as fast as it can."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "view_command", viewer_of(SEEN))
        shown = gymnasium.make("coopsim/Doorway-v0", render_mode="human")
        shown.reset(seed=1)
    task = shown.unwrapped
    assert isinstance(task, TaskEnv)
    window_of(task)._source.pace.choose(is_free=True)
    yield task
    task.close()


@pytest.fixture(scope="module")
def client(env: TaskEnv) -> Iterator[Client]:
    with connect(window_of(env).endpoint, timeout=DEADLINE) as another:
        yield another


def window_of(env: Any) -> window.EpisodeWindow:
    opened = env._rendering._window
    assert isinstance(opened, window.EpisodeWindow)
    return opened


def state_at(client: Client, env: TaskEnv) -> State:
    """Return the state that shows the world as it is now."""
    tick = env._rendering._window._source._tick_now
    with client.stream() as stream:
        while (state := stream.latest(timeout=DEADLINE)) is not None and state.tick != tick:
            pass
    assert state is not None
    return state


def test_the_states_of_a_window_are_those_of_the_world_through_all_episodes(env: TaskEnv, client: Client) -> None:
    server = window_of(env)._host
    begun = state_at(client, env).tick
    for episode in (3, 4):
        env.reset(seed=episode)
        first = state_at(client, env)
        env.step(np.full((2, 2), 0.5, np.float32))
        state, worlds = state_at(client, env), env.batch.worlds
        assert state.tick - first.tick == 10
        assert state.time == pytest.approx(first.time + 0.1)
        for row, name in enumerate(worlds.robots):
            assert np.allclose(state.poses[state.names.index(name)][:2], worlds.poses[0, row, :2], atol=1e-6)
        targets = [entity.pose[:2] for entity in client.scene().entities if entity.kind == "target"]
        assert np.allclose(targets, worlds.targets[0])
        assert np.array_equal(client.robot("robot1").sonars.ranges().ranges, worlds.readings("sonars")[0, 0])
    # the clock goes on, and the same processes serve all episodes
    assert state.tick == begun + 20
    assert window_of(env)._host is server
    assert env.render() is None
    assert env.metadata["render_fps"] == 10


def test_a_target_that_is_moved_within_an_episode_is_seen_where_it_is(env: TaskEnv, client: Client) -> None:
    env.reset(seed=1)
    env.batch.worlds.targets[0, 0] = 1.25, -1.5
    env.step(STILL)
    state_at(client, env)
    places = [entity.pose[:2] for entity in client.scene().entities if entity.kind == "target"]
    assert places[0] == pytest.approx((1.25, -1.5))


def test_whoever_looks_on_may_change_the_pace_and_nothing_else(env: TaskEnv, client: Client) -> None:
    robot, world, recorder = client.robot("robot1"), client.module("/sim/world"), client.module("/sim/recorder")
    with pytest.raises(OwnedByAnother):
        robot.motors.set_velocity(0.1, 0.1)
    for change in (lambda: world.remove("robot1"), lambda: recorder.start("episodes.mcap"), recorder.stop):
        with pytest.raises(NotInThisMode, match="shows the episodes of a learner"):
            change()
    with pytest.raises(NotInThisMode, match="`set_mode` would change more"):
        client.module("/sim/clock").set_mode("lockstep")
    assert robot.sonars.get_parameter("reach") == 3.0
    with pytest.raises(NoSuchName):
        env.batch.worlds.parameter_in(0, "robot9", "sonars", "reach")


def test_a_training_that_is_paused_waits_and_makes_the_steps_that_are_asked_for(env: TaskEnv, client: Client) -> None:
    clock, steps = client.module("/sim/clock"), list[int]()
    with pytest.raises(BadArgument, match=r"1 to .* steps of a training that is paused"):
        window_of(env)._source._change_pace(Step(1))
    clock.pause()
    assert clock.status().paused == 1

    def train() -> None:
        for number in range(3):
            env.step(STILL)
            steps.append(number)

    training = threading.Thread(target=train)
    training.start()
    training.join(0.3)
    assert steps == []
    clock.step(2)
    while len(steps) < 2:
        training.join(0.01)
    training.join(0.3)
    assert steps == [0, 1]
    getattr(clock, "continue")()
    training.join(DEADLINE)
    assert steps == [0, 1, 2]
    clock.set_speed(4.0)
    assert (clock.status().speed, clock.status().mode) == (4.0, "free")


def test_a_window_that_is_closed_by_hand_ends_nothing_else(env: TaskEnv, caplog: pytest.LogCaptureFixture) -> None:
    opened = window_of(env)
    ring = opened._source._ring.path
    assert ring.exists()
    opened._view.kill()
    opened._view.wait(DEADLINE)
    with caplog.at_level(logging.WARNING):
        env.step(STILL)
        env.reset()
        env.step(STILL)
    assert [record.message for record in caplog.records] == [
        "the window was closed; episodes go on without it, as fast as they can"
    ]
    assert opened._host.ended
    assert not ring.exists()
    opened.close()


def test_a_window_that_does_not_open_is_an_error_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(window, "view_command", viewer_of("raise SystemExit(1)"))
    env = TaskEnv("target", render_mode="human")
    with pytest.raises(CannotDraw, match="could not be opened; its message stands above"):
        env.reset(seed=1)
    assert not list(Path("/dev/shm").glob(f"coopsim-{os.getpid()}-*"))
    env.close()


class NotedWindow:
    """Window that notes what it is shown: the simulated time of each step."""

    opened: ClassVar[list[Any]] = []

    def __init__(self, worlds: Any) -> None:
        self.steps, self.is_closed = list[float](), False
        self.opened.append(self)

    def show(self, seconds: float) -> None:
        """Note a step, or the begin of an episode."""
        self.steps.append(seconds)

    def close(self) -> None:
        """Note the end."""
        self.is_closed = True


def test_agents_and_vectors_are_shown_in_one_window_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "EpisodeWindow", NotedWindow)
    NotedWindow.opened = []
    agents = parallel_env("formation", render_mode="human")
    vector = gymnasium.make_vec("coopsim/Formation-v0", num_envs=2, render_mode="human")
    assert NotedWindow.opened == []
    for _ in range(2):
        agents.reset(seed=1)
        agents.step({})
        vector.reset(seed=1)
        vector.step(np.zeros(vector.action_space.shape, np.float32))
    assert [shown.steps for shown in NotedWindow.opened] == [[0.1, 0.0, 0.1]] * 2
    assert isinstance(vector, TaskVectorEnv)
    vector.batch.steps[0] = vector.batch.task.limit - 1
    for _ in range(2):  # the end of the episode, and the begin of the next one
        vector.step(np.zeros(vector.action_space.shape, np.float32))
    assert NotedWindow.opened[1].steps[-2:] == [0.1, 0.0]
    assert agents.render() is vector.render() is None
    for environment in (agents, vector):
        environment.close()
    assert all(shown.is_closed for shown in NotedWindow.opened)


def test_a_mode_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadArgument, match=r"expected a render_mode of human, rgb_array or None, got 'humna' .*human\?"):
        TaskEnv("target", render_mode="humna")


def test_separate_worlds_are_shown_as_they_are() -> None:
    with SeparateWorlds("formation", 2) as worlds:
        worlds.step(5)
        poses, _, readings, _ = worlds.record_arrays(1)
        simulation = worlds._simulations[1]
        assert np.array_equal(poses, simulation.engine.poses)
        assert np.array_equal(readings, simulation.readings)
        assert worlds.parameter_in(1, worlds.robots[0], "sonars", "reach") == 3.0


class Clock:
    """Time that passes while somebody waits for it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> EpisodePace:
    pace = EpisodePace(clock)

    def wait(seconds: float) -> None:
        clock.now += seconds

    monkeypatch.setattr(pace._changed, "wait", wait)
    return pace


def test_steps_take_their_simulated_time_divided_by_the_speed(pace: EpisodePace, clock: Clock) -> None:
    for _ in range(10):
        pace.wait(0.1, lambda: True)
    assert clock.now == pytest.approx(101.0)
    pace.set_speed(5.0)
    pace.wait(1.0, lambda: True)
    assert clock.now == pytest.approx(101.2)
    pace.choose(is_free=True)
    pace.wait(9.0, lambda: True)
    assert clock.now == pytest.approx(101.2)


def test_a_learner_that_thought_for_long_does_not_hurry_afterwards(pace: EpisodePace, clock: Clock) -> None:
    clock.now += 30.0
    for _ in range(10):
        pace.wait(0.1, lambda: True)
    assert clock.now == pytest.approx(130.5)


def test_nothing_waits_for_a_window_that_is_gone(pace: EpisodePace, clock: Clock) -> None:
    pace.pause()
    looks = iter([True, True, False])
    pace.wait(0.1, lambda: next(looks))
    assert clock.now == pytest.approx(100.4)
