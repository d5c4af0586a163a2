"""Worlds of a batch have the bits of the same scenario run alone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadArgument, CoopsimError, EngineCannot, NoSuchName
from coopsim.features.learning import End, StartRule, Worlds
from coopsim.features.learning.separate import SeparateWorlds
from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import spec_of
from coopsim.simulation import Simulation

SET_VELOCITY = 10
STARTS = [StartRule(distance=0.4, angle=1.0)]


@pytest.fixture(scope="module")
def worlds() -> Iterator[Worlds]:
    with Worlds("formation", 3, starts=STARTS, vary={"all.sonars.noise": (0.0, 0.05)}) as batch:
        yield batch


@pytest.fixture(scope="module")
def separate() -> Iterator[Worlds]:
    with SeparateWorlds("formation", 2) as batch:
        yield batch


def drive(batch: Worlds, alone: dict[int, Simulation], rng: np.random.Generator, ticks: int) -> None:
    """Drive robots by chance, the same way in the batch and in simulations of single worlds."""
    for _ in range(ticks):
        speeds = rng.uniform(-1.0, 1.0, (batch.count, len(batch.robots), 2))
        batch.command("motors", SET_VELOCITY, speeds)
        batch.step(5)
        for world, simulation in alone.items():
            for robot, values in zip(batch.robots, speeds[world].tolist(), strict=True):
                simulation.command(robot, "motors", SET_VELOCITY, values)
            for _ in range(5):
                simulation.tick()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("scenario", ["formation", "crossing_circle"])
def test_each_world_has_the_hash_of_its_scenario_run_alone_also_after_resets(scenario: str, threads: int) -> None:
    rng = np.random.default_rng(1)
    with Worlds(scenario, 4, starts=STARTS, vary={"all.sonars.noise": (0.0, 0.05)}, threads=threads) as batch:
        alone = {world: batch.alone(world) for world in range(4)}
        assert [batch.state_hash(world) for world in alone] == [single.state_hash() for single in alone.values()]
        drive(batch, alone, rng, 20)
        batch.reset(np.array([False, True, False, True]))
        alone |= {world: batch.alone(world) for world in (1, 3)}
        drive(batch, alone, rng, 20)
        assert batch.ticks.tolist() == [200, 100, 200, 100]
        assert [batch.state_hash(world) for world in alone] == [single.state_hash() for single in alone.values()]
        assert len({batch.state_hash(world) for world in alone}) == 4


def test_bumpers_of_a_world_feel_walls_as_alone() -> None:
    with Worlds("single", 2) as batch:
        alone = {1: batch.alone(1)}
        touched = []
        for _ in range(90):
            batch.command("motors", SET_VELOCITY, (0.5, 0.0))
            batch.step(50)
            alone[1].command("robot1", "motors", SET_VELOCITY, (0.5, 0.0))
            for _ in range(50):
                alone[1].tick()
            assert batch.state_hash(1) == alone[1].state_hash()
            touched.append(batch.readings("bumpers")[1, 0, 0])
        assert touched[0] == 0.0
        assert max(touched) == 1.0


def test_a_seed_gives_the_same_episode_in_any_world(worlds: Worlds) -> None:
    worlds.reset(seeds=[7, 8, 7])
    assert worlds.state_hash(0) == worlds.state_hash(2) != worlds.state_hash(1)


def test_a_reset_without_seeds_begins_another_episode(worlds: Worlds) -> None:
    worlds.reset(seeds=[7, 8, 9])
    before = worlds.poses.copy()
    worlds.reset(np.array([True, False, False]))
    assert worlds.seeds[0] != 7
    assert worlds.seeds[1:].tolist() == [8, 9]
    assert np.array_equal(worlds.poses[1:], before[1:])
    assert not np.array_equal(worlds.poses[0], before[0])


def test_robots_that_start_in_an_area_stand_apart_within_it(worlds: Worlds) -> None:
    area = (-3.0, -2.0, 3.0, 2.0)
    with Worlds("formation", 64, starts=[StartRule(area=area)]) as batch:
        places = batch.poses[:, :, :2]
        apart = np.linalg.norm(places[:, :, np.newaxis] - places[:, np.newaxis], axis=-1)
        assert (np.abs(places) <= [3.0, 2.0]).all()
        assert apart[:, ~np.eye(3, dtype=bool)].min() >= 0.5
        assert np.ptp(places[:, 0, 0]) > 3.0


def test_robots_of_a_narrow_area_start_all_over_it_and_nowhere_else() -> None:
    """Both corners are named in any order."""
    with Worlds("single", 64, starts=[StartRule(area=(3.0, 0.5, 1.0, -0.5))]) as batch:
        xs, ys = batch.poses[:, 0, 0], batch.poses[:, 0, 1]
        assert 1.0 <= xs.min() < 1.3 < 2.7 < xs.max() <= 3.0
        assert -0.5 <= ys.min() < -0.3 < 0.3 < ys.max() <= 0.5


@pytest.mark.parametrize(("area", "axis", "place"), [((2.0, -3.0, 2.0, 3.0), 0, 2.0), ((-3.0, 1.0, 3.0, 1.0), 1, 1.0)])
def test_robots_of_an_area_that_is_a_line_start_along_it(area: tuple[float, ...], axis: int, place: float) -> None:
    with Worlds("single", 16, starts=[StartRule(area=area)]) as batch:
        starts = batch.poses[:, 0, :2]
        assert starts[:, axis].tolist() == [place] * 16
        assert np.ptp(starts[:, 1 - axis]) > 3.0


def test_targets_that_start_by_chance_are_seen_where_they_are() -> None:
    with Worlds("single", 2, starts=[StartRule(names=("red",), area=(-2.0, -2.0, 2.0, 2.0))]) as batch:
        batch.step(3)
        alone = batch.alone(1)
        for _ in range(3):
            alone.tick()
        assert batch.state_hash(1) == alone.state_hash() != batch.state_hash(0)


def test_arrays_are_views_that_follow_the_worlds(worlds: Worlds) -> None:
    ranges = worlds.readings("sonars")
    assert ranges.shape == (3, 3, 11)
    before = ranges.copy()
    worlds.command("motors", SET_VELOCITY, (0.3, 0.0))
    worlds.step(50)
    assert not np.array_equal(ranges, before)


def test_an_episode_becomes_an_ordinary_recording(worlds: Worlds, tmp_path: Path) -> None:
    worlds.reset(seeds=[1, 2, 3])
    worlds.keep_commands(1)
    drive(worlds, {}, np.random.default_rng(2), 10)
    path = tmp_path / "world.mcap"
    worlds.save(1, path)
    with Recording(path) as recording:
        assert verify(recording, spec_of(recording)).outcome is Outcome.IDENTICAL
    assert worlds.alone(1).state_hash() == worlds.state_hash(1)


def test_a_world_that_explodes_ends_with_its_reason_and_the_others_go_on(worlds: Worlds) -> None:
    worlds.reset(seeds=[1, 2, 3])
    for name in ("max_force", "max_speed", "grip"):
        worlds.parameter("motors", name)[1] = 1e30
    worlds.command("motors", SET_VELOCITY, np.array([0.1, 1e25, 0.1])[:, np.newaxis, np.newaxis])
    worlds.step(4)
    assert worlds.ends[1] in (End.ASTRAY, End.WILD_FORCE)
    assert worlds.reason(1)
    assert worlds.running.tolist() == [True, False, True]
    assert worlds.ticks.tolist() == [4, 1, 4]
    worlds.reset(~worlds.running)
    worlds.step(4)
    assert worlds.running.all()
    assert worlds.reason(1) == ""


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("maze", "maze.scenario:"),
        ("doorway", "have no joints yet"),
        ("sphere", "expected the engine pymunk"),
    ],
)
def test_a_scenario_that_needs_python_in_each_tick_is_refused(scenario: str, words: str) -> None:
    with pytest.raises(EngineCannot, match=words):
        Worlds(scenario, 2)


@pytest.mark.parametrize(
    "options",
    [
        {"vary": {"all.sonars.nois": (0.0, 0.1)}},
        {"vary": {"robot9.sonars.noise": (0.0, 0.1)}},
        {"vary": {"all.sonars.noise": (0.1, 0.0)}},
        {"vary": {"all.sonars.noise": (0.0, -5.0)}},
        {"starts": [StartRule(names=("nobody",))]},
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(CoopsimError):
        Worlds("formation", 2, **options)  # type: ignore[arg-type]


def test_wrong_arguments_are_refused(worlds: Worlds) -> None:
    with pytest.raises(BadArgument, match="mask of 3"):
        worlds.reset(np.array([1, 0, 1]))
    with pytest.raises(BadArgument, match="whole seeds"):
        worlds.reset(seeds=[0.5, 1.0, 2.0])
    with pytest.raises(NoSuchName, match="no type of robots"):
        worlds.readings("lidar")
    with pytest.raises(NoSuchName, match="takes no commands"):
        worlds.slots("sonars")
    with pytest.raises(BadArgument, match="not kept"):
        worlds.save(0, "never.mcap")
    with pytest.raises(BadArgument, match="worlds, got 0"):
        Worlds("formation", 0)
    with pytest.raises(BadArgument, match="finite"):
        StartRule(distance=float("nan"))


OF_ONE_WORLD: dict[str, Callable[[Worlds, int], object]] = {
    "reason": Worlds.reason,
    "alone": Worlds.alone,
    "spec": Worlds.spec,
    "state_hash": lambda batch, world: batch.state_hash(world),
    "drawn": Worlds.drawn,
    "keep_commands": Worlds.keep_commands,
    "save": lambda batch, world: batch.save(world, "never.mcap"),
    "parameter_in": lambda batch, world: batch.parameter_in(world, batch.robots[0], "sonars", "noise"),
}


@pytest.mark.parametrize("member", OF_ONE_WORLD)
def test_a_world_that_is_not_there_is_named(worlds: Worlds, separate: Worlds, member: str) -> None:
    ask = OF_ONE_WORLD[member]
    for batch in (worlds, separate):
        batch.reset()
        last = batch.count - 1
        for world in (batch.count, -1, 0.5, "0"):
            with pytest.raises(BadArgument, match=f"expected a world from 0 to {last}, got {world!r}"):
                ask(batch, world)  # type: ignore[arg-type]
        if member != "save":
            ask(batch, np.int64(last))  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [-3, 0, 1.5, "2", None])
def test_a_number_of_threads_is_a_whole_number_of_one_or_more(threads: object) -> None:
    with pytest.raises(BadArgument, match=f"expected 1 or more threads, got {threads!r}"):
        Worlds("formation", 2, threads=threads)  # type: ignore[arg-type]
