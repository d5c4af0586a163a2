"""Recorded commands on several engines, and recordings in which the engine changes (S-76)."""

import math
from pathlib import Path

import numpy as np
import pytest
from replay_scenes import record

from coopsim.errors import DamagedRecording, EngineCannot, NoSuchPlugin
from coopsim.features.files.facts import engines
from coopsim.features.proof.verify import verify
from coopsim.features.studies.comparing_engines import DIVERGED, EngineTrajectories, apart, courses
from coopsim.recording import Recording
from coopsim.replay.about import attachments
from coopsim.replay.continuing import Instant, continuation
from coopsim.replay.run_json import spec_of
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore
from coopsim.state.edits import Insert, Remove, SetEngine
from coopsim.testkit.recorded_run import RecordedRun

SCENE = """
[ROBOT_1]
type single
name robot1
[ROBOT_2]
type single
name robot2
position 2 1 0
orientation 0 0 90
[SIMULATION]
engine {engine}
"""
CRATE = "[OBJECT_1]\ntype box\nname crate\nsize 0.4 0.4 0.3\nposition 0.8 0.1 0\nmass 4\n"
LEANING = "[OBJECT_1]\ntype box\nname plank\nsize 1 0.3 0.05\nposition -3 0 0.2\norientation 0 20 0\n"


@pytest.fixture
def filmed(tmp_path: Path):
    """Return a maker of recordings of two robots that drive in curves: `filmed("pymunk", {100: edit})`."""

    def film(engine: str = "pymunk", edits: dict | None = None, ticks: int = 300) -> Path:
        scenario = tmp_path / "pair.scenario"
        scenario.write_text(SCENE.format(engine=engine))
        spec = load(scenario)
        simulation, path = Simulation(spec), tmp_path / f"{engine}-{len(list(tmp_path.iterdir()))}.mcap"
        with RecordedRun(simulation, path, attachments=attachments(spec)) as run:
            for tick in range(ticks):
                for edit in (edits or {}).get(tick, []):
                    run.edit(edit)
                for number, robot in enumerate(simulation.layout.robot):
                    simulation.command(robot, "motors", 10, (0.3, 0.3 - 0.25 * number))
                run.tick()
        return path

    return film


def compared(path: Path, *names: str, duration: float = math.inf) -> list[EngineTrajectories]:
    with Recording.open(path) as recording:
        return courses(recording, spec_of(recording), names, duration)


def test_free_motion_is_the_same_wherever_it_was_recorded(filmed) -> None:
    for engine in ("pymunk", "mujoco"):
        first, *later = compared(filmed(engine), "pymunk", "mujoco", "kinematic")
        for later_run in later:
            difference = apart(first, later_run)
            assert difference.largest < 1e-9
            assert difference.first is None
        assert first.moving == ["robot1", "robot2"]
        assert len(first.times) == 300  # the last tick of engines whose positions lag says where all were before
        assert later[0].times[:300] == pytest.approx(first.times, abs=1e-12)


def test_the_engine_that_recorded_it_does_the_same_again(filmed) -> None:
    path = filmed("pymunk")
    (course,) = compared(path, "pymunk")
    with Recording.open(path) as recording:
        last = recording.block(recording.chunks - 1).poses[-1]
    assert course.ways["robot1"][-1, :2] == pytest.approx(last[0, :2], abs=1e-6)
    assert course.speed > 1.0


def test_what_meets_parts_and_who_did_is_named(filmed) -> None:
    path = filmed(edits={0: [Insert(CRATE)]}, ticks=400)
    first, second = compared(path, "pymunk", "kinematic")
    difference = apart(first, second)
    assert difference.first is not None
    assert 0.5 < difference.first < 3.0
    assert difference.largest > DIVERGED
    assert difference.body in {"robot1", "crate"}
    assert "crate" in first.moving


def test_only_so_much_is_done_again(filmed) -> None:
    (course,) = compared(filmed(), "mujoco", duration=1.0)
    assert course.times[-1] == pytest.approx(1.0)


def test_exchanges_in_the_recording_do_not_count(filmed) -> None:
    path = filmed(edits={100: [SetEngine("mujoco")]})
    first, second = compared(path, "pymunk", "kinematic")
    assert (first.lag, second.lag) == (1, 0)
    assert apart(first, second).largest < 1e-9


def test_bodies_that_came_and_went_are_compared_while_they_were_there(filmed) -> None:
    edits = {50: [Insert(CRATE)], 150: [Remove("crate")]}
    first, second = compared(filmed(edits=edits), "pymunk", "mujoco")
    present = np.isfinite(first.ways["crate"][:, 0])
    assert (int(np.flatnonzero(present)[0]), int(present.sum())) == (50, 100)
    assert apart(first, second).largest < 0.2


def test_a_body_that_an_engine_cannot_hold_is_named(filmed) -> None:
    path = filmed("mujoco", {0: [Insert(LEANING)]})
    with pytest.raises(EngineCannot, match="pymunk engine cannot hold 'plank'"):
        compared(path, "pymunk", "mujoco")
    with pytest.raises(NoSuchPlugin, match="no engine 'bullet'"):
        compared(path, "bullet")


def test_a_recording_without_key_frames_cannot_be_compared(tmp_path: Path) -> None:
    path = record(tmp_path / "bare.mcap", 10, keyframes=False)
    with Recording.open(path) as recording, pytest.raises(DamagedRecording, match="key frame"):
        courses(recording, load(tmp_path / "pair.scenario"), ("pymunk",))


def test_nothing_moved_is_no_distance() -> None:
    still = EngineTrajectories("pymunk", 1, 1.0, np.arange(3.0), {"robot1": np.zeros((3, 4))})
    assert apart(still, still).body == ""


def test_an_exchange_is_recorded_and_proved(filmed) -> None:
    """S-76."""
    edits = {
        100: [SetEngine("mujoco")],
        150: [Insert(CRATE)],
        220: [SetEngine("kinematic")],
    }
    path = filmed(edits=edits)
    with Recording.open(path) as recording:
        verdict = verify(recording, spec_of(recording))
        assert verdict.identical
        assert not verdict.breaks
        assert verdict.ticks == 300
        assert engines(recording) == [(0.0, "pymunk"), (1.0, "mujoco"), (2.2, "kinematic")]


@pytest.mark.parametrize(("tick", "engine"), [(90, "pymunk"), (180, "mujoco"), (290, "kinematic")])
def test_a_run_goes_on_with_the_engine_of_the_instant(filmed, tick: int, engine: str) -> None:
    path = filmed(
        edits={
            100: [SetEngine("mujoco")],
            220: [SetEngine("kinematic")],
        }
    )
    with Recording.open(path) as recording:
        spec = spec_of(recording)
        start = continuation(recording, spec, Instant(path, tick=tick))
        changed = continuation(recording, spec, Instant(path, tick=tick), engine="pymunk")
    assert start.exact
    assert (start.engine, changed.engine) == (engine, "pymunk")
    simulation = Simulation(spec)
    restore(simulation, start.state)
    assert (simulation.engine_name, simulation.tick_count) == (engine, tick)


def test_an_exchange_is_told_in_words() -> None:
    assert SetEngine("mujoco").as_text() == "goes on with the engine mujoco"
